//! Walking one path hop by hop, and counting all paths.

use std::collections::HashMap;

use incast_units::{HostId, NodeId};

use super::Routes;
use crate::ports::Ports;

/// A port by which a packet leaves a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The node that sends the packet.
    pub node: NodeId,
    /// The number of the port at that node.
    pub port: u16,
}

/// The hops from a source to a destination host, beginning with the source's own port.
///
/// The iterator ends early if there is no path.
pub struct Path<'a, C> {
    routes: &'a Routes,
    ports: &'a Ports,
    destination: HostId,
    /// The node that holds the packet; `None` once the packet has arrived or has no next hop.
    node: Option<NodeId>,
    choose: C,
}

impl Routes {
    /// A path. `choose` picks one of several next hops of a switch, by index.
    ///
    /// # Panics
    /// While walking, if `choose` returns an index that is too large.
    pub fn path<'a, C>(
        &'a self,
        ports: &'a Ports,
        source: HostId,
        destination: HostId,
        choose: C,
    ) -> Path<'a, C>
    where
        C: FnMut(NodeId, &[u16]) -> usize,
    {
        let node = (source != destination).then_some(source.into());
        Path {
            routes: self,
            ports,
            destination,
            node,
            choose,
        }
    }

    /// The number of paths between two hosts; `None` if packets take spanning trees.
    pub fn path_count(&self, ports: &Ports, source: HostId, destination: HostId) -> Option<u64> {
        let mut known = HashMap::new();
        (self.trees() == 0).then(|| self.paths_from(source.into(), ports, destination, &mut known))
    }

    /// The number of paths from a node to the destination; `known` has the counts found so far.
    fn paths_from(
        &self,
        node: NodeId,
        ports: &Ports,
        destination: HostId,
        known: &mut HashMap<NodeId, u64>,
    ) -> u64 {
        if node == destination.into() {
            return 1;
        }
        if let Some(count) = known.get(&node) {
            return *count;
        }
        let peer = |port: &u16| ports.of(node)[usize::from(*port)].peer;
        let next_hops = match self.is_host(node) {
            true => &[0],
            false => self.next_hops(node, destination),
        };
        let onward = next_hops.iter().map(peer);
        let counts = onward.map(|peer| self.paths_from(peer, ports, destination, known));
        let count = counts.fold(0, u64::saturating_add);
        known.insert(node, count);
        count
    }

    fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.hosts
    }
}

impl<C: FnMut(NodeId, &[u16]) -> usize> Iterator for Path<'_, C> {
    type Item = Hop;

    fn next(&mut self) -> Option<Hop> {
        let node = self.node.take()?;
        let port = if self.routes.is_host(node) {
            0
        } else {
            match self.routes.next_hops(node, self.destination) {
                [] => return None,
                &[only] => only,
                several => several[(self.choose)(node, several)],
            }
        };
        let peer = self.ports.of(node)[usize::from(port)].peer;
        self.node = (!self.routes.is_host(peer)).then_some(peer);
        Some(Hop { node, port })
    }
}
