//! Traffic as a scenario describes it: entries, each of one kind.
//!
//! Each kind is a file below: its description, its settings, their checks, and its flows. Adding a
//! kind touches its file, one `mod` line and one line of the registry. The interface of all kinds
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

/// A traffic entry that has been checked against its network; it can be run any number of times.
#[derive(Debug)]
pub struct ValidTraffic(Box<dyn CheckedTraffic>);

impl TrafficSpec {
    /// Whether the entry's flows have the scenario's congestion control; otherwise they have none.
    pub fn is_controlled(&self) -> bool {
        match self {
            Self::Poisson(poisson) => poisson.controlled,
            _ => true,
        }
    }

    /// Whether a program starts the entry's flows while the network is under way.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Whether the entry needs distances between hosts.
    pub fn asks_for_distances(&self) -> bool {
        matches!(self, Self::AllToAll(all_to_all) if all_to_all.farthest)
    }

    /// Checks the entry against a network; `files` opens its files.
    ///
    /// # Errors
    /// The first mistake, with its key.
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
    /// The flows of the run with this seed; all have the tag `tag`, the number of the entry.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn flows(&self, seed: u64, tag: u16) -> Result<FlowStream, Diagnostic> {
        self.0.flows(TrafficStreams { seed, tag })
    }

    /// Number of flows: exact, or the average over seeds.
    pub fn expected_flows(&self) -> f64 {
        self.0.expected_flows()
    }

    /// Begin and end of arrivals, if the traffic is open-loop; `None` for other traffic.
    pub fn open_loop(&self) -> Option<(Time, Time)> {
        self.0.open_loop()
    }

    /// The load that open-loop traffic offers; `None` for other traffic.
    pub fn offered_load(&self) -> Option<OfferedLoad> {
        self.0.offered_load()
    }

    /// The task graph, if flows wait for each other.
    pub fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        self.0.task_graph()
    }

    /// Lays a collective over shuffled rings; `false` if it does not use rings.
    pub(crate) fn shuffle(&mut self) -> Result<bool, Diagnostic> {
        let Some(shuffled) = self.0.shuffled()? else {
            return Ok(false);
        };
        self.0 = shuffled;
        Ok(true)
    }

    /// The hosts that send or receive, if they are known before the run.
    pub(crate) fn hosts(&self) -> Option<Vec<HostId>> {
        self.0.hosts()
    }
}

#[cfg(test)]
mod tests;
