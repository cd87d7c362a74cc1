//! `ports.parquet`: the ports of a network by name, with their counters.

use std::sync::Arc;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use incast_net::{Clock, Losses, PortCounters, Recording, TrimCounters};
use incast_topology::{Ports, Topology};
use incast_units::{Bytes, HostId, NodeId, Rate, Time};

use super::rates::{bps, ratio};
use super::table::{Table, numbers, texts};

/// The names of a port in tables and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortName {
    pub(crate) node: NodeId,
    /// The port's number at its node, counted from 0.
    pub(crate) port: u16,
    pub(crate) peer: NodeId,
    pub(crate) rate: Rate,
    /// Whether the node is a host.
    pub(crate) at_host: bool,
    /// The host and the number of the NIC, if hosts have several NICs.
    pub(crate) nic: Option<(HostId, u16)>,
    /// The kinds of the nodes at both ends; switches by their tier: "leaf → spine".
    pub(crate) kind: String,
    /// "switch 17 port 16 → host 16", or with the names in the user's file.
    pub(crate) label: String,
}

/// All ports of a network, by global index.
#[derive(Clone, Debug)]
pub(crate) struct PortNames {
    all: Vec<PortName>,
    /// Global index of each node's port 0.
    first: Vec<u32>,
}

impl PortNames {
    pub(crate) fn new(topology: &Topology, ports: &Ports) -> Self {
        let mut names = Self {
            all: Vec::new(),
            first: Vec::new(),
        };
        let nodes = (0..topology.nodes()).map(NodeId);
        let node_names: Vec<_> = nodes.clone().map(|node| topology.node_name(node)).collect();
        for node in nodes {
            names.first.push(names.all.len() as u32);
            let machines = topology.machines.as_ref();
            let machines = machines.filter(|_| topology.is_host(node));
            let nic = machines.map(|machines| machines.of(HostId(node.0)));
            for (port, link) in ports.of(node).iter().enumerate() {
                names.all.push(PortName {
                    node,
                    port: port as u16,
                    peer: link.peer,
                    rate: link.rate,
                    at_host: topology.is_host(node),
                    nic,
                    kind: [
                        node_kind(topology, node),
                        " → ",
                        node_kind(topology, link.peer),
                    ]
                    .concat(),
                    label: [
                        &node_names[node.index()],
                        " port ",
                        &port.to_string(),
                        " → ",
                        &node_names[link.peer.index()],
                    ]
                    .concat(),
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

    /// Whether a node is a host, or a NIC of a host.
    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        self.all[self.first[node.index()] as usize].at_host
    }

    /// Global index of a node's port.
    pub(crate) fn index(&self, node: NodeId, port: u32) -> u32 {
        self.first[node.index()] + port
    }
}

fn node_kind(topology: &Topology, node: NodeId) -> &str {
    match topology.is_host(node) {
        true => "host",
        false => topology.tier(node).unwrap_or("switch"),
    }
}

/// Bytes and packets that each port sent, and the time for them.
#[derive(Copy, Clone)]
pub(crate) struct LinkUse<'a> {
    recording: &'a Recording,
    /// Time from the first arrival until the run ended and no packet was leaving any more.
    duration: Time,
}

impl<'a> LinkUse<'a> {
    pub(crate) fn of(recording: &'a Recording, duration: Time) -> Self {
        Self {
            recording,
            duration,
        }
    }

    /// Bytes of data and control packets that have left in full.
    pub(crate) fn sent(&self, port: usize) -> Bytes {
        let PortCounters {
            data_bytes,
            control_bytes,
            ..
        } = self.recording.ports[port];
        Bytes::new(data_bytes + control_bytes - self.recording.unsent[port])
    }

    /// Data packets that a port sent.
    pub(crate) fn data_packets(&self, port: usize) -> u64 {
        self.recording.ports[port].data_packets
    }

    /// Utilisation of a port's link: bytes sent over the bytes that the link could carry.
    pub(crate) fn utilisation(&self, port: usize, name: &PortName) -> f64 {
        ratio(
            bps(self.sent(port), self.duration),
            name.rate.as_bps() as f64,
        )
    }

    /// Whether a port has sent more than its link can carry. With a clock of ns that rounds down,
    /// each packet may be up to 1 ns shorter.
    pub(crate) fn is_exceeded(&self, port: usize, rate: Rate, clock: Clock) -> bool {
        const BYTE_PS: u128 = 8_000_000_000_000;
        let unit = match clock {
            Clock::Picoseconds => 0,
            Clock::Nanoseconds => 1_000,
        };
        let PortCounters {
            data_packets,
            control_packets,
            ..
        } = self.recording.ports[port];
        // The first flow may start a unit early; the last byte may be partial.
        let rounding = u128::from(data_packets + control_packets + 1) * unit;
        let time = u128::from(self.duration.as_ps()) + rounding;
        let fits = time * u128::from(rate.as_bps()) + BYTE_PS;
        u128::from(self.sent(port).as_u64()) * BYTE_PS > fits
    }
}

/// One row per port, by global index: name, counters ([`PortCounters`]), and utilisation.
pub(crate) fn table(names: &PortNames, links: LinkUse<'_>) -> Table {
    let counters = &links.recording.ports;
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
    let trims = &links.recording.trims;
    if !trims.is_empty() {
        for (index, name) in TrimCounters::NAMES.into_iter().enumerate() {
            let counts = numbers::<UInt64Type, _>(trims, |port| port.numbers()[index]);
            columns.push((name, counts));
        }
    }
    if let Some(faults) = &links.recording.faults {
        for (index, name) in Losses::NAMES.into_iter().enumerate() {
            let lost = |port: u32| {
                faults
                    .ports
                    .get(&port)
                    .map_or(0, |lost| lost.numbers()[index])
            };
            let ports = 0..all.len() as u32;
            columns.push((name, numbers::<UInt64Type, _>(ports, lost)));
        }
    }
    let used = numbers::<Float64Type, _>(all.iter().enumerate(), |(port, name)| {
        links.utilisation(port, name)
    });
    columns.push(("utilisation", used));
    let table = Table::of(columns);
    if all.iter().all(|name| name.nic.is_none()) {
        return table;
    }
    let hosts = all.iter().map(|name| name.nic.map(|(host, _)| host.0));
    let hosts: ArrayRef = Arc::new(hosts.collect::<PrimitiveArray<UInt32Type>>());
    let nics = all.iter().map(|name| name.nic.map(|(_, nic)| nic));
    let nics: ArrayRef = Arc::new(nics.collect::<PrimitiveArray<UInt16Type>>());
    table
        .with_nulls("host", &DataType::UInt32, |_| Arc::clone(&hosts))
        .with_nulls("nic", &DataType::UInt16, |_| Arc::clone(&nics))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In 1 us, 100 Gb/s carry 12 500 B. A clock of ns may shorten each of 12 packets, and the
    /// first gap, by 1 ns: 13 · 12.5 B more. A last byte may be partial.
    #[test]
    fn a_link_carries_its_rate_and_what_rounding_adds() {
        let rate = Rate::from_gbps(100);
        let is_exceeded = |bytes: u64, clock| {
            let recording = Recording {
                ports: vec![PortCounters {
                    data_packets: 10,
                    control_packets: 2,
                    data_bytes: bytes - 100,
                    control_bytes: 100,
                    ..PortCounters::default()
                }],
                unsent: vec![0],
                ..Recording::default()
            };
            let links = LinkUse {
                recording: &recording,
                duration: Time::from_us(1),
            };
            links.is_exceeded(0, rate, clock)
        };
        assert!(!is_exceeded(12_501, Clock::Picoseconds));
        assert!(is_exceeded(12_502, Clock::Picoseconds));
        assert!(!is_exceeded(12_663, Clock::Nanoseconds));
        assert!(is_exceeded(12_664, Clock::Nanoseconds));
    }
}
