//! Whole runs on topologies with more than one path.

use arrow_array::types::Float64Type;
use incast_sim::{Results, Source};

use crate::support;

const PERMUTATION: &str = r#"
[network]
topology = "star"
[cc]
algorithm = "hpcc"
[[traffic]]
kind = "permutation"
sizes = "100KB"
"#;

fn results(scenario: &str, setting: (&str, &str)) -> Results {
    let source = Source::from_text("run.toml", scenario);
    support::results_of(&source, &[setting])
}

/// Each run ends with its conservation check: all payload is delivered, and no port is paused.
#[test]
fn permutations_complete() {
    let few_groups = "{ kind = \"dragonfly\", groups = 5, routers_per_group = 3, \
                      hosts_per_router = 1, global_links_per_router = 3, global_delay = \"5us\" }";
    let mesh = "{ kind = \"torus\", dimensions = [4, 3], hosts_per_switch = 2, wrap = false }";
    let rails = "{ kind = \"rail-optimised\", units = 3, nodes_per_unit = 2, rails = 4, \
                 spines = 2, oversubscription = \"2:1\" }";
    for (topology, flows) in [
        ("\"dragonfly\"", 72),
        (few_groups, 15),
        ("\"torus\"", 64),
        (mesh, 24),
        ("{ kind = \"torus\", dimensions = [2, 2, 2] }", 8),
        ("\"rail-optimised\"", 128),
        (rails, 24),
    ] {
        let results = results(PERMUTATION, ("network.topology", topology));
        assert_eq!(results.summary.flows.finished, flows, "{topology}");
    }
}

/// Above 1,024 hosts, routes of switches have entries for edge switches only. Flows of one packet,
/// which mostly meet no others, reach their hosts by a shortest path. In a mesh each switch has
/// hosts.
#[test]
fn flows_find_their_hosts_in_large_networks() {
    const ALONE: &str = r#"
[network]
topology = "star"
[cc]
algorithm = "none"
[[traffic]]
kind = "poisson"
sizes = "500B"
load = 1e-6
duration = "60ms"
"#;
    let mesh = "{ kind = \"torus\", dimensions = [6, 7], hosts_per_switch = 30, wrap = false }";
    for topology in ["{ kind = \"fat-tree\", k = 18 }", mesh] {
        let results = results(ALONE, ("network.topology", topology));
        let slowdowns = results.flows.values::<Float64Type>("slowdown");
        let alone = slowdowns.filter(|slowdown| *slowdown == 1.0).count();
        let finished = results.summary.flows.finished as usize;
        assert!(
            finished > 1_500 && alone > finished * 99 / 100,
            "{alone} of {finished}"
        );
    }
}

/// Shortest paths of a dragonfly form cycles of links. All-to-all traffic fills the buffers along a
/// cycle under any algorithm. Where packets are dropped instead, all flows complete.
#[test]
fn a_dragonfly_may_deadlock_and_tells() {
    let all_to_all = PERMUTATION
        .replace("\"star\"", "\"dragonfly\"\nbuffer = { size = \"400KB\" }")
        .replace("permutation", "all-to-all")
        .replace("100KB", "20KB");
    for algorithm in ["none", "hpcc"] {
        let stuck = results(&all_to_all, ("cc.algorithm", algorithm));
        let stall = stuck.summary.stall.expect("a deadlock");
        assert_eq!(stall.kind, "deadlock", "{algorithm}");
        assert!(stall.ended_run, "{algorithm}");
    }
    let dropping = results(&all_to_all, ("network.flow_control", "none"));
    assert_eq!(dropping.summary.flows.finished, 72 * 71);
}

/// Messages about oversubscription that the uplinks of a leaf cannot have.
#[test]
fn impossible_oversubscription_is_told_with_its_key() {
    let message = |topology: &str| {
        let source = Source::from_text("run.toml", PERMUTATION);
        let spec = support::valid(&source, &[("network.topology", topology)]);
        spec.err().unwrap_or_default()
    };
    for (keys, expected) in [
        (
            "oversubscription = 3",
            "`3` is a number; write text in quotes",
        ),
        (
            "oversubscription = \"3\"",
            "`3` is no ratio; write capacity down to capacity up, e.g. `2:1`",
        ),
        (
            "oversubscription = \"1:1\", spine_rate = \"100Gbps\"",
            "`oversubscription` and `spine_rate` are both given; leave one of them out: each \
             decides the other",
        ),
    ] {
        let found = message(&format!("{{ kind = \"leaf-spine\", {keys} }}"));
        assert!(found.ends_with(expected), "{found}");
    }
}
