//! Synchronisation of threads that run rounds in parallel. Each thread signals to all others when
//! it has handed over the messages of a round. It begins the next round when it has the signals of
//! all others.
//!
//! Nodes with links to other shards come first in a round. So a thread may begin the next round
//! while others still run inner nodes of this one, which affect no other shard. Differences between
//! rounds even out.

use std::sync::atomic::{AtomicBool, Ordering};

use super::ParallelRunner;
use super::parking::{Meanwhile, Parker};

/// The other shards of a thread that runs rounds in parallel with them.
pub(super) struct Peers<'a> {
    /// By shard: signalled by each other shard.
    parkers: &'a [Parker],
    /// Whether a thread has panicked. Messages that are handed over after this do not count.
    is_broken: &'a AtomicBool,
    number: usize,
    /// Rounds whose messages have not been handed over yet.
    left: u64,
}

impl<'a> Peers<'a> {
    /// The peers of shard `number` among the first `shards`, for this many rounds.
    pub(super) fn new<N, M, L>(
        runner: &'a ParallelRunner<N, M, L>,
        number: usize,
        shards: usize,
        rounds: u64,
    ) -> Self {
        Self {
            parkers: &runner.peers[..shards],
            is_broken: &runner.is_broken,
            number,
            left: rounds,
        }
    }

    /// Waits until the others have handed over the messages of this round, unless it is the last
    /// one; `heard` counts their signals. Returns whether no thread has panicked.
    pub(super) fn have_handed_over(&self, heard: &mut u64, meanwhile: Meanwhile<'_>) -> bool {
        if self.left > 0 {
            *heard += self.parkers.len() as u64 - 1;
            self.parkers[self.number].wait_at_work(*heard, meanwhile);
        }
        !self.is_broken.load(Ordering::SeqCst)
    }

    /// Signals to the others that the messages of a round are handed over, unless it is the last
    /// round.
    pub(super) fn tell(&mut self) {
        self.left -= 1;
        if self.left > 0 {
            self.signal(1);
        }
    }

    fn signal(&self, count: u64) {
        for (number, parker) in self.parkers.iter().enumerate() {
            if number != self.number {
                parker.signal(count);
            }
        }
    }
}

impl Drop for Peers<'_> {
    /// If this thread panics, or ends early because another has panicked, signals all remaining
    /// rounds, so that no thread waits for it.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.is_broken.store(true, Ordering::SeqCst);
        }
        if self.left > 0 {
            self.signal(self.left);
        }
    }
}
