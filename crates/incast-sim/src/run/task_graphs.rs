//! The task graphs of a scenario, in the form that the network needs: flows with numbers, and the
//! waiting ranks of each host.
//!
//! Messages have the first flow numbers of a run, in a block for each graph. So a flow's number is
//! its message's number plus the first number of the block, without any table.

use std::collections::HashMap;
use std::sync::Arc;

use incast_net::{Dependencies, Flow, Unblocked, WaitingSends};
use incast_units::{FlowId, HostId, Time};
use incast_workload::{Actions, RankProgress, TaskEvent, TaskGraph};

use super::source_ports::WaitingPorts;
use crate::spec::{By, NicPairs, ValidSpec};

mod critical_path;
mod log;

pub(super) use log::TaskLog;

/// All task graphs of a scenario.
pub(super) struct TaskGraphs {
    blocks: Vec<Block>,
    ports: WaitingPorts,
    nics: Option<Arc<NicPairs>>,
}

/// A task graph, and the numbers of its flows.
struct Block {
    graph: Arc<dyn TaskGraph>,
    /// The rank of each host that takes part.
    ranks: HashMap<HostId, u32>,
    /// The number of the graph's first flow.
    first: u32,
    tag: u16,
    /// The group of the graph's flows, by their algorithm.
    group: u16,
}

impl TaskGraphs {
    pub(super) fn of(spec: &ValidSpec) -> Self {
        let mut first = 0_u32;
        let blocks = spec.task_graphs().map(|(tag, graph)| {
            let messages = graph.messages() as u32;
            let block = Block {
                ranks: graph.hosts().iter().copied().zip(0..).collect(),
                graph,
                first,
                tag,
                group: spec.algorithms().group(tag),
            };
            first = first.saturating_add(messages);
            block
        });
        Self {
            blocks: blocks.collect(),
            ports: WaitingPorts::new(spec),
            nics: spec.graph.nic_pairs.clone(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The graph of a flow, and the number of its message; `None` for other flows.
    fn find(&self, flow: FlowId) -> Option<(usize, u64)> {
        let blocks = &self.blocks;
        // Blocks are in ascending order: only the last that begins at or before the flow can
        // contain it.
        let after = blocks.partition_point(|block| block.first <= flow.0);
        let index = after.checked_sub(1)?;
        Some((index, blocks[index].number(flow)?))
    }

    /// Number of flows of all task graphs; other flows have higher numbers.
    pub(super) fn flows(&self) -> u32 {
        let last = self.blocks.last();
        last.map_or(0, |block| block.first + block.graph.messages() as u32)
    }

    /// A message as a flow.
    fn flow(&self, graph: usize, number: u64, start: Time) -> Flow {
        let block = &self.blocks[graph];
        let message = block.graph.message(number);
        let (from, to) = (message.source, message.destination);
        let by = By::message(message.nic, message.turn);
        let nics = self.nics.as_ref();
        let (source, destination) = nics.map_or((from, to), |nics| nics.ends(from, to, by));
        let mut flow = Flow {
            id: FlowId(block.first + number as u32),
            start,
            source,
            destination,
            size: message.size,
            tag: block.tag,
            lane: message.lane,
            source_port: 0,
        };
        flow.source_port = self.ports.of(&flow, block.group, message.turn);
        flow
    }
}

impl Dependencies for TaskGraphs {
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        let ranks = self.blocks.iter().enumerate();
        let ranks = ranks.filter_map(|(graph, block)| {
            let rank = *block.ranks.get(&host)?;
            Some(HostRank {
                graph,
                block,
                progress: block.graph.rank(rank),
            })
        });
        let ranks: Vec<_> = ranks.collect();
        let at_host = |ranks| RanksOfHost {
            all: self,
            host,
            ranks,
            actions: Actions::default(),
            asked: HashMap::new(),
            tokens: 0,
        };
        (!ranks.is_empty()).then(|| Box::new(at_host(ranks)) as Box<_>)
    }
}

/// The ranks of one host, in different graphs.
#[derive(Clone)]
struct RanksOfHost<'a> {
    all: &'a TaskGraphs,
    host: HostId,
    ranks: Vec<HostRank<'a>>,
    actions: Actions,
    /// For each token, the event to deliver when its time has come.
    asked: HashMap<u64, AwaitedEvent>,
    tokens: u64,
}

/// A rank of a graph at this host.
#[derive(Clone)]
struct HostRank<'a> {
    graph: usize,
    block: &'a Block,
    progress: Box<dyn RankProgress + 'a>,
}

/// A future event of a rank.
#[derive(Copy, Clone)]
struct AwaitedEvent {
    /// The rank's index among the ranks of its host.
    rank: usize,
    event: TaskEvent,
    cause: Cause,
}

/// The message that let a rank continue, and the time of its arrival, or of its acknowledgement,
/// here.
#[derive(Copy, Clone)]
struct Cause {
    /// The number of the message; `None` if the rank has just begun.
    message: Option<u64>,
    time: Time,
}

impl Block {
    /// The number of the message of a flow, if the flow belongs to this graph.
    fn number(&self, flow: FlowId) -> Option<u64> {
        let number = u64::from(flow.0.checked_sub(self.first)?);
        (u128::from(number) < self.graph.messages()).then_some(number)
    }
}

impl RanksOfHost<'_> {
    /// The rank that sends or receives this flow, and the number of its message.
    fn find(&self, flow: FlowId) -> Option<(usize, u64)> {
        let ranks = &self.ranks;
        // Blocks are in ascending order: only the last that begins at or before the flow can
        // contain it.
        let after = ranks.partition_point(|rank| rank.block.first <= flow.0);
        let index = after.checked_sub(1)?;
        Some((index, ranks[index].block.number(flow)?))
    }

    /// Keeps a future event; returns its token.
    fn ask(&mut self, asked: AwaitedEvent) -> u64 {
        let token = self.tokens;
        self.tokens += 1;
        self.asked.insert(token, asked);
        token
    }

    /// Delivers an event to a rank, and passes the actions that it starts to the network.
    fn advance(&mut self, asked: AwaitedEvent, now: Time, outcome: &mut Unblocked) {
        let AwaitedEvent { rank, event, cause } = asked;
        let mut actions = std::mem::take(&mut self.actions);
        self.ranks[rank].progress.advance(event, &mut actions);
        let (graph, host) = (self.ranks[rank].graph, self.host);
        for number in &actions.sends {
            outcome.sends.push(self.all.flow(graph, *number, now));
            let what = log::RankEvent::Starts(*number);
            let milestone = what.milestone(graph, (host, now), cause);
            outcome.milestones.push(milestone);
        }
        for (token, duration) in &actions.computes {
            let event = TaskEvent::Computed(*token);
            let token = self.ask(AwaitedEvent { rank, event, cause });
            outcome.wakes.push((now.saturating_add(*duration), token));
        }
        for round in &actions.done {
            let what = log::RankEvent::Done(*round);
            let milestone = what.milestone(graph, (host, now), cause);
            outcome.milestones.push(milestone);
        }
        actions.clear();
        self.actions = actions;
    }

    fn advance_by(
        &mut self,
        flow: FlowId,
        event: fn(u64) -> TaskEvent,
        now: Time,
        outcome: &mut Unblocked,
    ) {
        if let Some((rank, number)) = self.find(flow) {
            let event = event(number);
            let cause = Cause {
                message: Some(number),
                time: now,
            };
            self.advance(AwaitedEvent { rank, event, cause }, now, outcome);
        }
    }
}

impl WaitingSends for RanksOfHost<'_> {
    fn begin(&mut self) -> Vec<(Time, u64)> {
        let mut wakes = Vec::new();
        for rank in 0..self.ranks.len() {
            let start = self.ranks[rank].block.graph.start();
            let asked = AwaitedEvent {
                rank,
                event: TaskEvent::Begin,
                cause: Cause {
                    message: None,
                    time: start,
                },
            };
            wakes.push((start, self.ask(asked)));
        }
        wakes
    }

    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        self.advance_by(flow, TaskEvent::Received, now, outcome);
    }

    fn on_acknowledged(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        self.advance_by(flow, TaskEvent::Acknowledged, now, outcome);
    }

    fn on_wake(&mut self, token: u64, now: Time, outcome: &mut Unblocked) {
        if let Some(asked) = self.asked.remove(&token) {
            self.advance(asked, now, outcome);
        }
    }
}
