//! A switch's own forwarding table: its part of the routes, one short entry for each edge switch.
//!
//! Routes hold the common data of all switches in compact form; a switch looks up a next hop for
//! every packet, and most destinations have only one. Hosts of one edge switch have equal next hops
//! elsewhere. So all switches share a table with the edge switch of each host, and the port from
//! there to the host. Packets of a flow often follow each other. If all packets of a flow leave by
//! one port, the last choices among several next hops are therefore kept in a small table.
//!
//! In small networks there is also an entry for each host: lookups are faster, and all tables
//! together still fit a processor's cache.

use std::ptr;
use std::sync::Arc;

use incast_engine::CheckedIndex;
use incast_topology::Routes;
use incast_units::{HostId, NodeId};

use super::{EcmpSelector, RemainingHops};
use crate::flow::NO_FLOW;
use crate::wire::Packet;

/// Bit that marks an entry as the number of a set of ports.
const SET: u16 = 1 << 15;
/// Entry of a switch for its own hosts, each of which has its own port.
const OWN_HOSTS: u16 = u16::MAX;
/// Largest number of hosts with entries by host; larger networks have entries by edge switch alone.
const MAX_HOSTS_BY_HOST: usize = 1024;
/// Number of entries of the table of recent choices.
const RECENT: usize = 256;

/// The last hop to each host: equal for all switches, with or without faults.
#[derive(Debug)]
pub(crate) struct AccessPorts {
    /// By host.
    ports: Vec<AccessPort>,
    /// By number of an edge switch: the switch, and one of its hosts.
    edges: Vec<(NodeId, HostId)>,
}

/// The edge switch and port of a host.
#[derive(Copy, Clone, Debug)]
struct AccessPort {
    /// Number of its edge switch.
    edge: u16,
    /// The port of the edge switch that leads to the host.
    port: u16,
}

impl AccessPorts {
    /// The access ports of all hosts; empty without switches.
    pub(crate) fn new(routes: &Routes) -> Self {
        let hosts = (0..routes.hosts()).map(HostId);
        let access = hosts.filter_map(|host| routes.access(host));
        // Switches times edge switches are at most `CELLS_MAX`, 2²⁸, so there are at most 2¹⁴ edge
        // switches.
        let ports = access.map(|(edge, port)| AccessPort {
            edge: edge as u16,
            port,
        });
        Self {
            ports: ports.collect(),
            edges: routes.edges(),
        }
    }
}

/// The next hops of one switch.
#[derive(Clone, Debug)]
pub(crate) struct ForwardingTable {
    access: Arc<AccessPorts>,
    /// By edge switch: the only port towards it, [`OWN_HOSTS`], or [`SET`] and the number of a set
    /// of ports.
    entries: Vec<u16>,
    /// By host: the entry of its edge switch, or the port of one of the switch's own hosts. Empty
    /// in large networks.
    by_host: Vec<u16>,
    sets: Vec<EqualCostPorts>,
    /// By edge switch: whether no path leads to it. Empty without faults.
    cut_off: Vec<bool>,
    pub(crate) recall: Recall,
    /// Recent choices, by the last bits of a flow's number plus a destination.
    recent: Box<[Choice; RECENT]>,
}

/// Whether the port of a packet may be reused for the flow's next packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recall {
    /// All packets of a flow to the same destination leave by the same port.
    ByFlow,
    /// Each packet needs a lookup of its own.
    Nothing,
}

impl Recall {
    /// Recall for a network in which flows keep one path, or do not.
    pub(crate) fn new(keeps_paths: bool) -> Self {
        match keeps_paths {
            true => Self::ByFlow,
            false => Self::Nothing,
        }
    }
}

/// The port chosen for a packet of this kind and flow to this destination.
#[derive(Copy, Clone, Debug)]
struct Choice {
    /// Kind and flow.
    flow: u32,
    destination: u32,
    port: u16,
}

const NO_CHOICE: Choice = Choice {
    flow: NO_FLOW,
    destination: 0,
    port: 0,
};

/// Several equal-cost ports towards a host.
#[derive(Clone, Debug, PartialEq)]
struct EqualCostPorts {
    /// Ports in the order of the routes.
    ports: Vec<u16>,
    /// Number of links from here to the host.
    remaining: RemainingHops,
}

impl ForwardingTable {
    fn empty(access: &Arc<AccessPorts>, recall: Recall) -> Self {
        Self {
            access: Arc::clone(access),
            entries: Vec::with_capacity(access.edges.len()),
            by_host: Vec::new(),
            sets: Vec::new(),
            cut_off: Vec::new(),
            recall,
            recent: Box::new([NO_CHOICE; RECENT]),
        }
    }

    /// The table of `switch`; `access` belongs to the same routes.
    ///
    /// # Panics
    /// If there are more than 32 767 different sets.
    pub(crate) fn new(
        access: &Arc<AccessPorts>,
        routes: &Routes,
        switch: NodeId,
        recall: Recall,
    ) -> Self {
        let mut table = Self::empty(access, recall);
        let mut last = None;
        for &(edge, host) in &access.edges {
            let entry = match edge == switch {
                true => OWN_HOSTS,
                false => table.entry(routes, switch, host, &mut last),
            };
            table.entries.push(entry);
        }
        table.with_entries_by_host()
    }

    fn with_entries_by_host(mut self) -> Self {
        let ports = &self.access.ports;
        let is_small = ports.len() <= MAX_HOSTS_BY_HOST;
        if is_small && ports.iter().all(|access| access.port & SET == 0) {
            let entry = |access: &AccessPort| match self.entries[usize::from(access.edge)] {
                OWN_HOSTS => access.port,
                entry => entry,
            };
            self.by_host = ports.iter().map(entry).collect();
        }
        self
    }

    /// The entry of a host; `last` is the last entry found that is a set of ports.
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

    /// This table while links have failed: `healthy` are the routes without faults, `routes` the
    /// present ones. A flow keeps its port if this port still leads to its host by a shortest path.
    /// A destination [without any path](Self::leads_to) keeps its healthy ports.
    ///
    /// # Panics
    /// If there are more than 32 767 different sets.
    pub(crate) fn around(
        &self,
        [healthy, routes]: [&Routes; 2],
        switch: NodeId,
        selector: &EcmpSelector,
    ) -> Self {
        let mut table = Self::empty(&self.access, self.recall);
        for &(edge, host) in &self.access.edges {
            let usable = routes.next_hops(switch, host);
            let known = healthy.next_hops(switch, host);
            table.cut_off.push(usable.is_empty());
            let (ports, source) = match usable {
                [] => (known.to_vec(), healthy),
                [only] => (vec![*only], routes),
                _ if usable == known => (known.to_vec(), routes),
                _ => (selector.around(known, usable), routes),
            };
            let entry = match ports.as_slice() {
                _ if edge == switch => OWN_HOSTS,
                [only] if only & SET == 0 => *only,
                ports => {
                    let remaining = RemainingHops::new(source.links_left(switch, host));
                    SET | table.number_of(ports, remaining)
                }
            };
            table.entries.push(entry);
        }
        table.with_entries_by_host()
    }

    /// Whether any path leads to this host.
    pub(crate) fn leads_to(&self, host: u32) -> bool {
        let access = self.access.ports.get(host as usize);
        let cut_off = access.and_then(|access| self.cut_off.get(usize::from(access.edge)));
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
            number < usize::from(OWN_HOSTS & !SET),
            "a switch has too many sets of next hops"
        );
        number as u16
    }

    /// The port by which a packet leaves; `selector` picks one of several.
    ///
    /// # Panics
    /// If the packet is a PFC frame, which a switch does not forward.
    #[inline(always)]
    pub(crate) fn port<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        selector: &EcmpSelector,
    ) -> usize {
        let port = match self.has_entries_by_host() {
            true => self.lookup::<true, false>(selector).port(packet),
            false => self.lookup::<false, false>(selector).port(packet),
        };
        port.expect("a packet goes to a host")
    }

    /// Whether there are entries by host.
    #[inline(always)]
    pub(crate) fn has_entries_by_host(&self) -> bool {
        !self.by_host.is_empty()
    }

    /// Prepares many lookups in a row. `BY_HOST`: whether there are entries by host. `ANEW`: recent
    /// choices are not looked up, because none are kept.
    #[inline(always)]
    pub(crate) fn lookup<'a, const BY_HOST: bool, const ANEW: bool>(
        &'a mut self,
        selector: &'a EcmpSelector,
    ) -> Lookup<'a, BY_HOST, ANEW> {
        Lookup {
            access: &self.access.ports,
            entries: match BY_HOST {
                true => &self.by_host,
                false => &self.entries,
            },
            sets: &self.sets,
            recall: self.recall,
            recent: &mut self.recent,
            selector,
        }
    }
}

/// The entry of a set of ports towards hosts that are this many links away.
struct EntryOfSet<'r> {
    ports: &'r [u16],
    links: u32,
    entry: u16,
}

/// A table prepared for lookups.
pub(crate) struct Lookup<'a, const BY_HOST: bool, const ANEW: bool> {
    access: &'a [AccessPort],
    /// By host, or by edge switch.
    entries: &'a [u16],
    sets: &'a [EqualCostPorts],
    recall: Recall,
    recent: &'a mut [Choice; RECENT],
    selector: &'a EcmpSelector,
}

impl<const BY_HOST: bool, const ANEW: bool> Lookup<'_, BY_HOST, ANEW> {
    /// The port by which a packet leaves; `None` for a PFC frame, whose destination is
    /// [`NOWHERE`](crate::wire::NOWHERE).
    #[inline(always)]
    pub(crate) fn port<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) -> Option<usize> {
        let (flow, destination) = (packet.kind_and_flow(), packet.destination());
        let entry = if BY_HOST {
            *self.entries.get(destination as usize)?
        } else {
            let access = *self.access.get(destination as usize)?;
            match *self.entries.at(access.edge.into()) {
                OWN_HOSTS => return Some(access.port.into()),
                entry => entry,
            }
        };
        if entry & SET == 0 {
            return Some(entry.into());
        }
        if ANEW {
            return Some(self.pick(entry & !SET, packet).into());
        }
        let known = &self.recent[place_of(flow, destination)];
        if known.flow == flow && known.destination == destination {
            return Some(known.port.into());
        }
        Some(self.select(entry & !SET, packet))
    }

    #[inline(never)]
    fn select<const WORDS: usize>(&mut self, set: u16, packet: &Packet<WORDS>) -> usize {
        let (flow, destination) = (packet.kind_and_flow(), packet.destination());
        let port = self.pick(set, packet);
        if self.recall == Recall::ByFlow {
            self.recent[place_of(flow, destination)] = Choice {
                flow,
                destination,
                port,
            };
        }
        port.into()
    }

    /// The port of a set by which a packet leaves.
    #[inline(always)]
    fn pick<const WORDS: usize>(&self, set: u16, packet: &Packet<WORDS>) -> u16 {
        let set = self.sets.at(usize::from(set));
        let index = self.selector.select(packet, set.ports.len(), set.remaining);
        *set.ports.at(index)
    }
}

#[inline(always)]
fn place_of(flow: u32, destination: u32) -> usize {
    flow.wrapping_add(destination) as usize % RECENT
}

#[cfg(test)]
mod tests {
    use incast_topology::{Link, NextHopOrder, Topology};
    use incast_units::{Rate, Time};

    use super::*;
    use crate::routing::{Balance, EcmpHash, PathChoice, RandomPaths};
    use crate::wire::{Address, Kind};

    /// The port of a packet, after checking that the entries of its host and of the edge switch
    /// agree.
    fn port(table: &mut ForwardingTable, packet: &Packet<5>, selector: &EcmpSelector) -> u16 {
        assert!(table.has_entries_by_host());
        let by_edge = table.lookup::<false, false>(selector).port(packet);
        assert_eq!(table.lookup::<true, false>(selector).port(packet), by_edge);
        assert_eq!(table.lookup::<true, true>(selector).port(packet), by_edge);
        by_edge.expect("a host's") as u16
    }

    /// Two leaves, 3 and 4, with hosts 0, 1 and 2, and two spines, 5 and 6, between them.
    fn leaf_spine() -> Topology {
        let pairs = [(0, 3), (1, 3), (2, 4), (3, 5), (3, 6), (4, 5), (4, 6)];
        let links = pairs.map(|(one, other)| {
            Link::new(
                NodeId(one),
                NodeId(other),
                Rate::from_gbps(100),
                Time::from_us(1),
            )
        });
        Topology::new("leaf-spine", 3, 4, links.to_vec())
    }

    /// The table agrees with the routes, and leaf 3 has one set, the spines.
    #[test]
    fn the_table_agrees_with_the_routes() {
        let topology = leaf_spine();
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        let access = Arc::new(AccessPorts::new(&routes));
        for switch in 3..7 {
            let mut table = ForwardingTable::new(&access, &routes, NodeId(switch), Recall::ByFlow);
            let selector = EcmpSelector::new(EcmpHash::Mixed.into(), switch);
            for host in 0..3 {
                // More flows than the table of recent choices holds; one by one, and in trains of
                // two packets.
                let mut chosen = |flow: u32| {
                    let address = Address::new(0, host, flow as u16);
                    let packet = Packet::<5>::new(Kind::Data, 1000).of_flow(flow, 0, address);
                    let chosen = port(&mut table, &packet, &selector);
                    assert_eq!(port(&mut table, &packet, &selector), chosen);
                    chosen
                };
                let first: Vec<u16> = (0..600).map(&mut chosen).collect();
                assert!((0..600).map(&mut chosen).eq(first.iter().copied()));
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
        let leaf = ForwardingTable::new(&access, &routes, NodeId(3), Recall::ByFlow);
        assert_eq!(leaf.sets, [spines]);
    }

    /// 64 packets of one flow with different entropies, in a row and each alone: the port depends
    /// on the packet, not on the one before, and both spines are used.
    #[test]
    fn packets_of_a_flow_may_have_several_paths() {
        let topology = leaf_spine();
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        let access = Arc::new(AccessPorts::new(&routes));
        let choice = PathChoice::Ecmp(EcmpHash::Mixed);
        let random = Balance::Random(RandomPaths::default());
        let recall = Recall::new(random.keeps_path());
        let selector = EcmpSelector::new(choice, 3);
        let table = || ForwardingTable::new(&access, &routes, NodeId(3), recall);
        let packet = |entropy: u16| {
            Packet::<5>::new(Kind::Data, 1000).of_flow(1, 0, Address::new(0, 2, entropy))
        };
        let mut in_turn = table();
        let ports: Vec<u16> = (0..64)
            .map(|entropy| port(&mut in_turn, &packet(entropy), &selector))
            .collect();
        let alone = (0..64).map(|entropy| port(&mut table(), &packet(entropy), &selector));
        assert!(alone.eq(ports.iter().copied()));
        assert!(ports.contains(&2) && ports.contains(&3), "{ports:?}");
    }

    /// The link of leaf 3 to spine 5 and both links of leaf 4 fail. No path leads from leaf 3 to
    /// host 2, whose entry stays the same. No path leads from spine 5 to hosts 0 and 1 either.
    #[test]
    fn tables_lead_around_failures() {
        let topology = leaf_spine();
        let healthy = Routes::shortest(&topology, NextHopOrder::ByPort);
        let routes = Routes::avoiding(&topology, NextHopOrder::ByPort, |link| {
            [3, 5, 6].contains(&link)
        });
        let access = Arc::new(AccessPorts::new(&healthy));
        let around = |switch: u32| {
            let table = ForwardingTable::new(&access, &healthy, NodeId(switch), Recall::ByFlow);
            let selector = EcmpSelector::new(EcmpHash::Mixed.into(), switch);
            let mut table = table.around([&healthy, &routes], NodeId(switch), &selector);
            [0, 1, 2].map(|host| {
                let mut packet = Packet::<5>::new(Kind::Data, 1000);
                packet.address = Address::new(0, host, 0);
                let port = port(&mut table, &packet, &selector);
                (table.leads_to(host), port)
            })
        };
        let [to_0, to_1, (leads, _)] = around(3);
        assert_eq!([to_0, to_1], [(true, 0), (true, 1)]);
        assert!(!leads);
        assert_eq!(around(6), [(true, 0), (true, 0), (false, 1)]);
        assert_eq!(around(5), [(false, 0), (false, 0), (false, 1)]);
        let [(leads, _), _, own] = around(4);
        assert_eq!((leads, own), (false, (true, 0)));
    }
}
