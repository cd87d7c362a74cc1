//! How soon a run would end on more threads than there are cores. The calling thread runs the part
//! of every thread, round by round, one after the other, and takes the time of each.
//!
//! Everything else is as on that many threads: the same plans, the same rounds, and messages that
//! are handed over. What is missing is the waiting of threads for each other, whose price per round
//! is measured apart; what threads cost each other in caches and memory is for the caller to add.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::parking::Parker;

/// Rounds by which their price is measured.
const MEASURED_ROUNDS: u64 = 20_000;

/// What a run was measured to take, part by part.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Rehearsal {
    /// Number of rounds that all threads would have run together, and of times when some would have
    /// made room for nodes.
    pub rounds: u64,
    /// The time of all their parts, one after the other.
    pub all: Duration,
    /// The times of the longest part of each round.
    pub longest: Duration,
}

impl Rehearsal {
    /// Adds a round: the time of its longest part, and of all parts.
    pub(super) fn add(&mut self, longest: Duration, all: Duration) {
        self.longest += longest;
        self.all += all;
        self.rounds += 1;
    }
}

/// What it costs the calling thread to let others run a round and to wait for them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RoundPrice {
    /// With one other thread.
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
                    done.signal();
                }
            });
            let (began, mut signals) = (Instant::now(), Duration::ZERO);
            for round in 1..=MEASURED_ROUNDS {
                let before = Instant::now();
                start.signal();
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
}
