//! The ports of every node, derived from the links.
//!
//! A node's ports are its links in order, numbered from 0. All ports of all nodes also have one
//! contiguous *port index*, so that tables of ports are plain arrays:
//!
//! ```text
//! port index = first port of the node + port number
//! ```

use incast_units::{NodeId, Rate, Time};

use crate::topology::Topology;

/// The ports of a topology.
#[derive(Clone, Debug, PartialEq)]
pub struct Ports {
    /// The port index of each node's port 0; at the end, the number of all ports.
    first: Vec<u32>,
    ports: Vec<Port>,
}

/// A port: one end of a link, at one node.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Port {
    /// The link, as an index into [`Topology::links`].
    pub link: u32,
    /// The node at the other end.
    pub peer: NodeId,
    /// The number of the port at the other end.
    pub peer_port: u16,
    /// The rate.
    pub rate: Rate,
    /// The propagation delay.
    pub delay: Time,
    /// The probability that a packet on the link is lost to bit errors.
    pub error_rate: f64,
}

impl Ports {
    /// The ports of a valid topology.
    ///
    /// # Panics
    /// If a link names a node that does not exist.
    pub fn new(topology: &Topology) -> Self {
        let first = first_ports(topology);
        let unset = Port {
            link: u32::MAX,
            peer: NodeId(0),
            peer_port: 0,
            rate: Rate::ZERO,
            delay: Time::ZERO,
            error_rate: 0.0,
        };
        let mut ports = vec![unset; 2 * topology.links.len()];
        let mut taken = vec![0_u16; topology.nodes() as usize];
        let mut take = |node: NodeId| {
            let port = taken[node.index()];
            taken[node.index()] = port.wrapping_add(1);
            port
        };
        for (number, link) in (0..).zip(&topology.links) {
            let (a_port, b_port) = (take(link.a), take(link.b));
            let mut set = |node: NodeId, port: u16, peer, peer_port, rate| {
                ports[first[node.index()] as usize + usize::from(port)] = Port {
                    link: number,
                    peer,
                    peer_port,
                    rate,
                    delay: link.delay,
                    error_rate: link.error_rate,
                };
            };
            let [rate, rate_back] = link.rates();
            set(link.a, a_port, link.b, b_port, rate);
            set(link.b, b_port, link.a, a_port, rate_back);
        }
        Self { first, ports }
    }

    /// The ports of `node`, by number.
    #[inline]
    pub fn of(&self, node: NodeId) -> &[Port] {
        let (first, end) = (self.first[node.index()], self.first[node.index() + 1]);
        &self.ports[first as usize..end as usize]
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The port index of a port of `node`.
    pub fn index(&self, node: NodeId, port: u16) -> u32 {
        self.first[node.index()] + u32::from(port)
    }

    /// The port with this port index.
    pub fn at(&self, index: u32) -> &Port {
        &self.ports[index as usize]
    }

    /// The port index of the other end of the link.
    pub fn peer_index(&self, index: u32) -> u32 {
        let port = self.at(index);
        self.index(port.peer, port.peer_port)
    }

    /// The node that has this port index, and the number of the port there.
    pub fn owner(&self, index: u32) -> (NodeId, u16) {
        let node = self.first.partition_point(|&first| first <= index) - 1;
        (NodeId(node as u32), (index - self.first[node]) as u16)
    }

    /// How many ports there are: two for each link.
    pub fn count(&self) -> usize {
        self.ports.len()
    }

    /// All ports, by port index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Port> {
        self.ports.iter()
    }
}

fn first_ports(topology: &Topology) -> Vec<u32> {
    let mut first = vec![0_u32; topology.nodes() as usize + 1];
    for link in &topology.links {
        first[link.a.index() + 1] += 1;
        first[link.b.index() + 1] += 1;
    }
    let mut sum = 0;
    for entry in &mut first {
        sum += *entry;
        *entry = sum;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Link;

    /// Host 0 at switch 2, host 1 at switch 3, and a link between the switches:
    ///
    /// ```text
    /// 0 ── 2 ── 3 ── 1        links in order: 0–2, 2–3, 3–1
    /// ```
    fn chain() -> Topology {
        let link = |a, b, gbps| {
            Link::new(
                NodeId(a),
                NodeId(b),
                Rate::from_gbps(gbps),
                Time::from_us(1),
            )
        };
        Topology::new(
            "chain",
            2,
            2,
            vec![link(0, 2, 100), link(2, 3, 400), link(3, 1, 100)],
        )
    }

    #[test]
    fn ports_follow_the_order_of_the_links() {
        let ports = Ports::new(&chain());
        let peers = |node| -> Vec<(u32, u16)> {
            ports
                .of(NodeId(node))
                .iter()
                .map(|port| (port.peer.0, port.peer_port))
                .collect()
        };
        assert_eq!(peers(0), [(2, 0)]);
        assert_eq!(peers(1), [(3, 1)]);
        assert_eq!(peers(2), [(0, 0), (3, 0)]);
        assert_eq!(peers(3), [(2, 1), (1, 0)]);
        assert_eq!(ports.of(NodeId(2))[1].rate, Rate::from_gbps(400));
        assert_eq!(ports.of(NodeId(2))[1].link, 1);
    }

    /// 400 Gb/s from switch 2 to switch 3, 25 Gb/s back.
    #[test]
    fn the_ports_of_a_link_have_rates_of_their_own() {
        let mut chain = chain();
        chain.links[1].rate_back = Some(Rate::from_gbps(25));
        let ports = Ports::new(&chain);
        let rates = [(2, 1), (3, 0)].map(|(node, port)| ports.of(NodeId(node))[port].rate);
        assert_eq!(rates, [400, 25].map(Rate::from_gbps));
    }

    /// Nodes have 1, 1, 2 and 2 ports, so their first port indexes are 0, 1, 2 and 4.
    #[test]
    fn port_indexes_are_contiguous() {
        let ports = Ports::new(&chain());
        assert_eq!(ports.count(), 6);
        assert_eq!(ports.index(NodeId(3), 1), 5);
        assert_eq!(ports.at(5).peer, NodeId(1));
        assert_eq!(ports.peer_index(5), 1);
        let owners: Vec<_> = (0..6).map(|index| ports.owner(index)).collect();
        let expected = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1)];
        assert_eq!(owners, expected.map(|(node, port)| (NodeId(node), port)));
    }

    #[test]
    fn the_peer_of_the_peer_is_the_port_itself() {
        let ports = Ports::new(&chain());
        for index in 0..ports.count() as u32 {
            assert_eq!(ports.peer_index(ports.peer_index(index)), index);
        }
    }

    #[test]
    fn a_switch_without_links_has_no_ports() {
        let mut topology = chain();
        topology.switches = 3;
        let ports = Ports::new(&topology);
        assert!(ports.of(NodeId(4)).is_empty());
        assert_eq!(ports.owner(5), (NodeId(3), 1));
    }
}
