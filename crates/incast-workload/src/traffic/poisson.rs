//! Poisson arrivals: the background traffic of nearly every evaluation.
//!
//! Each source starts flows at random times, independently of other sources:
//!
//! ```text
//! mean gap = 8 · mean size / (NIC rate · load)
//! ```
//!
//! So the load is *payload* per capacity of the source's NIC; headers are added to it. Gaps are
//! exponential and rounded to the picosecond; the first gap begins at `start`. Destinations are
//! uniform over `destinations` without the source itself. The generator of the HPCC artifact
//! (`traffic_gen.py`) draws from the same distributions, but rounds gaps down to the nanosecond and
//! drops each host's last flow.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{HostId, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{CheckedTraffic, OfferedLoad, TrafficContext, TrafficKind};
use crate::diagnostics;
use crate::flow::{Flow, FlowStream, check_start};
use crate::hosts::HostSet;
use crate::sizes::{FlowSizes, SizeSpec};
use incast_random::{RandomStream, TrafficPurpose, TrafficStreams};

/// Poisson arrivals at every source.
///
/// ```toml
/// [[traffic]]
/// kind = "poisson"
/// sizes = "fb-hadoop"
/// load = 0.5
/// duration = "50ms"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoissonSpec {
    /// Sizes of the flows.
    pub sizes: SizeSpec,
    /// Payload sent by each source, as a fraction of its NIC's rate: above 0, at most 1.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub load: f64,
    /// When arrivals begin. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Time during which flows arrive. Default: until `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Time>,
    /// Number of flows after which arrivals end. Default: after `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The hosts that send. Default: all.
    #[serde(default)]
    pub sources: HostSet,
    /// The hosts that receive. Default: all.
    #[serde(default)]
    pub destinations: HostSet,
    /// Whether the flows have the scenario's congestion control. Without it, each flow is sent at
    /// once, at its NIC's rate. Default: true.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub controlled: bool,
}

fn yes() -> bool {
    true
}

impl TrafficKind for PoissonSpec {}

impl PoissonSpec {
    /// Poisson traffic between all hosts, from time 0 on.
    pub fn new(sizes: impl Into<SizeSpec>, load: f64, duration: Time) -> Self {
        Self {
            sizes: sizes.into(),
            load,
            start: Time::ZERO,
            duration: Some(duration),
            count: None,
            sources: HostSet::All,
            destinations: HostSet::All,
            controlled: true,
        }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        let load = self.load;
        if !(load > 0.0 && load <= 1.0) {
            return Err(diagnostics::load(load).at("load"));
        }
        let end = self.end()?;
        let sizes = context.sizes(&self.sizes)?;
        let sources = self.sources.select(context.network).at("sources")?;
        let destinations = self
            .destinations
            .select(context.network)
            .at("destinations")?;
        if let [host] = destinations[..]
            && sources.contains(&host)
        {
            return Err(diagnostics::no_destination(host).at("destinations"));
        }
        let payload_bits = 8.0 * sizes.mean_bytes() / load;
        let positions: HashMap<HostId, usize> = destinations.iter().copied().zip(0..).collect();
        let source = |host| {
            let position = positions.get(&host).copied();
            let mean_gap_ps = mean_gap_ps(payload_bits, context.network.nic_rate(host))
                .ok_or_else(|| diagnostics::no_rate(host))?;
            Ok(PoissonSource {
                host,
                position,
                mean_gap_ps,
                nic_rate: context.network.nic_rate(host),
            })
        };
        let sources: Result<Vec<_>, Diagnostic> = sources.into_iter().map(source).collect();
        let poisson = Poisson {
            sources: sources.at("sources")?,
            destinations: destinations.into(),
            sizes,
            load,
            start: self.start,
            end,
            count: self.count.unwrap_or(u64::MAX),
        };
        let expected = poisson.flows_within((end - self.start).as_ps() as f64);
        match (self.count, self.duration) {
            (Some(count), None) if expected < count as f64 => {
                Err(diagnostics::too_seldom(count, expected).at("load"))
            }
            _ => Ok(Box::new(poisson)),
        }
    }

    fn end(&self) -> Result<Time, Diagnostic> {
        check_start(self.start).at("start")?;
        if self.count == Some(0) {
            return Err(diagnostics::zero().at("count"));
        }
        match self.duration {
            None if self.count.is_none() => Err(diagnostics::never_ends().at("duration")),
            None => Ok(crate::MAX_START),
            Some(Time::ZERO) => Err(diagnostics::no_time().at("duration")),
            Some(duration) => {
                let end = self.start.saturating_add(duration);
                check_start(end).at("duration")?;
                Ok(end)
            }
        }
    }
}

/// The mean gap in picoseconds; `None` for a rate of zero.
fn mean_gap_ps(payload_bits: f64, nic_rate: Rate) -> Option<f64> {
    (nic_rate > Rate::ZERO).then(|| payload_bits / nic_rate.as_bps() as f64 * 1e12)
}

#[derive(Debug)]
struct Poisson {
    sources: Vec<PoissonSource>,
    destinations: Arc<[HostId]>,
    sizes: FlowSizes,
    load: f64,
    start: Time,
    /// The end of arrivals: all flows start before.
    end: Time,
    /// The largest number of flows.
    count: u64,
}

#[derive(Debug)]
struct PoissonSource {
    host: HostId,
    /// The host's index among the destinations, if it is one.
    position: Option<usize>,
    mean_gap_ps: f64,
    nic_rate: Rate,
}

impl Poisson {
    /// Mean number of flows of all sources in `ps` picoseconds.
    fn flows_within(&self, ps: f64) -> f64 {
        let sources = self.sources.iter();
        sources.map(|source| ps / source.mean_gap_ps).sum()
    }
}

impl CheckedTraffic for Poisson {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let mut hosts: Vec<_> = self
            .sources
            .iter()
            .map(|source| SendingHost::new(source, self, streams))
            .collect();
        let next = (0..).zip(&mut hosts).map(|(index, host)| {
            let first = self.start.saturating_add(host.gap());
            Reverse((first, index))
        });
        Ok(Box::new(PoissonArrivals {
            next: next
                .filter(|Reverse((first, _))| *first < self.end)
                .collect(),
            hosts,
            destinations: Arc::clone(&self.destinations),
            sizes: self.sizes.clone(),
            end: self.end,
            left: self.count,
            tag: streams.tag,
        }))
    }

    fn expected_flows(&self) -> f64 {
        let duration_ps = (self.end - self.start).as_ps() as f64;
        self.flows_within(duration_ps).min(self.count as f64)
    }

    /// Arrivals end at `duration`, or when `count` flows have arrived on average.
    fn open_loop(&self) -> Option<(Time, Time)> {
        let counted = Time::from_ps((self.count as f64 / self.flows_within(1.0)) as u64);
        let end = self.end.min(self.start.saturating_add(counted));
        Some((self.start, end))
    }

    fn offered_load(&self) -> Option<OfferedLoad> {
        let rates = self.sources.iter().map(|source| source.nic_rate.as_bps());
        let mean = self.sizes.mean_bytes();
        Some(OfferedLoad {
            load: self.load,
            nic_rates_bps: rates.map(|rate| rate as f64).sum(),
            flows_per_ps: self.flows_within(1.0),
            size_spread: self.sizes.mean_square_bytes() / (mean * mean),
        })
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        let sources = self.sources.iter().map(|source| source.host);
        Some(sources.chain(self.destinations.iter().copied()).collect())
    }
}

/// The arrivals of all hosts, in order of time, then in the order of the hosts' list.
struct PoissonArrivals {
    /// The start of each host's next flow, if it is before the end.
    next: BinaryHeap<Reverse<(Time, u32)>>,
    hosts: Vec<SendingHost>,
    destinations: Arc<[HostId]>,
    sizes: FlowSizes,
    end: Time,
    left: u64,
    tag: u16,
}

/// A source with its three random streams. Other sizes therefore leave gaps and destinations
/// unchanged.
struct SendingHost {
    id: HostId,
    position: Option<usize>,
    /// Number of possible destinations.
    choices: u64,
    mean_gap_ps: f64,
    gaps: RandomStream,
    destinations: RandomStream,
    sizes: RandomStream,
}

impl SendingHost {
    fn new(source: &PoissonSource, poisson: &Poisson, streams: TrafficStreams) -> Self {
        let itself = u64::from(source.position.is_some());
        Self {
            id: source.host,
            position: source.position,
            choices: poisson.destinations.len() as u64 - itself,
            mean_gap_ps: source.mean_gap_ps,
            gaps: streams.of_host(source.host.0, TrafficPurpose::Gap),
            destinations: streams.of_host(source.host.0, TrafficPurpose::Destination),
            sizes: streams.of_host(source.host.0, TrafficPurpose::Size),
        }
    }

    /// An exponential gap, rounded to the nearest picosecond.
    fn gap(&mut self) -> Time {
        Time::from_ps((self.gaps.exponential() * self.mean_gap_ps + 0.5) as u64)
    }

    /// A destination, uniform over all destinations but the host itself.
    fn destination(&mut self, destinations: &[HostId]) -> HostId {
        let drawn = self.destinations.below(self.choices) as usize;
        let skips = self.position.is_some_and(|position| drawn >= position);
        destinations[drawn + usize::from(skips)]
    }
}

impl Iterator for PoissonArrivals {
    type Item = Result<Flow, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut earliest = self.next.peek_mut()?;
        let Reverse((start, index)) = *earliest;
        let host = &mut self.hosts[index as usize];
        let after = start.saturating_add(host.gap());
        if after < self.end {
            *earliest = Reverse((after, index));
        } else {
            PeekMut::pop(earliest);
        }
        Some(Ok(Flow {
            start,
            source: host.id,
            destination: host.destination(&self.destinations),
            size: self.sizes.draw(&mut host.sizes),
            tag: self.tag,
        }))
    }
}

#[cfg(test)]
mod tests;
