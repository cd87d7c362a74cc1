//! What traffic must know of the network: its hosts, how fast their NICs are, the largest flow.

use std::fmt;
use std::sync::Arc;

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
    nics: Nics,
}

/// By how many NICs hosts reach each other, where they have several.
pub trait NicCounts: fmt::Debug + Send + Sync {
    /// How many NICs lead from one host to another: at least one.
    fn between(&self, from: HostId, to: HostId) -> u16;
}

/// The NIC counts of a network. Two are equal only if they are one object.
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
            nics: Nics::default(),
        }
    }

    /// The same network, which carries flows of at most this size.
    pub fn with_largest_flow(self, largest_flow: Bytes) -> Self {
        Self {
            largest_flow,
            ..self
        }
    }

    /// The same network, whose hosts have several NICs.
    pub fn with_nics(self, nics: Arc<dyn NicCounts>) -> Self {
        let nics = Nics(Some(nics));
        Self { nics, ..self }
    }

    /// By how many NICs one host reaches another.
    pub(crate) fn nics_between(&self, from: HostId, to: HostId) -> u16 {
        let nics = self.nics.0.as_ref();
        nics.map_or(1, |nics| nics.between(from, to).max(1))
    }

    /// By how many NICs these hosts reach each other: the smallest number from each to the next.
    pub(crate) fn nics_among(&self, hosts: &[HostId]) -> u16 {
        let pairs = hosts
            .windows(2)
            .map(|two| self.nics_between(two[0], two[1]));
        pairs.min().unwrap_or(1)
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

    /// The same network, whose hosts files of their simulator call by these numbers.
    ///
    /// # Panics
    /// Unless there is a number for each, in ascending order.
    pub fn with_file_numbers(self, numbers: &[u32]) -> Self {
        let names = self.names.with_file_numbers(numbers);
        Self { names, ..self }
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

    /// The hosts among `hosts` with the longest path from `source`, which is not among them; all of
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
