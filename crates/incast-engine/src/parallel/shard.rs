//! One shard: the nodes of one thread, and their synchronisation rounds.

use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use incast_units::Time;

use super::ParallelRunner;
use super::parking::Meanwhile;
use super::peers::Peers;
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::window::{Division, WindowContext, WindowEngine};

/// A part of the nodes, and the state one thread needs to run them.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Shard<N, M, L> {
    pub(super) report: RoundReport,
    pub(super) task: Task,
    pub(super) engine: WindowEngine<N, M>,
    pub(super) local: L,
    /// Number of shards that have nodes.
    shards: usize,
    /// By node of this shard: whether it has a link to another shard.
    outer: Vec<bool>,
    /// Number of signals from other shards received so far.
    pub(super) heard: u64,
}

/// The report of a shard to the coordinator after its rounds. The report has a cache line of its
/// own, the only one that passes between the two cores.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
pub(super) struct RoundReport {
    /// The first turn with work, in this shard or by a message that it has handed over; [`NO_TURN`]
    /// if there is none.
    pub(super) first: u64,
    /// The same, without work of turns that were taken in the last round.
    pub(super) next: u64,
    /// End of the last window, or part of one, that was run.
    pub(super) end: Time,
    /// Arrival of the last message so far.
    pub(super) active_until: Time,
    /// Messages and timers handled so far.
    pub(super) handled: u64,
}

/// The next task of a shard's thread.
#[derive(Debug, Default)]
pub(super) enum Task {
    #[default]
    Rest,
    /// Give all nodes to other shards.
    Pack(Arc<Division>),
    /// Take in the shard's nodes by this division, before this turn, as of this time. The thread
    /// that uses their memory is the first one to touch it.
    Unpack(Arc<Division>, (u64, Time)),
    Run(SyncRounds),
    /// Free all nodes.
    Free,
}

/// No turn has work.
pub(super) const NO_TURN: u64 = u64::MAX;

/// Consecutive synchronisation rounds, which several shards run in parallel.
#[derive(Clone, Debug)]
pub(super) struct SyncRounds {
    /// Turns of the first round; further rounds have equally many.
    pub(super) first: Range<u64>,
    pub(super) count: u64,
    pub(super) shards: usize,
    /// Start and end of the span to which the rounds belong, and end of the run.
    pub(super) span: (Time, Time, Time),
}

impl SyncRounds {
    /// The turns of each round.
    pub(super) fn each(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let Range { start, end } = self.first.clone();
        let turns = end - start;
        (0..self.count).map(move |round| start + round * turns..end + round * turns)
    }
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
            shards: 1,
            outer: Vec::new(),
            heard: 0,
            engine,
            local,
        }
    }

    /// Does the shard's task. Does `meanwhile` while it would only wait for other threads.
    pub(super) fn run(
        &mut self,
        runner: &ParallelRunner<N, M, L>,
        number: usize,
        meanwhile: Meanwhile<'_>,
    ) {
        match take(&mut self.task) {
            Task::Rest => {}
            Task::Pack(division) => {
                self.take_in(runner, number);
                *runner.parcels(number) = self.engine.pack(&division);
            }
            Task::Unpack(division, (turn, time)) => {
                let shards = 0..runner.shards.len();
                let parcels = shards.filter_map(|from| {
                    let mut parcels = runner.parcels(from);
                    parcels.get_mut(number).map(take)
                });
                self.engine.unpack(number, &division, (turn, time), parcels);
                self.shards = division.shards;
                self.outer = self.engine.outer_nodes();
                self.report_work(turn, None);
            }
            Task::Run(rounds) => self.run_rounds(&rounds, runner, number, meanwhile),
            Task::Free => self.engine = self.engine.hollow(),
        }
    }

    /// Runs rounds in parallel with the threads of other shards.
    fn run_rounds(
        &mut self,
        rounds: &SyncRounds,
        runner: &ParallelRunner<N, M, L>,
        number: usize,
        meanwhile: Meanwhile<'_>,
    ) {
        let mut peers = Peers::new(runner, number, rounds.shards, rounds.count);
        for turns in rounds.each() {
            self.run_round(turns, rounds.span, runner, number, || peers.tell());
            if !peers.have_handed_over(&mut self.heard, meanwhile) {
                return;
            }
        }
    }

    /// Takes the turns of a round. As soon as no more messages for other shards can follow, hands
    /// these over and calls `handed_over`.
    pub(super) fn run_round(
        &mut self,
        turns: Range<u64>,
        span: (Time, Time, Time),
        runner: &ParallelRunner<N, M, L>,
        number: usize,
        handed_over: impl FnOnce(),
    ) {
        let start = self.engine.start_of_turn(turns.start).max(span.0);
        self.engine.advance(turns.start, start);
        self.take_in(runner, number);
        let (outer, local) = (&self.outer, &mut self.local);
        let mail = |to| runner.mail(number, to);
        let mut arrival = None;
        let last = turns.end - 1;
        let before = self.engine.run_turns(turns.start..last, span, local);
        let end = self.engine.run_in_two(last, span, outer, local, |engine| {
            arrival = engine.hand_over(mail);
            handed_over();
        });
        if let Some(end) = end.or(before) {
            self.report.end = end;
        }
        self.report_work(turns.end, arrival);
    }

    /// Reports the shard's work: in the calendar, separately for turns from `next` on, and by
    /// messages to other shards, the first of which arrives in turn `handed_over`.
    fn report_work(&mut self, next: u64, handed_over: Option<u64>) {
        let sent = handed_over.unwrap_or(NO_TURN);
        let first = |turn: Option<u64>| turn.map_or(sent, |turn| turn.min(sent));
        self.report.first = first(self.engine.first_turn());
        self.report.next = first(self.engine.first_turn_from(next));
        self.report.active_until = self.engine.active_until();
        self.report.handled = self.engine.handled();
    }

    /// Takes in the messages that other shards have sent to this one.
    fn take_in(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        for from in (0..self.shards).filter(|&from| from != number) {
            self.engine.take_in(&mut runner.mail(from, number));
        }
    }
}
