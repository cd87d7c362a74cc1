//! All-reduce: every host has data, and all hosts get the sum.
//!
//! Over a ring of n hosts each chunk, an n-th of the data D, goes around nearly twice: n - 1 steps
//! reduce, n - 1 more gather. So each host sends 2·D·(n - 1)/n in total. A host passes a chunk on
//! when all of it has arrived and the host has computed for the time `compute`; nothing else delays
//! it. Several rings share the data and run at once, or take turns. This kind is the same as a
//! `collective` with the operation `all-reduce` over rings.
//!
//! Deviation: NCCL cuts chunks into slices that it pipelines; here a chunk is passed on as a whole.

use std::borrow::Cow;

use incast_diagnostic::{Diagnostic, Placed};
use incast_registry::registry;
use incast_units::{Bytes, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::collective::CollectiveSpec;
use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use super::ring_count::RingCount;
use crate::diagnostics;
use crate::flow::check_size;
use crate::hosts::HostSet;
use crate::tasks::CollectiveOperation;

/// An all-reduce over rings: a host passes each chunk on once the chunk has arrived.
///
/// ```toml
/// [[traffic]]
/// kind = "all-reduce"
/// data = "64MB"
/// hosts = "0-15"             # 30 steps of 4 MB chunks
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllReduceSpec {
    /// Size of the data that each host has, and of the sum that all hosts get.
    pub data: Bytes,
    /// How. Default: `ring`.
    #[serde(default = "ring")]
    pub algorithm: AllReduceAlgorithm,
    /// The hosts that take part, in the order of the first ring. Default: all hosts.
    #[serde(default)]
    pub hosts: HostSet,
    /// Number of rings, which share the data and no pair of hosts. Default: 1.
    #[serde(default)]
    pub rings: RingCount,
    /// Whether each host sends one chunk at a time, each along the next ring, once all chunks
    /// before it in this order have arrived. Default: false, all rings at once.
    #[serde(default)]
    pub shuffled: bool,
    /// How long a host computes before it passes a chunk on, or begins the next round. Default: 0.
    #[serde(default)]
    pub compute: Time,
    /// When the first round starts. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Number of rounds; a host begins the next round when all chunks of the last have arrived
    /// there. Default: 1.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub rounds: u64,
}

fn ring() -> AllReduceAlgorithm {
    AllReduceAlgorithm::Ring
}

fn once() -> u64 {
    1
}

registry! {
    /// The algorithm of an all-reduce.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum AllReduceAlgorithm as "algorithm of an all-reduce" {
        "ring" => Ring, "chunks go around a ring twice: once to be summed up, once to be spread";
    }
}

impl TrafficKind for AllReduceSpec {}

impl AllReduceSpec {
    /// An all-reduce among all hosts, over one ring, in one round, at time 0.
    pub fn new(data: Bytes) -> Self {
        Self {
            data,
            algorithm: ring(),
            hosts: HostSet::All,
            rings: RingCount::default(),
            shuffled: false,
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
        let rings = self.rings.over(have).at("rings")?;
        if self.shuffled && rings < 2 {
            return Err(diagnostics::one_ring().at("shuffled"));
        }
        check_size(self.data).at("data")?;
        let pieces = u64::from(rings) * u64::from(have);
        if self.data.as_u64() < pieces {
            return Err(diagnostics::too_few_bytes(self.data, pieces).at("data"));
        }
        let collective = CollectiveSpec {
            hosts: self.hosts.clone(),
            rings: self.rings,
            shuffled: self.shuffled,
            compute: self.compute,
            start: self.start,
            rounds: self.rounds,
            ..CollectiveSpec::new(CollectiveOperation::AllReduce, self.data)
        };
        collective.check(context)
    }
}

impl Serialize for AllReduceAlgorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for AllReduceAlgorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).map_err(de::Error::custom)
    }
}

impl JsonSchema for AllReduceAlgorithm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AllReduceAlgorithm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Self::ALL.iter().map(|algorithm| algorithm.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests;
