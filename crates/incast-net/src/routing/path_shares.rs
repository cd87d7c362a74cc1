//! All paths of a flow's packets, and the share of the packets that each hop carries.
//!
//! A flow has a path for each of its entropies. A flow that keeps one path has one entropy, and
//! each hop of the path carries all packets. Otherwise packets are spread evenly over the
//! entropies, and the share of a hop is the share of entropies whose path has this hop. A selector
//! that uses feedback starts with these shares, then departs from them. A flow that changes its
//! path starts on the path of its own entropy, which carries all packets.
//!
//! All entropies, up to 65,536, are walked one by one, so shares are exact. The set of paths is
//! complete once all paths of the routes have been found ([`PathShares::path_count`]).

use std::iter;

use incast_topology::{Hop, Ports, Routes, Topology};
use rustc_hash::FxHashMap;

use super::entropy::entropy_of;
use super::path::{Direction, FlowAddress, path};
use super::{Balance, PathChoice, PathUse};

/// The inputs that determine the paths of flows' packets, as long as no link has failed.
#[derive(Copy, Clone, Debug)]
pub struct PathShares<'a> {
    /// The rule that picks one of several next hops.
    pub choice: PathChoice,
    /// How the packets of one flow are spread over its paths.
    pub balance: &'a Balance,
    /// The graph.
    pub topology: &'a Topology,
    /// Its ports.
    pub ports: &'a Ports,
    /// Its routes.
    pub routes: &'a Routes,
}

impl<'a> PathShares<'a> {
    /// The path of each entropy of the flow: the ports by which its data, or ACKs, leave. The path
    /// of the flow's own entropy comes first. Several entropies may have the same path.
    pub fn paths(
        self,
        flow: FlowAddress,
        direction: Direction,
    ) -> impl Iterator<Item = impl Iterator<Item = Hop> + use<'a>> + use<'a> {
        (0..self.balance.entropies()).map(move |number| {
            let flow = FlowAddress {
                source_port: entropy_of(flow.source_port, number as u16),
                ..flow
            };
            path(
                self.choice,
                self.topology,
                self.ports,
                self.routes,
                flow,
                direction,
            )
        })
    }

    /// Number of different paths of the flow's data, or ACKs, in the routes; `None` if unknown. The
    /// same number of entropies may reach fewer paths.
    pub fn path_count(self, flow: FlowAddress, direction: Direction) -> Option<u64> {
        let (from, to) = match direction {
            Direction::Data => (flow.source, flow.destination),
            Direction::Ack => (flow.destination, flow.source),
        };
        self.routes.path_count(self.ports, from, to)
    }

    /// The ports by which data of the flow leave, each once, with the share of packets. Ports of
    /// the flow's own entropy come first.
    pub fn of(self, flow: FlowAddress) -> impl Iterator<Item = (Hop, f64)> + use<'a> {
        let mut paths = self.paths(flow, Direction::Data);
        let is_one = self.balance.path_use() != PathUse::Several;
        let only = is_one.then(|| paths.next()).flatten();
        let spread = match only {
            Some(_) => Vec::new(),
            None => shares(paths, self.balance.entropies()),
        };
        let whole = only.into_iter().flatten().zip(iter::repeat(1.0));
        whole.chain(spread)
    }
}

/// Each hop of these paths once, with the share of paths that have it; `count` is the number of
/// paths.
fn shares(paths: impl Iterator<Item = impl Iterator<Item = Hop>>, count: u32) -> Vec<(Hop, f64)> {
    let mut places = FxHashMap::default();
    let mut hops: Vec<(Hop, f64)> = Vec::new();
    for hop in paths.flatten() {
        let place = *places.entry((hop.node, hop.port)).or_insert(hops.len());
        match hops.get_mut(place) {
            Some((_, paths)) => *paths += 1.0,
            None => hops.push((hop, 1.0)),
        }
    }
    for (_, share) in &mut hops {
        *share /= f64::from(count);
    }
    hops
}

#[cfg(test)]
mod tests {
    use incast_topology::{LeafSpine, Link, NextHopOrder};
    use incast_units::{HostId, NodeId, Rate, Time};

    use super::*;
    use crate::routing::{EcmpHash, RandomPaths};

    /// Nodes, ports and shares of a flow from host 0 to host `to` with 1024 entropies, by node.
    fn spread(topology: &Topology, choice: PathChoice, to: u32) -> Vec<(u32, u16, f64)> {
        let ports = Ports::new(topology);
        let routes = match choice {
            PathChoice::SpanningTrees => Routes::spanning_trees(topology, NextHopOrder::ByPort),
            _ => Routes::shortest(topology, NextHopOrder::ByPort),
        };
        let balance = Balance::Random(RandomPaths { entropies: 1024 });
        let shares = PathShares {
            choice,
            balance: &balance,
            topology,
            ports: &ports,
            routes: &routes,
        };
        let flow = FlowAddress {
            source: HostId(0),
            destination: HostId(to),
            source_port: 10_000,
        };
        let mut hops: Vec<_> = shares
            .of(flow)
            .map(|(hop, share)| (hop.node.0, hop.port, share))
            .collect();
        hops.sort_unstable_by_key(|&(node, port, _)| (node, port));
        hops
    }

    /// Whether a share of 1024 draws is within five deviations of this probability.
    fn is_about(share: f64, probability: f64) -> bool {
        let deviation = (probability * (1.0 - probability) / 1024.0).sqrt();
        (share - probability).abs() <= 5.0 * deviation
    }

    /// Two leaves of two hosts, four spines: hosts 0 to 3, leaves 4 and 5, spines 6 to 9. From host
    /// 0 to host 3 all packets pass the host's port and port 1 of the last leaf, a quarter of them
    /// each spine.
    #[test]
    fn a_leaf_spreads_evenly_over_its_spines() {
        let topology = LeafSpine {
            leaves: 2,
            spines: 4,
            hosts_per_leaf: 2,
            ..LeafSpine::default()
        };
        let topology = topology.build().expect("a leaf-spine");
        for choice in [
            PathChoice::Ecmp(EcmpHash::Mixed),
            PathChoice::Ecmp(EcmpHash::Murmur3),
            PathChoice::SymmetricEcmp,
            PathChoice::SpanningTrees,
        ] {
            let hops = spread(&topology, choice, 3);
            assert_eq!((hops.len(), hops[0]), (10, (0, 0, 1.0)), "{hops:?}");
            for place in 0..4 {
                let (up, down) = (hops[1 + place], hops[6 + place]);
                assert_eq!((up.0, down.0), (4, 6 + place as u32), "{hops:?}");
                assert!(is_about(up.2, 0.25) && up.2 == down.2, "{hops:?}");
            }
            assert_eq!(hops[5], (5, 1, 1.0), "{hops:?}");
            // Hosts of one leaf have one path.
            assert_eq!(spread(&topology, choice, 1), [(0, 0, 1.0), (4, 1, 1.0)]);
        }
    }

    /// Host 0 on switch 2, host 1 on switch 6. Switch 2 sends half of the packets to 3 and half to
    /// 4. Switch 3 has one next hop, which gets half of all packets. Switch 4 has two, each with a
    /// quarter.
    ///
    /// ```text
    ///            ┌─ 3 ──── 5 ─┐
    /// 0 ── 2 ────┤   ┌──── 5  ├─ 6 ── 1
    ///            └─ 4┴──── 7 ─┘
    /// ```
    #[test]
    fn each_switch_halves_what_reaches_it() {
        let ends = [
            (0, 2),
            (1, 6),
            (2, 3),
            (2, 4),
            (3, 5),
            (4, 5),
            (4, 7),
            (5, 6),
            (7, 6),
        ];
        let link = |(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
        let topology = Topology::new("unequal", 2, 6, ends.map(link).to_vec());
        let hops = spread(&topology, PathChoice::Ecmp(EcmpHash::Mixed), 1);
        let expected = [
            (0, 0, 1.0),
            (2, 1, 0.5),
            (2, 2, 0.5),
            (3, 1, 0.5),
            (4, 1, 0.25),
            (4, 2, 0.25),
            (5, 2, 0.75),
            (6, 0, 1.0),
            (7, 1, 0.25),
        ];
        assert_eq!(hops.len(), expected.len(), "{hops:?}");
        for (hop, expected) in hops.iter().zip(expected) {
            assert_eq!((hop.0, hop.1), (expected.0, expected.1), "{hops:?}");
            assert!(is_about(hop.2, expected.2), "{hops:?}");
        }
        let [from_3, from_4] = [hops[3].2, hops[4].2];
        assert_eq!(hops[6].2, from_3 + from_4);
    }
}
