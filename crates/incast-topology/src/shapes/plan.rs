//! The parts that builders share: sizes before building, numbering of nodes, appending of links.

use incast_diagnostic::Diagnostic;
use incast_units::{NodeId, Rate, Time};

use crate::topology::{Link, Machines, ParallelLinks, Topology, check_size};

/// The size of a network, known before it is built.
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

/// Rate and delay of a link.
#[derive(Copy, Clone)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) delay: Time,
}

impl TopologyBuilder {
    /// A network of hosts without switches and links; an error if `size` is above the limits.
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

    /// Allows several links between two nodes.
    pub(crate) fn allow_parallel_links(&mut self) {
        self.topology.parallel_links = ParallelLinks::Allowed;
    }

    /// Sets which hosts are NICs of one machine.
    pub(crate) fn set_machines(&mut self, machines: Machines) {
        self.topology.set_machines(machines);
    }

    /// The topology, validated.
    ///
    /// # Panics
    /// If its size differs from the formula's.
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

/// A product that saturates instead of wrapping, so that parameters of any size can be checked.
pub(crate) fn product<const N: usize>(factors: [u32; N]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| {
        product.saturating_mul(factor.into())
    })
}
