//! The switches and the links among them, for searches of paths.

use std::cmp::Reverse;

use incast_units::NodeId;

use super::NextHopOrder;
use crate::ports::{Port, Ports};
use crate::topology::Topology;

/// The switches and the links among them, without hosts. Each switch is a row.
pub(super) struct Fabric {
    /// The index of each row's first neighbour; at the end, the number of all neighbours.
    first: Vec<u32>,
    /// Neighbours in the order in which next hops are listed.
    neighbours: Vec<Neighbour>,
}

#[derive(Copy, Clone)]
pub(super) struct Neighbour {
    pub(super) row: u32,
    pub(super) port: u16,
    /// The number of the port at the other end.
    pub(super) peer_port: u16,
}

impl Fabric {
    pub(super) fn new(
        topology: &Topology,
        ports: &Ports,
        order: NextHopOrder,
        down: impl Fn(u32) -> bool,
    ) -> Self {
        let mut fabric = Self {
            first: vec![0],
            neighbours: Vec::new(),
        };
        for node in topology.hosts..topology.nodes() {
            let mut usable: Vec<(u16, &Port)> = (0..)
                .zip(ports.of(NodeId(node)))
                .filter(|(_, port)| !topology.is_host(port.peer) && !down(port.link))
                .collect();
            let peer = |port: &Port| topology.original_id(port.peer);
            match order {
                NextHopOrder::ByPort => {}
                NextHopOrder::DescendingNode => usable.sort_by_key(|(_, port)| Reverse(peer(port))),
                NextHopOrder::AscendingNode => usable.sort_by_key(|(_, port)| peer(port)),
            }
            fabric
                .neighbours
                .extend(usable.into_iter().map(|(number, port)| Neighbour {
                    row: port.peer.0 - topology.hosts,
                    port: number,
                    peer_port: port.peer_port,
                }));
            fabric.first.push(fabric.neighbours.len() as u32);
        }
        fabric
    }

    pub(super) fn rows(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn of(&self, row: usize) -> &[Neighbour] {
        &self.neighbours[self.first[row] as usize..self.first[row + 1] as usize]
    }
}
