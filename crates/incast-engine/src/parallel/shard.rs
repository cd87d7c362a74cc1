//! One shard: the nodes of one thread, and a synchronisation round of them.

use std::mem::take;
use std::sync::Arc;

use incast_units::Time;

use super::ParallelRunner;
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::window::{Outline, WindowContext, WindowEngine};

/// A part of the nodes, and the state one thread needs to run them.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Shard<N, M, L> {
    pub(super) report: RoundReport,
    pub(super) task: Task,
    pub(super) engine: WindowEngine<N, M>,
    pub(super) local: L,
    /// By sending port: the shard of the receiving node.
    pub(super) receiver_shards: Vec<u16>,
}

/// What the coordinator asks of a shard after every round: in a cache line of its own, which is all
/// that passes from one core to the other for it.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
pub(super) struct RoundReport {
    /// Start of the first window with work, here or by a message that was handed over;
    /// [`Time::MAX`] if there is none.
    pub(super) next_window: Time,
    /// End of the last window that was run.
    pub(super) end: Time,
    /// Messages and timers handled so far.
    pub(super) handled: u64,
}

/// What the thread of a shard is to do next.
#[derive(Debug, Default)]
pub(super) enum Task {
    #[default]
    Rest,
    /// To make room for nodes: memory is touched first by the thread that will use it.
    Fill(Arc<Outline>),
    Run(SyncRound),
}

/// A synchronisation round: the windows to be run, those that begin from `start` to `end`.
#[derive(Copy, Clone, Debug)]
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
            report: RoundReport {
                next_window: Time::MAX,
                end: Time::ZERO,
                handled: 0,
            },
            task: Task::Rest,
            receiver_shards: vec![0; engine.peers().len()],
            engine,
            local,
        }
    }

    /// Does what there is to do.
    pub(super) fn run(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        match take(&mut self.task) {
            Task::Rest => {}
            Task::Fill(outline) => {
                self.engine = outline.empty_shard();
                self.receiver_shards = vec![0; self.engine.peers().len()];
            }
            Task::Run(round) => self.run_round(round, runner, number),
        }
    }

    /// Runs the windows of a round, and hands over the messages for other shards.
    fn run_round(&mut self, round: SyncRound, runner: &ParallelRunner<N, M, L>, number: usize) {
        let SyncRound { start, end, stop } = round;
        self.engine.advance(start);
        self.take_in(runner, number);
        while let Some(window) = self.engine.next_window()
            && window < end.min(stop)
        {
            self.engine.run_window(window, stop, &mut self.local);
            self.report.end = window + self.engine.length();
        }
        let shards = &self.receiver_shards;
        let mail = |port: u32| runner.mail(number, shards[port as usize].into());
        let first_handed_over = self.engine.hand_over(mail);
        self.report_work(first_handed_over);
    }

    /// Notes what work there is: in the calendar, and by messages that were handed over, the first
    /// of which arrives at `first_handed_over`.
    pub(super) fn report_work(&mut self, first_handed_over: Time) {
        let next = self.engine.next_window().unwrap_or(Time::MAX);
        let sent = match first_handed_over {
            Time::MAX => Time::MAX,
            first => self.engine.window_of(first),
        };
        self.report.next_window = next.min(sent);
        self.report.handled = self.engine.handled();
    }

    /// Takes in the messages that other shards have sent to this one.
    pub(super) fn take_in(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        for from in (0..runner.shards.len()).filter(|&from| from != number) {
            self.engine.take_in(&mut runner.mail(from, number));
        }
    }
}
