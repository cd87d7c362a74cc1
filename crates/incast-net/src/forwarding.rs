//! A switch's own forwarding table: its part of the routes, one short entry for each host.
//!
//! Routes keep what all switches share, compactly; a switch looks up a next hop for every
//! packet, and most destinations have only one. Where there are several, packets come flow by
//! flow, so the choices made last are in a small table.

use std::ptr;

use incast_engine::CheckedIndex;
use incast_topology::Routes;
use incast_units::{HostId, NodeId};

use crate::ecmp::{EcmpSelector, RemainingHops};
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
    sets: Vec<EqualCostPorts>,
    /// By host, whether no way leads there; empty without faults.
    cut_off: Vec<bool>,
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
struct EqualCostPorts {
    /// In the order of the routes.
    ports: Vec<u16>,
    /// Links from here to the host.
    remaining: RemainingHops,
}

impl ForwardingTable {
    fn empty() -> Self {
        Self {
            entries: Vec::new(),
            sets: Vec::new(),
            cut_off: Vec::new(),
            recent: Box::new([NO_CHOICE; RECENT]),
        }
    }

    /// That of `switch`, for all hosts of the routes.
    ///
    /// # Panics
    /// If there are more than 32 768 different sets.
    pub(crate) fn new(routes: &Routes, switch: NodeId) -> Self {
        let mut table = Self::empty();
        let mut entries = vec![0; routes.hosts() as usize];
        // Hosts of one edge switch are reached alike, but from that switch.
        let mut of_edge = vec![None; routes.edges()];
        let mut last = None;
        for hosts in routes.hosts_by_edge() {
            let first = HostId(hosts.start);
            let places = &mut entries[hosts.start as usize..hosts.end as usize];
            match routes.edge_beyond(switch, first) {
                Some(edge) => {
                    let known = &mut of_edge[edge];
                    let new = || table.entry(routes, switch, first, &mut last);
                    places.fill(*known.get_or_insert_with(new));
                }
                None => places.iter_mut().zip(hosts).for_each(|(place, host)| {
                    *place = table.entry(routes, switch, HostId(host), &mut last);
                }),
            }
        }
        table.entries = entries;
        table
    }

    /// How a host is reached; `last` is the entry of several ports that was found last.
    fn entry<'r>(
        &mut self,
        routes: &'r Routes,
        switch: NodeId,
        host: HostId,
        last: &mut Option<EntryOfSet<'r>>,
    ) -> u16 {
        let ports = match routes.next_hops(switch, host) {
            [only] if only & SET == 0 => return *only,
            ports => ports,
        };
        let links = routes.links_left(switch, host);
        if let Some(last) = last
            && ptr::eq(last.ports, ports)
            && last.links == links
        {
            return last.entry;
        }
        let entry = SET | self.number_of(ports, RemainingHops::new(links));
        *last = Some(EntryOfSet {
            ports,
            links,
            entry,
        });
        entry
    }

    /// That of `switch` while links have failed: `healthy` are the routes without faults, `routes`
    /// those now. A flow keeps its port if it still leads to its host by a shortest path. What
    /// [no longer leads anywhere](Self::leads_to) keeps its healthy ports.
    ///
    /// # Panics
    /// If there are more than 32 768 different sets.
    pub(crate) fn around(
        [healthy, routes]: [&Routes; 2],
        switch: NodeId,
        hosts: u32,
        selector: &EcmpSelector,
    ) -> Self {
        let mut table = Self::empty();
        table.cut_off = vec![false; hosts as usize];
        for host in (0..hosts).map(HostId) {
            let usable = routes.next_hops(switch, host);
            let known = healthy.next_hops(switch, host);
            table.cut_off[host.index()] = usable.is_empty();
            let (ports, source) = match usable {
                [] => (known.to_vec(), healthy),
                [only] => (vec![*only], routes),
                _ if usable == known => (known.to_vec(), routes),
                _ => (selector.around(known, usable), routes),
            };
            let entry = match ports.as_slice() {
                [only] if only & SET == 0 => *only,
                ports => {
                    let remaining = RemainingHops::new(source.links_left(switch, host));
                    SET | table.number_of(ports, remaining)
                }
            };
            table.entries.push(entry);
        }
        table
    }

    /// Whether any way leads to this host.
    pub(crate) fn leads_to(&self, host: u16) -> bool {
        let cut_off = self.cut_off.get(usize::from(host));
        cut_off != Some(&true)
    }

    fn number_of(&mut self, ports: &[u16], remaining: RemainingHops) -> u16 {
        let same = |set: &EqualCostPorts| set.remaining == remaining && set.ports == ports;
        let known = self.sets.iter().rposition(same);
        let number = known.unwrap_or_else(|| {
            let ports = ports.to_vec();
            self.sets.push(EqualCostPorts { ports, remaining });
            self.sets.len() - 1
        });
        assert!(
            number < usize::from(SET),
            "a switch has too many sets of next hops"
        );
        number as u16
    }

    /// The port by which a packet leaves; `selector` picks one of several. All packets of a flow
    /// to the same destination leave by the same port.
    ///
    /// # Panics
    /// If the packet is a PFC frame, which goes no further.
    #[inline(always)]
    pub(crate) fn port<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        selector: &EcmpSelector,
    ) -> usize {
        let port = self.lookup(selector).port(packet);
        port.expect("a packet goes to a host")
    }

    /// For many lookups in a row.
    #[inline(always)]
    pub(crate) fn lookup<'a>(&'a mut self, selector: &'a EcmpSelector) -> Lookup<'a> {
        Lookup {
            entries: &self.entries,
            sets: &self.sets,
            recent: &mut self.recent,
            selector,
        }
    }
}

/// What leads to hosts that are so many links away by these ports.
struct EntryOfSet<'r> {
    ports: &'r [u16],
    links: u32,
    entry: u16,
}

/// A table, ready to look up ports.
pub(crate) struct Lookup<'a> {
    entries: &'a [u16],
    sets: &'a [EqualCostPorts],
    recent: &'a mut [Choice; RECENT],
    selector: &'a EcmpSelector,
}

impl Lookup<'_> {
    /// The port by which a packet leaves; `None` for a PFC frame, whose destination is
    /// [`NOWHERE`](crate::packet::NOWHERE).
    #[inline(always)]
    pub(crate) fn port<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) -> Option<usize> {
        let (flow, destination) = (packet.flow, packet.destination);
        let entry = *self.entries.get(usize::from(destination))?;
        if entry & SET == 0 {
            return Some(entry.into());
        }
        let known = self.recent[place_of(flow, destination)];
        if known.flow == flow && known.destination == destination {
            return Some(known.port.into());
        }
        Some(self.select(entry & !SET, packet))
    }

    #[inline(never)]
    fn select<const WORDS: usize>(&mut self, set: u16, packet: &Packet<WORDS>) -> usize {
        let (flow, destination) = (packet.flow, packet.destination);
        let set = self.sets.at(usize::from(set));
        let index = self.selector.select(packet, set.ports.len(), set.remaining);
        let port = *set.ports.at(index);
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
            let mut table = ForwardingTable::new(&routes, NodeId(switch));
            let selector = EcmpSelector::new(EcmpHash::Mixed.into(), switch);
            for host in 0..3 {
                // More flows than are remembered; one by one, and in trains of two packets.
                let mut port = |flow: u32| {
                    let mut packet = Packet::<5>::new(Kind::Data, 1000);
                    (packet.flow, packet.source_port) = (flow, flow as u16);
                    packet.destination = host as u16;
                    let port = table.port(&packet, &selector);
                    assert_eq!(table.port(&packet, &selector), port);
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
        let spines = EqualCostPorts {
            ports: vec![2, 3],
            remaining: RemainingHops::new(3),
        };
        assert_eq!(ForwardingTable::new(&routes, NodeId(3)).sets, [spines]);
    }
}
