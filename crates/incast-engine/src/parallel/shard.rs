//! One shard: the nodes of one thread, and a synchronisation round of them.

use incast_units::Time;

use super::ParallelRunner;
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::window::{WindowContext, WindowEngine};

/// A part of the nodes, and the state one thread needs to run them.
#[derive(Debug)]
pub(super) struct Shard<N, M, L> {
    pub(super) engine: WindowEngine<N, M>,
    pub(super) local: L,
    /// By sending port: the shard of the receiving node.
    pub(super) receiver_shards: Vec<u16>,
    /// Arrival of the first of the messages handed over in the last round, or [`Time::MAX`].
    pub(super) first_handed_over: Time,
    pub(super) round: SyncRound,
    /// End of the last window that was run.
    pub(super) end: Time,
}

/// A synchronisation round: the windows to be run, those that begin from `start` to `end`.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SyncRound {
    pub(super) start: Time,
    pub(super) end: Time,
    /// End of the run.
    pub(super) stop: Time,
}

impl<N, M, L> Shard<N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'c> N: Node<WindowContext<'c, M, L>>,
{
    pub(super) fn new(engine: WindowEngine<N, M>, local: L) -> Self {
        Self {
            receiver_shards: vec![0; engine.peers().len()],
            engine,
            local,
            first_handed_over: Time::MAX,
            round: SyncRound::default(),
            end: Time::ZERO,
        }
    }

    /// Runs the windows of the current round, and hands over the messages for other shards.
    pub(super) fn run_round(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        let SyncRound { start, end, stop } = self.round;
        self.engine.advance(start);
        self.take_in(runner, number);
        while let Some(window) = self.engine.next_window()
            && window < end.min(stop)
        {
            self.engine.run_window(window, stop, &mut self.local);
            self.end = window + self.engine.length();
        }
        let shards = &self.receiver_shards;
        let mail = |port: u32| runner.mail(number, shards[port as usize].into());
        self.first_handed_over = self.engine.hand_over(mail);
    }

    /// Takes in the messages that other shards have sent to this one.
    pub(super) fn take_in(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        for from in (0..runner.shards.len()).filter(|&from| from != number) {
            self.engine.take_in(&mut runner.mail(from, number));
        }
    }

    /// Start of the first window with work, here or by a message that was handed over.
    pub(super) fn next_window(&self) -> Option<Time> {
        let first = self.first_handed_over;
        let sent = (first < Time::MAX).then(|| self.engine.window_of(first));
        self.engine.next_window().into_iter().chain(sent).min()
    }
}
