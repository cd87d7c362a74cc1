//! Scenarios with the same graph share it.

use std::sync::Arc;

use super::{ValidSpec, star};

fn share(one: &ValidSpec, other: &ValidSpec) -> bool {
    Arc::ptr_eq(&one.graph, &other.graph)
}

#[test]
fn scenarios_of_one_graph_share_it() {
    let one = star(&[]);
    for change in [
        ("run.seed", "7"),
        ("cc.algorithm", "swift"),
        ("traffic.0.sizes", "2MB"),
        ("network.buffer.size", "1MB"),
    ] {
        let other = star(&[change]);
        assert!(share(&one, &other), "{change:?}");
    }
}

#[test]
fn other_links_and_other_routes_are_another_graph() {
    let one = star(&[]);
    for change in [
        ("network.link_delay", "2us"),
        ("network.link_rate", "40Gbps"),
        ("network.routing", "spanning-trees"),
        ("network.next_hop_order", "descending-node"),
        ("network.topology", "{ kind = \"star\", hosts = 33 }"),
    ] {
        let other = star(&[change]);
        assert!(!share(&one, &other), "{change:?}");
    }
}

/// The base RTT of a full packet depends on the packet's size, also on one graph.
#[test]
fn base_rtts_are_shared_by_their_formula() {
    let (one, same) = (star(&[]), star(&[("run.seed", "7")]));
    let larger = star(&[("network.packets.mtu", "4000B")]);
    assert!(Arc::ptr_eq(&one.base_rtts, &same.base_rtts));
    assert!(share(&one, &larger));
    assert!(!Arc::ptr_eq(&one.base_rtts, &larger.base_rtts));
    assert!(one.largest_base_rtt().rtt < larger.largest_base_rtt().rtt);
}

#[test]
fn a_graph_is_there_as_long_as_its_scenarios() {
    let alone = star(&[("network.link_delay", "123456ps")]);
    let graph = Arc::downgrade(&alone.graph);
    drop(alone);
    assert_eq!(graph.strong_count(), 0);
}
