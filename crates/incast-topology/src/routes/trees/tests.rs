use std::collections::BTreeSet;

use incast_units::{HostId, NodeId, Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::routes::Hop;
use crate::shapes::{FatTree, LeafSpine};
use crate::topology::{Link, ParallelLinks};

fn topology(hosts: u32, switches: u32, links: &[(u32, u32)]) -> Topology {
    let link = |&(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
    Topology {
        parallel_links: ParallelLinks::Allowed,
        ..Topology::new("test", hosts, switches, links.iter().map(link).collect())
    }
}

/// The path in tree number `tree`.
fn path(routes: &Routes, ports: &Ports, from: u32, to: u32, tree: usize) -> Vec<Hop> {
    let choose = move |_, hops: &[u16]| {
        assert_eq!(hops.len(), routes.trees());
        tree
    };
    let path = routes.path(ports, HostId(from), HostId(to), choose);
    path.take(1_000).collect()
}

/// The links of a path in reverse, each from its other end.
fn back(ports: &Ports, path: &[Hop]) -> Vec<Hop> {
    let turned = path.iter().rev().map(|hop| {
        let port = &ports.of(hop.node)[usize::from(hop.port)];
        Hop {
            node: port.peer,
            port: port.peer_port,
        }
    });
    turned.collect()
}

/// A fat tree of k = 4 has 4 core switches, so that each is the root of two of the 8 trees. Every
/// path is a shortest one, and all core switches are used.
#[test]
fn in_a_fat_tree_paths_are_shortest() {
    let fat_tree = FatTree {
        k: 4,
        ..FatTree::default()
    };
    let topology = fat_tree.build().unwrap();
    let ports = Ports::new(&topology);
    let shortest = Routes::shortest(&topology, NextHopOrder::ByPort);
    let routes = Routes::spanning_trees(&topology, NextHopOrder::ByPort);
    assert_eq!(routes.trees(), 8);
    let mut cores = BTreeSet::new();
    for (from, to) in [(0, 1), (0, 2), (0, 4), (3, 15), (15, 3)] {
        for tree in 0..8 {
            let path = path(&routes, &ports, from, to, tree);
            let links = shortest.hops(HostId(from), HostId(to)).unwrap();
            assert_eq!(path.len() as u32, links, "{from} → {to}, tree {tree}");
            if links == 6 {
                cores.insert(path[3].node);
            }
        }
    }
    assert_eq!(cores.len(), 4);
}

#[test]
fn in_a_leaf_spine_every_spine_is_used_alike() {
    let topology = LeafSpine::lgc().build().unwrap();
    let routes = Routes::spanning_trees(&topology, NextHopOrder::ByPort);
    let hops = routes.next_hops(NodeId(144), HostId(143));
    assert_eq!(hops, [16, 17, 18, 19, 16, 17, 18, 19]);
}

/// A chain of switches has one spanning tree: itself.
#[test]
fn a_graph_without_cycles_has_one_path() {
    let chain = topology(2, 3, &[(0, 2), (2, 3), (3, 4), (4, 1)]);
    let routes = Routes::spanning_trees(&chain, NextHopOrder::ByPort);
    assert!(routes.are_unique());
    assert_eq!(routes.hops(HostId(0), HostId(1)), Some(4));
}

/// Four switches in a ring, with hosts at opposite switches, 2 and 4. The other two are central,
/// and the path leads through either.
#[test]
fn a_ring_is_gone_around_both_ways() {
    let ring = topology(2, 4, &[(0, 2), (1, 4), (2, 3), (3, 4), (4, 5), (5, 2)]);
    let ports = Ports::new(&ring);
    let routes = Routes::spanning_trees(&ring, NextHopOrder::ByPort);
    let middle = |tree| path(&routes, &ports, 0, 1, tree)[2].node;
    let middles: BTreeSet<_> = (0..routes.trees()).map(middle).collect();
    assert_eq!(middles, [NodeId(3), NodeId(5)].into());
}

proptest! {
    /// Hosts on random graphs: in each tree there is a path between any two hosts, and the path
    /// back takes the same links.
    #[test]
    fn paths_lead_there_and_back(
        parents in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        extra in proptest::collection::vec(any::<[prop::sample::Index; 2]>(), 0..8),
        places in proptest::collection::vec(any::<prop::sample::Index>(), 2..6),
    ) {
        let hosts = places.len() as u32;
        let switches = parents.len() + 1;
        let node = |index: usize| hosts + index as u32;
        let above = (0..).zip(&places).map(|(host, at)| (host, node(at.index(switches))));
        let mut links: Vec<(u32, u32)> = above.collect();
        let tree = (1..).zip(&parents).map(|(below, at)| (node(below), node(at.index(below))));
        links.extend(tree);
        for [one, other] in &extra {
            let (one, other) = (one.index(switches), other.index(switches));
            if one != other {
                links.push((node(one), node(other)));
            }
        }
        let topology = topology(hosts, switches as u32, &links);
        let ports = Ports::new(&topology);
        let routes = Routes::spanning_trees(&topology, NextHopOrder::ByPort);
        for (from, to) in (0..hosts).flat_map(|a| (0..hosts).map(move |b| (a, b))) {
            for tree in 0..routes.trees() {
                let there = path(&routes, &ports, from, to, tree);
                let limit = routes.hops(HostId(from), HostId(to)).unwrap();
                prop_assert!(there.len() as u32 <= limit);
                if let Some(last) = there.last() {
                    let arrived = ports.of(last.node)[usize::from(last.port)].peer;
                    prop_assert_eq!(arrived, NodeId(to));
                }
                let expected = path(&routes, &ports, to, from, tree);
                prop_assert_eq!(back(&ports, &there), expected);
            }
        }
    }
}
