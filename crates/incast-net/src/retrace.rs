//! Whether ACKs retrace their data's path: what INT on ACKs depends on.

use std::fmt;

use incast_topology::{Ports, Routes};
use incast_units::{HostId, NodeId};

use crate::Routing;

/// Two switches between which data and ACKs of some flows take different paths.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Detour {
    /// Where data come from.
    pub from: NodeId,
    /// Where they go, and ACKs begin.
    pub to: NodeId,
}

impl fmt::Display for Detour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(
            f,
            "data from switch {from} to switch {to} and their ACKs may take different paths"
        )
    }
}

/// Whether all ACKs retrace their data's path, whatever the flow.
///
/// One path between any two hosts, or spanning trees, will do. Under symmetric ECMP every path
/// that data may take is compared with that of their ACKs.
///
/// # Errors
/// The first two switches for which they differ.
pub fn acks_retrace(routing: Routing, ports: &Ports, routes: &Routes) -> Result<(), Detour> {
    if routes.are_unique() || routing == Routing::SpanningTrees {
        return Ok(());
    }
    // One host stands for all below its switch.
    let host_of = |edge: NodeId| {
        let mut peers = ports.of(edge).iter().map(|port| port.peer);
        let host = peers.find_map(|peer| routes.host(peer));
        (edge, host.expect("an edge switch has hosts"))
    };
    let edges: Vec<_> = routes.edge_switches().into_iter().map(host_of).collect();
    for &from in &edges {
        for &to in &edges {
            let mut walk = Walk {
                ports,
                routes,
                from,
                to,
                picks: Vec::new(),
            };
            let fine = match routing {
                Routing::Ecmp => walk.is_only(),
                _ => walk.all_come_back(from.0),
            };
            if !fine {
                let (from, to) = (from.0, to.0);
                return Err(Detour { from, to });
            }
        }
    }
    Ok(())
}

/// From one edge switch to another, along all paths.
struct Walk<'a> {
    ports: &'a Ports,
    routes: &'a Routes,
    from: (NodeId, HostId),
    to: (NodeId, HostId),
    /// The picks so far.
    picks: Vec<Pick>,
}

/// One of several next hops.
#[derive(Copy, Clone)]
struct Pick {
    /// Links that are left, which salt the hash.
    left: u32,
    /// Index of the next hop, and of how many.
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

    /// Whether every path on from `node` is one that ACKs retrace.
    fn all_come_back(&mut self, node: NodeId) -> bool {
        if node == self.to.0 {
            return self.comes_back();
        }
        let hops = self.routes.next_hops(node, self.to.1);
        let left = self.routes.links_left(node, self.to.1);
        hops.iter().enumerate().all(|(index, &port)| {
            self.picks.push(Pick {
                left,
                index,
                of: hops.len(),
                node,
                port,
            });
            let peer = self.ports.of(node)[usize::from(port)].peer;
            let fine = self.all_come_back(peer);
            self.picks.pop();
            fine
        })
    }

    /// Whether ACKs of all flows that pick this path pick it, too. With so many links left the
    /// hash of a flow is the same in both directions; a pick says in which part of its range it
    /// is, and the pick of the way back must follow from that.
    fn comes_back(&self) -> bool {
        self.picks.iter().all(|way| {
            let link = &self.ports.of(way.node)[usize::from(way.port)];
            let hops = self.routes.next_hops(link.peer, self.from.1);
            let Some(index) = hops.iter().position(|port| *port == link.peer_port) else {
                return false;
            };
            if hops.len() == 1 {
                return true;
            }
            let left = self.routes.links_left(link.peer, self.from.1);
            let known = self.picks.iter().find(|pick| pick.left == left);
            known.is_some_and(|known| known.is_within(index, hops.len()))
        })
    }
}

impl Pick {
    /// Whether a hash in its part of the range is in part `index` of `of`.
    fn is_within(&self, index: usize, of: usize) -> bool {
        index * self.of <= self.index * of && (self.index + 1) * of <= (index + 1) * self.of
    }
}

#[cfg(test)]
mod tests;
