//! The collectives of a scenario as the network takes them: flows with numbers, and what waits at
//! each host.
//!
//! Their flows have the first numbers of a run, a block for each collective, so that the number of
//! a flow is that of its send plus the first of its block, and no list of them is kept.

use std::sync::Arc;

use incast_net::{Dependencies, Flow, Milestone, ReceivedOutcome, WaitingSends};
use incast_units::{FlowId, HostId, Time};
use incast_workload::{CollectivePlan, RankProgress};

use super::source_ports::WaitingPorts;
use crate::results::CollectiveRow;
use crate::spec::ValidSpec;

/// All collectives of a scenario.
pub(super) struct Collectives {
    blocks: Vec<Block>,
    ports: WaitingPorts,
}

/// A collective and the numbers of its flows.
struct Block {
    plan: Arc<CollectivePlan>,
    /// The number of its first flow.
    first: u32,
    tag: u16,
    group: u16,
}

impl Collectives {
    pub(super) fn of(spec: &ValidSpec) -> Self {
        let mut first = 0_u32;
        let blocks = spec.collectives().map(|(tag, plan)| {
            let block = Block {
                plan: Arc::clone(plan),
                first,
                tag,
                group: spec.algorithms().group(tag),
            };
            first = first.saturating_add(plan.sends() as u32);
            block
        });
        Self {
            blocks: blocks.collect(),
            ports: WaitingPorts::new(spec),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many flows they have, in all; other flows have the numbers above.
    pub(super) fn flows(&self) -> u32 {
        let last = self.blocks.last();
        last.map_or(0, |block| block.first + block.plan.sends() as u32)
    }

    /// The sends of the collectives that wait for nothing, by traffic entry, each in the order of
    /// its stream.
    pub(super) fn first_sends(&self) -> Vec<FirstSends> {
        let sends = |(index, block): (usize, &Block)| FirstSends {
            tag: block.tag,
            collective: index,
            numbers: Box::new(block.plan.first_sends()),
        };
        self.blocks.iter().enumerate().map(sends).collect()
    }

    /// A send as a flow.
    pub(super) fn flow(&self, collective: usize, number: u64, start: Time) -> Flow {
        let block = &self.blocks[collective];
        let chunk = block.plan.send(number);
        let mut flow = Flow {
            id: FlowId(block.first + number as u32),
            start,
            source: chunk.source,
            destination: chunk.destination,
            size: chunk.size,
            tag: block.tag,
            lane: 0,
            source_port: 0,
        };
        flow.source_port = self.ports.of(&flow, block.group, chunk.turn);
        flow
    }
}

/// The sends of a collective that wait for nothing, one after the other.
pub(super) struct FirstSends {
    pub(super) tag: u16,
    pub(super) collective: usize,
    pub(super) numbers: Box<dyn Iterator<Item = u64>>,
}

impl Dependencies for Collectives {
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        let ranks = self.blocks.iter().enumerate();
        let ranks = ranks.filter(|(_, block)| block.plan.hosts().contains(&host));
        let ranks: Vec<_> = ranks
            .map(|(collective, block)| Rank {
                collective,
                block,
                progress: RankProgress::new(&block.plan, host),
            })
            .collect();
        let all = self;
        (!ranks.is_empty()).then(|| Box::new(RanksOfHost { all, host, ranks }) as Box<_>)
    }
}

/// The parts that one host has in collectives.
struct RanksOfHost<'a> {
    all: &'a Collectives,
    host: HostId,
    ranks: Vec<Rank<'a>>,
}

/// The part that a host has in one collective.
struct Rank<'a> {
    collective: usize,
    block: &'a Block,
    progress: RankProgress<'a>,
}

impl Block {
    /// The number of the send that this flow is, if it is one of the collective's.
    fn number(&self, flow: FlowId) -> Option<u64> {
        let number = u64::from(flow.0.checked_sub(self.first)?);
        (u128::from(number) < self.plan.sends()).then_some(number)
    }
}

impl WaitingSends for RanksOfHost<'_> {
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut ReceivedOutcome) {
        let mut found = self.ranks.iter_mut();
        let found = found.find_map(|rank| Some((rank.block.number(flow)?, rank)));
        let Some((number, rank)) = found else {
            return;
        };
        let mut sends = Vec::new();
        let done = rank.progress.on_arrival(number, &mut sends);
        let start = now.saturating_add(rank.block.plan.compute());
        let flow = |number| self.all.flow(rank.collective, number, start);
        outcome.sends.extend(sends.into_iter().map(flow));
        outcome.milestones.extend(done.map(|round| Milestone {
            time: now,
            host: self.host,
            what: (rank.collective as u64) << ROUND_BITS | round,
        }));
    }
}

/// Bits of a milestone for the round; there are fewer than flows.
const ROUND_BITS: u32 = 32;

/// When hosts were done with the rounds of the collectives.
#[derive(Default)]
pub(super) struct CollectiveLog {
    under_way: Vec<RoundProgress>,
    pub(super) rows: Vec<CollectiveRow>,
}

/// A round that some hosts are done with.
struct RoundProgress {
    what: u64,
    first: Time,
    hosts: usize,
}

impl CollectiveLog {
    /// Hosts are done with rounds; milestones come in order of time.
    pub(super) fn note(&mut self, milestones: &[Milestone], collectives: &Collectives) {
        for milestone in milestones {
            self.note_one(milestone, collectives);
        }
    }

    fn note_one(&mut self, milestone: &Milestone, collectives: &Collectives) {
        let Milestone { time, what, .. } = *milestone;
        let known = self.under_way.iter().position(|round| round.what == what);
        let index = known.unwrap_or_else(|| {
            self.under_way.push(RoundProgress {
                what,
                first: time,
                hosts: 0,
            });
            self.under_way.len() - 1
        });
        self.under_way[index].hosts += 1;
        let block = &collectives.blocks[(what >> ROUND_BITS) as usize];
        if self.under_way[index].hosts == block.plan.hosts().len() {
            let round = what & ((1 << ROUND_BITS) - 1);
            let start = self.start_of(what, block);
            self.rows.push(CollectiveRow {
                tag: block.tag,
                round,
                hosts: block.plan.hosts().len() as u64,
                data: block.plan.data(),
                start,
                end: time,
            });
            self.forget_before(what);
        }
    }

    /// When a round began: at its first host, as soon as the round before was done there.
    fn start_of(&self, what: u64, block: &Block) -> Time {
        let before = what.wrapping_sub(1);
        let is_first = what & ((1 << ROUND_BITS) - 1) == 0;
        let earlier = self.under_way.iter().find(|round| round.what == before);
        match earlier {
            Some(earlier) if !is_first => earlier.first.saturating_add(block.plan.compute()),
            _ => block.plan.start(),
        }
    }

    /// A round needs the one before it, and no earlier one.
    fn forget_before(&mut self, what: u64) {
        self.under_way
            .retain(|round| round.what >> ROUND_BITS != what >> ROUND_BITS || round.what >= what);
    }
}
