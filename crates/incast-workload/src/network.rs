//! What traffic must know of the network: its hosts, how fast their NICs are, the largest flow.

use incast_diagnostic::Diagnostic;
use incast_random::{TrafficPurpose, TrafficStreams};
use incast_units::{Bytes, HostId, Rate};

use crate::diagnostics;
use crate::host_names::HostNames;

/// The hosts of a network, counted from 0, with the rates of their NICs, together where they have
/// several; and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    nic_rates: Vec<Rate>,
    names: HostNames,
    seed: u64,
    /// Links between each pair of hosts, sources first; empty if no traffic asks for them.
    distances: Vec<u32>,
    largest_flow: Bytes,
    /// By how many NICs hosts reach each other.
    nics: u16,
}

impl Network {
    /// A network of hosts with these rates, that of host 0 first.
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
            nics: 1,
        }
    }

    /// The same network, which carries flows of at most this size.
    pub fn with_largest_flow(self, largest_flow: Bytes) -> Self {
        Self {
            largest_flow,
            ..self
        }
    }

    /// The same network, whose hosts reach each other by so many NICs: the smallest number, where
    /// it differs.
    pub fn with_nics(self, nics: u16) -> Self {
        Self { nics, ..self }
    }

    /// By how many NICs hosts reach each other.
    pub fn nics(&self) -> u16 {
        self.nics
    }

    /// The same network, whose hosts are called so.
    ///
    /// # Panics
    /// Unless there is a name for each.
    pub fn with_names(self, names: &[String]) -> Self {
        assert_eq!(names.len(), self.nic_rates.len(), "names of hosts");
        Self {
            names: HostNames::named(names),
            ..self
        }
    }

    /// The same network in a run of this seed, which says in which order hosts are shuffled.
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

    /// Its hosts, by number and by name.
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

    /// The same network, where the path between two hosts has this many links.
    pub fn with_distances(mut self, distance: impl Fn(HostId, HostId) -> u32) -> Self {
        let pairs = self.all().flat_map(|source| {
            let hosts = self.all();
            hosts.map(move |destination| (source, destination))
        });
        self.distances = pairs.map(|(from, to)| distance(from, to)).collect();
        self
    }

    /// Of some hosts those with the longest path from `source`, which is not among them; all of
    /// them if distances are not known.
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

    /// How fast the NIC of `host` is, or its NICs together.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn nic_rate(&self, host: HostId) -> Rate {
        self.nic_rates[host.index()]
    }

    /// All hosts, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts()).map(HostId)
    }
}
