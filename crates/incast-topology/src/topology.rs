//! A network as plain data: the numbers of hosts and switches, and the links between them.

use std::borrow::Cow;

use incast_diagnostic::Diagnostic;
use incast_units::{HostId, NodeId, Rate, Time};

mod machines;
mod planes;
mod tiers;
mod validity;

pub use machines::Machines;
pub use validity::{GraphNames, check_size};

/// The most nodes that a topology may have: larger numbers are probably typing errors.
pub const NODES_MAX: u32 = 1 << 20;

/// The most links that a topology may have.
pub const LINKS_MAX: u32 = 1 << 22;

/// The most links that one node may have, so that a port number fits 16 bits.
pub const PORTS_MAX: u32 = 1 << 16;

/// The most pairs of a switch and an edge switch: each pair has an entry in the routing table.
pub const CELLS_MAX: u64 = 1 << 28;

/// Hosts, switches and the links between them.
///
/// Nodes are counted from 0: first the hosts, then the switches. A node's ports are its links,
/// in the order of [`Topology::links`]. Where hosts have several NICs, each NIC is a host here, and
/// [`Topology::machines`] says which belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// The network's name in tables and messages.
    pub name: String,
    /// Number of hosts, which are nodes 0 to `hosts` − 1.
    pub hosts: u32,
    /// Number of switches, which are the nodes after the hosts.
    pub switches: u32,
    /// The links; their order numbers the ports of each node.
    pub links: Vec<Link>,
    /// Labels of the nodes in plots ("tor0", "core3"): one for each node, or none at all.
    pub labels: Vec<String>,
    /// Whether the labels are the shape's or the file's.
    pub labelled_by: LabelledBy,
    /// The number of each node in the file that the topology was read from; empty if the file has
    /// the same numbers.
    pub original_ids: Vec<u32>,
    /// Whether two nodes may share more than one link.
    pub parallel_links: ParallelLinks,
    /// Which hosts are NICs of one machine, if machines have several.
    pub machines: Option<Machines>,
}

/// A full-duplex link between two nodes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// The rate of each direction; only of `a` to `b`, if `rate_back` is given.
    pub rate: Rate,
    /// The rate from `b` to `a`, if it differs.
    pub rate_back: Option<Rate>,
    /// The propagation delay of each direction.
    pub delay: Time,
    /// The probability that a packet is lost to bit errors, 0 to 1.
    pub error_rate: f64,
}

/// Where the labels of a topology come from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LabelledBy {
    /// From the shape: results name nodes by kind and number.
    #[default]
    Shape,
    /// From the user's file: results keep these names.
    File,
}

/// Whether two nodes may share more than one link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ParallelLinks {
    /// A second link between the same nodes is an error.
    #[default]
    Refused,
    /// Bundles are allowed; each link of a bundle is a port and a next hop of its own.
    Allowed,
}

impl Link {
    /// The rate of each direction: from `a` to `b`, and back.
    pub fn rates(&self) -> [Rate; 2] {
        [self.rate, self.rate_back.unwrap_or(self.rate)]
    }

    /// A link without bit errors.
    pub const fn new(a: NodeId, b: NodeId, rate: Rate, delay: Time) -> Self {
        Self {
            a,
            b,
            rate,
            rate_back: None,
            delay,
            error_rate: 0.0,
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
            labelled_by: LabelledBy::Shape,
            original_ids: Vec::new(),
            parallel_links: ParallelLinks::Refused,
            machines: None,
        }
    }

    /// A valid topology from the edges of any graph whose nodes are numbered hosts first.
    ///
    /// # Errors
    /// The errors of [`Topology::validate`].
    pub fn from_edges(
        name: impl Into<String>,
        hosts: u32,
        switches: u32,
        edges: impl IntoIterator<Item = (NodeId, NodeId, Rate, Time)>,
    ) -> Result<Self, Diagnostic> {
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

    /// The names of machines in the user's file, beginning with machine 0; `None` if the file has
    /// no names.
    pub fn host_names(&self) -> Option<&[String]> {
        let by_user = self.labelled_by == LabelledBy::File;
        by_user.then(|| match &self.machines {
            Some(machines) => machines.names(),
            None => &self.labels[..self.hosts as usize],
        })
    }

    /// How many machines there are: as many as hosts, unless hosts are NICs of machines.
    pub fn machine_count(&self) -> u32 {
        self.machines.as_ref().map_or(self.hosts, Machines::count)
    }

    /// The machine of a host, and, if machines have several NICs, the number of the NIC.
    pub fn machine_of(&self, host: HostId) -> (HostId, Option<u16>) {
        match &self.machines {
            Some(machines) => {
                let (machine, nic) = machines.of(host);
                (machine, Some(nic))
            }
            None => (host, None),
        }
    }

    /// The label of `node` in plots: its own, or else `host3` or `switch17`.
    pub fn label(&self, node: NodeId) -> Cow<'_, str> {
        match self.labels.get(node.index()) {
            Some(label) => Cow::Borrowed(label),
            None => Cow::Owned(self.default_label(node)),
        }
    }

    /// The name of `node` in results and messages: that of the user's file, or `host 3`. A switch
    /// is named by tier and number, `leaf 0`, or by its number, `switch 17`, if all switches are
    /// alike.
    pub fn node_name(&self, node: NodeId) -> String {
        match (self.labelled_by, self.is_host(node)) {
            (LabelledBy::File, _) => self.label(node).into_owned(),
            (LabelledBy::Shape, true) => match self.machine_of(HostId(node.0)) {
                (machine, Some(nic)) => format!("host {machine} NIC {nic}"),
                (host, None) => format!("host {host}"),
            },
            (LabelledBy::Shape, false) => self.switch_name(node),
        }
    }

    /// The label of a node that has no label of its own.
    pub fn default_label(&self, node: NodeId) -> String {
        match self.is_host(node) {
            true => format!("host{node}"),
            false => format!("switch{node}"),
        }
    }

    /// The name of `node` in the file that the topology was read from; its number, if nodes have no
    /// names.
    pub fn name_in_file(&self, node: NodeId) -> String {
        match self.labelled_by {
            LabelledBy::File => self.label(node).into_owned(),
            LabelledBy::Shape => self.original_id(node).to_string(),
        }
    }

    /// The number of `node` in the file that the topology was read from.
    pub fn original_id(&self, node: NodeId) -> u32 {
        self.original_ids
            .get(node.index())
            .copied()
            .unwrap_or(node.0)
    }

    /// The number of each machine in the file that the topology was read from; `None` if the file
    /// has the same numbers.
    pub fn machine_numbers(&self) -> Option<Vec<u32>> {
        let machines = (0..self.machine_count()).map(HostId);
        let first = |machine| match &self.machines {
            Some(machines) => NodeId(machines.nics(machine).start),
            None => machine.into(),
        };
        let numbers: Vec<_> = machines.map(|each| self.original_id(first(each))).collect();
        let counted = (0..).zip(&numbers).all(|(index, number)| index == *number);
        (!counted && !self.original_ids.is_empty()).then_some(numbers)
    }

    /// The number of the first host in the file that the topology was read from, if the other hosts
    /// have the next numbers, without gaps; otherwise 0.
    pub fn first_host_number(&self) -> u32 {
        // The numbers increase, by one if each host has one NIC.
        let first = self.original_id(NodeId(0));
        let last = self.original_id(NodeId(self.hosts.saturating_sub(1)));
        match self.machines.is_none() && last.checked_sub(first) == self.hosts.checked_sub(1) {
            true => first,
            false => 0,
        }
    }

    /// The node with number `original_id` in the file; one of them, if it is a host with several
    /// NICs.
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

    /// The smallest propagation delay, which is the length of the simulation's windows.
    pub fn smallest_delay(&self) -> Option<Time> {
        self.links.iter().map(|link| link.delay).min()
    }
}

#[cfg(test)]
mod tests;
