//! Traffic as a scenario describes it: entries, each of one kind.
//!
//! A kind is a file below: what it is, its settings, how they are checked, and its flows. Adding
//! one touches its file, one `mod` line and one line of the registry. What all kinds have in common
//! is in `kind`, the registry in `kinds`.

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_random::TrafficStreams;
use incast_units::{HostId, Time};

use crate::files::Files;
use crate::flow::FlowStream;
use crate::network::Network;
use crate::tasks::TaskGraph;
use kind::{CheckedTraffic, TrafficContext};

mod all_reduce;
mod all_to_all;
mod burst;
mod collective;
mod file;
mod incast;
mod kind;
mod kinds;
mod list;
mod live;
mod permutation;
mod poisson;
mod ring_count;
mod tasks;

pub use all_reduce::{AllReduceAlgorithm, AllReduceSpec};
pub use all_to_all::AllToAllSpec;
pub use burst::Rounds;
pub use collective::{CollectiveMember, CollectiveSpec};
pub use incast::{IncastReceiver, IncastSpec, Stagger};
pub use kind::OfferedLoad;
pub use kinds::TrafficSpec;
pub use list::{FlowsSpec, GivenFlow};
pub use live::LiveSpec;
pub use permutation::PermutationSpec;
pub use poisson::PoissonSpec;
pub use ring_count::RingCount;
pub use tasks::{GivenTask, GroupsFile, TasksSpec};

/// A traffic entry that fits its network: it can be run any number of times.
#[derive(Debug)]
pub struct ValidTraffic(Box<dyn CheckedTraffic>);

impl TrafficSpec {
    /// Whether its flows have the scenario's congestion control, or none.
    pub fn is_controlled(&self) -> bool {
        match self {
            Self::Poisson(poisson) => poisson.controlled,
            _ => true,
        }
    }

    /// Whether a program starts its flows while the network is under way.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Whether the traffic asks how far hosts are from each other.
    pub fn asks_for_distances(&self) -> bool {
        matches!(self, Self::AllToAll(all_to_all) if all_to_all.farthest)
    }

    /// The traffic on this network, whose files are opened by `files`.
    ///
    /// # Errors
    /// Each mistake with its key and what would be right.
    pub fn validate(
        &self,
        network: &Network,
        files: &Arc<dyn Files>,
    ) -> Result<ValidTraffic, Diagnostic> {
        self.check(TrafficContext { network, files })
            .map(ValidTraffic)
    }
}

impl ValidTraffic {
    /// The flows of the run with this seed; all carry `tag`, the number of the entry.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn flows(&self, seed: u64, tag: u16) -> Result<FlowStream, Diagnostic> {
        self.0.flows(TrafficStreams { seed, tag })
    }

    /// How many flows there will be: exactly, or on average over seeds.
    pub fn expected_flows(&self) -> f64 {
        self.0.expected_flows()
    }

    /// From when to when flows arrive however many are under way, if they do so.
    pub fn open_loop(&self) -> Option<(Time, Time)> {
        self.0.open_loop()
    }

    /// What it offers to the network, if its flows arrive however many are under way.
    pub fn offered_load(&self) -> Option<OfferedLoad> {
        self.0.offered_load()
    }

    /// The tasks that it is made of, if its flows wait for each other.
    pub fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        self.0.task_graph()
    }

    /// Lays a collective over shuffled rings; `false` if it goes over none.
    pub(crate) fn shuffle(&mut self) -> Result<bool, Diagnostic> {
        let Some(shuffled) = self.0.shuffled()? else {
            return Ok(false);
        };
        self.0 = shuffled;
        Ok(true)
    }

    /// The hosts that send or receive, if they are known.
    pub(crate) fn hosts(&self) -> Option<Vec<HostId>> {
        self.0.hosts()
    }
}

#[cfg(test)]
mod tests;
