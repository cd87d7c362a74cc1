//! One shard: the nodes of one thread, and a synchronisation round of them.

use std::mem::take;
use std::ops::Range;
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
    /// The first turn with work, here or by a message that was handed over; [`NO_TURN`] if there
    /// is none.
    pub(super) first: u64,
    /// The same without what is left of turns that were taken in the last round.
    pub(super) next: u64,
    /// End of the last window, or part of one, that was run.
    pub(super) end: Time,
    /// When the last message has arrived.
    pub(super) active_until: Time,
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

/// No turn has work.
pub(super) const NO_TURN: u64 = u64::MAX;

/// A synchronisation round: the turns to be taken, and the span of time of which they are a part.
#[derive(Clone, Debug)]
pub(super) struct SyncRound {
    pub(super) turns: Range<u64>,
    /// Start and end of the span, end of the run.
    pub(super) span: (Time, Time, Time),
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
                first: NO_TURN,
                next: NO_TURN,
                end: Time::ZERO,
                active_until: Time::ZERO,
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

    /// Takes the turns of a round, and hands over the messages for other shards.
    fn run_round(&mut self, round: SyncRound, runner: &ParallelRunner<N, M, L>, number: usize) {
        let SyncRound { turns, span } = round;
        let start = self.engine.start_of_turn(turns.start).max(span.0);
        self.engine.advance(turns.start, start);
        self.take_in(runner, number);
        if let Some(end) = self.engine.run_turns(turns.clone(), span, &mut self.local) {
            self.report.end = end;
        }
        let shards = &self.receiver_shards;
        let mail = |port: u32| runner.mail(number, shards[port as usize].into());
        let handed_over = self.engine.hand_over(mail);
        self.report_work(turns.end, handed_over);
    }

    /// Notes what work there is: in the calendar, of turns from `next` on apart, and by messages
    /// that were handed over, the first of which arrives in the turn `handed_over`.
    pub(super) fn report_work(&mut self, next: u64, handed_over: Option<u64>) {
        let sent = handed_over.unwrap_or(NO_TURN);
        let first = |turn: Option<u64>| turn.map_or(sent, |turn| turn.min(sent));
        self.report.first = first(self.engine.first_turn());
        self.report.next = first(self.engine.first_turn_from(next));
        self.report.active_until = self.engine.active_until();
        self.report.handled = self.engine.handled();
    }

    /// Takes in the messages that other shards have sent to this one.
    pub(super) fn take_in(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        for from in (0..runner.shards.len()).filter(|&from| from != number) {
            self.engine.take_in(&mut runner.mail(from, number));
        }
    }
}
