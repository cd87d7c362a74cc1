//! All-to-all: each source sends to each destination, or to a few that are drawn at random, all at
//! once.
//!
//! With one source it is a broadcast by unicast flows. With a `fan_out` of 1 it is uniform random
//! traffic. With `farthest` it is uniform random traffic over longest paths (Mittal et al.,
//! "TIMELY", SIGCOMM 2015).

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::burst::{self, Burst, Pair, Rounds, Timing};
use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::diagnostics;
use crate::hosts::HostSet;
use crate::sizes::SizeSpec;
use incast_random::RandomStream;

/// Each source sends to each destination, or to a few that are drawn at random, all at once.
///
/// Flows are listed so that no host is everyone's first destination: each source begins with the
/// destination after its own place and goes around.
///
/// ```toml
/// [[traffic]]
/// kind = "all-to-all"
/// sizes = "1MB"
/// rounds = { count = 10, every = "5ms" }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllToAllSpec {
    /// Sizes of the flows.
    pub sizes: SizeSpec,
    /// The hosts that send. Default: all.
    #[serde(default)]
    pub sources: HostSet,
    /// The hosts that receive. Default: all.
    #[serde(default)]
    pub destinations: HostSet,
    /// Number of destinations that each source draws at random in each round. Default: all
    /// destinations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fan_out: Option<u32>,
    /// Whether each source sends only to the destinations with the longest path. Default: false.
    #[serde(default)]
    pub farthest: bool,
    /// When the flows start. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Each flow starts later by a random delay, uniform up to this time. Default: 0.
    #[serde(default)]
    pub jitter: Time,
    /// Repetitions of the burst. Default: one burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

impl TrafficKind for AllToAllSpec {}

impl AllToAllSpec {
    /// An all-to-all between all hosts, at time 0.
    pub fn new(sizes: impl Into<SizeSpec>) -> Self {
        Self {
            sizes: sizes.into(),
            sources: HostSet::All,
            destinations: HostSet::All,
            fan_out: None,
            farthest: false,
            start: Time::ZERO,
            jitter: Time::ZERO,
            rounds: None,
        }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
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
        let farthest = self.farthest.then(|| {
            let of = |source: &HostId| context.network.farthest(*source, &destinations);
            sources.iter().map(of).collect::<Vec<_>>()
        });
        let available = match &farthest {
            Some(lists) => lists.iter().map(Vec::len).min().unwrap_or(0) as u32,
            None => {
                let to_itself = sources.iter().any(|source| destinations.contains(source));
                destinations.len() as u32 - u32::from(to_itself)
            }
        };
        let all_to_all = AllToAll {
            fan_out: self.fan_out(available)?,
            sources,
            destinations,
            farthest,
        };
        let timing = Timing {
            start: self.start,
            jitter: self.jitter,
            rounds: self.rounds,
        };
        burst::traffic(all_to_all, sizes, timing)
    }

    fn fan_out(&self, available: u32) -> Result<Option<u32>, Diagnostic> {
        match self.fan_out {
            Some(0) => Err(diagnostics::zero().at("fan_out")),
            Some(wanted) if wanted > available => {
                let wrong = diagnostics::too_many_drawn(wanted, available);
                Err(wrong.at("fan_out"))
            }
            fan_out => Ok(fan_out),
        }
    }
}

#[derive(Debug)]
struct AllToAll {
    sources: Vec<HostId>,
    destinations: Vec<HostId>,
    /// Number of destinations that a source draws; `None` for all.
    fan_out: Option<u32>,
    /// The farthest destinations of each source; `None` if sources send to all destinations.
    farthest: Option<Vec<Vec<HostId>>>,
}

impl AllToAll {
    /// The possible destinations of source number `place`.
    fn others(&self, place: usize) -> Vec<HostId> {
        if let Some(lists) = &self.farthest {
            return lists[place].clone();
        }
        let source = self.sources[place];
        let others = self.destinations.iter().copied();
        others
            .filter(|destination| *destination != source)
            .collect()
    }

    fn to_all(&self, flows: &mut Vec<Pair>) {
        let places = self.destinations.len();
        for step in 1..=places {
            for (place, source) in self.sources.iter().enumerate() {
                let destination = self.destinations[(place + step) % places];
                let lists = self.farthest.as_ref();
                let near = lists.is_some_and(|lists| !lists[place].contains(&destination));
                if destination != *source && !near {
                    flows.push(Pair::at_once(*source, destination));
                }
            }
        }
    }

    fn to_some(&self, fan_out: u32, choice: &mut RandomStream, flows: &mut Vec<Pair>) {
        for (place, source) in self.sources.iter().enumerate() {
            let mut others = self.others(place);
            choice.choose_first(fan_out as usize, &mut others);
            let drawn = others.iter().take(fan_out as usize);
            flows.extend(drawn.map(|destination| Pair::at_once(*source, *destination)));
        }
    }

    /// Number of sources that are also destinations.
    fn to_itself(&self) -> usize {
        let both = |source: &&HostId| self.destinations.contains(source);
        self.sources.iter().filter(both).count()
    }
}

impl Burst for AllToAll {
    fn round(&self, choice: &mut RandomStream, flows: &mut Vec<Pair>) {
        match self.fan_out {
            None => self.to_all(flows),
            Some(fan_out) => self.to_some(fan_out, choice, flows),
        }
    }

    fn flows(&self) -> u64 {
        let sources = self.sources.len() as u64;
        match (self.fan_out, &self.farthest) {
            (Some(fan_out), _) => sources * u64::from(fan_out),
            (None, Some(lists)) => lists.iter().map(|list| list.len() as u64).sum(),
            (None, None) => sources * self.destinations.len() as u64 - self.to_itself() as u64,
        }
    }

    fn hosts(&self) -> Vec<HostId> {
        [&self.sources[..], &self.destinations].concat()
    }

    fn span(&self) -> Time {
        Time::ZERO
    }
}

#[cfg(test)]
mod tests;
