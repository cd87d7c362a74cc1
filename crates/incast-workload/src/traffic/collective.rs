//! Collectives: operations that the ranks of a training or inference job do together.

use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_random::TrafficStreams;
use incast_units::{Bytes, HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use super::ring_count::RingCount;
use crate::collective::{
    Chain, Channels, CollectiveAlgorithm, CollectivePlan, Direct, DirectKind, DoubleTree,
    HalvingDoubling, HalvingDoublingKind, Hierarchical, Ring, RingKind, RoundTiming, Schedule,
    Segment, SendOrder, TreeKind,
};
use crate::diagnostics;
use crate::flow::{FlowStream, check_size, check_start};
use crate::hosts::{GivenHost, HostSet};
use crate::rings::{Rings, orders};
use crate::tasks::{CollectiveOperation, TaskGraph};

mod unrolled;

pub use unrolled::CollectiveMember;

/// An operation that ranks do together. The hosts of the list are the ranks, in its order.
///
/// ```toml
/// [[traffic]]
/// kind = "collective"
/// operation = "broadcast"
/// algorithm = "tree"
/// data = "64MB"
/// hosts = "0-15"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectiveSpec {
    /// The operation of the collective.
    pub operation: CollectiveOperation,
    /// Size of each rank's data before or after the collective, whichever is larger, as in
    /// nccl-tests.
    pub data: Bytes,
    /// The algorithm. Default: `ring`; `direct` for `all-to-all` and `send-receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<CollectiveAlgorithm>,
    /// The host of each rank, in order. Default: all hosts.
    #[serde(default)]
    pub hosts: HostSet,
    /// The host that has the data of a broadcast, or gets the sum of a reduce. Default: the host of
    /// the first rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<GivenHost>,
    /// Number of rings, which share the data and no pair of hosts. Default: 1.
    #[serde(default)]
    pub rings: RingCount,
    /// Number of channels, as in NCCL: the algorithm runs once in each, all at once, for a part of
    /// the data. If hosts have n NICs, channel c leaves by NIC c mod n. Default: the number of NICs
    /// by which the hosts reach each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub channels: Option<u32>,
    /// Whether each rank sends one chunk at a time, each along the next ring, once all chunks
    /// before it in this order have arrived. Default: false, all rings at once.
    #[serde(default)]
    pub shuffled: bool,
    /// Number of ranks in a node, for `hierarchical`; consecutive ranks share a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub node_size: Option<u32>,
    /// The largest size of a chunk: more data are cut into several chunks, one after the other.
    /// Default: 512 KiB for broadcasts and reduces over rings, and for trees; otherwise as the
    /// algorithm cuts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Bytes>,
    /// The most unacknowledged chunks from one rank to another, in each stream. Default: 2 for
    /// broadcasts and reduces over rings, and for trees; otherwise no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub slots: Option<u32>,
    /// How long a rank computes on a chunk that has arrived before its stream continues, and before
    /// the next round. Default: 0.
    #[serde(default)]
    pub compute: Time,
    /// When the first round starts. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Number of rounds; a rank begins the next round when it has finished the last. Default: 1.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub rounds: u64,
}

fn once() -> u64 {
    1
}

/// The size of chunks of chains and trees, as in NCCL's protocol Simple: a buffer of 4 MiB in 8
/// steps (NCCL 2.x, `NCCL_BUFFSIZE` and `NCCL_STEPS`).
const CHUNK: u64 = 512 << 10;

/// The most unacknowledged chunks of chains and trees between two ranks: one is sent while the ACK
/// of the other is on its way.
const SLOTS: u32 = 2;

impl TrafficKind for CollectiveSpec {}

impl CollectiveSpec {
    /// A collective among all hosts, by the default algorithm, in one round, at time 0.
    pub fn new(operation: CollectiveOperation, data: Bytes) -> Self {
        Self {
            operation,
            data,
            algorithm: None,
            hosts: HostSet::All,
            root: None,
            rings: RingCount::default(),
            channels: None,
            shuffled: false,
            node_size: None,
            chunk: None,
            slots: None,
            compute: Time::ZERO,
            start: Time::ZERO,
            rounds: 1,
        }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        let hosts = self.hosts.select(context.network).at("hosts")?;
        let have = hosts.len() as u32;
        if have < 2 {
            return Err(diagnostics::too_few_hosts(have, 2).at("hosts"));
        }
        check_size(self.data).at("data")?;
        check_start(self.start).at("start")?;
        for (key, is_zero) in [
            ("rounds", self.rounds == 0),
            ("slots", self.slots == Some(0)),
            ("chunk", self.chunk == Some(Bytes::ZERO)),
            ("channels", self.channels == Some(0)),
        ] {
            if is_zero {
                return Err(diagnostics::zero().at(key));
            }
        }
        let algorithm = self.checked_algorithm()?;
        self.check_keys(algorithm)?;
        self.check_chunk(have)?;
        let root = self.root_rank(&hosts, context).at("root")?;
        let channels = self
            .channels
            .unwrap_or_else(|| context.network.nics_among(&hosts).into());
        let schedule = self.schedule(algorithm, have, root, channels)?;
        let pipelined = self.is_pipelined(algorithm);
        let timing = RoundTiming {
            start: self.start,
            rounds: self.rounds,
            compute: self.compute,
            slots: self.slots.or(pipelined.then_some(SLOTS)),
        };
        let Self {
            operation, data, ..
        } = *self;
        let largest = Bytes::new(schedule.largest());
        context.network.check_flow_size(largest).at("data")?;
        let plan = CollectivePlan::new(hosts, operation, data, schedule, timing);
        let rings = self.rings_of(algorithm).map(|kind| (kind, self.chunk));
        Ok(Box::new(RunnableCollective::of(plan, rings)?))
    }

    /// Whether the algorithm cuts the data into chunks that are pipelined.
    fn is_pipelined(&self, algorithm: CollectiveAlgorithm) -> bool {
        use CollectiveOperation::{Broadcast, Reduce};
        let is_chain = matches!(self.operation, Broadcast | Reduce);
        algorithm == CollectiveAlgorithm::Tree || algorithm == CollectiveAlgorithm::Ring && is_chain
    }

    fn checked_algorithm(&self) -> Result<CollectiveAlgorithm, Diagnostic> {
        use CollectiveAlgorithm::{Direct, HalvingDoubling, Hierarchical, Ring, Tree};
        let known: &[CollectiveAlgorithm] = match self.operation {
            CollectiveOperation::AllReduce => &[Ring, Tree, HalvingDoubling, Direct, Hierarchical],
            CollectiveOperation::ReduceScatter | CollectiveOperation::AllGather => {
                &[Ring, HalvingDoubling, Direct]
            }
            CollectiveOperation::Broadcast | CollectiveOperation::Reduce => &[Ring, Tree],
            CollectiveOperation::AllToAll | CollectiveOperation::SendReceive => &[Direct],
        };
        let algorithm = self.algorithm.unwrap_or(known[0]);
        if known.contains(&algorithm) {
            return Ok(algorithm);
        }
        let names: Vec<_> = known.iter().map(|known| known.name()).collect();
        let (operation, name) = (self.operation.name(), algorithm.name());
        Err(diagnostics::no_such_collective(operation, name, &names).at("algorithm"))
    }

    /// Refuses keys that have no meaning for this operation and algorithm.
    fn check_keys(&self, algorithm: CollectiveAlgorithm) -> Result<(), Diagnostic> {
        use CollectiveAlgorithm::{Hierarchical, Ring, Tree};
        use CollectiveOperation::{Broadcast, Reduce};
        let has_root = matches!(self.operation, Broadcast | Reduce);
        let has_rings = algorithm == Ring && !has_root;
        let is_cut = matches!(algorithm, Ring | Tree);
        let rings = self.rings != RingCount::default();
        for (key, is_given, means_something) in [
            ("root", self.root.is_some(), has_root),
            ("rings", rings, has_rings),
            ("shuffled", self.shuffled, has_rings),
            ("chunk", self.chunk.is_some(), is_cut),
            (
                "node_size",
                self.node_size.is_some(),
                algorithm == Hierarchical,
            ),
        ] {
            if is_given && !means_something {
                let what = format!("{} by {}", self.operation.name(), algorithm.name());
                return Err(diagnostics::meaningless_key(&what).at(key));
            }
        }
        Ok(())
    }

    /// Refuses a size of chunks that would give too many chunks.
    fn check_chunk(&self, ranks: u32) -> Result<(), Diagnostic> {
        let chunk = self.chunk.map_or(CHUNK, Bytes::as_u64);
        let chunks = u128::from(self.data.as_u64().div_ceil(chunk)) * u128::from(ranks);
        match chunks > u128::from(u32::MAX) && self.chunk.is_some() {
            true => Err(diagnostics::too_small_chunks(self.data, chunks).at("chunk")),
            false => Ok(()),
        }
    }

    /// The collective over rings; `None` if the algorithm does not use rings.
    fn rings_of(&self, algorithm: CollectiveAlgorithm) -> Option<RingKind> {
        let kind = match self.operation {
            CollectiveOperation::AllReduce => RingKind::AllReduce,
            CollectiveOperation::ReduceScatter => RingKind::ReduceScatter,
            CollectiveOperation::AllGather => RingKind::AllGather,
            _ => return None,
        };
        (algorithm == CollectiveAlgorithm::Ring).then_some(kind)
    }

    /// The schedule of the algorithm over `channels` channels.
    fn schedule(
        &self,
        algorithm: CollectiveAlgorithm,
        ranks: u32,
        root: u32,
        channels: u32,
    ) -> Result<Arc<dyn Schedule>, Diagnostic> {
        let all = Segment::all_of(self.data);
        let part = |channel: u32| {
            let part = all.part(channel.into(), channels.into());
            self.channel(algorithm, ranks, root, part)
        };
        let first = part(0)?;
        let streams = u64::from(first.streams()) * u64::from(channels);
        if streams > u64::from(u16::MAX) {
            return Err(diagnostics::too_many_streams(streams).at("channels"));
        }
        if channels == 1 {
            return Ok(first);
        }
        let others = (1..channels).map(part);
        let parts: Result<Vec<_>, _> = std::iter::once(Ok(first)).chain(others).collect();
        Ok(Arc::new(Channels::new(parts?)))
    }

    /// The schedule of the algorithm in one channel, for a part of the data.
    fn channel(
        &self,
        algorithm: CollectiveAlgorithm,
        ranks: u32,
        root: u32,
        all: Segment,
    ) -> Result<Arc<dyn Schedule>, Diagnostic> {
        let chunk = self.chunk.map_or(CHUNK, Bytes::as_u64);
        if let Some(kind) = self.rings_of(algorithm) {
            return Ok(Arc::new(self.ring(kind, ranks, all)?));
        }
        Ok(match (algorithm, self.operation) {
            (CollectiveAlgorithm::Ring, operation) => {
                let reduces = operation == CollectiveOperation::Reduce;
                Arc::new(Chain::new(ranks, root, all, chunk, reduces))
            }
            (CollectiveAlgorithm::Tree, operation) => {
                let kind = match operation {
                    CollectiveOperation::Broadcast => TreeKind::Broadcast,
                    CollectiveOperation::Reduce => TreeKind::Reduce,
                    _ => TreeKind::AllReduce,
                };
                Arc::new(DoubleTree::new(kind, ranks, root, all, chunk))
            }
            (CollectiveAlgorithm::HalvingDoubling, operation) => {
                if !ranks.is_power_of_two() {
                    return Err(diagnostics::no_power_of_two(ranks).at("hosts"));
                }
                let kind = match operation {
                    CollectiveOperation::ReduceScatter => HalvingDoublingKind::ReduceScatter,
                    CollectiveOperation::AllGather => HalvingDoublingKind::AllGather,
                    _ => HalvingDoublingKind::AllReduce,
                };
                Arc::new(HalvingDoubling::new(kind, ranks, all))
            }
            (CollectiveAlgorithm::Direct, operation) => {
                let kind = match operation {
                    CollectiveOperation::ReduceScatter => DirectKind::ReduceScatter,
                    CollectiveOperation::AllGather => DirectKind::AllGather,
                    CollectiveOperation::AllToAll => DirectKind::AllToAll,
                    CollectiveOperation::SendReceive => DirectKind::SendReceive,
                    _ => DirectKind::AllReduce,
                };
                Arc::new(Direct::new(kind, ranks, all))
            }
            (CollectiveAlgorithm::Hierarchical, _) => {
                let size = self.checked_node_size(ranks).at("node_size")?;
                Arc::new(Hierarchical::new(ranks, size, all))
            }
        })
    }

    fn ring(&self, kind: RingKind, ranks: u32, all: Segment) -> Result<Ring, Diagnostic> {
        let rings = self.rings.over(ranks).at("rings")?;
        if self.shuffled && rings < 2 {
            return Err(diagnostics::one_ring().at("shuffled"));
        }
        let order = match self.shuffled {
            true => SendOrder::InTurn,
            false => SendOrder::Together,
        };
        let ring = Ring::new(kind, orders(ranks, rings), all);
        let ring = ring.in_order(order);
        Ok(match self.chunk {
            Some(chunk) => ring.cut(chunk.as_u64()),
            None => ring,
        })
    }

    fn root_rank(&self, hosts: &[HostId], context: TrafficContext<'_>) -> Result<u32, Diagnostic> {
        let Some(root) = &self.root else {
            return Ok(0);
        };
        let root = root.among(context.network.names())?;
        let rank = (0..).zip(hosts).find(|(_, host)| **host == root);
        rank.map(|(rank, _)| rank)
            .ok_or_else(|| diagnostics::no_rank(root))
    }

    fn checked_node_size(&self, ranks: u32) -> Result<u32, Diagnostic> {
        match self.node_size {
            Some(size) if size >= 2 && ranks.is_multiple_of(size) && ranks / size >= 2 => Ok(size),
            size => Err(diagnostics::no_nodes(size, ranks)),
        }
    }
}

/// A collective that has been checked.
#[derive(Debug)]
struct RunnableCollective {
    plan: Arc<CollectivePlan>,
    /// For a collective over rings: its kind, and the largest size of a chunk, if given.
    rings: Option<(RingKind, Option<Bytes>)>,
}

impl RunnableCollective {
    fn of(
        plan: CollectivePlan,
        rings: Option<(RingKind, Option<Bytes>)>,
    ) -> Result<Self, Diagnostic> {
        if plan.messages() >= u32::MAX.into() {
            return Err(diagnostics::too_many_sends(plan.messages()).at("rounds"));
        }
        let plan = Arc::new(plan);
        Ok(Self { plan, rings })
    }
}

impl CheckedTraffic for RunnableCollective {
    /// Empty: ranks start the flows.
    fn flows(&self, _streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        Ok(Box::new(std::iter::empty()))
    }

    fn expected_flows(&self) -> f64 {
        self.plan.messages() as f64
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        Some(self.plan.hosts().to_vec())
    }

    fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        Some(Arc::clone(&self.plan) as Arc<dyn TaskGraph>)
    }

    /// The collective over all rings in turn; `None` if it does not use rings.
    fn shuffled(&self) -> Result<Option<Box<dyn CheckedTraffic>>, Diagnostic> {
        let Some((kind, chunk)) = self.rings else {
            return Ok(None);
        };
        let ranks = self.plan.hosts().len() as u32;
        let (rings, data) = (Rings::count_of(ranks), self.plan.data());
        let pieces = u64::from(rings) * u64::from(ranks);
        if data.as_u64() < pieces {
            return Err(diagnostics::too_few_bytes(data, pieces).at("data"));
        }
        let ring = Ring::new(kind, orders(ranks, rings), Segment::all_of(data));
        let ring = match chunk {
            Some(chunk) => ring.cut(chunk.as_u64()),
            None => ring,
        };
        let plan = self.plan.by(Arc::new(ring.in_order(SendOrder::InTurn)));
        Ok(Some(Box::new(Self::of(plan, self.rings)?)))
    }
}

#[cfg(test)]
mod tests;
