//! The log of ranks: sends with their causes, and finished rounds.

use std::collections::HashMap;

use incast_net::{Flow, Milestone};
use incast_units::{FlowId, HostId, Time};

use super::critical_path::Causes;
use super::{Block, Cause, TaskGraphs};
use crate::results::{CollectiveRow, PathStep, RankRow};

/// An event that a rank logs.
#[derive(Copy, Clone)]
pub(super) enum RankEvent {
    /// The rank starts to send the message with this number.
    Starts(u64),
    /// The rank has finished this round.
    Done(u64),
}

/// Bits of a milestone for the number of a message or round; message numbers are below 2^32, and
/// there are no more rounds than messages.
const NUMBER_BITS: u32 = 32;
/// The bit that distinguishes rounds from messages.
const DONE: u64 = 1 << 63;
/// The cause of a message without a cause.
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

    /// The graph, the event, and its cause, from a milestone.
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

/// The log of all graphs' ranks.
pub(in crate::run) struct TaskLog {
    /// Rounds that some ranks have finished, by graph and round.
    under_way: HashMap<(usize, u64), RoundProgress>,
    /// The latest time at which a rank finished a round.
    pub(in crate::run) latest: Time,
    /// Rounds that all ranks have finished.
    pub(in crate::run) rounds: Vec<CollectiveRow>,
    /// For each graph and rank, its last finished round.
    ranks: Vec<Vec<RankDone>>,
    /// For each graph, the causes of its messages; `None` for graphs with too many messages.
    causes: Vec<Option<Causes>>,
}

/// The last round that a rank has finished.
#[derive(Copy, Clone, Default)]
struct RankDone {
    rounds: u64,
    time: Time,
    cause: Option<u64>,
    /// The time of the cause.
    since: Time,
}

/// A round that some ranks have finished.
#[derive(Copy, Clone)]
struct RoundProgress {
    first: Time,
    ranks: usize,
}

impl TaskLog {
    /// A log that keeps causes for graphs of at most `most` messages.
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

    /// Adds milestones of ranks.
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
            // Only the round before is needed; earlier ones can be dropped.
            if let Some(before) = round.checked_sub(1) {
                self.under_way.remove(&(graph, before));
            }
        }
    }

    /// The begin of a round: the time at which the first rank finished the round before.
    fn start_of(&self, graph: usize, round: u64, block: &Block) -> Time {
        let before = round.checked_sub(1);
        let before = before.and_then(|before| self.under_way.get(&(graph, before)));
        match before {
            Some(before) => before.first.saturating_add(block.graph.between_rounds()),
            None => block.graph.start(),
        }
    }

    /// The time at which each rank of each graph finished.
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

    /// The critical path of each finished graph, in order of time: from the beginning to the
    /// message that its last rank waited for.
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
