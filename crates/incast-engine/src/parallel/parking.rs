//! Parking: how one thread waits for others. It polls for a while, then yields the processor
//! between polls, then sleeps. It loses little time if the others come soon, and takes no time from
//! them if they need its processor.

use std::hint;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};

/// Number of polls without a pause: some 20 µs.
const MAX_SPINS: u32 = 1_000;
/// Number of polls that yield the processor in between: some 50 µs if no other thread wants it.
const MAX_YIELDS: u32 = 100;

/// Deferred work for a thread that would only wait for others: does a piece, and returns whether
/// there was any.
pub type Meanwhile<'a> = &'a mut dyn FnMut() -> bool;

/// A counter of signals. One thread waits for signals, any thread may send them. In cache lines of
/// its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Parker {
    signals: AtomicU64,
    is_asleep: AtomicBool,
    waiter: OnceLock<Thread>,
}

impl Parker {
    /// Sends this many signals.
    pub(super) fn signal(&self, count: u64) {
        self.signals.fetch_add(count, Ordering::SeqCst);
        if self.is_asleep.load(Ordering::SeqCst)
            && let Some(waiter) = self.waiter.get()
        {
            waiter.unpark();
        }
    }

    /// Waits as [`wait`](Self::wait) does. Before, does other work, piece by piece, until the
    /// signals have come or no work is left.
    pub(super) fn wait_at_work(&self, signals: u64, meanwhile: Meanwhile<'_>) {
        while !self.has(signals) && meanwhile() {}
        self.wait(signals);
    }

    fn has(&self, signals: u64) -> bool {
        self.signals.load(Ordering::SeqCst) >= signals
    }

    /// Waits until this number of signals has been sent since the parker was created. Only one
    /// thread may wait.
    pub(super) fn wait(&self, signals: u64) {
        let has_come = || self.has(signals);
        for _ in 0..MAX_SPINS {
            if has_come() {
                return;
            }
            hint::spin_loop();
        }
        for _ in 0..MAX_YIELDS {
            if has_come() {
                return;
            }
            thread::yield_now();
        }
        self.waiter.get_or_init(thread::current);
        self.is_asleep.store(true, Ordering::SeqCst);
        while !has_come() {
            thread::park();
        }
        self.is_asleep.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The third piece of work sends the signal, after which no piece is done. Nor is any if the
    /// signal has come before.
    #[test]
    fn work_is_done_until_the_signal_comes() {
        let (parker, mut pieces) = (Parker::default(), 0);
        let mut work = || {
            pieces += 1;
            if pieces == 3 {
                parker.signal(1);
            }
            true
        };
        parker.wait_at_work(1, &mut work);
        parker.wait_at_work(1, &mut work);
        assert_eq!(pieces, 3);
    }

    /// A thread without other work waits.
    #[test]
    fn a_thread_without_work_waits() {
        let (parker, is_told) = (Parker::default(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(5));
                is_told.store(true, Ordering::SeqCst);
                parker.signal(1);
            });
            parker.wait_at_work(1, &mut || false);
            assert!(is_told.load(Ordering::SeqCst));
        });
    }

    /// Two threads take turns, at once and after a sleep.
    #[test]
    fn no_signal_is_missed() {
        let (ping, pong) = (Parker::default(), Parker::default());
        thread::scope(|scope| {
            scope.spawn(|| {
                for turn in 1..=300 {
                    ping.wait(turn);
                    if turn % 100 == 0 {
                        thread::sleep(Duration::from_millis(5));
                    }
                    pong.signal(1);
                }
            });
            for turn in 1..=300 {
                if turn % 70 == 0 {
                    thread::sleep(Duration::from_millis(5));
                }
                ping.signal(1);
                pong.wait(turn);
            }
        });
        assert_eq!(pong.signals.into_inner(), 300);
    }
}
