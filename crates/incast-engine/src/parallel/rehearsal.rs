//! How soon a run would end on more threads than there are cores. The calling thread runs the part
//! of every thread, round by round, one after the other, and takes the time of each. A timetable
//! says when each thread would have done its part.
//!
//! Everything else is as on that many threads: the same plans, the same rounds, and messages that
//! are handed over. What signals between threads take is measured apart; what threads cost each
//! other in caches and memory is for the caller to add.

use std::ops::AddAssign;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::parking::Parker;

/// Rounds by which their price is measured.
const MEASURED_ROUNDS: u64 = 20_000;

/// What a run was measured to take, part by part.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Rehearsal {
    /// Number of times that the calling thread would have had tasks for all threads, and waited for
    /// them to be done.
    pub meetings: u64,
    /// The time of all these tasks, one after the other.
    pub all: Duration,
    /// The time until the last was done, of all of these times.
    pub longest: Duration,
}

impl Rehearsal {
    /// A meeting: the time until the last task was done, and of all tasks.
    pub(super) fn of_meeting(longest: Duration, all: Duration) -> Self {
        Self {
            meetings: 1,
            all,
            longest,
        }
    }

    /// Does tasks that several threads would do side by side, one after the other. What comes of
    /// each, and what they took.
    pub fn of_tasks<P, T>(
        parts: impl Iterator<Item = P>,
        mut task: impl FnMut(P) -> T,
    ) -> (Vec<T>, Self) {
        let (begin, mut longest) = (Instant::now(), Duration::ZERO);
        let timed = parts.map(|part| {
            let begin = Instant::now();
            let done = task(part);
            longest = longest.max(begin.elapsed());
            done
        });
        let all = timed.collect();
        (all, Self::of_meeting(longest, begin.elapsed()))
    }
}

impl AddAssign for Rehearsal {
    fn add_assign(&mut self, other: Self) {
        self.meetings += other.meetings;
        self.all += other.all;
        self.longest += other.longest;
    }
}

/// When each thread would be where, in rounds that they run side by side.
#[derive(Debug)]
pub(super) struct Timetable {
    /// Time that a thread takes to tell the others that it has handed over messages.
    telling: Duration,
    /// Time until they know.
    latency: Duration,
    /// By thread: end of its last round.
    ends: Vec<Duration>,
    /// By thread: how long it waited before its rounds.
    waits: Vec<Duration>,
    /// By thread: when the others know that it has handed over the messages of the round before,
    /// and of this one.
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

    /// A thread runs its part of this round: it takes so long until messages are handed over, and
    /// so long for the rest.
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

    /// All threads have run their part of this round.
    pub(super) fn end_round(&mut self) {
        self.known.swap(0, 1);
    }

    /// How long a thread has waited when the last one has run its part of all rounds.
    pub(super) fn waiting(&self, thread: usize) -> Duration {
        self.waits[thread] + (self.longest() - self.ends[thread])
    }

    /// When the last thread has run its part of all rounds.
    pub(super) fn longest(&self) -> Duration {
        self.ends.iter().max().copied().unwrap_or_default()
    }
}

/// What it costs the calling thread to give others a task and to wait for them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RoundPrice {
    /// The price of a round with one other thread.
    pub of_two: Duration,
    /// The signal to start, a part of that.
    pub signal: Duration,
}

impl RoundPrice {
    /// Measures it, with a thread that has nothing else to do.
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

    /// With this many threads in all: each beyond two is signalled to start, one after the other,
    /// and signals its end to the same counter.
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

    /// Two threads; telling takes 0.1 us, and is known after 1 us. In the first round A has 3 us of
    /// work until messages are handed over and 5 us then, B 2 and 2. So B, done at 4.1 us, knows of
    /// A's messages just then, and begins the second round, while A works until 8.1 us. There B has
    /// 6 and 1 us, until 11.2 us. A, with 1 and 1, ends at 10.2 us, knows of B's messages only at
    /// 11.2 us, and then has 1 and 1 us more.
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
