//! The base RTT of every pair of hosts: how long a full packet and its ACK take on an empty
//! network; and the window that fills it.
//!
//! ```text
//! full packet    T = Σ over links (2 · delay + data/rate + ACK/rate), each term to the picosecond;
//!                of several equal-cost paths, the slowest
//! payload only   T = 2 · Σ delay + Σ ⌊payload/rate⌋ in whole ns, headers and the ACK left out;
//!                of several equal-cost paths, the first: as the HPCC artifact does
//! both           W₀ = T · (smallest rate on the path), rounded down to the byte
//! ```
//!
//! A profile says which ([`BaseRttFormula`]).
//!
//! Hosts on the same switch with the same kind of link are alike, so a network of 8192 hosts on
//! 512 switches has 512 rows, not 8192; rows are made when they are asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use incast_topology::{Port, Ports, Routes, Topology};
use incast_units::{Bytes, HostId, NodeId, Rate, Time};

use super::profile::BaseRttFormula;

/// Base RTT, and the window that goes with it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseRtt {
    /// T.
    pub rtt: Time,
    /// W₀, the bandwidth-delay product.
    pub window: Bytes,
    /// The smallest rate on the path.
    pub rate: Rate,
}

/// A formula of the base RTT, with the sizes that it needs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RttFormula {
    /// [`BaseRttFormula::FullPacket`], for packets of these sizes on the wire.
    FullPacket { data: Bytes, ack: Bytes },
    /// [`BaseRttFormula::PayloadOnly`], for packets with this payload.
    PayloadOnly { payload: Bytes },
}

impl BaseRttFormula {
    /// For a full packet and its ACK of these sizes on the wire.
    pub(crate) fn with_sizes(self, payload: Bytes, data: Bytes, ack: Bytes) -> RttFormula {
        match self {
            Self::FullPacket => RttFormula::FullPacket { data, ack },
            Self::PayloadOnly => RttFormula::PayloadOnly { payload },
        }
    }
}

/// The base RTTs of a network.
#[derive(Debug)]
pub(crate) struct BaseRtts {
    formula: RttFormula,
    /// The class of each host.
    class_of: Vec<u32>,
    /// One host of each class.
    representatives: Vec<HostId>,
    /// For each destination class, the base RTT from each source class.
    rows: Vec<OnceLock<Box<[BaseRtt]>>>,
    /// The largest RTT and the largest window of any pair.
    pub(crate) largest: BaseRtt,
}

impl BaseRtts {
    pub(crate) fn new(
        formula: RttFormula,
        topology: &Topology,
        ports: &Ports,
        routes: &Routes,
    ) -> Self {
        let mut classes: HashMap<(NodeId, Rate, Time), u32> = HashMap::new();
        let mut representatives = Vec::new();
        let mut class_of = Vec::with_capacity(topology.hosts as usize);
        let mut members: Vec<u32> = Vec::new();
        for host in (0..topology.hosts).map(HostId) {
            let link = link_of(host, ports);
            let class = *classes
                .entry((link.peer, link.rate, link.delay))
                .or_insert_with(|| {
                    representatives.push(host);
                    members.push(0);
                    representatives.len() as u32 - 1
                });
            members[class as usize] += 1;
            class_of.push(class);
        }
        let rows = representatives.iter().map(|_| OnceLock::new()).collect();
        let mut rtts = Self {
            formula,
            class_of,
            representatives,
            rows,
            largest: BaseRtt::default(),
        };
        rtts.largest = rtts.find_largest(&members, ports, routes);
        rtts
    }

    /// Of the pair. `ports` and `routes` are those that this was made from.
    pub(crate) fn pair(
        &self,
        source: HostId,
        destination: HostId,
        ports: &Ports,
        routes: &Routes,
    ) -> BaseRtt {
        let row = self.class_of[destination.index()] as usize;
        let row = self.rows[row].get_or_init(|| self.row(self.representatives[row], ports, routes));
        row[self.class_of[source.index()] as usize]
    }

    fn find_largest(&self, members: &[u32], ports: &Ports, routes: &Routes) -> BaseRtt {
        let mut largest = BaseRtt::default();
        for (to, destination) in self.representatives.iter().enumerate() {
            let row = self.row(*destination, ports, routes);
            for (from, pair) in row.iter().enumerate() {
                // A host alone in its class has no other host there to send to.
                if from != to || members[to] > 1 {
                    if pair.rtt > largest.rtt {
                        (largest.rtt, largest.rate) = (pair.rtt, pair.rate);
                    }
                    largest.window = largest.window.max(pair.window);
                }
            }
        }
        largest
    }

    /// From one host of each class to `destination`; nothing where no path leads there, as from one
    /// plane to another.
    fn row(&self, destination: HostId, ports: &Ports, routes: &Routes) -> Box<[BaseRtt]> {
        let trees = routes.trees().max(1);
        let mut paths = Paths {
            formula: self.formula,
            destination,
            ports,
            routes,
            hosts: self.class_of.len(),
            trees,
            known: Vec::new(),
        };
        let from = |source: &HostId| {
            let link = link_of(*source, ports);
            // A host whose peer is a host sends to that one alone, without a switch between them.
            let rest = match link.peer.index() < self.class_of.len() {
                true => Some(PathCost::NOTHING),
                false => (0..trees)
                    .filter_map(|tree| paths.starting_at(link.peer, tree))
                    .max(),
            };
            let path = rest.map(|rest| rest.after(link, self.formula));
            path.map_or(BaseRtt::default(), |path| self.formula.base_rtt(path))
        };
        self.representatives.iter().map(from).collect()
    }
}

/// A host's only link.
fn link_of(host: HostId, ports: &Ports) -> &Port {
    &ports.of(host.into())[0]
}

/// The costs of a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PathCost {
    rtt: Time,
    rate: Rate,
}

impl PathCost {
    const NOTHING: Self = Self {
        rtt: Time::ZERO,
        rate: Rate::MAX,
    };

    /// This path with a link before it.
    fn after(self, link: &Port, formula: RttFormula) -> Self {
        Self {
            rtt: self.rtt + formula.link(link),
            rate: self.rate.min(link.rate),
        }
    }
}

/// Paths to one destination.
struct Paths<'a> {
    formula: RttFormula,
    destination: HostId,
    ports: &'a Ports,
    routes: &'a Routes,
    /// Nodes before the first switch.
    hosts: usize,
    /// Trees of each switch; 1 where there are none.
    trees: usize,
    /// By switch and tree: the path, if there is one, once it was asked for.
    known: Vec<Option<Option<PathCost>>>,
}

impl Paths<'_> {
    fn starting_at(&mut self, switch: NodeId, tree: usize) -> Option<PathCost> {
        let place = (switch.index() - self.hosts) * self.trees + tree;
        if let Some(Some(path)) = self.known.get(place) {
            return *path;
        }
        let routes = self.routes;
        let hops = routes.next_hops(switch, self.destination);
        let hops = match self.formula {
            _ if routes.trees() > 0 && hops.len() > 1 => &hops[tree..=tree],
            RttFormula::FullPacket { .. } => hops,
            RttFormula::PayloadOnly { .. } => &hops[..hops.len().min(1)],
        };
        let ports = self.ports.of(switch);
        let path = hops
            .iter()
            .filter_map(|hop| self.by(&ports[usize::from(*hop)], tree))
            .max();
        if place >= self.known.len() {
            self.known.resize(place + 1, None);
        }
        self.known[place] = Some(path);
        path
    }

    fn by(&mut self, link: &Port, tree: usize) -> Option<PathCost> {
        let rest = match link.peer == NodeId::from(self.destination) {
            true => Some(PathCost::NOTHING),
            false => self.starting_at(link.peer, tree),
        };
        rest.map(|rest| rest.after(link, self.formula))
    }
}

impl RttFormula {
    /// The part of one link in T.
    fn link(self, link: &Port) -> Time {
        match self {
            Self::FullPacket { data, ack } => {
                let (out, back) = (
                    link.rate.transmission_time(data),
                    link.rate.transmission_time(ack),
                );
                link.delay * 2 + out + back
            }
            Self::PayloadOnly { payload } => {
                let bits = u128::from(payload.as_u64()) * 8 * 1_000_000_000;
                let serialisation = bits / u128::from(link.rate.as_bps());
                Time::from_ns(link.delay.as_ns()) * 2 + Time::from_ns(serialisation as u64)
            }
        }
    }

    fn base_rtt(self, path: PathCost) -> BaseRtt {
        let window = match self {
            Self::FullPacket { .. } => path.rate.bytes_in(path.rtt),
            Self::PayloadOnly { .. } => {
                let bits = u128::from(path.rtt.as_ns()) * u128::from(path.rate.as_bps());
                Bytes::new((bits / 1_000_000_000 / 8) as u64)
            }
        };
        BaseRtt {
            rtt: path.rtt,
            window,
            rate: path.rate,
        }
    }
}
