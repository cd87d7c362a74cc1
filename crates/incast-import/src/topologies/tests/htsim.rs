use incast_units::{HostId, NodeId, Rate, Time};

use super::*;
use incast_topology::{NextHopOrder, Ports, Routes};

/// 8 hosts, 2 on each ToR; 2 pods of 2 ToRs and 2 aggregation switches; 4 cores.
const THREE_TIERS: &str = "\
# a small fat tree
Nodes 8
Tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 0
Queue_Up 100
Queue_Down 100
Oversubscribed 1

Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 500
Bundle 1

Tier 2
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 600000
";

/// 32 hosts, 8 on each of 4 ToRs, 2 spines; oversubscribed 4:1.
const TWO_TIERS: &str = "\
nodes 32
tiers 2
podsize 32
tier 0
downlink_speed_gbps 100
radix_down 8
radix_up 2
downlink_latency_ns 1000
oversubscribed 4
tier 1
downlink_speed_gbps 100
radix_down 4
downlink_latency_ns 1000
";

fn htsim(text: &str) -> Result<Topology, String> {
    parse(text, FileFormat::Htsim)
}

fn peers(topology: &Topology, node: u32) -> Vec<u32> {
    Ports::new(topology)
        .of(NodeId(node))
        .iter()
        .map(|port| port.peer.0)
        .collect()
}

/// ToRs 8–11, aggregation 12–15, cores 16–19: aggregation switch 0 of a pod has links to cores 0
/// and 2, aggregation switch 1 to cores 1 and 3.
#[test]
fn three_tiers_are_a_fat_tree() {
    let topology = htsim(THREE_TIERS).unwrap();
    assert_eq!((topology.hosts, topology.switches), (8, 4 + 4 + 4));
    assert_eq!(topology.links.len(), 8 + 4 * 2 + 4 * 2);
    assert_eq!(peers(&topology, 8), [0, 1, 12, 13]);
    assert_eq!(peers(&topology, 12), [8, 9, 16, 18]);
    assert_eq!(peers(&topology, 15), [10, 11, 17, 19]);
    assert_eq!(peers(&topology, 19), [13, 15]);
    let delays = [0, 8, 16].map(|link| topology.links[link].delay);
    assert_eq!(
        delays,
        [Time::from_ns(1_000), Time::from_ns(500), Time::from_us(600)]
    );
}

#[test]
fn two_tiers_are_a_leaf_spine() {
    let topology = htsim(TWO_TIERS).unwrap();
    assert_eq!((topology.hosts, topology.switches), (32, 4 + 2));
    assert_eq!(topology.links.len(), 32 + 4 * 2);
    assert_eq!(peers(&topology, 36), [32, 33, 34, 35]);
    assert_eq!(topology.label(NodeId(36)), "spine0");
}

/// Four uplinks in bundles of two lead to two aggregation switches.
#[test]
fn bundles_are_parallel_links() {
    let text = edited(
        THREE_TIERS,
        &[
            ("Radix_Up 2", "Radix_Up 4"),
            ("Oversubscribed 1\n", ""),
            (
                "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2",
                "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4",
            ),
            ("Bundle 1", "Bundle 2"),
        ],
    );
    let topology = htsim(&text).unwrap();
    assert_eq!(peers(&topology, 8), [0, 1, 12, 12, 13, 13]);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    assert_eq!(routes.next_hops(NodeId(8), HostId(7)), [2, 3, 4, 5]);
}

/// A tier's speeds and latencies are those of the links below it.
#[test]
fn tiers_differ_in_speed() {
    let text = edited(
        TWO_TIERS,
        &[
            (
                "tier 1\ndownlink_speed_gbps 100",
                "tier 1\ndownlink_speed_gbps 400",
            ),
            ("oversubscribed 4", "oversubscribed 1"),
        ],
    );
    let topology = htsim(&text).unwrap();
    assert_eq!(topology.links[0].rate, Rate::from_gbps(100));
    assert_eq!(topology.links[32].rate, Rate::from_gbps(400));
}

/// A path host–ToR–spine–ToR–host crosses four links of 1000 ns, two ToRs of 300 ns and a spine
/// of 501 ns: 4 000 + 600 + 501 = 5 101 ns.
#[test]
fn latencies_of_switches_are_part_of_the_delays() {
    let text = edited(
        TWO_TIERS,
        &[
            (
                "oversubscribed 4",
                "oversubscribed 4\nswitch_latency_ns 300",
            ),
            ("tier 1", "tier 1\nswitch_latency_ns 501"),
        ],
    );
    let topology = htsim(&text).unwrap();
    let ports = Ports::new(&topology);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    let path = routes.path(&ports, HostId(0), HostId(31), |_, _| 0);
    let delay: Time = path
        .map(|hop| ports.of(hop.node)[usize::from(hop.port)].delay)
        .sum();
    assert_eq!(delay, Time::from_ns(5_101));
}

#[test]
fn errors_say_where_what_was_wrong_and_what_would_be_right() {
    let line = "a line is `keyword number`";
    for (edits, expected) in [
        (
            vec![("Nodes 8", "Nodes")],
            format!(":2: Nodes: the line ends before it; {line}: is the file cut off?"),
        ),
        (
            vec![("Nodes 8", "Nodes 8 9")],
            format!(":2: end of line: `9` is too much; {line}"),
        ),
        (
            vec![("Nodes 8", "Nodes eight")],
            ":2: Nodes: `eight` is not a whole number; give digits only, e.g. `16`".into(),
        ),
        (
            vec![("Podsize 4", "Pod_size 4")],
            ":4: unknown keyword `Pod_size`; did you mean `Podsize`? (available: Bundle, \
             Downlink_Latency_ns, Downlink_speed_Gbps, Nodes, Oversubscribed, Podsize, Queue_Down, \
             Queue_Up, Radix_Down, Radix_Up, Switch_Latency_ns, Tier, Tiers)"
                .into(),
        ),
        (
            vec![("Podsize 4", "Podsize 4\nNodes 8")],
            ":5: `Nodes` is set twice; set it once".into(),
        ),
        (
            vec![("Radix_Down 2", "Radix_Down 2\nradix_down 2")],
            ":9: `Radix_Down` is set twice in tier 0; set it once".into(),
        ),
        (
            vec![("Tier 1", "Tier 0")],
            ":16: `Tier` is set twice in tier 0; set it once".into(),
        ),
        (
            vec![("Tier 1", "Tier 3")],
            ":16: `Tier 3` is impossible; tiers are 0 (ToRs), 1 (aggregation or spines) and 2 \
             (cores)"
                .into(),
        ),
        (
            vec![("Nodes 8\n", "")],
            ": `Nodes` is not set; write e.g. `Nodes 128`".into(),
        ),
        (
            vec![("Tiers 3\n", "")],
            ": `Tiers` is not set; write e.g. `Tiers 3`".into(),
        ),
        (
            vec![("Tiers 3", "Tiers 4")],
            ":3: `Tiers 4` is impossible; a network has 2 or 3 tiers of switches".into(),
        ),
        (
            vec![("Tiers 3", "Tiers 2")],
            ":23: `Tier` does not belong here; `Tiers` announces fewer tiers".into(),
        ),
        (
            vec![("Radix_Up 2\n", "")],
            ": `Radix_Up` is not set in tier 0; write e.g. `Radix_Up 8`".into(),
        ),
        (
            vec![("Radix_Down 2\n", "Radix_Down 0\n")],
            ":8: `Radix_Down 0` is impossible; write at least 1".into(),
        ),
        (
            vec![
                ("Downlink_speed_Gbps 100", "Downlink_speed_Gbps 0"),
                ("Oversubscribed 1\n", ""),
            ],
            ":7: `Downlink_speed_Gbps 0` is impossible; write at least 1".into(),
        ),
        (
            vec![("Downlink_Latency_ns 1000", "Downlink_Latency_ns 0")],
            ":10: `Downlink_Latency_ns 0` is impossible; write at least 1".into(),
        ),
        (
            vec![("Bundle 1", "Bundle 0")],
            ":21: `Bundle 0` is impossible; write at least 1".into(),
        ),
        (
            vec![("Oversubscribed 1", "Bundle 2")],
            ":14: `Bundle 2` is impossible; every host has one link; write 1".into(),
        ),
        (
            vec![("Podsize 4", "Podsize 3")],
            ":4: `Podsize 3` does not fit the rest, which asks for a divisor of 8 (all pods are \
             equal)"
                .into(),
        ),
        (
            vec![("Radix_Down 2", "Radix_Down 3")],
            ":8: `Radix_Down 3` in tier 0 does not fit the rest, which asks for a divisor of 4 \
             (all ToRs of a pod are equal)"
                .into(),
        ),
        (
            vec![("Bundle 1", "Bundle 3")],
            ":9: `Radix_Up 2` in tier 0 does not fit the rest, which asks for a multiple of 3 \
             (`Bundle` of the tier above)"
                .into(),
        ),
        (
            vec![(
                "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2",
                "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 8",
            )],
            ":18: `Radix_Down 8` in tier 1 does not fit the rest, which asks for 2 (a bundle to \
             each ToR of the pod)"
                .into(),
        ),
        (
            vec![("Nodes 8", "Nodes 16")],
            ":25: `Radix_Down 2` in tier 2 does not fit the rest, which asks for 4 (a bundle to \
             each pod)"
                .into(),
        ),
        (
            vec![("Oversubscribed 1", "Oversubscribed 2")],
            ":14: `Oversubscribed 2` in tier 0 does not fit the rest, which asks for 200/200 \
             (Gb/s down by Gb/s up)"
                .into(),
        ),
        (
            vec![("Tier 0\n", "")],
            ":6: `Downlink_speed_Gbps` does not belong here; it belongs below a `Tier` line".into(),
        ),
        (
            vec![("Bundle 1", "Podsize 4"), ("Podsize 4", "")],
            ":21: `Podsize` does not belong here; it belongs above the first `Tier` line".into(),
        ),
        (
            vec![("Downlink_Latency_ns 600000", "Radix_Up 2")],
            ":26: `Radix_Up` does not belong here; tier 2 is the top: there is nothing above it"
                .into(),
        ),
    ] {
        let message = htsim(&edited(THREE_TIERS, &edits)).unwrap_err();
        assert_eq!(message, format!("net.txt{expected}"));
    }
}

#[test]
fn two_tiers_are_one_pod() {
    let text = edited(TWO_TIERS, &[("podsize 32", "podsize 16")]);
    assert_eq!(
        htsim(&text).unwrap_err(),
        "net.txt:3: `Podsize 16` does not fit the rest, which asks for 32 (two tiers are one pod \
         of all nodes)"
    );
    let text = edited(TWO_TIERS, &[("tiers 2", "tiers 3")]);
    assert_eq!(
        htsim(&text).unwrap_err(),
        "net.txt: `Tier` is not set; write e.g. `Tier 2`"
    );
}

#[test]
fn a_network_beyond_all_sizes_is_refused() {
    let text = edited(
        TWO_TIERS,
        &[
            ("nodes 32", "nodes 4294967288"),
            ("podsize 32", "podsize 4294967288"),
            ("radix_down 4", "radix_down 536870911"),
        ],
    );
    assert_eq!(
        htsim(&text).unwrap_err(),
        "net.txt: 4831838201 nodes and 5368709110 links are too many: \
         at most 1048576 and 4194304"
    );
}

#[test]
fn no_hosts_are_refused() {
    let text = edited(THREE_TIERS, &[("Nodes 8", "Nodes 0")]);
    let message = htsim(&text).unwrap_err();
    assert_eq!(
        message,
        "net.txt:2: `Nodes 0` is impossible; write at least 1"
    );
}
