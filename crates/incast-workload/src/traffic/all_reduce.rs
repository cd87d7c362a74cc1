//! All-reduce: every host holds some data, and all are to have the sum of it.
//!
//! Over a ring of n hosts each chunk, an n-th of the data, goes around nearly twice: n - 1 steps
//! reduce, n - 1 more gather, so each host sends 2·D·(n - 1)/n in all. A host passes a chunk on
//! when all of it has arrived, and when it has computed for as long as `compute` says; it waits for
//! nothing else. Several rings share the data and run at once, or take turns ([`CollectivePlan`]).
//!
//! Deviation: NCCL cuts chunks into slices that it pipelines; a chunk here goes on as a whole.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_registry::registry;
use incast_units::{Bytes, HostId, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::collective::{CollectivePlan, SendOrder};
use crate::diagnostics;
use crate::flow::{Flow, FlowStream, check_size, check_start};
use crate::hosts::HostSet;
use crate::rings::Rings;
use incast_random::TrafficStreams;

/// An all-reduce in which a host passes a chunk on when it has arrived.
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
    /// What each host holds and all are to have the sum of.
    pub data: Bytes,
    /// How. Default: `ring`.
    #[serde(default = "ring")]
    pub algorithm: AllReduceAlgorithm,
    /// Who takes part, in the order of the first ring. Default: all hosts.
    #[serde(default)]
    pub hosts: HostSet,
    /// Over how many rings that share no pair of hosts the data is divided. Default: 1.
    #[serde(default)]
    pub rings: RingCount,
    /// Whether each host sends one chunk at a time, each along the next ring, when all chunks
    /// before it in this order have arrived. Default: false, all rings at once.
    #[serde(default)]
    pub shuffled: bool,
    /// How long a host computes before it passes a chunk on, or begins the next round. Default: 0.
    #[serde(default)]
    pub compute: Time,
    /// When the first round starts. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// How many times; a host begins the next round when all of this one has arrived there.
    /// Default: 1.
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
    /// How an all-reduce is done.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum AllReduceAlgorithm as "algorithm of an all-reduce" {
        "ring" => Ring, "chunks go around a ring twice: once to be summed up, once to be spread";
    }
}

/// How many rings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RingCount {
    /// This many.
    Some(u32),
    /// As many as there are: one fewer than hosts.
    All,
}

impl TrafficKind for AllReduceSpec {}

impl AllReduceSpec {
    /// Among all hosts, over one ring, once, at time 0.
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
        check_start(self.start).at("start")?;
        if self.rounds == 0 {
            return Err(diagnostics::zero().at("rounds"));
        }
        let order = match self.shuffled {
            true => SendOrder::InTurn,
            false => SendOrder::Together,
        };
        let plan = CollectivePlan::new(&hosts, rings, self.data)
            .with_timing(self.start, self.rounds, self.compute)
            .in_order(order);
        let chunk = plan.data().as_u64().div_ceil(plan.chunks());
        let carried = context.network.check_flow_size(Bytes::new(chunk));
        carried.at("data")?;
        Ok(Box::new(AllReduce::of(plan)?))
    }
}

impl RingCount {
    /// How many these are over this many hosts.
    fn over(self, hosts: u32) -> Result<u32, Diagnostic> {
        let most = Rings::count_of(hosts);
        match self {
            Self::Some(0) => Err(diagnostics::no_overlays()),
            Self::Some(rings) if rings > most => Err(diagnostics::too_many_rings(hosts, most)),
            Self::Some(rings) => Ok(rings),
            Self::All if most + 1 < hosts => Err(diagnostics::rings_missing(hosts, most)),
            Self::All => Ok(most),
        }
    }
}

/// An all-reduce that can be run.
#[derive(Debug)]
struct AllReduce(Arc<CollectivePlan>);

impl AllReduce {
    fn of(plan: CollectivePlan) -> Result<Self, Diagnostic> {
        if plan.data().as_u64() < plan.chunks() {
            return Err(diagnostics::too_few_bytes(plan.data(), plan.chunks()).at("data"));
        }
        match plan.sends() < u32::MAX.into() {
            true => Ok(Self(Arc::new(plan))),
            false => Err(diagnostics::too_many_sends(plan.sends()).at("rounds")),
        }
    }
}

impl CheckedTraffic for AllReduce {
    /// What waits for nothing.
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let plan = Arc::clone(&self.0);
        let flow = move |number| {
            let chunk = plan.send(number);
            Ok(Flow {
                start: plan.start(),
                source: chunk.source,
                destination: chunk.destination,
                size: chunk.size,
                tag: streams.tag,
            })
        };
        Ok(Box::new(self.0.first_sends().map(flow)))
    }

    fn expected_flows(&self) -> f64 {
        self.0.sends() as f64
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        Some(self.0.hosts().to_vec())
    }

    fn collective(&self) -> Option<&Arc<CollectivePlan>> {
        Some(&self.0)
    }

    fn shuffled(&self) -> Result<Option<Box<dyn CheckedTraffic>>, Diagnostic> {
        Ok(Some(Box::new(Self::of(self.0.shuffled())?)))
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

impl Default for RingCount {
    fn default() -> Self {
        Self::Some(1)
    }
}

impl Serialize for RingCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Some(rings) => rings.serialize(serializer),
            Self::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for RingCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RingCountVisitor)
    }
}

struct RingCountVisitor;

impl Visitor<'_> for RingCountVisitor {
    type Value = RingCount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of rings, or \"all\"")
    }

    fn visit_u64<E: de::Error>(self, rings: u64) -> Result<RingCount, E> {
        u32::try_from(rings)
            .map(RingCount::Some)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(rings), &self))
    }

    fn visit_i64<E: de::Error>(self, rings: i64) -> Result<RingCount, E> {
        u32::try_from(rings)
            .map(RingCount::Some)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(rings), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<RingCount, E> {
        match text {
            "all" => Ok(RingCount::All),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

impl JsonSchema for RingCount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RingCount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }] })
    }
}

#[cfg(test)]
mod tests;
