use std::collections::BTreeSet;
use std::ops::Range;

use incast_units::{Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::ports::Ports;
use crate::topology::{Link, ParallelLinks};

fn topology(hosts: u32, switches: u32, links: &[(u32, u32)]) -> Topology {
    let link = |&(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
    Topology::new("test", hosts, switches, links.iter().map(link).collect())
}

/// Two leaves and two spines:
///
/// ```text
///   6   7      spines        ports of leaf 4: 0, 1 to hosts 0, 1; 2 to 6; 3 to 7
///   │╲ ╱│                    ports of leaf 5: 0, 1 to hosts 2, 3; 2 to 6; 3 to 7
///   │╱ ╲│                    ports of each spine: 0 to leaf 4; 1 to leaf 5
///   4   5      leaves
///  0 1 2 3     hosts
/// ```
fn leaf_spine() -> Topology {
    topology(
        4,
        4,
        &[
            (0, 4),
            (1, 4),
            (2, 5),
            (3, 5),
            (4, 6),
            (4, 7),
            (5, 6),
            (5, 7),
        ],
    )
}

fn next_hops(routes: &Routes, switch: u32, host: u32) -> &[u16] {
    routes.next_hops(NodeId(switch), HostId(host))
}

#[test]
fn all_ports_on_shortest_paths_are_next_hops() {
    let routes = Routes::shortest(&leaf_spine(), NextHopOrder::ByPort);
    assert_eq!(next_hops(&routes, 4, 0), [0]);
    assert_eq!(next_hops(&routes, 4, 1), [1]);
    assert_eq!(next_hops(&routes, 4, 2), [2, 3]);
    assert_eq!(next_hops(&routes, 5, 0), [2, 3]);
    assert_eq!(next_hops(&routes, 5, 3), [1]);
    for spine in [6, 7] {
        assert_eq!(next_hops(&routes, spine, 1), [0]);
        assert_eq!(next_hops(&routes, spine, 2), [1]);
    }
}

#[test]
fn equal_sets_are_kept_once() {
    let routes = Routes::shortest(&leaf_spine(), NextHopOrder::ByPort);
    let mut sets: Vec<_> = routes.ports.chunks(2).collect();
    sets.sort_unstable();
    assert_eq!(sets, [[0, 1], [2, 3]]);
}

/// The same network with the links to spine 7 before those to spine 6.
#[test]
fn next_hops_are_listed_in_the_chosen_order() {
    let links = [
        (0, 4),
        (1, 4),
        (2, 5),
        (3, 5),
        (4, 7),
        (4, 6),
        (5, 7),
        (5, 6),
    ];
    let mut topology = topology(4, 4, &links);
    let list =
        |topology: &Topology, order| next_hops(&Routes::shortest(topology, order), 4, 2).to_vec();
    assert_eq!(list(&topology, NextHopOrder::ByPort), [2, 3]);
    assert_eq!(list(&topology, NextHopOrder::DescendingNode), [2, 3]);
    assert_eq!(list(&topology, NextHopOrder::AscendingNode), [3, 2]);
    // In the file, nodes 6 and 7 had the numbers 3 and 2.
    topology.original_ids = vec![4, 5, 6, 7, 0, 1, 3, 2];
    assert_eq!(list(&topology, NextHopOrder::ByPort), [2, 3]);
    assert_eq!(list(&topology, NextHopOrder::DescendingNode), [3, 2]);
    assert_eq!(list(&topology, NextHopOrder::AscendingNode), [2, 3]);
}

/// Same leaf: 2 links; other leaf: 4 links over 3 switches.
#[test]
fn hops_count_links() {
    let routes = Routes::shortest(&leaf_spine(), NextHopOrder::ByPort);
    let hops = |from, to| routes.hops(HostId(from), HostId(to));
    assert_eq!(
        [hops(0, 0), hops(0, 1), hops(0, 2)],
        [Some(0), Some(2), Some(4)]
    );
    assert_eq!(routes.longest_path_switches(), 3);
}

#[test]
fn a_path_leads_from_host_to_host() {
    let topology = leaf_spine();
    let ports = Ports::new(&topology);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    let path = |from, to, index| -> Vec<(u32, u16)> {
        routes
            .path(&ports, HostId(from), HostId(to), |_, _| index)
            .map(|hop| (hop.node.0, hop.port))
            .collect()
    };
    assert_eq!(path(0, 2, 0), [(0, 0), (4, 2), (6, 1), (5, 0)]);
    assert_eq!(path(0, 2, 1), [(0, 0), (4, 3), (7, 1), (5, 0)]);
    assert_eq!(path(3, 2, 0), [(3, 0), (5, 0)]);
    assert_eq!(path(3, 3, 0), []);
}

#[test]
fn links_that_are_down_are_avoided() {
    // Link 4 joins leaf 4 and spine 6, link 5 leaf 4 and spine 7.
    let topology = leaf_spine();
    let ports = Ports::new(&topology);
    let routes = Routes::avoiding(&topology, NextHopOrder::ByPort, |link| link == 4);
    assert_eq!(next_hops(&routes, 4, 2), [3]);
    assert_eq!(next_hops(&routes, 5, 0), [3]);
    assert_eq!(next_hops(&routes, 6, 0), [1], "back through leaf 5");

    let routes = Routes::avoiding(&topology, NextHopOrder::ByPort, |link| {
        link == 4 || link == 5
    });
    assert!(next_hops(&routes, 4, 2).is_empty());
    assert_eq!(routes.hops(HostId(0), HostId(2)), None);
    assert_eq!(routes.hops(HostId(0), HostId(1)), Some(2));
    let stuck: Vec<_> = routes
        .path(&ports, HostId(0), HostId(2), |_, _| 0)
        .collect();
    assert_eq!(
        stuck,
        [Hop {
            node: NodeId(0),
            port: 0
        }]
    );
}

#[test]
fn each_link_of_a_bundle_is_a_next_hop() {
    let mut topology = topology(2, 2, &[(0, 2), (1, 3), (2, 3), (2, 3)]);
    topology.parallel_links = ParallelLinks::Allowed;
    let routes = Routes::shortest(&topology, NextHopOrder::DescendingNode);
    assert_eq!(next_hops(&routes, 2, 1), [1, 2]);
}

#[test]
fn two_hosts_on_one_link_need_no_switch() {
    let topology = topology(2, 0, &[(0, 1)]);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    assert_eq!(routes.hops(HostId(0), HostId(1)), Some(1));
    assert_eq!(routes.longest_path_switches(), 0);
    let ports = Ports::new(&topology);
    assert_eq!(
        routes.path(&ports, HostId(1), HostId(0), |_, _| 0).count(),
        1
    );
}

/// Connected networks: switches in a random tree, a few more links among them, and hosts at random
/// switches.
fn networks(sizes: Range<u32>) -> impl Strategy<Value = Topology> {
    let shapes = (sizes.clone(), sizes.start.max(2)..sizes.end);
    shapes.prop_flat_map(move |(switches, hosts)| {
        let parents = prop::collection::vec(any::<prop::sample::Index>(), switches as usize - 1);
        let extra = prop::collection::vec((0..switches, 0..switches), 0..sizes.end as usize);
        let homes = prop::collection::vec(0..switches, hosts as usize);
        (parents, extra, homes).prop_map(move |(parents, extra, homes)| {
            let tree = (1..)
                .zip(parents)
                .map(|(row, parent)| (parent.index(row) as u32, row as u32));
            let extra = extra
                .into_iter()
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a.min(b), a.max(b)));
            let fabric: BTreeSet<(u32, u32)> = tree.chain(extra).collect();
            let homes = (0..).zip(homes).map(|(host, row)| (host, hosts + row));
            let fabric = fabric.into_iter().map(|(a, b)| (hosts + a, hosts + b));
            topology(hosts, switches, &homes.chain(fabric).collect::<Vec<_>>())
        })
    })
}

/// Distances between all nodes by the Floyd–Warshall algorithm; paths do not pass through hosts.
fn distances(topology: &Topology) -> Vec<Vec<u32>> {
    let nodes = topology.nodes() as usize;
    let mut distances = vec![vec![u32::MAX / 2; nodes]; nodes];
    for (node, row) in distances.iter_mut().enumerate() {
        row[node] = 0;
    }
    for link in &topology.links {
        distances[link.a.index()][link.b.index()] = 1;
        distances[link.b.index()][link.a.index()] = 1;
    }
    for via in topology.hosts as usize..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                let indirect = distances[from][via] + distances[via][to];
                distances[from][to] = distances[from][to].min(indirect);
            }
        }
    }
    distances
}

/// Two leaves with a host each, and 150 spines with two links to each leaf: a leaf has more
/// neighbours than a word has bits.
#[test]
fn a_switch_may_have_many_neighbours() {
    let spines = (4..154).flat_map(|spine| [(2, spine), (3, spine), (2, spine), (3, spine)]);
    let links: Vec<_> = [(0, 2), (1, 3)].into_iter().chain(spines).collect();
    let topology = topology(2, 152, &links);
    for order in [NextHopOrder::ByPort, NextHopOrder::DescendingNode] {
        let routes = Routes::shortest(&topology, order);
        let mut up = next_hops(&routes, 2, 1).to_vec();
        up.sort_unstable();
        assert_eq!(up, (1..=300).collect::<Vec<u16>>());
        assert_eq!(next_hops(&routes, 4, 1), [1, 3]);
        assert_eq!(next_hops(&routes, 3, 1), [0]);
    }
}

/// Next hops are exactly the ports whose peer is one link nearer by the Floyd–Warshall algorithm.
fn check_next_hops(topology: &Topology) -> Result<(), TestCaseError> {
    prop_assert_eq!(topology.validate(), Ok(()));
    let ports = Ports::new(topology);
    let routes = Routes::shortest(topology, NextHopOrder::ByPort);
    let distances = distances(topology);
    for switch in topology.hosts..topology.nodes() {
        for host in 0..topology.hosts {
            let here = distances[switch as usize][host as usize];
            let nearer: Vec<u16> = (0..)
                .zip(ports.of(NodeId(switch)))
                .filter(|(_, port)| distances[port.peer.index()][host as usize] + 1 == here)
                .map(|(number, _)| number)
                .collect();
            prop_assert_eq!(next_hops(&routes, switch, host), nearer);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// There are more edge switches than parallel searches.
    #[test]
    fn next_hops_of_many_switches_decrease_the_distance(topology in networks(100..160)) {
        check_next_hops(&topology)?;
    }
}

proptest! {
    #[test]
    fn next_hops_strictly_decrease_the_distance(topology in networks(1..12)) {
        check_next_hops(&topology)?;
    }

    #[test]
    fn every_pair_is_connected_by_a_path_of_as_many_hops(
        topology in networks(1..12),
        choice: prop::sample::Index,
    ) {
        let ports = Ports::new(&topology);
        let distances = distances(&topology);
        for order in [NextHopOrder::ByPort, NextHopOrder::DescendingNode] {
            let routes = Routes::shortest(&topology, order);
            for from in 0..topology.hosts {
                for to in 0..topology.hosts {
                    let (source, destination) = (HostId(from), HostId(to));
                    let choose = |_, hops: &[u16]| choice.index(hops.len());
                    let path: Vec<_> = routes.path(&ports, source, destination, choose).collect();
                    let expected = distances[from as usize][to as usize];
                    prop_assert_eq!(path.len() as u32, expected);
                    prop_assert_eq!(routes.hops(source, destination), Some(expected));
                    if let Some(last) = path.last() {
                        let arrived = ports.of(last.node)[usize::from(last.port)].peer;
                        prop_assert_eq!(arrived, NodeId::from(destination));
                    }
                }
            }
        }
    }
}

/// One path between hosts of a leaf; two between leaves, one by each spine. Two choices of two
/// switches in a row give 2 · 2 paths. Along spanning trees there is no count.
#[test]
fn paths_are_counted() {
    let topology = leaf_spine();
    let ports = Ports::new(&topology);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    let count = |to| routes.path_count(&ports, HostId(0), HostId(to));
    assert_eq!([0, 1, 2, 3].map(count), [1, 1, 2, 2].map(Some));
    let trees = Routes::spanning_trees(&topology, NextHopOrder::ByPort);
    assert_eq!(trees.path_count(&ports, HostId(0), HostId(2)), None);

    let ends = [
        (0, 2),
        (2, 3),
        (2, 4),
        (3, 5),
        (4, 5),
        (5, 6),
        (5, 7),
        (6, 8),
        (7, 8),
        (1, 8),
    ];
    let topology = self::topology(2, 7, &ends);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    let count = routes.path_count(&Ports::new(&topology), HostId(0), HostId(1));
    assert_eq!(count, Some(4));
}
