//! The facts of a network that traffic needs: its hosts, the rates of their NICs, its largest flow.

use std::fmt;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_random::{TrafficPurpose, TrafficStreams};
use incast_units::{Bytes, HostId, Rate};

use crate::diagnostics;
use crate::host_names::HostNames;

/// The hosts of a network, counted from 0, with the rates of their NICs, and its limits. A host
/// with several NICs has the sum of their rates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    nic_rates: Vec<Rate>,
    names: HostNames,
    seed: u64,
    /// Number of links between each pair of hosts, by source, then destination; empty if no traffic
    /// needs distances.
    distances: Vec<u32>,
    largest_flow: Bytes,
    nics: Nics,
}

/// Numbers of NICs by which hosts reach each other, for hosts with several NICs.
pub trait NicCounts: fmt::Debug + Send + Sync {
    /// Number of NICs of `from` that reach `to`: at least one.
    fn between(&self, from: HostId, to: HostId) -> u16;
}

/// The NIC counts of a network, which are equal only to themselves.
#[derive(Clone, Debug, Default)]
struct Nics(Option<Arc<dyn NicCounts>>);

impl PartialEq for Nics {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Nics {}

impl Network {
    /// A network of hosts with these NIC rates, in order of host numbers.
    ///
    /// # Panics
    /// With more hosts than ids.
    pub fn new(nic_rates: Vec<Rate>) -> Self {
        assert!(
            u32::try_from(nic_rates.len()).is_ok(),
            "more than 2^32 hosts"
        );
        Self {
            names: HostNames::numbered(nic_rates.len() as u32),
            nic_rates,
            seed: 1,
            distances: Vec::new(),
            largest_flow: Bytes::MAX,
            nics: Nics::default(),
        }
    }

    /// Sets the largest flow that the network carries.
    pub fn with_largest_flow(self, largest_flow: Bytes) -> Self {
        Self {
            largest_flow,
            ..self
        }
    }

    /// Gives the hosts several NICs.
    pub fn with_nics(self, nics: Arc<dyn NicCounts>) -> Self {
        let nics = Nics(Some(nics));
        Self { nics, ..self }
    }

    /// Number of NICs by which one host reaches another.
    pub(crate) fn nics_between(&self, from: HostId, to: HostId) -> u16 {
        let nics = self.nics.0.as_ref();
        nics.map_or(1, |nics| nics.between(from, to).max(1))
    }

    /// Number of NICs by which these hosts reach each other: the smallest number from each host to
    /// the next.
    pub(crate) fn nics_among(&self, hosts: &[HostId]) -> u16 {
        let pairs = hosts
            .windows(2)
            .map(|two| self.nics_between(two[0], two[1]));
        pairs.min().unwrap_or(1)
    }

    /// Gives the hosts names.
    ///
    /// # Panics
    /// Unless there is a name for each host.
    pub fn with_names(self, names: &[String]) -> Self {
        assert_eq!(names.len(), self.nic_rates.len(), "names of hosts");
        Self {
            names: HostNames::named(names),
            ..self
        }
    }

    /// Sets the numbers of the hosts in the files of their simulator.
    ///
    /// # Panics
    /// Unless there is a number for each host, in ascending order.
    pub fn with_file_numbers(self, numbers: &[u32]) -> Self {
        let names = self.names.with_file_numbers(numbers);
        Self { names, ..self }
    }

    /// Sets the seed of the run, which draws the order of shuffled hosts.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// All hosts in a random order, the same in each traffic entry.
    pub(crate) fn shuffled(&self) -> Vec<HostId> {
        let (seed, tag) = (self.seed, 0);
        let streams = TrafficStreams { seed, tag };
        let mut hosts: Vec<_> = self.all().collect();
        streams
            .of_entry(TrafficPurpose::Placement)
            .shuffle(&mut hosts);
        hosts
    }

    /// The hosts, by number and by name.
    pub fn names(&self) -> &HostNames {
        &self.names
    }

    /// Checks that the network carries a flow of this size.
    pub(crate) fn check_flow_size(&self, size: Bytes) -> Result<(), Diagnostic> {
        match size <= self.largest_flow {
            true => Ok(()),
            false => Err(diagnostics::too_many_packets(size, self.largest_flow)),
        }
    }

    /// Sets the number of links between each two hosts.
    pub fn with_distances(mut self, distance: impl Fn(HostId, HostId) -> u32) -> Self {
        let pairs = self.all().flat_map(|source| {
            let hosts = self.all();
            hosts.map(move |destination| (source, destination))
        });
        self.distances = pairs.map(|(from, to)| distance(from, to)).collect();
        self
    }

    /// The hosts among `hosts`, without `source`, with the longest path from `source`; all of them
    /// if distances are not known.
    pub(crate) fn farthest(&self, source: HostId, hosts: &[HostId]) -> Vec<HostId> {
        let others = || hosts.iter().copied().filter(|host| *host != source);
        let row = source.index() * self.nic_rates.len();
        let distance = |host: HostId| self.distances.get(row + host.index()).copied();
        let longest = others().map(distance).max().flatten();
        others().filter(|host| distance(*host) == longest).collect()
    }

    /// A network of `hosts` hosts with equal NICs.
    pub fn uniform(hosts: u32, nic_rate: Rate) -> Self {
        Self::new(vec![nic_rate; hosts as usize])
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.nic_rates.len() as u32
    }

    /// The rate of the NIC of `host`, or of all its NICs together.
    ///
    /// # Panics
    /// If the host does not exist.
    pub fn nic_rate(&self, host: HostId) -> Rate {
        self.nic_rates[host.index()]
    }

    /// All hosts, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts()).map(HostId)
    }
}
