//! All-to-all: each source sends to each destination, all at once.
//!
//! With one source it is a broadcast made of unicasts.

use incast_units::{HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::burst::{self, Burst, Pair, Rounds, Timing};
use super::{Context, Traffic};
use crate::error::{AtKey, Fault, WorkloadError};
use crate::hosts::HostSet;
use crate::random::Stream;
use crate::sizes::SizeSpec;

/// Each source sends to each destination, all at once.
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
    /// How large the flows are.
    pub sizes: SizeSpec,
    /// The hosts that send. Default: all.
    #[serde(default)]
    pub sources: HostSet,
    /// The hosts that receive. Default: all.
    #[serde(default)]
    pub destinations: HostSet,
    /// When the flows start. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Each flow starts up to this much later, uniformly at random. Default: 0.
    #[serde(default)]
    pub jitter: Time,
    /// The same again. Default: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

impl AllToAllSpec {
    /// Between all hosts, at time 0.
    pub fn new(sizes: impl Into<SizeSpec>) -> Self {
        Self {
            sizes: sizes.into(),
            sources: HostSet::All,
            destinations: HostSet::All,
            start: Time::ZERO,
            jitter: Time::ZERO,
            rounds: None,
        }
    }

    pub(super) fn check(&self, context: Context<'_>) -> Result<Box<dyn Traffic>, WorkloadError> {
        let sizes = self.sizes.validate(context.directory)?;
        let sources = self.sources.select(context.network).at_key("sources")?;
        let destinations = self
            .destinations
            .select(context.network)
            .at_key("destinations")?;
        if let [host] = destinations[..]
            && sources.contains(&host)
        {
            return Err(WorkloadError::at_key(
                "destinations",
                Fault::NoDestination { host },
            ));
        }
        let timing = Timing {
            start: self.start,
            jitter: self.jitter,
            rounds: self.rounds,
        };
        burst::traffic(
            AllToAll {
                sources,
                destinations,
            },
            sizes,
            timing,
        )
    }
}

#[derive(Debug)]
struct AllToAll {
    sources: Vec<HostId>,
    destinations: Vec<HostId>,
}

impl Burst for AllToAll {
    fn round(&self, _: &mut Stream, flows: &mut Vec<Pair>) {
        let places = self.destinations.len();
        for step in 1..=places {
            for (place, source) in self.sources.iter().enumerate() {
                let destination = self.destinations[(place + step) % places];
                if destination != *source {
                    flows.push(Pair::at_once(*source, destination));
                }
            }
        }
    }

    fn flows(&self) -> u64 {
        let to_itself = self
            .sources
            .iter()
            .filter(|source| self.destinations.contains(source));
        let pairs = self.sources.len() as u64 * self.destinations.len() as u64;
        pairs - to_itself.count() as u64
    }

    fn span(&self) -> Time {
        Time::ZERO
    }
}

#[cfg(test)]
mod tests;
