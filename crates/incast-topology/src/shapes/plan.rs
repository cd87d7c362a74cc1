//! What all builders share: sizes known beforehand, nodes numbered, links appended.

use incast_diagnostic::Diagnostic;
use incast_units::{NodeId, Rate, Time};

use crate::topology::{Link, Machines, ParallelLinks, Topology, check_size};

/// How large a network will be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Hosts.
    pub hosts: u64,
    /// Switches.
    pub switches: u64,
    /// Links.
    pub links: u64,
}

/// A topology in the making.
pub(crate) struct TopologyBuilder {
    topology: Topology,
    size: Size,
}

/// What a link is made of.
#[derive(Copy, Clone)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) delay: Time,
}

impl TopologyBuilder {
    /// A network of hosts alone, of a size that can be meant.
    pub(crate) fn new(name: String, size: Size) -> Result<Self, Diagnostic> {
        check_size(size.hosts.saturating_add(size.switches), size.links)?;
        let mut topology = Topology::new(name, size.hosts as u32, 0, Vec::new());
        topology.links.reserve_exact(size.links as usize);
        topology.labels = (0..size.hosts).map(|host| format!("host{host}")).collect();
        Ok(Self { topology, size })
    }

    /// Adds switches labelled `tor0`, `tor1`, …; returns the number of the first.
    pub(crate) fn switches(&mut self, label: &str, count: u32) -> u32 {
        let first = self.topology.nodes();
        self.topology.switches += count;
        self.topology
            .labels
            .extend((0..count).map(|switch| format!("{label}{switch}")));
        first
    }

    /// Adds a link.
    pub(crate) fn link(&mut self, a: u32, b: u32, wire: Wire) {
        self.topology
            .links
            .push(Link::new(NodeId(a), NodeId(b), wire.rate, wire.delay));
    }

    /// Says that two nodes may have several links.
    pub(crate) fn allow_parallel_links(&mut self) {
        self.topology.parallel_links = ParallelLinks::Allowed;
    }

    /// Says which hosts are NICs of one machine.
    pub(crate) fn set_machines(&mut self, machines: Machines) {
        self.topology.set_machines(machines);
    }

    /// The topology, valid.
    ///
    /// # Panics
    /// If it is not as large as its formula says.
    pub(crate) fn finish(self) -> Result<Topology, Diagnostic> {
        let built = Size {
            hosts: self.topology.hosts.into(),
            switches: self.topology.switches.into(),
            links: self.topology.links.len() as u64,
        };
        assert_eq!(built, self.size, "size of {}", self.topology.name);
        self.topology.validate()?;
        Ok(self.topology)
    }
}

/// A product that sticks at the largest value instead of wrapping, so that parameters of any
/// size can be judged.
pub(crate) fn product<const N: usize>(factors: [u32; N]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| {
        product.saturating_mul(factor.into())
    })
}
