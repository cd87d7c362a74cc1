//! `ports.parquet`: the ports of a network by name, with their counters.

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_net::PortCounters;
use incast_topology::{Ports, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use super::rates::{bps, ratio};
use super::table::{Table, numbers, texts};

/// A port, as tables and messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortName {
    pub(crate) node: NodeId,
    /// Counted from 0 at its node.
    pub(crate) port: u16,
    pub(crate) peer: NodeId,
    pub(crate) rate: Rate,
    /// Whether the node is a host.
    pub(crate) at_host: bool,
    /// "switch 17 port 16 → host 16", or with the names of the user's file.
    pub(crate) label: String,
}

/// All ports of a network, by global index.
#[derive(Clone, Debug)]
pub(crate) struct PortNames {
    all: Vec<PortName>,
    /// Global index of every node's port 0.
    first: Vec<u32>,
}

impl PortNames {
    pub(crate) fn new(topology: &Topology, ports: &Ports) -> Self {
        let mut names = Self {
            all: Vec::new(),
            first: Vec::new(),
        };
        for node in (0..topology.nodes()).map(NodeId) {
            names.first.push(names.all.len() as u32);
            for (port, link) in ports.of(node).iter().enumerate() {
                names.all.push(PortName {
                    node,
                    port: port as u16,
                    peer: link.peer,
                    rate: link.rate,
                    at_host: topology.is_host(node),
                    label: format!(
                        "{} port {port} → {}",
                        topology.node_name(node),
                        topology.node_name(link.peer),
                    ),
                });
            }
        }
        names
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PortName> {
        self.all.iter()
    }

    /// The port with this global index.
    pub(crate) fn name(&self, port: u32) -> &PortName {
        &self.all[port as usize]
    }

    /// Global index of a node's port.
    pub(crate) fn index(&self, node: NodeId, port: u32) -> u32 {
        self.first[node.index()] + port
    }
}

/// How much of a link's capacity a port used: bytes sent over bytes that fit into `duration`.
pub(crate) fn utilisation(name: &PortName, counters: &PortCounters, duration: Time) -> f64 {
    let sent = Bytes::new(counters.data_bytes + counters.control_bytes);
    ratio(bps(sent, duration), name.rate.as_bps() as f64)
}

/// One row per port, by global index: its name, its counters ([`PortCounters`]), its utilisation.
pub(crate) fn table(names: &PortNames, counters: &[PortCounters], duration: Time) -> Table {
    assert_eq!(names.all.len(), counters.len(), "every port has counters");
    let all = &names.all;
    let mut columns = vec![
        ("node", numbers::<UInt32Type, _>(all, |name| name.node.0)),
        ("port", numbers::<UInt16Type, _>(all, |name| name.port)),
        ("label", texts(all, |name| name.label.as_str())),
        ("peer", numbers::<UInt32Type, _>(all, |name| name.peer.0)),
        (
            "rate_bps",
            numbers::<UInt64Type, _>(all, |name| name.rate.as_bps()),
        ),
    ];
    for (index, name) in PortCounters::NAMES.into_iter().enumerate() {
        let counts = numbers::<UInt64Type, _>(counters, |port| port.numbers()[index]);
        columns.push((name, counts));
    }
    let rows = all.iter().zip(counters);
    let used = numbers::<Float64Type, _>(rows, |(name, port)| utilisation(name, port, duration));
    columns.push(("utilisation", used));
    Table::of(columns)
}
