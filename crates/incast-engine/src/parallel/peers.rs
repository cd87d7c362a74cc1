//! How threads keep step while they run rounds side by side: each tells all others when it has
//! handed over the messages of a round, and begins the next one when all have told it.
//!
//! Nodes with links to other shards come first in a round, so that a thread may begin the next one
//! while others still have nodes of this one left, which matter to no other shard. So what differs
//! from round to round evens out.

use std::sync::atomic::{AtomicBool, Ordering};

use super::ParallelRunner;
use super::parking::{Meanwhile, Parker};

/// The other shards, for one that runs rounds beside them.
pub(super) struct Peers<'a> {
    /// By shard: signalled by each of the others.
    parkers: &'a [Parker],
    /// Whether a thread has panicked, after which nothing that others hand over counts.
    is_broken: &'a AtomicBool,
    number: usize,
    /// Rounds whose messages are yet to be handed over.
    left: u64,
}

impl<'a> Peers<'a> {
    /// The peers of shard `number` among the first `shards`, for so many `rounds`.
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

    /// Waits until the others, too, have handed over the messages of the round that has been run,
    /// unless it is the last one; `heard` counts their signals. Says whether all is well with them.
    pub(super) fn have_handed_over(&self, heard: &mut u64, meanwhile: Meanwhile<'_>) -> bool {
        if self.left > 0 {
            *heard += self.parkers.len() as u64 - 1;
            self.parkers[self.number].wait_at_work(*heard, meanwhile);
        }
        !self.is_broken.load(Ordering::SeqCst)
    }

    /// Tells the others that the messages of a round are handed over, unless it is the last one.
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
    /// Where this thread panics, the others need not wait for it; nor where it ends early because
    /// another did, as a third may wait for it already.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.is_broken.store(true, Ordering::SeqCst);
        }
        if self.left > 0 {
            self.signal(self.left);
        }
    }
}
