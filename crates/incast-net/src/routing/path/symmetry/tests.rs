use incast_topology::{
    Clos320, Dumbbell, FatTree, Hop, LeafSpine, Link, NextHopOrder, ParallelLinks, Topology,
};
use incast_units::{Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::routing::{Direction, EcmpHash, FlowAddress, PathChoice, path};

fn check(topology: &Topology, order: NextHopOrder, routing: Routing) -> Result<(), AsymmetricPath> {
    let ports = Ports::new(topology);
    let routes = match routing {
        Routing::SpanningTrees => Routes::spanning_trees(topology, order),
        _ => Routes::shortest(topology, order),
    };
    check_path_symmetry(routing, &ports, &routes)
}

fn graph(hosts: u32, switches: u32, links: &[(u32, u32)]) -> Topology {
    let link = |&(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
    Topology {
        parallel_links: ParallelLinks::Allowed,
        ..Topology::new("test", hosts, switches, links.iter().map(link).collect())
    }
}

#[test]
fn regular_trees_have_a_consistent_order() {
    let fat_tree = FatTree {
        k: 4,
        ..FatTree::default()
    };
    let topologies = [
        fat_tree.build().unwrap(),
        Clos320::default().build().unwrap(),
        LeafSpine::lgc().build().unwrap(),
    ];
    for topology in topologies {
        let check = |routing| check(&topology, NextHopOrder::AscendingNode, routing);
        assert_eq!(check(Routing::SymmetricEcmp), Ok(()), "{}", topology.name);
        assert_eq!(check(Routing::SpanningTrees), Ok(()), "{}", topology.name);
        assert!(check(Routing::Ecmp).is_err(), "{}", topology.name);
    }
}

#[test]
fn with_one_path_any_routing_will_do() {
    let dumbbell = Dumbbell::default().build().unwrap();
    for routing in [
        Routing::Ecmp,
        Routing::SymmetricEcmp,
        Routing::SpanningTrees,
    ] {
        assert_eq!(check(&dumbbell, NextHopOrder::ByPort, routing), Ok(()));
    }
}

/// Switches 2 and 3 have two paths to each other. Switch 3 lists them in the other order: the link
/// to 5 comes first.
///
/// ```text
/// 0 ── 2 ─┬─ 4 ─┬─ 3 ── 1
///         └─ 5 ─┘
/// ```
#[test]
fn an_inconsistent_order_is_found() {
    let square = graph(2, 4, &[(0, 2), (1, 3), (2, 4), (2, 5), (5, 3), (4, 3)]);
    let asymmetric = AsymmetricPath {
        from: NodeId(2),
        to: NodeId(3),
    };
    let symmetric = Routing::SymmetricEcmp;
    assert_eq!(
        check(&square, NextHopOrder::ByPort, symmetric),
        Err(asymmetric)
    );
    assert_eq!(
        check(&square, NextHopOrder::AscendingNode, symmetric),
        Ok(())
    );
    assert_eq!(
        asymmetric.describe(&square),
        "data from switch 2 to switch 3 and their ACKs may take different paths"
    );
}

/// Switch 2 has three next hops, two of which meet at switch 6. Switch 3 has two next hops, 6 and
/// 7, and switch 6 has two next hops towards 2. A third of the flows goes over 7, but half of all
/// ACKs would.
///
/// ```text
///         ┌─ 4 ─┐
/// 0 ── 2 ─┼─ 5 ─┴─ 6 ─┬─ 3 ── 1
///         └─ 8 ─── 7 ─┘
/// ```
#[test]
fn paths_of_uneven_length_are_not_symmetric_under_one_hash() {
    let links = [
        (0, 2),
        (1, 3),
        (2, 4),
        (2, 5),
        (2, 8),
        (4, 6),
        (5, 6),
        (8, 7),
        (6, 3),
        (7, 3),
    ];
    let uneven = graph(2, 7, &links);
    let ascending = NextHopOrder::AscendingNode;
    assert!(check(&uneven, ascending, Routing::SymmetricEcmp).is_err());
    assert_eq!(check(&uneven, ascending, Routing::SpanningTrees), Ok(()));
}

/// The hops of a flow, and the hops of its ACKs in reverse.
fn there_and_back(
    topology: &Topology,
    routes: &Routes,
    choice: PathChoice,
    flow: FlowAddress,
) -> [Vec<Hop>; 2] {
    let ports = Ports::new(topology);
    let there = path(choice, topology, &ports, routes, flow, Direction::Data);
    let back = path(choice, topology, &ports, routes, flow, Direction::Ack);
    let turn = |hop: Hop| {
        let port = &ports.of(hop.node)[usize::from(hop.port)];
        Hop {
            node: port.peer,
            port: port.peer_port,
        }
    };
    let mut turned: Vec<Hop> = back.map(turn).collect();
    turned.reverse();
    [there.collect(), turned]
}

/// 2000 flows over a fat tree of k = 8: data and ACKs take the same links. The 16 core switches
/// share the flows between two edge switches: 125 each, ± 4·√(2000/16·15/16) = 44.
#[test]
fn flows_of_a_fat_tree_have_symmetric_paths_and_spread() {
    let topology = FatTree::default().build().unwrap();
    let order = NextHopOrder::AscendingNode;
    let choices = [
        (
            PathChoice::SymmetricEcmp,
            Routes::shortest(&topology, order),
        ),
        (
            PathChoice::SpanningTrees,
            Routes::spanning_trees(&topology, order),
        ),
    ];
    for (choice, routes) in choices {
        let mut cores = std::collections::BTreeMap::new();
        for source_port in 0..2_000 {
            let flow = FlowAddress {
                source: HostId(1),
                destination: HostId(126),
                source_port,
            };
            let [there, back] = there_and_back(&topology, &routes, choice, flow);
            assert_eq!(there, back, "{choice:?}, port {source_port}");
            *cores.entry(there[3].node).or_insert(0_i32) += 1;
        }
        assert_eq!(cores.len(), 16);
        assert!(
            cores.values().all(|count| (count - 125).abs() < 44),
            "{choice:?}: {cores:?}"
        );
    }
}

proptest! {
    /// On random graphs: routing that passes the check is symmetric for every flow. Spanning trees
    /// are always symmetric.
    #[test]
    fn paths_found_symmetric_are(
        parents in proptest::collection::vec(any::<prop::sample::Index>(), 1..6),
        extra in proptest::collection::vec(any::<[prop::sample::Index; 2]>(), 0..6),
        places in proptest::collection::vec(any::<prop::sample::Index>(), 2..5),
        source_port: u16,
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
        let topology = graph(hosts, switches as u32, &links);
        let order = NextHopOrder::AscendingNode;
        for (routing, choice) in [
            (Routing::Ecmp, PathChoice::Ecmp(EcmpHash::Mixed)),
            (Routing::SymmetricEcmp, PathChoice::SymmetricEcmp),
            (Routing::SpanningTrees, PathChoice::SpanningTrees),
        ] {
            let routes = match routing {
                Routing::SpanningTrees => Routes::spanning_trees(&topology, order),
                _ => Routes::shortest(&topology, order),
            };
            let found = check_path_symmetry(routing, &Ports::new(&topology), &routes);
            prop_assert!(routing != Routing::SpanningTrees || found.is_ok());
            if found.is_err() {
                continue;
            }
            for (from, to) in (0..hosts).flat_map(|a| (0..hosts).map(move |b| (a, b))) {
                let flow = FlowAddress {
                    source: HostId(from),
                    destination: HostId(to),
                    source_port,
                };
                let [there, back] = there_and_back(&topology, &routes, choice, flow);
                prop_assert_eq!(there, back);
            }
        }
    }
}
