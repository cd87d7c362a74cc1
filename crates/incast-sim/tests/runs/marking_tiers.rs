//! Marking by tier in whole scenarios: which switches mark, and how often.

use std::path::Path;

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::Source;

use crate::support;

/// Three leaves (switches 12 to 14) of four hosts each under two spines (15 and 16). Eleven hosts
/// send to one, so packets wait at every link towards it. Nothing slows the senders, so marks
/// change nothing.
const INCAST: &str = r#"
[network.topology]
kind = "leaf-spine"
leaves = 3
spines = 2
hosts_per_leaf = 4
spine_rate = "100Gbps"

[cc]
algorithm = "none"

[[traffic]]
kind = "incast"
receiver = 0
sizes = "200KB"
"#;

/// The marks of each port, with the port's node.
fn marks(text: &str, per_tier: &str) -> Vec<(u32, u64)> {
    let source = Source {
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"),
        ..Source::from_text("tiers.toml", text)
    };
    let settings = [("network.ecn.per_tier", per_tier)];
    let results = support::results_of(&source, &settings);
    let nodes = results.ports.values::<UInt32Type>("node");
    let marked = results.ports.values::<UInt64Type>("marked");
    nodes.zip(marked).collect()
}

fn marking_nodes(marks: &[(u32, u64)]) -> Vec<u32> {
    let mut nodes: Vec<_> = marks
        .iter()
        .filter_map(|(node, marked)| (*marked > 0).then_some(*node))
        .collect();
    nodes.dedup();
    nodes
}

#[test]
fn each_tier_marks_by_its_own_rule() {
    let (leaf, spine) = (
        "{ tier = \"leaf\", step = \"30KB\" }",
        "{ tier = \"spine\", step = \"5 packets\" }",
    );
    let off = |tier| format!("{{ tier = \"{tier}\", marking = \"off\" }}");
    let leaves = marks(INCAST, &format!("[{leaf}, {}]", off("spine")));
    let spines = marks(INCAST, &format!("[{}, {spine}]", off("leaf")));
    assert_eq!(marking_nodes(&leaves), [12, 13, 14]);
    assert_eq!(marking_nodes(&spines), [15, 16]);
    let both = marks(INCAST, &format!("[{leaf}, {spine}]"));
    let sum = leaves.iter().zip(&spines);
    let sum: Vec<_> = sum
        .map(|(leaf, spine)| (leaf.0, leaf.1 + spine.1))
        .collect();
    assert_eq!(both, sum);
}

/// In the example's file, switches 4 and 5 are called tor0 and tor1, and the two between them short
/// and long; each is a tier of its own. Two hosts behind tor0 share its links at 100 Gb/s.
#[test]
fn tiers_of_a_file_are_the_names_of_its_switches() {
    let text = r#"
[network]
topology = { file = "own-network.graph", format = "graph" }
[network.ecn]
step = "1GB"
[cc]
algorithm = "none"
[[traffic]]
kind = "incast"
senders = "a0,a1,b1"
receiver = "b0"
sizes = "200KB"
"#;
    let tor = marks(text, "[{ tier = \"tor\", step = \"0B\" }]");
    assert_eq!(*marking_nodes(&tor).last().expect("marks"), 5);
    let others = "[{ tier = \"short\", step = \"0B\" }, { tier = \"long\", step = \"0B\" }]";
    assert_eq!(marking_nodes(&marks(text, others)), [0; 0]);
}
