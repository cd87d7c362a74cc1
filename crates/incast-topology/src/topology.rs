//! A network as plain data: how many nodes, and the links between them.

use std::borrow::Cow;
use std::collections::VecDeque;

use incast_units::{HostId, NodeId, Rate, Time};

use crate::error::{Ends, GraphError};

/// The most nodes that a topology may have: beyond it a typing error is more likely.
pub const NODES_MAX: u32 = 1 << 20;

/// The most links that a topology may have.
pub const LINKS_MAX: u32 = 1 << 22;

/// The most links that one node may have, so that a port number fits 16 bits.
pub const PORTS_MAX: u32 = 1 << 16;

/// The most pairs of a switch and a switch with hosts: each has an entry in the routing table.
pub const CELLS_MAX: u64 = 1 << 28;

/// Hosts, switches and the links between them.
///
/// Nodes are counted from 0: first the hosts, then the switches. A node's ports are its links,
/// in the order of [`Topology::links`].
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// What to call it, in tables and messages.
    pub name: String,
    /// How many hosts: nodes 0 to `hosts` − 1.
    pub hosts: u32,
    /// How many switches: the nodes after the hosts.
    pub switches: u32,
    /// The links; their order numbers the ports of each node.
    pub links: Vec<Link>,
    /// What plots call the nodes ("tor0", "core3"): one for each node, or none at all.
    pub labels: Vec<String>,
    /// The number of each node in the file that it was read from; empty if it is the same.
    pub original_ids: Vec<u32>,
    /// Whether two nodes may share more than one link.
    pub parallel_links: ParallelLinks,
}

/// A full-duplex link between two nodes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// The rate of each direction.
    pub rate: Rate,
    /// The propagation delay of each direction.
    pub delay: Time,
    /// The probability that a packet is lost to bit errors, 0 to 1.
    pub error_rate: f64,
}

/// Whether two nodes may share more than one link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ParallelLinks {
    /// A second link between the same nodes is taken for a mistake.
    #[default]
    Refused,
    /// Bundles are meant; each link of a bundle is a port and a next hop of its own.
    Allowed,
}

impl Link {
    /// A link without bit errors.
    pub const fn new(a: NodeId, b: NodeId, rate: Rate, delay: Time) -> Self {
        Self {
            a,
            b,
            rate,
            delay,
            error_rate: 0.0,
        }
    }

    /// What a link can be without regard to the rest.
    pub(crate) fn check(&self, ends: Ends) -> Result<(), GraphError> {
        if self.a == self.b {
            return Err(GraphError::SelfLink { ends });
        }
        if self.rate == Rate::ZERO {
            return Err(GraphError::ZeroRate { ends });
        }
        if self.delay == Time::ZERO {
            return Err(GraphError::ZeroDelay { ends });
        }
        let error_rate = self.error_rate;
        match (0.0..=1.0).contains(&error_rate) {
            true => Ok(()),
            false => Err(GraphError::ErrorRate { ends, error_rate }),
        }
    }
}

impl Topology {
    /// A topology without labels, numbered as given, not yet validated.
    pub fn new(name: impl Into<String>, hosts: u32, switches: u32, links: Vec<Link>) -> Self {
        Self {
            name: name.into(),
            hosts,
            switches,
            links,
            labels: Vec::new(),
            original_ids: Vec::new(),
            parallel_links: ParallelLinks::Refused,
        }
    }

    /// A valid topology from the edges of any graph whose nodes are numbered hosts first.
    ///
    /// # Errors
    /// What [`Topology::validate`] finds.
    pub fn from_edges(
        name: impl Into<String>,
        hosts: u32,
        switches: u32,
        edges: impl IntoIterator<Item = (NodeId, NodeId, Rate, Time)>,
    ) -> Result<Self, GraphError> {
        let link = |(a, b, rate, delay)| Link::new(a, b, rate, delay);
        let links = edges.into_iter().map(link).collect();
        let topology = Self::new(name, hosts, switches, links);
        topology.validate()?;
        Ok(topology)
    }

    /// How many nodes there are, hosts and switches.
    pub fn nodes(&self) -> u32 {
        self.hosts.saturating_add(self.switches)
    }

    /// Whether `node` is a host.
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.hosts
    }

    /// What plots call `node`: its label, or `host3`, `switch17`.
    pub fn label(&self, node: NodeId) -> Cow<'_, str> {
        match self.labels.get(node.index()) {
            Some(label) => Cow::Borrowed(label),
            None => Cow::Owned(self.default_label(node)),
        }
    }

    pub(crate) fn default_label(&self, node: NodeId) -> String {
        match self.is_host(node) {
            true => format!("host{node}"),
            false => format!("switch{node}"),
        }
    }

    /// The number of `node` in the file that the topology was read from.
    pub fn original_id(&self, node: NodeId) -> u32 {
        self.original_ids
            .get(node.index())
            .copied()
            .unwrap_or(node.0)
    }

    /// The node that the file called `original_id`.
    pub fn node_of(&self, original_id: u32) -> Option<NodeId> {
        let at = if self.original_ids.is_empty() {
            original_id
        } else {
            // A file's hosts and switches each keep their order.
            let (hosts, switches) = self.original_ids.split_at(self.hosts as usize);
            match hosts.binary_search(&original_id) {
                Ok(at) => at as u32,
                Err(_) => switches.binary_search(&original_id).ok()? as u32 + self.hosts,
            }
        };
        (at < self.nodes()).then_some(NodeId(at))
    }

    /// The smallest propagation delay; the simulation's windows are as long.
    pub fn smallest_delay(&self) -> Option<Time> {
        self.links.iter().map(|link| link.delay).min()
    }

    /// Checks that this is a network on which every host can reach every other.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self) -> Result<(), GraphError> {
        self.check_counts()?;
        self.check_links()?;
        self.check_parallel_links()?;
        self.check_degrees()?;
        self.check_routes()?;
        self.check_connected()
    }

    fn check_counts(&self) -> Result<(), GraphError> {
        let nodes = u64::from(self.hosts) + u64::from(self.switches);
        let links = self.links.len() as u64;
        if self.hosts == 0 {
            return Err(GraphError::NoHosts);
        }
        if nodes > u64::from(NODES_MAX) || links > u64::from(LINKS_MAX) {
            return Err(GraphError::TooLarge { nodes, links });
        }
        for table in [self.labels.len(), self.original_ids.len()] {
            if table != 0 && table as u64 != nodes {
                return Err(GraphError::NodeTable {
                    entries: table,
                    nodes: self.nodes(),
                });
            }
        }
        Ok(())
    }

    fn check_links(&self) -> Result<(), GraphError> {
        for (number, link) in self.links.iter().enumerate() {
            let ends = Ends::new(number, link);
            for node in [link.a, link.b] {
                if node.0 >= self.nodes() {
                    let (hosts, switches) = (self.hosts, self.switches);
                    return Err(GraphError::NoSuchNode {
                        ends,
                        node,
                        hosts,
                        switches,
                    });
                }
            }
            link.check(ends)?;
        }
        Ok(())
    }

    fn check_parallel_links(&self) -> Result<(), GraphError> {
        if self.parallel_links == ParallelLinks::Allowed {
            return Ok(());
        }
        let pair = |link: &Link| (link.a.min(link.b), link.a.max(link.b));
        let mut order: Vec<u32> = (0..self.links.len() as u32).collect();
        order.sort_by_key(|&number| (pair(&self.links[number as usize]), number));
        let repeats = order
            .windows(2)
            .filter(|two| pair(&self.links[two[0] as usize]) == pair(&self.links[two[1] as usize]))
            .min_by_key(|two| two[1]);
        match repeats {
            Some(two) => Err(GraphError::RepeatedLink {
                ends: Ends::new(two[1] as usize, &self.links[two[1] as usize]),
                first: two[0],
            }),
            None => Ok(()),
        }
    }

    fn check_degrees(&self) -> Result<(), GraphError> {
        let mut degrees = vec![0_u32; self.nodes() as usize];
        for link in &self.links {
            degrees[link.a.index()] += 1;
            degrees[link.b.index()] += 1;
        }
        let (hosts, switches) = degrees.split_at(self.hosts as usize);
        for (&links, host) in hosts.iter().zip(0..) {
            let host = HostId(host);
            match links {
                0 => return Err(GraphError::HostWithoutLink { host }),
                1 => {}
                _ => return Err(GraphError::HostWithManyLinks { host, links }),
            }
        }
        for (&links, switch) in switches.iter().zip(self.hosts..) {
            if links > PORTS_MAX {
                let node = NodeId(switch);
                return Err(GraphError::TooManyPorts { node, links });
            }
        }
        Ok(())
    }

    fn check_routes(&self) -> Result<(), GraphError> {
        let mut has_hosts = vec![false; self.nodes() as usize];
        for link in &self.links {
            has_hosts[link.a.index()] |= self.is_host(link.b);
            has_hosts[link.b.index()] |= self.is_host(link.a);
        }
        let switches = self.switches;
        let edges = has_hosts[self.hosts as usize..]
            .iter()
            .filter(|&&has| has)
            .count() as u32;
        if u64::from(switches) * u64::from(edges) > CELLS_MAX {
            return Err(GraphError::TooManyRoutes { switches, edges });
        }
        Ok(())
    }

    /// Hosts have one link each, so no path can lead through one.
    fn check_connected(&self) -> Result<(), GraphError> {
        let mut neighbours = vec![Vec::new(); self.nodes() as usize];
        for link in &self.links {
            neighbours[link.a.index()].push(link.b);
            neighbours[link.b.index()].push(link.a);
        }
        let mut reached = vec![false; neighbours.len()];
        reached[0] = true;
        let mut queue = VecDeque::from([NodeId(0)]);
        while let Some(node) = queue.pop_front() {
            for &neighbour in &neighbours[node.index()] {
                if !reached[neighbour.index()] {
                    reached[neighbour.index()] = true;
                    queue.push_back(neighbour);
                }
            }
        }
        match (0..self.hosts).find(|&host| !reached[host as usize]) {
            Some(host) => Err(GraphError::Disconnected {
                from: HostId(0),
                to: HostId(host),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
