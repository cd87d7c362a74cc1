//! Ring all-reduce, on a clock.
//!
//! n hosts hold D bytes each, cut into n chunks. In each of 2(n - 1) steps every host sends one
//! chunk to the next host of the ring: n - 1 steps reduce, n - 1 more gather. So each host sends
//! 2·D·(n - 1)/n in all.
//!
//! Deviation: a real ring sends a chunk when the one before it has arrived. Here nothing waits:
//! steps begin on a clock, every `step_every`, whether or not the network has kept up. With a
//! step that is long enough for a chunk the two agree; with a shorter one this ring presses on
//! where a real one would slow down.

use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::burst::{Rounds, check_rounds};
use super::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::diagnostics;
use crate::flow::{Flow, FlowStream, check_size};
use crate::hosts::HostSet;
use incast_random::TrafficStreams;

/// A ring all-reduce whose steps begin on a clock; no chunk waits for another.
///
/// ```toml
/// [[traffic]]
/// kind = "ring-all-reduce"
/// data = "64MB"
/// hosts = "0-15"             # 30 steps of 4 MB chunks
/// step_every = "400us"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingAllReduceSpec {
    /// What each host holds and all are to have the sum of. Each step moves one chunk, an equal
    /// part of it for each host.
    pub data: Bytes,
    /// From the start of a step to the start of the next. Steps do not wait for each other.
    pub step_every: Time,
    /// The ring, in this order. Default: all hosts.
    #[serde(default)]
    pub hosts: HostSet,
    /// When the first step starts. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// The same again. Default: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

impl TrafficKind for RingAllReduceSpec {}

impl RingAllReduceSpec {
    /// Among all hosts, once, at time 0.
    pub fn new(data: Bytes, step_every: Time) -> Self {
        Self {
            data,
            step_every,
            hosts: HostSet::All,
            start: Time::ZERO,
            rounds: None,
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
        if self.data.as_u64() < have.into() {
            return Err(diagnostics::too_few_bytes(self.data, have).at("data"));
        }
        if self.step_every == Time::ZERO {
            return Err(diagnostics::no_time().at("step_every"));
        }
        let steps = 2 * (u64::from(have) - 1);
        let span = Time::from_ps(self.step_every.as_ps().saturating_mul(steps - 1));
        let ring = Ring {
            hosts: hosts.into(),
            data: self.data,
            steps,
            step_every: self.step_every,
            start: self.start,
        };
        let rounds = check_rounds(self.start, span, self.rounds)?;
        Ok(Box::new(RingAllReduce { ring, rounds }))
    }
}

#[derive(Debug)]
struct RingAllReduce {
    ring: Ring,
    rounds: Rounds,
}

#[derive(Clone, Debug)]
struct Ring {
    hosts: Arc<[HostId]>,
    data: Bytes,
    steps: u64,
    step_every: Time,
    start: Time,
}

impl CheckedTraffic for RingAllReduce {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let (ring, rounds) = (self.ring.clone(), self.rounds);
        let (places, steps) = (ring.hosts.len() as u64, ring.steps);
        let flow = move |number: u64| {
            let (step, place) = (number / places, number % places);
            let delay = rounds.every * (step / steps) + ring.step_every * (step % steps);
            Ok(Flow {
                start: ring.start + delay,
                source: ring.at(place),
                destination: ring.at(place + 1),
                size: ring.chunk(place, step % steps),
                tag: streams.tag,
            })
        };
        Ok(Box::new((0..self.count()).map(flow)))
    }

    fn expected_flows(&self) -> f64 {
        self.count() as f64
    }
}

impl RingAllReduce {
    /// More than 2^64 flows are as good as endless.
    fn count(&self) -> u64 {
        let round = self.ring.steps * self.ring.hosts.len() as u64;
        self.rounds.count.saturating_mul(round)
    }
}

impl Ring {
    fn at(&self, place: u64) -> HostId {
        self.hosts[(place % self.hosts.len() as u64) as usize]
    }

    /// The size of the chunk that this place sends in this step: chunk (place - step) mod n, in
    /// both phases. Chunk c lies between c·D/n and (c + 1)·D/n, rounded down.
    fn chunk(&self, place: u64, step: u64) -> Bytes {
        let places = self.hosts.len() as u64;
        let chunk = (place + self.steps - step + 2) % places;
        let edge = |chunk: u64| {
            let scaled = u128::from(self.data.as_u64()) * u128::from(chunk);
            Bytes::new((scaled / u128::from(places)) as u64)
        };
        edge(chunk + 1) - edge(chunk)
    }
}

#[cfg(test)]
mod tests;
