//! How one thread waits for others: it looks again and again for a while, then lets others have
//! the processor, then sleeps; so it loses little when they come soon, and takes nothing from
//! them when they need its processor themselves.

use std::hint;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};

/// Looks without pause: some 20 µs.
const LOOKS: u32 = 1_000;
/// Looks between which others may run: some 50 µs if nobody wants to.
const YIELDS: u32 = 100;

/// One thread waits at it, any may ring it. In cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Bell {
    rings: AtomicU64,
    asleep: AtomicBool,
    waiter: OnceLock<Thread>,
}

impl Bell {
    pub(crate) fn ring(&self) {
        self.rings.fetch_add(1, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst)
            && let Some(waiter) = self.waiter.get()
        {
            waiter.unpark();
        }
    }

    /// Waits until it has been rung this many times since it was made. Always the same thread
    /// waits.
    pub(crate) fn wait(&self, rings: u64) {
        let rung = || self.rings.load(Ordering::SeqCst) >= rings;
        for _ in 0..LOOKS {
            if rung() {
                return;
            }
            hint::spin_loop();
        }
        for _ in 0..YIELDS {
            if rung() {
                return;
            }
            thread::yield_now();
        }
        self.waiter.get_or_init(thread::current);
        self.asleep.store(true, Ordering::SeqCst);
        while !rung() {
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Two threads take turns, at once and after a sleep.
    #[test]
    fn nobody_misses_a_ring() {
        let (ping, pong) = (Bell::default(), Bell::default());
        thread::scope(|scope| {
            scope.spawn(|| {
                for turn in 1..=300 {
                    ping.wait(turn);
                    if turn % 100 == 0 {
                        thread::sleep(Duration::from_millis(5));
                    }
                    pong.ring();
                }
            });
            for turn in 1..=300 {
                if turn % 70 == 0 {
                    thread::sleep(Duration::from_millis(5));
                }
                ping.ring();
                pong.wait(turn);
            }
        });
        assert_eq!(pong.rings.into_inner(), 300);
    }
}
