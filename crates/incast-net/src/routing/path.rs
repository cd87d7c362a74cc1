//! The path of a flow's packets, without a run.

mod symmetry;

use incast_topology::{Hop, Ports, Routes, Topology};
use incast_units::{HostId, NodeId};

use super::{EcmpSelector, PathChoice, RemainingHops};
use crate::wire::{Address, Kind, ONE_LINE, Packet};

pub use self::symmetry::{AsymmetricPath, check_path_symmetry};

/// The header fields that ECMP hashes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowAddress {
    /// The sender of the data.
    pub source: HostId,
    /// The receiver of the data.
    pub destination: HostId,
    /// UDP source port of the data.
    pub source_port: u16,
}

/// Direction of a flow's packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Paths from source to destination.
    Data,
    /// Paths from destination to source; not always along the same switches.
    Ack,
}

/// The ports by which a flow's packets leave, the sending host's first.
pub fn path<'a>(
    choice: impl Into<PathChoice>,
    topology: &'a Topology,
    ports: &'a Ports,
    routes: &'a Routes,
    flow: FlowAddress,
    direction: Direction,
) -> impl Iterator<Item = Hop> + 'a {
    let (kind, from, to) = match direction {
        Direction::Data => (Kind::Data, flow.source, flow.destination),
        Direction::Ack => (Kind::Ack, flow.destination, flow.source),
    };
    let mut packet = Packet::<ONE_LINE>::new(kind, 0);
    packet.address = Address::new(from.0, to.0, flow.source_port);
    let (choice, first_host) = (choice.into(), topology.first_host_number());
    routes.path(ports, from, to, move |switch: NodeId, hops: &[u16]| {
        let selector =
            EcmpSelector::new(choice, topology.original_id(switch)).with_first_host(first_host);
        let remaining = RemainingHops::new(routes.links_left(switch, to));
        selector.select(&packet, hops.len(), remaining)
    })
}

#[cfg(test)]
mod tests {
    use crate::routing::EcmpHash;
    use incast_topology::{Link, NextHopOrder};
    use incast_units::{Rate, Time};

    use super::*;

    /// Hosts 0 and 1 below switches 2 and 3, which are joined by two middle switches:
    ///
    /// ```text
    /// 0 ── 2 ─┬─ 4 ─┬─ 3 ── 1
    ///         └─ 5 ─┘
    /// ```
    fn square() -> Topology {
        let ends = [(0, 2), (1, 3), (2, 4), (2, 5), (4, 3), (5, 3)];
        let link = |(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
        Topology::new("square", 2, 4, ends.map(link).to_vec())
    }

    fn nodes(ecmp: EcmpHash, source_port: u16, direction: Direction) -> Vec<u32> {
        let topology = square();
        let ports = Ports::new(&topology);
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        let flow = FlowAddress {
            source: HostId(0),
            destination: HostId(1),
            source_port,
        };
        path(ecmp, &topology, &ports, &routes, flow, direction)
            .map(|hop| hop.node.0)
            .collect()
    }

    /// Both directions take four links; the hash decides on the middle switch.
    #[test]
    fn paths_begin_at_a_host_and_use_both_ways() {
        for (direction, ends) in [(Direction::Data, [0, 2, 3]), (Direction::Ack, [1, 3, 2])] {
            let middle = |port| {
                let nodes = nodes(EcmpHash::Mixed, port, direction);
                assert_eq!([nodes[0], nodes[1], nodes[3]], ends);
                assert_eq!(nodes.len(), 4);
                nodes[2]
            };
            let met: Vec<u32> = (0..16).map(middle).collect();
            assert!(met.contains(&4) && met.contains(&5), "{met:?}");
        }
    }
}
