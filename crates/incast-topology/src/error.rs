//! What can be wrong with a topology, its parameters, or the file that holds it.

use std::fmt;

use incast_units::{HostId, NodeId};

use crate::read::ReadError;
use crate::topology::{CELLS_MAX, LINKS_MAX, Link, NODES_MAX, PORTS_MAX};

/// Why there is no topology to run on.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// The graph is not a network.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A parameter of a builder is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A file is wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// A link as messages name it: `link 3 (0–17)`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Its number, counted from 0.
    pub link: u32,
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
}

impl Ends {
    pub(crate) fn new(number: usize, link: &Link) -> Self {
        Self {
            link: number as u32,
            a: link.a,
            b: link.b,
        }
    }
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "link {} ({}–{})", self.link, self.a, self.b)
    }
}

/// Why a graph is not a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// Nobody to send or receive.
    #[error("a topology without hosts is not allowed: there must be at least 1")]
    NoHosts,

    /// Beyond what can be meant.
    #[error("{nodes} nodes and {links} links are too many: at most {NODES_MAX} and {LINKS_MAX}")]
    TooLarge {
        /// Hosts and switches.
        nodes: u64,
        /// Links.
        links: u64,
    },

    /// Labels or original ids for some nodes only.
    #[error("a table of {entries} entries does not fit {nodes} nodes: one for each, or none")]
    NodeTable {
        /// Entries of the table.
        entries: usize,
        /// Hosts and switches.
        nodes: u32,
    },

    /// A link leads nowhere.
    #[error("{ends}: node {node} does not exist; {}", existing(*.hosts, *.switches))]
    NoSuchNode {
        /// The link.
        ends: Ends,
        /// The end that is missing.
        node: NodeId,
        /// How many hosts there are.
        hosts: u32,
        /// How many switches there are.
        switches: u32,
    },

    /// Both ends are the same.
    #[error("{ends}: a link must join two different nodes")]
    SelfLink {
        /// The link.
        ends: Ends,
    },

    /// Nothing would ever leave.
    #[error("{ends}: rate 0 is not allowed: nothing would ever leave; write e.g. `100Gbps`")]
    ZeroRate {
        /// The link.
        ends: Ends,
    },

    /// Windows would have no length.
    #[error(
        "{ends}: delay 0 is not allowed: simulated time advances by the smallest link delay; \
         write at least 1ns"
    )]
    ZeroDelay {
        /// The link.
        ends: Ends,
    },

    /// Not a probability.
    #[error("{ends}: error rate {error_rate} is not a probability; write 0 to 1, e.g. `1e-6`")]
    ErrorRate {
        /// The link.
        ends: Ends,
        /// What was given.
        error_rate: f64,
    },

    /// Two links between the same nodes.
    #[error(
        "{ends} repeats link {first}; two nodes have one link unless parallel links are allowed"
    )]
    RepeatedLink {
        /// The later link.
        ends: Ends,
        /// The number of the earlier.
        first: u32,
    },

    /// A host that nobody can reach.
    #[error("host {host} has no link; every host needs exactly one")]
    HostWithoutLink {
        /// The host.
        host: HostId,
    },

    /// A host with several ports.
    #[error("host {host} has {links} links; every host needs exactly one")]
    HostWithManyLinks {
        /// The host.
        host: HostId,
        /// How many.
        links: u32,
    },

    /// More links than port numbers.
    #[error("switch {node} has {links} links; a switch has at most {PORTS_MAX} ports")]
    TooManyPorts {
        /// The switch.
        node: NodeId,
        /// How many.
        links: u32,
    },

    /// More routes than fit into memory.
    #[error(
        "{switches} switches, {edges} of them with hosts, are too many: \
         their product is at most {CELLS_MAX}"
    )]
    TooManyRoutes {
        /// All switches.
        switches: u32,
        /// Switches with hosts.
        edges: u32,
    },

    /// Two hosts in different parts of the graph.
    #[error("no path leads from host {from} to host {to}; add the links that join them")]
    Disconnected {
        /// A host.
        from: HostId,
        /// A host that it cannot reach.
        to: HostId,
    },
}

impl GraphError {
    /// The link that it is about, if it is about one.
    pub fn link(&self) -> Option<u32> {
        match self {
            Self::NoSuchNode { ends, .. }
            | Self::SelfLink { ends }
            | Self::ZeroRate { ends }
            | Self::ZeroDelay { ends }
            | Self::ErrorRate { ends, .. }
            | Self::RepeatedLink { ends, .. } => Some(ends.link),
            _ => None,
        }
    }

    /// The same with other numbers for nodes that exist: those of the user's file.
    pub(crate) fn renumbered(mut self, number: impl Fn(NodeId) -> NodeId) -> Self {
        match &mut self {
            Self::SelfLink { ends }
            | Self::ZeroRate { ends }
            | Self::ZeroDelay { ends }
            | Self::ErrorRate { ends, .. }
            | Self::RepeatedLink { ends, .. } => {
                (ends.a, ends.b) = (number(ends.a), number(ends.b));
            }
            Self::HostWithoutLink { host } | Self::HostWithManyLinks { host, .. } => {
                host.0 = number((*host).into()).0;
            }
            Self::TooManyPorts { node, .. } => *node = number(*node),
            Self::Disconnected { from, to } => {
                from.0 = number((*from).into()).0;
                to.0 = number((*to).into()).0;
            }
            Self::NoHosts
            | Self::TooLarge { .. }
            | Self::NodeTable { .. }
            | Self::NoSuchNode { .. }
            | Self::TooManyRoutes { .. } => {}
        }
        self
    }
}

/// Why a builder cannot build, or which there are.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// Fewer than make sense.
    #[error("{kind}: `{parameter}` is {value}; write at least {least}")]
    TooSmall {
        /// The kind of topology.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        value: u32,
        /// What would do.
        least: u32,
    },

    /// A parameter that must be even.
    #[error("{kind}: `{parameter}` is {value}, an odd number; write {} or {}",
        .value - 1, u64::from(*.value) + 1)]
    Odd {
        /// The kind of topology.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        value: u32,
    },

    /// A rate of nothing.
    #[error("{kind}: `{parameter}` is 0; nothing would ever leave; write e.g. `100Gbps`")]
    ZeroRate {
        /// The kind of topology.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
    },

    /// A delay of nothing.
    #[error(
        "{kind}: `{parameter}` is 0; simulated time advances by the smallest link delay; \
         write at least `1ns`"
    )]
    ZeroDelay {
        /// The kind of topology.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
    },

    /// A list that must have an entry for each host.
    #[error("{kind}: `{parameter}` has {entries} entries for {hosts} hosts; write one for each")]
    PerHost {
        /// The kind of topology.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Entries given.
        entries: usize,
        /// Hosts there are.
        hosts: u32,
    },

    /// Parameters that ask for more than can be meant.
    #[error(
        "{kind}: {nodes} nodes and {links} links are too many: at most {NODES_MAX} and {LINKS_MAX}"
    )]
    TooLarge {
        /// The kind of topology.
        kind: &'static str,
        /// Hosts and switches.
        nodes: u64,
        /// Links.
        links: u64,
    },

    /// A name that nothing has.
    #[error(
        "unknown topology `{name}`; {}(available: {})",
        did_you_mean(*.suggestion),
        .available.join(", ")
    )]
    UnknownName {
        /// What was given.
        name: String,
        /// The nearest name, if one is near.
        suggestion: Option<&'static str>,
        /// All names.
        available: Vec<&'static str>,
    },
}

fn existing(hosts: u32, switches: u32) -> String {
    let range = |first: u32, count: u32| match count {
        1 => format!("{first}"),
        _ => format!("{first}–{}", first + count - 1),
    };
    match switches {
        0 => format!("hosts are {}", range(0, hosts)),
        _ => format!(
            "hosts are {}, switches {}",
            range(0, hosts),
            range(hosts, switches)
        ),
    }
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean `{name}`? "),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
