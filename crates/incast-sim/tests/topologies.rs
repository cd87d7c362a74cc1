//! Whole runs on shapes with more than one way around.

use incast_sim::{Results, Source};

mod support;

const PERMUTATION: &str = r#"
[network]
topology = "star"
[cc]
algorithm = "hpcc"
[[traffic]]
kind = "permutation"
sizes = "100KB"
"#;

fn permutation(topology: &str) -> Results {
    let source = Source::from_text("run.toml", PERMUTATION);
    let spec = support::valid(&source, &[("network.topology", topology)]);
    support::results(&spec.unwrap_or_else(|error| panic!("{error}")))
}

/// A run ends with its conservation check: all payload is delivered, no port is paused.
#[test]
fn permutations_complete() {
    let few_groups = "{ kind = \"dragonfly\", groups = 5, routers_per_group = 3, \
                      hosts_per_router = 1, global_links_per_router = 3, global_delay = \"5us\" }";
    let mesh = "{ kind = \"torus\", dimensions = [4, 3], hosts_per_switch = 2, wrap = false }";
    for (topology, flows) in [
        ("\"dragonfly\"", 72),
        (few_groups, 15),
        ("\"torus\"", 64),
        (mesh, 24),
        ("{ kind = \"torus\", dimensions = [2, 2, 2] }", 8),
    ] {
        let results = permutation(topology);
        assert_eq!(results.summary.flows.finished, flows, "{topology}");
    }
}
