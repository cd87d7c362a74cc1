//! The run time on more threads than there are cores. The calling thread runs the part of every
//! thread, round by round, one after the other, and times each. A timetable computes when each
//! thread would have done its part.
//!
//! Everything else is the same as on as many threads: plans, rounds, and the exchange of messages.
//! The time of signals between threads is measured separately. The caller has to add the cost of
//! sharing caches and memory.

use std::ops::AddAssign;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::parking::Parker;

/// Number of rounds in the measurement of their price.
const MEASURED_ROUNDS: u64 = 20_000;

/// Measured times of a run, part by part.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Rehearsal {
    /// Number of times that the calling thread would have given tasks to all threads and waited for
    /// them.
    pub meetings: u64,
    /// The time of all these tasks, run one after the other.
    pub all: Duration,
    /// The sum over meetings of the time until the last task would be done.
    pub longest: Duration,
}

impl Rehearsal {
    /// One meeting: the time until the last task would be done, and the time of all tasks.
    pub(super) fn of_meeting(longest: Duration, all: Duration) -> Self {
        Self {
            meetings: 1,
            all,
            longest,
        }
    }

    /// Does the tasks of so many parallel threads one after the other. Returns their times.
    pub fn of_tasks(count: usize, task: &mut dyn FnMut(usize)) -> Self {
        let (begin, mut longest) = (Instant::now(), Duration::ZERO);
        for number in 0..count {
            let begin = Instant::now();
            task(number);
            longest = longest.max(begin.elapsed());
        }
        Self::of_meeting(longest, begin.elapsed())
    }
}

impl AddAssign for Rehearsal {
    fn add_assign(&mut self, other: Self) {
        self.meetings += other.meetings;
        self.all += other.all;
        self.longest += other.longest;
    }
}

/// Computed times of threads in rounds that they would run in parallel.
#[derive(Debug)]
pub(super) struct Timetable {
    /// Time for which a thread signals to the others that it has handed over messages.
    telling: Duration,
    /// Time until the other threads know of such a signal.
    latency: Duration,
    /// By thread: end of its last round.
    ends: Vec<Duration>,
    /// By thread: total wait before its rounds.
    waits: Vec<Duration>,
    /// By thread: when the others know that it has handed over the messages of the previous round,
    /// and of this round.
    known: [Vec<Duration>; 2],
}

impl Timetable {
    pub(super) fn new(threads: usize, price: RoundPrice) -> Self {
        let start = vec![Duration::ZERO; threads];
        Self {
            telling: price.signal * (threads as u32 - 1),
            latency: price.of_two / 2,
            known: [start.clone(), start.clone()],
            waits: start.clone(),
            ends: start,
        }
    }

    /// Adds a thread's part of this round: `outer` until messages are handed over, then `inner`.
    pub(super) fn run(&mut self, thread: usize, outer: Duration, inner: Duration) {
        let [before, now] = &mut self.known;
        let others = before
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != thread);
        let others = others.map(|(_, &known)| known).max();
        let start = self.ends[thread].max(others.unwrap_or_default());
        self.waits[thread] += start - self.ends[thread];
        let told = start + outer + self.telling;
        now[thread] = told + self.latency;
        self.ends[thread] = told + inner;
    }

    /// Ends a round, of which all threads have run their part.
    pub(super) fn end_round(&mut self) {
        self.known.swap(0, 1);
    }

    /// Total wait of a thread until the last thread has ended all rounds.
    pub(super) fn waiting(&self, thread: usize) -> Duration {
        self.waits[thread] + (self.longest() - self.ends[thread])
    }

    /// End of the last thread's part of all rounds.
    pub(super) fn longest(&self) -> Duration {
        self.ends.iter().max().copied().unwrap_or_default()
    }
}

/// The cost for the calling thread of giving other threads a task and waiting for them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RoundPrice {
    /// The price of a round with one other thread.
    pub of_two: Duration,
    /// The part of `of_two` for the signal to start.
    pub signal: Duration,
}

impl RoundPrice {
    /// Measures the price with one thread that has no other work.
    pub fn measure() -> Self {
        let (start, done, shard) = (Parker::default(), Parker::default(), Mutex::new(0_u64));
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=MEASURED_ROUNDS {
                    start.wait(round);
                    *shard.lock().expect("a thread that counts") += 1;
                    done.signal(1);
                }
            });
            let (began, mut signals) = (Instant::now(), Duration::ZERO);
            for round in 1..=MEASURED_ROUNDS {
                let before = Instant::now();
                start.signal(1);
                signals += before.elapsed();
                done.wait(round);
                *shard.lock().expect("a thread that counts") += 1;
            }
            let rounds = MEASURED_ROUNDS as u32;
            Self {
                of_two: began.elapsed() / rounds,
                signal: signals / rounds,
            }
        })
    }

    /// The price with this many threads. Each thread beyond two gets a signal to start, one after
    /// the other, and signals its end to the same counter.
    pub fn of(&self, threads: u32) -> Duration {
        self.of_two + 2 * self.signal * threads.saturating_sub(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 us for two threads, of which 100 ns are a signal: 16 have 14 more signals each way.
    #[test]
    fn a_round_costs_more_with_more_threads() {
        let price = RoundPrice {
            of_two: Duration::from_nanos(3_000),
            signal: Duration::from_nanos(100),
        };
        assert_eq!(price.of(2), Duration::from_nanos(3_000));
        assert_eq!(price.of(16), Duration::from_nanos(5_800));
    }

    /// Two threads; a signal takes 0.1 us and is known after 1 us. In the first round A takes 3 us
    /// until messages are handed over and 5 us more; B takes 2 and 2 us. B is done at 4.1 us, just
    /// when it learns of A's messages, and begins the second round, while A works until 8.1 us. In
    /// the second round B takes 6 and 1 us, until 11.2 us, and A takes 1 and 1 us, until 10.2 us. A
    /// learns of B's messages at 11.2 us, and then takes 1 and 1 us more.
    #[test]
    fn a_thread_begins_a_round_before_the_others_end_theirs() {
        let us = |tenths: u64| Duration::from_nanos(100 * tenths);
        let price = RoundPrice {
            of_two: us(20),
            signal: us(1),
        };
        let mut timetable = Timetable::new(2, price);
        let rounds = [
            [(30, 50), (20, 20)],
            [(10, 10), (60, 10)],
            [(10, 10), (0, 0)],
        ];
        let ends = rounds.map(|parts| {
            for (thread, (outer, inner)) in parts.into_iter().enumerate() {
                timetable.run(thread, us(outer), us(inner));
            }
            timetable.end_round();
            timetable.longest()
        });
        assert_eq!(ends, [us(81), us(112), us(133)]);
        assert_eq!(
            [0, 1].map(|thread| timetable.waiting(thread)),
            [us(10), us(20)]
        );
    }
}
