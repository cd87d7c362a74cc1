//! Permutation: each host sends to one other host, and receives from one other host.

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

/// Each host sends to one other host, and receives from one other host.
///
/// ```toml
/// [[traffic]]
/// kind = "permutation"
/// sizes = "10MB"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermutationSpec {
    /// Sizes of the flows.
    pub sizes: SizeSpec,
    /// The hosts that take part. Default: all.
    #[serde(default)]
    pub hosts: HostSet,
    /// Host i of the list sends to host i + `shift`, modulo the length of the list. Default: a
    /// random permutation without fixed points, drawn anew in each round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub shift: Option<u32>,
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

impl TrafficKind for PermutationSpec {}

impl PermutationSpec {
    /// A random permutation of all hosts at time 0.
    pub fn new(sizes: impl Into<SizeSpec>) -> Self {
        Self {
            sizes: sizes.into(),
            hosts: HostSet::All,
            shift: None,
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
        let hosts = self.hosts.select(context.network).at("hosts")?;
        let have = hosts.len() as u32;
        if have < 2 {
            return Err(diagnostics::too_few_hosts(have, 2).at("hosts"));
        }
        if let Some(shift) = self.shift
            && shift % have == 0
        {
            return Err(diagnostics::shift(shift, have).at("shift"));
        }
        let shift = self.shift;
        let timing = Timing {
            start: self.start,
            jitter: self.jitter,
            rounds: self.rounds,
        };
        burst::traffic(Permutation { hosts, shift }, sizes, timing)
    }
}

#[derive(Debug)]
struct Permutation {
    hosts: Vec<HostId>,
    shift: Option<u32>,
}

impl Burst for Permutation {
    fn round(&self, choice: &mut RandomStream, flows: &mut Vec<Pair>) {
        let mut destinations = self.hosts.clone();
        match self.shift {
            Some(shift) => destinations.rotate_left(shift as usize % self.hosts.len()),
            None => derange(&self.hosts, &mut destinations, choice),
        }
        let pairs = self.hosts.iter().zip(destinations);
        flows.extend(pairs.map(|(source, destination)| Pair::at_once(*source, destination)));
    }

    fn flows(&self) -> u64 {
        self.hosts.len() as u64
    }

    fn hosts(&self) -> Vec<HostId> {
        self.hosts.clone()
    }

    fn span(&self) -> Time {
        Time::ZERO
    }
}

/// Shuffles until no host is its own destination. Every derangement is equally likely; on average
/// it takes e = 2.7 shuffles.
fn derange(hosts: &[HostId], destinations: &mut [HostId], choice: &mut RandomStream) {
    loop {
        choice.shuffle(destinations);
        if hosts
            .iter()
            .zip(&*destinations)
            .all(|(source, destination)| source != destination)
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
