//! For tests: counts of nodes, links and shortest paths.

use incast_units::{HostId, NodeId};

use super::Size;
use crate::{NextHopOrder, Ports, Routes, Topology};

/// Checks that the size by formula has these numbers, and that the network is valid.
pub(super) fn assert_size(size: Size, built: &Topology, [hosts, switches, links]: [u64; 3]) {
    let expected = Size {
        hosts,
        switches,
        links,
    };
    assert_eq!(size, expected);
    assert_eq!(built.validate(), Ok(()));
}

/// The number of links on a shortest path between two hosts, and the number of shortest paths.
pub(super) fn paths(topology: &Topology, source: u32, destination: u32) -> (u32, u64) {
    let ports = Ports::new(topology);
    let routes = Routes::shortest(topology, NextHopOrder::ByPort);
    let (source, destination) = (HostId(source), HostId(destination));
    let first = ports.of(NodeId::from(source))[0].peer;
    let hops = routes.hops(source, destination).expect("a path");
    (hops, from(&ports, &routes, first, destination))
}

fn from(ports: &Ports, routes: &Routes, node: NodeId, destination: HostId) -> u64 {
    if node == NodeId::from(destination) {
        return 1;
    }
    let next = |&port: &u16| ports.of(node)[usize::from(port)].peer;
    let hops = routes.next_hops(node, destination).iter();
    hops.map(|port| from(ports, routes, next(port), destination))
        .sum()
}

/// The links between switches on the longest of all shortest paths.
pub(super) fn diameter(topology: &Topology) -> u32 {
    Routes::shortest(topology, NextHopOrder::ByPort).longest_path_switches() - 1
}

/// The nodes that the ports of `node` lead to, in order.
pub(super) fn peers(topology: &Topology, node: u32) -> Vec<u32> {
    let ports = Ports::new(topology);
    let ports = ports.of(NodeId(node)).iter();
    ports.map(|port| port.peer.0).collect()
}
