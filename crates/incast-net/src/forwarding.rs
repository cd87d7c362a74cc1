//! A switch's own forwarding table: its part of the routes, one short entry for each host.
//!
//! Routes keep what all switches share, compactly; a switch looks up a next hop for every
//! packet, and most destinations have only one. Where there are several, packets come flow by
//! flow, so the choices made last are in a small table.

use incast_engine::CheckedIndex;
use incast_topology::Routes;
use incast_units::{HostId, NodeId};

use crate::ecmp::{Chooser, LinksLeft};
use crate::flow::NO_FLOW;
use crate::packet::Packet;

/// Marks an entry that is the number of a set.
const SET: u16 = 1 << 15;
/// Places of the small table.
const RECENT: usize = 256;

/// The next hops of one switch.
#[derive(Clone, Debug)]
pub(crate) struct ForwardingTable {
    /// By host: the only port that leads there, or [`SET`] and the number of a set.
    entries: Vec<u16>,
    sets: Vec<Set>,
    /// By the last bits of a flow's number and its destination.
    recent: Box<[Choice; RECENT]>,
}

/// Where a packet of this flow to this destination went.
#[derive(Copy, Clone, Debug)]
struct Choice {
    flow: u32,
    destination: u16,
    port: u16,
}

const NO_CHOICE: Choice = Choice {
    flow: NO_FLOW,
    destination: 0,
    port: 0,
};

/// Ports that lead to a host.
#[derive(Clone, Debug, PartialEq)]
struct Set {
    /// In the order of the routes.
    ports: Vec<u16>,
    /// Links from here to the host.
    left: LinksLeft,
}

impl ForwardingTable {
    /// That of `switch`, for as many hosts.
    ///
    /// # Panics
    /// If there are more than 32 768 different sets.
    pub(crate) fn new(routes: &Routes, switch: NodeId, hosts: u32) -> Self {
        let mut table = Self {
            entries: Vec::new(),
            sets: Vec::new(),
            recent: Box::new([NO_CHOICE; RECENT]),
        };
        for host in 0..hosts {
            let entry = match routes.next_hops(switch, HostId(host)) {
                [only] if only & SET == 0 => *only,
                ports => {
                    let left = LinksLeft::new(routes.links_left(switch, HostId(host)));
                    SET | table.number_of(ports, left)
                }
            };
            table.entries.push(entry);
        }
        table
    }

    fn number_of(&mut self, ports: &[u16], left: LinksLeft) -> u16 {
        let same = |set: &Set| set.left == left && set.ports == ports;
        let known = self.sets.iter().rposition(same);
        let number = known.unwrap_or_else(|| {
            let ports = ports.to_vec();
            self.sets.push(Set { ports, left });
            self.sets.len() - 1
        });
        assert!(
            number < usize::from(SET),
            "a switch has too many sets of next hops"
        );
        number as u16
    }

    /// The port by which a packet leaves; `chooser` picks one of several. All packets of a flow to
    /// the same destination leave by the same port.
    ///
    /// # Panics
    /// If it goes [nowhere](Self::way).
    #[inline(always)]
    pub(crate) fn port<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        chooser: &Chooser,
    ) -> usize {
        let way = self.way(packet, chooser);
        way.expect("a packet goes to a host")
    }

    /// The same; `None` for a packet that goes no further.
    #[inline(always)]
    pub(crate) fn way<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        chooser: &Chooser,
    ) -> Option<usize> {
        self.ways(chooser).of(packet)
    }

    /// To look up many ways in a row.
    #[inline(always)]
    pub(crate) fn ways<'a>(&'a mut self, chooser: &'a Chooser) -> Ways<'a> {
        Ways {
            entries: &self.entries,
            sets: &self.sets,
            recent: &mut self.recent,
            chooser,
        }
    }
}

/// A table at hand.
pub(crate) struct Ways<'a> {
    entries: &'a [u16],
    sets: &'a [Set],
    recent: &'a mut [Choice; RECENT],
    chooser: &'a Chooser,
}

impl Ways<'_> {
    /// The port by which a packet leaves; `None` if it goes no further, to
    /// [`NOWHERE`](crate::packet::NOWHERE).
    #[inline(always)]
    pub(crate) fn of<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) -> Option<usize> {
        let (flow, destination) = (packet.flow, packet.destination);
        let entry = *self.entries.get(usize::from(destination))?;
        if entry & SET == 0 {
            return Some(entry.into());
        }
        let known = self.recent[place_of(flow, destination)];
        if known.flow == flow && known.destination == destination {
            return Some(known.port.into());
        }
        Some(self.choose(entry & !SET, packet))
    }

    #[inline(never)]
    fn choose<const WORDS: usize>(&mut self, set: u16, packet: &Packet<WORDS>) -> usize {
        let (flow, destination) = (packet.flow, packet.destination);
        let set = self.sets.at(usize::from(set));
        let port = *set
            .ports
            .at(self.chooser.choose(packet, set.ports.len(), set.left));
        self.recent[place_of(flow, destination)] = Choice {
            flow,
            destination,
            port,
        };
        port.into()
    }
}

#[inline(always)]
fn place_of(flow: u32, destination: u16) -> usize {
    flow.wrapping_add(destination.into()) as usize % RECENT
}

#[cfg(test)]
mod tests {
    use incast_topology::{Link, NextHopOrder, Topology};
    use incast_units::{Rate, Time};

    use super::*;
    use crate::EcmpHash;
    use crate::packet::Kind;

    /// Two leaves, 3 and 4, with hosts 0, 1 and 2, and two spines, 5 and 6, between them: the
    /// table agrees with the routes, and leaf 3 keeps one set, the spines.
    #[test]
    fn the_table_agrees_with_the_routes() {
        let pairs = [(0, 3), (1, 3), (2, 4), (3, 5), (3, 6), (4, 5), (4, 6)];
        let links = pairs.map(|(one, other)| {
            Link::new(
                NodeId(one),
                NodeId(other),
                Rate::from_gbps(100),
                Time::from_us(1),
            )
        });
        let topology = Topology::new("leaf-spine", 3, 4, links.to_vec());
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        for switch in 3..7 {
            let mut table = ForwardingTable::new(&routes, NodeId(switch), 3);
            let chooser = Chooser::new(EcmpHash::Mixed.into(), switch);
            for host in 0..3 {
                // More flows than are remembered; one by one, and in trains of two packets.
                let mut port = |flow: u32| {
                    let mut packet = Packet::<5>::new(Kind::Data, 1000);
                    (packet.flow, packet.source_port) = (flow, flow as u16);
                    packet.destination = host as u16;
                    let port = table.port(&packet, &chooser);
                    assert_eq!(table.port(&packet, &chooser), port);
                    port as u16
                };
                let first: Vec<u16> = (0..600).map(&mut port).collect();
                assert!((0..600).map(&mut port).eq(first.iter().copied()));
                let mut ports = first;
                ports.sort_unstable();
                ports.dedup();
                assert_eq!(ports, routes.next_hops(NodeId(switch), HostId(host)));
            }
        }
        let spines = Set {
            ports: vec![2, 3],
            left: LinksLeft::new(3),
        };
        assert_eq!(ForwardingTable::new(&routes, NodeId(3), 3).sets, [spines]);
    }
}
