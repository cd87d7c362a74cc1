//! The base RTT of every pair of hosts, and the window that fills it. The base RTT is the time that
//! a full packet and its ACK take on an empty network.
//!
//! ```text
//! full packet    T = Σ over links (2 · delay + data/rate + ACK/rate), each term to the picosecond;
//!                of several equal-cost paths, the slowest
//! payload only   T = 2 · Σ delay + Σ ⌊payload/rate⌋ in whole ns, headers and the ACK left out;
//!                of several equal-cost paths, the first: as the HPCC artifact does
//! both           W₀ = T · (smallest rate on the path), rounded down to the byte
//! ```
//!
//! The profile chooses the formula ([`BaseRttFormula`]).
//!
//! Hosts on the same switch with the same kind of link are alike, so a network of 8192 hosts on 512
//! switches has 512 rows, not 8192. A row is computed when it is first asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use incast_topology::{Port, Ports, Routes, Topology};
use incast_units::{Bytes, HostId, NodeId, Rate, Time};

use super::profile::BaseRttFormula;

/// The base RTT of a path, and the window that fills it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseRtt {
    /// T.
    pub rtt: Time,
    /// W₀, the bandwidth-delay product.
    pub window: Bytes,
    /// The smallest rate on the path.
    pub rate: Rate,
}

/// A formula of the base RTT, with the packet sizes that it needs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RttFormula {
    /// [`BaseRttFormula::FullPacket`], with the sizes of a data packet and an ACK on the wire.
    FullPacket { data: Bytes, ack: Bytes },
    /// [`BaseRttFormula::PayloadOnly`], with the payload of a full packet.
    PayloadOnly { payload: Bytes },
}

impl BaseRttFormula {
    /// The formula with the payload of a full packet, and the sizes of the packet and its ACK on
    /// the wire.
    pub(crate) fn with_sizes(self, payload: Bytes, data: Bytes, ack: Bytes) -> RttFormula {
        match self {
            Self::FullPacket => RttFormula::FullPacket { data, ack },
            Self::PayloadOnly => RttFormula::PayloadOnly { payload },
        }
    }
}

/// The base RTTs of a network.
#[derive(Clone, Debug)]
pub(crate) struct BaseRtts {
    formula: RttFormula,
    /// The class of each host.
    class_of: Vec<u32>,
    /// One host of each class.
    representatives: Vec<HostId>,
    /// By global port index: the part of its link in T; empty if all links are alike.
    costs: Vec<Time>,
    /// The part of one link in T and its rate, if all links are alike.
    alike: Option<PathCost>,
    /// For each destination class, the base RTT from each source class.
    rows: Vec<OnceLock<Box<[BaseRtt]>>>,
    /// The largest base RTT and the largest window of any pair.
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
        let alike = formula.alike(ports);
        let mut rtts = Self {
            formula,
            class_of,
            representatives,
            costs: match alike {
                Some(_) => Vec::new(),
                None => formula.links(ports),
            },
            alike,
            rows,
            largest: BaseRtt::default(),
        };
        rtts.largest = rtts.find_largest(&members, ports, routes);
        rtts
    }

    /// The formula of these base RTTs.
    pub(crate) fn formula(&self) -> RttFormula {
        self.formula
    }

    /// These base RTTs with `rtt` as the largest, and the window of `rtt` at the rate of the first
    /// host.
    pub(crate) fn with_largest(&self, rtt: Time, ports: &Ports) -> Self {
        let rate = link_of(HostId(0), ports).rate;
        Self {
            largest: self.formula.base_rtt(PathCost { rtt, rate }),
            ..self.clone()
        }
    }

    /// The base RTT of a pair of hosts. `ports` and `routes` must be those given to `new`.
    pub(crate) fn pair(
        &self,
        source: HostId,
        destination: HostId,
        ports: &Ports,
        routes: &Routes,
    ) -> BaseRtt {
        if let Some(link) = self.alike {
            return self.by_length(source, destination, link, routes);
        }
        let row = self.class_of[destination.index()] as usize;
        let row = self.rows[row].get_or_init(|| self.row(self.representatives[row], ports, routes));
        row[self.class_of[source.index()] as usize]
    }

    fn find_largest(&self, members: &[u32], ports: &Ports, routes: &Routes) -> BaseRtt {
        let mut largest = BaseRtt::default();
        for (to, destination) in self.representatives.iter().enumerate() {
            let row = self.row(*destination, ports, routes);
            for (from, pair) in row.iter().enumerate() {
                // A host that is alone in its class sends to no host of that class.
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

    /// The base RTT from one host of each class to `destination`; zero where no path leads there,
    /// as from one plane to another.
    fn row(&self, destination: HostId, ports: &Ports, routes: &Routes) -> Box<[BaseRtt]> {
        match self.alike {
            Some(link) => self.row_by_length(destination, link, routes),
            None => self.row_by_paths(destination, ports, routes),
        }
    }

    /// The row of base RTTs if all links are alike: the longest path takes longest. The value of a
    /// host to itself may differ from that of `row_by_paths`, but no flow asks for it.
    fn row_by_length(
        &self,
        destination: HostId,
        link: PathCost,
        routes: &Routes,
    ) -> Box<[BaseRtt]> {
        let sources = self.representatives.iter();
        sources
            .map(|source| self.by_length(*source, destination, link, routes))
            .collect()
    }

    fn by_length(
        &self,
        source: HostId,
        destination: HostId,
        link: PathCost,
        routes: &Routes,
    ) -> BaseRtt {
        // The row entry of a host's own class stands for other hosts of the class: two links, by
        // their switch.
        let links = match source == destination {
            true => Some(2),
            false => routes.hops(source, destination),
        };
        links.map_or(BaseRtt::default(), |links| {
            let rtt = link.rtt * u64::from(links);
            self.formula.base_rtt(PathCost { rtt, ..link })
        })
    }

    fn row_by_paths(&self, destination: HostId, ports: &Ports, routes: &Routes) -> Box<[BaseRtt]> {
        let trees = routes.trees().max(1);
        let hosts = self.class_of.len();
        let switches = ports.nodes() - hosts;
        let mut paths = Paths {
            rtts: self,
            destination,
            ports,
            routes,
            hosts,
            trees,
            known: vec![Known::Unasked; switches * trees],
        };
        let from = |source: &HostId| {
            let link = link_of(*source, ports);
            let cost = self.costs[ports.index((*source).into(), 0) as usize];
            // A host that is linked to another host sends to that host alone, and no switch lies
            // between.
            let rest = match link.peer.index() < hosts {
                true => Some(PathCost::NOTHING),
                false => (0..trees)
                    .filter_map(|tree| paths.starting_at(link.peer, tree))
                    .max(),
            };
            let path = rest.map(|rest| rest.after(link.rate, cost));
            path.map_or(BaseRtt::default(), |path| self.formula.base_rtt(path))
        };
        self.representatives.iter().map(from).collect()
    }
}

/// The only link of a host.
fn link_of(host: HostId, ports: &Ports) -> &Port {
    &ports.of(host.into())[0]
}

/// The part of a path in T, and its smallest rate.
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

    /// This path with one more link in front, which has this rate and this part in T.
    fn after(self, rate: Rate, cost: Time) -> Self {
        Self {
            rtt: self.rtt + cost,
            rate: self.rate.min(rate),
        }
    }
}

/// Paths to one destination.
struct Paths<'a> {
    rtts: &'a BaseRtts,
    destination: HostId,
    ports: &'a Ports,
    routes: &'a Routes,
    /// How many nodes come before the first switch.
    hosts: usize,
    /// Spanning trees that a switch may send by; 1 where there are none.
    trees: usize,
    /// By switch and tree: the cost of the path from there, as far as it is known.
    known: Vec<Known>,
}

/// The state of the search for the path from one switch.
#[derive(Copy, Clone, Debug)]
enum Known {
    Unasked,
    NoPath,
    Path(PathCost),
}

impl Paths<'_> {
    #[inline(always)]
    fn starting_at(&mut self, switch: NodeId, tree: usize) -> Option<PathCost> {
        let place = (switch.index() - self.hosts) * self.trees + tree;
        match self.known[place] {
            Known::Unasked => {}
            Known::NoPath => return None,
            Known::Path(path) => return Some(path),
        }
        let longest = self.find(switch, tree);
        self.known[place] = longest.map_or(Known::NoPath, Known::Path);
        longest
    }

    #[inline(never)]
    fn find(&mut self, switch: NodeId, tree: usize) -> Option<PathCost> {
        let routes = self.routes;
        let hops = routes.next_hops(switch, self.destination);
        let hops = match self.rtts.formula {
            _ if routes.trees() > 0 && hops.len() > 1 => &hops[tree..=tree],
            RttFormula::FullPacket { .. } => hops,
            RttFormula::PayloadOnly { .. } => &hops[..hops.len().min(1)],
        };
        let first = self.ports.index(switch, 0);
        let mut longest = None;
        for hop in hops {
            let port = first + u32::from(*hop);
            let link = self.ports.at(port);
            let rest = match link.peer == NodeId::from(self.destination) {
                true => Some(PathCost::NOTHING),
                false => self.starting_at(link.peer, tree),
            };
            let path = rest.map(|rest| rest.after(link.rate, self.rtts.costs[port as usize]));
            longest = longest.max(path);
        }
        longest
    }
}

impl RttFormula {
    /// The part of one link in T and its rate, if all links are alike.
    fn alike(self, ports: &Ports) -> Option<PathCost> {
        let first = ports.iter().next()?;
        let is_like_it = |port: &Port| (port.rate, port.delay) == (first.rate, first.delay);
        ports.iter().all(is_like_it).then(|| PathCost {
            rtt: self.link(first, first.rate),
            rate: first.rate,
        })
    }

    /// By global port index: the part of its link in T.
    fn links(self, ports: &Ports) -> Vec<Time> {
        let mut known: Option<([Rate; 2], Time, Time)> = None;
        let cost = |link: &Port| {
            let rates = [
                link.rate,
                ports.of(link.peer)[usize::from(link.peer_port)].rate,
            ];
            match known {
                // Most links are like the one before, whose part is then used again.
                Some((others, delay, cost)) if (others, delay) == (rates, link.delay) => cost,
                _ => {
                    let cost = self.link(link, rates[1]);
                    known = Some((rates, link.delay, cost));
                    cost
                }
            }
        };
        ports.iter().map(cost).collect()
    }

    /// The part of one link in T; ACKs come back at rate `back`.
    fn link(self, link: &Port, back: Rate) -> Time {
        match self {
            Self::FullPacket { data, ack } => {
                let (out, back) = (
                    link.rate.transmission_time(data),
                    back.transmission_time(ack),
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

#[cfg(test)]
mod tests {
    use incast_topology::{NextHopOrder, TopologySpec};

    use super::*;

    const SHAPES: [&str; 5] = [
        "kind = \"star\"\nhosts = 5",
        "kind = \"dumbbell\"\nswitches = 3",
        "kind = \"leaf-spine\"\nspine_rate = \"100Gbps\"",
        "kind = \"fat-tree\"\nk = 6",
        "kind = \"dragonfly\"",
    ];

    /// Where all links are alike, the base RTT of the path with the most links is the longest of
    /// all paths, under any formula and routing.
    #[test]
    fn of_links_alike_the_longest_path_takes_longest() {
        let formulas = [
            RttFormula::FullPacket {
                data: Bytes::new(1_090),
                ack: Bytes::new(88),
            },
            RttFormula::PayloadOnly {
                payload: Bytes::new(1_000),
            },
        ];
        let mut checked = 0;
        for shape in SHAPES {
            let shape: TopologySpec = toml::from_str(shape).unwrap();
            let topology = shape.build().unwrap();
            let ports = Ports::new(&topology);
            for routes in [
                Routes::shortest(&topology, NextHopOrder::ByPort),
                Routes::spanning_trees(&topology, NextHopOrder::ByPort),
            ] {
                for formula in formulas {
                    let mut rtts = BaseRtts::new(formula, &topology, &ports, &routes);
                    let link = rtts.alike.unwrap_or_else(|| panic!("{shape:?}"));
                    rtts.costs = formula.links(&ports);
                    for to in &rtts.representatives {
                        let by_length = rtts.row_by_length(*to, link, &routes);
                        assert_eq!(by_length, rtts.row_by_paths(*to, &ports, &routes));
                        checked += by_length.len();
                    }
                }
            }
        }
        assert!(checked > 1_000, "{checked} pairs");
    }
}
