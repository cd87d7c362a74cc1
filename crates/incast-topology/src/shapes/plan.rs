//! What all builders share: sizes known beforehand, nodes numbered, links appended.

use incast_units::{NodeId, Rate, Time};

use crate::error::ParameterError;
use crate::topology::{LINKS_MAX, Link, NODES_MAX, Topology};

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
pub(crate) struct Plan {
    topology: Topology,
    size: Size,
}

/// What a link is made of.
#[derive(Copy, Clone)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) delay: Time,
}

impl Plan {
    /// A network of hosts alone, of a size that can be meant.
    pub(crate) fn new(
        kind: &'static str,
        name: String,
        size: Size,
    ) -> Result<Self, ParameterError> {
        let nodes = size.hosts.saturating_add(size.switches);
        let links = size.links;
        if nodes > u64::from(NODES_MAX) || links > u64::from(LINKS_MAX) {
            return Err(ParameterError::TooLarge { kind, nodes, links });
        }
        let mut topology = Topology::new(name, size.hosts as u32, 0, Vec::new());
        topology.links.reserve_exact(links as usize);
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

    /// The topology.
    ///
    /// # Panics
    /// If it is not as large as its formula says.
    pub(crate) fn finish(self) -> Topology {
        let built = Size {
            hosts: self.topology.hosts.into(),
            switches: self.topology.switches.into(),
            links: self.topology.links.len() as u64,
        };
        assert_eq!(built, self.size, "size of {}", self.topology.name);
        self.topology
    }
}

/// Checks parameters of one kind of topology.
pub(crate) struct Check(pub(crate) &'static str);

impl Check {
    pub(crate) fn at_least(
        &self,
        least: u32,
        parameter: &'static str,
        value: u32,
    ) -> Result<(), ParameterError> {
        match value >= least {
            true => Ok(()),
            false => Err(ParameterError::TooSmall {
                kind: self.0,
                parameter,
                value,
                least,
            }),
        }
    }

    pub(crate) fn even(&self, parameter: &'static str, value: u32) -> Result<(), ParameterError> {
        match value.is_multiple_of(2) {
            true => Ok(()),
            false => Err(ParameterError::Odd {
                kind: self.0,
                parameter,
                value,
            }),
        }
    }

    pub(crate) fn rate(&self, parameter: &'static str, rate: Rate) -> Result<(), ParameterError> {
        match rate {
            Rate::ZERO => Err(ParameterError::ZeroRate {
                kind: self.0,
                parameter,
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn delay(&self, parameter: &'static str, delay: Time) -> Result<(), ParameterError> {
        match delay {
            Time::ZERO => Err(ParameterError::ZeroDelay {
                kind: self.0,
                parameter,
            }),
            _ => Ok(()),
        }
    }
}

/// A product that sticks at the largest value instead of wrapping, so that parameters of any
/// size can be judged.
pub(crate) fn product<const N: usize>(factors: [u32; N]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| {
        product.saturating_mul(factor.into())
    })
}
