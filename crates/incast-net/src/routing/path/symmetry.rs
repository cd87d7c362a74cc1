//! Path symmetry: whether ACKs return on the path of their data. INT on ACKs depends on it.

use incast_topology::{Ports, Routes, Topology};
use incast_units::{HostId, NodeId};

use crate::routing::Routing;

/// Two switches between which data and ACKs of some flows take different paths.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AsymmetricPath {
    /// The switch of the data's source.
    pub from: NodeId,
    /// The switch of the data's destination, where ACKs begin.
    pub to: NodeId,
}

impl AsymmetricPath {
    /// The asymmetry as a message, with the nodes' names.
    pub fn describe(&self, topology: &Topology) -> String {
        let [from, to] = [self.from, self.to].map(|node| topology.node_name(node));
        format!("data from {from} to {to} and their ACKs may take different paths")
    }
}

/// Checks that the ACKs of every flow return on the path of their data.
///
/// This holds where there is one path between any two hosts, and on spanning trees. Under symmetric
/// ECMP each path of data is compared with the path of its ACKs.
///
/// # Errors
/// The first two switches between which the paths differ.
pub fn check_path_symmetry(
    routing: Routing,
    ports: &Ports,
    routes: &Routes,
) -> Result<(), AsymmetricPath> {
    if routes.are_unique() || routing == Routing::SpanningTrees {
        return Ok(());
    }
    // All hosts of a switch have the same paths beyond it.
    let edges = routes.edges();
    for &from in &edges {
        for &to in &edges {
            let mut walk = Walk {
                ports,
                routes,
                from,
                to,
                picks: Vec::new(),
            };
            if routes.links_left(from.0, to.1) == 0 {
                continue;
            }
            let is_symmetric = match routing {
                Routing::Ecmp => walk.is_only(),
                Routing::SymmetricEcmp | Routing::SpanningTrees => walk.all_are_symmetric(from.0),
            };
            if !is_symmetric {
                let (from, to) = (from.0, to.0);
                return Err(AsymmetricPath { from, to });
            }
        }
    }
    Ok(())
}

/// A walk from one edge switch to another, along all paths.
struct Walk<'a> {
    ports: &'a Ports,
    routes: &'a Routes,
    from: (NodeId, HostId),
    to: (NodeId, HostId),
    /// The picks on the current path.
    picks: Vec<Pick>,
}

/// The pick of one of several next hops.
#[derive(Copy, Clone)]
struct Pick {
    /// Remaining hops, which salt the hash.
    remaining: u32,
    /// Index of the picked next hop, and the number of next hops.
    index: usize,
    of: usize,
    /// The switch that picked, and its port.
    node: NodeId,
    port: u16,
}

impl Walk<'_> {
    /// Whether there is only one path.
    fn is_only(&self) -> bool {
        let mut node = self.from.0;
        while node != self.to.0 {
            let &[port] = self.routes.next_hops(node, self.to.1) else {
                return false;
            };
            node = self.ports.of(node)[usize::from(port)].peer;
        }
        true
    }

    /// Whether ACKs return on every path from `node` on.
    fn all_are_symmetric(&mut self, node: NodeId) -> bool {
        if node == self.to.0 {
            return self.is_symmetric();
        }
        let hops = self.routes.next_hops(node, self.to.1);
        let remaining = self.routes.links_left(node, self.to.1);
        hops.iter().enumerate().all(|(index, &port)| {
            self.picks.push(Pick {
                remaining,
                index,
                of: hops.len(),
                node,
                port,
            });
            let peer = self.ports.of(node)[usize::from(port)].peer;
            let all = self.all_are_symmetric(peer);
            self.picks.pop();
            all
        })
    }

    /// Whether the ACKs of all flows that pick this path pick it, too. At equal remaining hops a
    /// flow's hash is equal in both directions. A pick shows the part of its range in which the
    /// hash lies, and this must determine the pick of the way back.
    fn is_symmetric(&self) -> bool {
        self.picks.iter().all(|way| {
            let link = &self.ports.of(way.node)[usize::from(way.port)];
            let hops = self.routes.next_hops(link.peer, self.from.1);
            let Some(index) = hops.iter().position(|port| *port == link.peer_port) else {
                return false;
            };
            if hops.len() == 1 {
                return true;
            }
            let remaining = self.routes.links_left(link.peer, self.from.1);
            let known = self.picks.iter().find(|pick| pick.remaining == remaining);
            known.is_some_and(|known| known.is_within(index, hops.len()))
        })
    }
}

impl Pick {
    /// Whether a hash in the part of this pick always lies in part `index` of `of` equal parts.
    fn is_within(&self, index: usize, of: usize) -> bool {
        index * self.of <= self.index * of && (self.index + 1) * of <= (index + 1) * self.of
    }
}

#[cfg(test)]
mod tests;
