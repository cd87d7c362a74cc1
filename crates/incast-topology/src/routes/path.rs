//! Walking one path, hop by hop.

use incast_units::{HostId, NodeId};

use super::Routes;
use crate::ports::Ports;

/// A port that a packet leaves by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node that sends.
    pub node: NodeId,
    /// The number of its port.
    pub port: u16,
}

/// The hops from a host to another, the first host's own port first.
///
/// It ends early if there is no path.
pub struct Path<'a, C> {
    routes: &'a Routes,
    ports: &'a Ports,
    destination: HostId,
    /// Where the packet is; `None` once it has arrived or is stuck.
    node: Option<NodeId>,
    choose: C,
}

impl Routes {
    /// The path on which `choose` picks, by index, one of several next hops of a switch.
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
