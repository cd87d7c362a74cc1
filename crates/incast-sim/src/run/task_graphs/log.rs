//! What ranks tell as they go on: sends with their causes, and rounds that are done.

use std::collections::HashMap;

use incast_net::{Flow, Milestone};
use incast_units::{FlowId, HostId, Time};

use super::critical_path::Causes;
use super::{Block, Cause, TaskGraphs};
use crate::results::{CollectiveRow, PathStep, RankRow};

/// What a rank has come to.
#[derive(Copy, Clone)]
pub(super) enum RankEvent {
    /// The rank starts to send the message of this number.
    Starts(u64),
    /// The rank is done with this round.
    Done(u64),
}

/// Bits of a milestone for a number: messages have numbers below 2^32, and rounds have messages.
const NUMBER_BITS: u32 = 32;
/// The bit that tells rounds from messages.
const DONE: u64 = 1 << 63;
/// Without a cause.
const NONE: u64 = u64::MAX;

impl RankEvent {
    pub(super) fn milestone(
        self,
        graph: usize,
        (host, now): (HostId, Time),
        cause: Cause,
    ) -> Milestone {
        let number = match self {
            Self::Starts(message) => message,
            Self::Done(round) => DONE | round,
        };
        Milestone {
            time: now,
            host,
            what: (graph as u64) << NUMBER_BITS | number,
            cause: cause.message.unwrap_or(NONE),
            since: cause.time,
        }
    }

    /// The event of a milestone, with the number of its graph, and its cause.
    fn of(milestone: &Milestone) -> (usize, Self, Option<u64>) {
        let graph = (milestone.what & !DONE) >> NUMBER_BITS;
        let number = milestone.what & ((1 << NUMBER_BITS) - 1);
        let event = match milestone.what & DONE {
            0 => Self::Starts(number),
            _ => Self::Done(number),
        };
        let cause = (milestone.cause != NONE).then_some(milestone.cause);
        (graph as usize, event, cause)
    }
}

/// What the ranks of all graphs have told.
pub(in crate::run) struct TaskLog {
    /// By graph and round.
    under_way: HashMap<(usize, u64), RoundProgress>,
    /// When the last rank was done with a round.
    pub(in crate::run) latest: Time,
    /// Rounds that are done at all ranks.
    pub(in crate::run) rounds: Vec<CollectiveRow>,
    /// When each rank was done with the last round that it has done, by graph, by rank.
    ranks: Vec<Vec<RankDone>>,
    /// By graph; none of graphs with more messages than are kept.
    causes: Vec<Option<Causes>>,
}

/// The last round that a rank is done with.
#[derive(Copy, Clone, Default)]
struct RankDone {
    rounds: u64,
    time: Time,
    cause: Option<u64>,
    /// When that had happened.
    since: Time,
}

/// A round that some ranks are done with.
#[derive(Copy, Clone)]
struct RoundProgress {
    first: Time,
    ranks: usize,
}

impl TaskLog {
    /// Keeps the causes of graphs of at most this many messages.
    pub(in crate::run) fn new(graphs: &TaskGraphs, most: u64) -> Self {
        let causes = |block: &Block| {
            let messages = block.graph.messages();
            (messages <= most.into()).then(|| Causes::new(messages as usize))
        };
        let ranks = |block: &Block| vec![RankDone::default(); block.graph.hosts().len()];
        Self {
            under_way: HashMap::new(),
            latest: Time::ZERO,
            rounds: Vec::new(),
            ranks: graphs.blocks.iter().map(ranks).collect(),
            causes: graphs.blocks.iter().map(causes).collect(),
        }
    }

    /// Flows have started.
    pub(in crate::run) fn note_started(&mut self, flows: &[Flow], graphs: &TaskGraphs) {
        for flow in flows {
            if let Some((graph, number)) = graphs.find(flow.id)
                && let Some(causes) = &mut self.causes[graph]
            {
                causes.note_start(number, flow.start);
            }
        }
    }

    /// Ranks have told something.
    pub(in crate::run) fn note(&mut self, milestones: &[Milestone], graphs: &TaskGraphs) {
        for milestone in milestones {
            let (graph, event, cause) = RankEvent::of(milestone);
            match event {
                RankEvent::Starts(message) => {
                    if let Some(causes) = &mut self.causes[graph] {
                        causes.note_cause(message, cause, milestone.since);
                    }
                }
                RankEvent::Done(round) => self.note_done(graph, round, cause, milestone, graphs),
            }
        }
    }

    fn note_done(
        &mut self,
        graph: usize,
        round: u64,
        cause: Option<u64>,
        milestone: &Milestone,
        graphs: &TaskGraphs,
    ) {
        let (block, time) = (&graphs.blocks[graph], milestone.time);
        if let Some(rank) = block.ranks.get(&milestone.host) {
            self.ranks[graph][*rank as usize] = RankDone {
                rounds: round + 1,
                time,
                cause,
                since: milestone.since,
            };
            self.latest = self.latest.max(time);
        }
        let new = RoundProgress {
            first: time,
            ranks: 0,
        };
        let progress = self.under_way.entry((graph, round)).or_insert(new);
        progress.ranks += 1;
        if progress.ranks == block.graph.hosts().len() {
            let start = self.start_of(graph, round, block);
            self.rounds.push(CollectiveRow {
                tag: block.tag,
                round,
                ranks: block.graph.hosts().len() as u64,
                collective: block.graph.collective(),
                start,
                end: time,
            });
            // A round needs the one before it, and no earlier one.
            if let Some(before) = round.checked_sub(1) {
                self.under_way.remove(&(graph, before));
            }
        }
    }

    /// When a round began: at its first rank, as soon as the round before was done there.
    fn start_of(&self, graph: usize, round: u64, block: &Block) -> Time {
        let before = round.checked_sub(1);
        let before = before.and_then(|before| self.under_way.get(&(graph, before)));
        match before {
            Some(before) => before.first.saturating_add(block.graph.between_rounds()),
            None => block.graph.start(),
        }
    }

    /// When each rank was done, by graph.
    pub(in crate::run) fn ranks(&self, graphs: &TaskGraphs) -> Vec<RankRow> {
        let blocks = graphs.blocks.iter().zip(&self.ranks);
        let rows = blocks.flat_map(|(block, ranks)| {
            let hosts = block.graph.hosts().iter();
            (0..)
                .zip(hosts)
                .zip(ranks)
                .map(|((rank, host), done)| RankRow {
                    tag: block.tag,
                    rank,
                    host: *host,
                    rounds: done.rounds,
                    planned: block.graph.rounds(),
                    end: (done.rounds > 0).then_some(done.time),
                })
        });
        rows.collect()
    }

    /// What held up each graph that is done: from the message that its last rank waited for back to
    /// the beginning, in order of time.
    pub(in crate::run) fn critical_paths(&self, graphs: &TaskGraphs) -> Vec<PathStep> {
        let mut all = Vec::new();
        for (graph, block) in graphs.blocks.iter().enumerate() {
            let (ranks, Some(causes)) = (&self.ranks[graph], &self.causes[graph]) else {
                continue;
            };
            let is_done = ranks.iter().all(|rank| rank.rounds == block.graph.rounds());
            let last = ranks.iter().max_by_key(|rank| rank.time);
            if let Some(last) = last.filter(|_| is_done) {
                let step = |number, start, end, computing| {
                    let message = block.graph.message(number);
                    PathStep {
                        tag: block.tag,
                        flow: FlowId(block.first + number as u32),
                        source: message.source,
                        destination: message.destination,
                        size: message.size,
                        start,
                        end,
                        computing,
                    }
                };
                let computed = last.time.saturating_sub(last.since);
                all.extend(causes.path(last.cause, (last.since, computed), step));
            }
        }
        all
    }
}
