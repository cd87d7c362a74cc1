//! Whole scenarios on the plain path and on the fast path: equal results for every algorithm with
//! its parts, NIC, attack and kind of switch program. A run with traced packets takes the plain
//! path, so these tests also show that tracing changes no result.

use arrow_array::types::UInt64Type;
use incast_cc::AlgorithmConfig;
use incast_sim::{Results, Source, ValidSpec};

use crate::support;

/// Two racks of four hosts with an incast of two rounds, long flows across the spine, and flows of
/// all sizes.
const RACKS: &str = r#"
[network]
buffer = { size = "600KB" }
ack_every = 1

[network.topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
spine_rate = "100Gbps"

[cc]
algorithm = "none"

[[traffic]]
kind = "incast"
receiver = 0
sizes = "40KB"

[[traffic]]
kind = "permutation"
tenant = "bulk"
sizes = "60KB"

[[traffic]]
kind = "poisson"
sizes = "fb-hadoop"
load = 0.3
duration = "20us"
"#;

const RING: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }

[cc]
algorithm = "none"

[[traffic]]
kind = "all-reduce"
data = "80KB"
"#;

fn valid(text: &str, settings: &[(&str, &str)]) -> Result<ValidSpec, String> {
    support::valid(&Source::from_text("paths.toml", text), settings)
}

fn results(text: &str, settings: &[(&str, &str)]) -> Results {
    support::results_of(&Source::from_text("paths.toml", text), settings)
}

/// Runs the scenario on both paths, compares their results, and returns one of them.
fn both_paths(text: &str, settings: &[(&str, &str)]) -> Results {
    let fast = results(text, settings);
    let plain = results(text, &[settings, &[("measure.packets", "true")]].concat());
    assert!(plain.packets.is_some() && fast.packets.is_none());
    let tables = |results: &Results| {
        let optional = [&results.messages, &results.collectives];
        let optional = optional.map(|table| table.as_ref().map(|table| table.batches().to_vec()));
        let tables = [&results.flows, &results.ports].map(|table| table.batches().to_vec());
        (tables, optional, results.summary.fingerprint)
    };
    assert!(tables(&plain) == tables(&fast), "{settings:?}");
    fast
}

/// The names of every algorithm alone, with each of its parts, and with all of them.
fn algorithms() -> Vec<String> {
    let mut names = Vec::new();
    for info in AlgorithmConfig::built_in() {
        names.push(info.name.to_owned());
        let parts = AlgorithmConfig::parts_of(info.name).iter();
        let parts: Vec<_> = parts.map(|part| part.name()).collect();
        names.extend(parts.iter().map(|part| format!("{}+{part}", info.name)));
        if parts.len() > 1 {
            names.push(format!("{}+{}", info.name, parts.join("+")));
        }
    }
    names
}

#[test]
fn every_algorithm_with_pauses_and_with_drops() {
    let (mut pauses, mut drops) = (0, 0);
    for algorithm in algorithms() {
        for (flow_control, limit) in [
            ("pfc", ("network.pfc.threshold", "20KB")),
            ("none", ("network.drop.queue_limit", "40KB")),
        ] {
            let settings = [
                ("cc.algorithm", algorithm.as_str()),
                ("network.flow_control", flow_control),
                limit,
            ];
            if let Err(refused) = valid(RACKS, &settings) {
                let for_losses = refused.contains("flow_control = \"pfc\"");
                assert!(for_losses, "{settings:?}: {refused}");
                continue;
            }
            let summary = both_paths(RACKS, &settings).summary;
            assert_eq!(summary.flows.started, summary.flows.finished);
            pauses += summary.pfc.pauses;
            drops += summary.packets.dropped;
        }
    }
    assert!(
        pauses > 100 && drops > 100,
        "{pauses} pauses, {drops} drops"
    );
}

#[test]
fn every_algorithm_on_every_nic() {
    let mut runs = 0;
    for algorithm in algorithms() {
        for enforcement in ["per-qp", "per-destination", "per-pair", "per-source"] {
            for qps in ["per-flow", "persistent"] {
                let settings = [
                    ("cc.algorithm", algorithm.as_str()),
                    ("nic.enforcement", enforcement),
                    ("nic.qps", qps),
                ];
                match valid(RACKS, &settings) {
                    Ok(_) => runs += usize::from(both_paths(RACKS, &settings).flows.rows() > 0),
                    Err(refused) => assert!(refused.contains("cannot serve"), "{refused}"),
                }
            }
        }
    }
    assert!(runs > 100, "{runs} runs");
}

#[test]
fn every_attack() {
    for kind in ["none", "parallel", "staggered", "shuffled"] {
        for algorithm in ["none", "hpcc", "dcqcn", "s-perc", "s-perc+1rc+weights"] {
            let settings = [
                ("cc.algorithm", algorithm),
                ("attack.kind", kind),
                ("attack.piece", "20KB"),
                ("attack.attackers.tenant", "bulk"),
            ];
            let messages = both_paths(RACKS, &settings).messages;
            assert!(messages.is_some_and(|table| table.rows() > 0));
        }
    }
}

#[test]
fn collectives_of_every_algorithm() {
    for algorithm in algorithms() {
        let settings = [("cc.algorithm", algorithm.as_str())];
        let collectives = both_paths(RING, &settings).collectives;
        assert!(collectives.is_some_and(|table| table.rows() > 0));
    }
}

/// Each option of the model and signals on its own, under an algorithm that reads INT and one that
/// reacts to CNPs.
#[test]
fn options_of_the_network() {
    for algorithm in ["hpcc", "dcqcn", "swift", "fncc", "lgc"] {
        for option in [
            ("network.model.clock", "nanoseconds"),
            ("network.model.ties", "hash"),
            ("network.ack_every", "3"),
            (
                "network.ecn",
                "{ at = \"enqueue\", k_min = \"5KB\", k_max = \"20KB\", p_max = 0.5 }",
            ),
            (
                "network.ecn.per_tier",
                "[{ tier = \"leaf\", step = \"5KB\" }, { tier = \"spine\", at = \"enqueue\", \
                 k_min = \"2 packets\", k_max = \"20KB\", p_max = 0.5 }]",
            ),
            ("network.model.int_format", "exact"),
            ("network.model.ack_class", "data"),
            ("network.timestamps", "true"),
            ("network.recovery.kind", "selective"),
            ("network.pfc.threshold", "20KB"),
            ("network.routing", "spanning-trees"),
            ("measure.round_trips", "true"),
        ] {
            let settings = [("cc.algorithm", algorithm), option];
            match valid(RACKS, &settings) {
                Ok(_) => _ = both_paths(RACKS, &settings),
                Err(refused) => assert!(option.0 == "network.ack_every", "{refused}"),
            }
        }
    }
}

/// One port of the switch sends data and ACKs, and its INT on ACKs counts the part of a packet that
/// has already left. With a clock of whole ns, an ACK that waits is not counted by its transmission
/// time. The INT table is live or refreshed.
#[test]
fn int_on_acks_of_a_port_that_sends_acks_too() {
    let text = r#"
[network]
topology = { kind = "star", hosts = 3 }
[cc]
algorithm = "fncc"
[[traffic]]
kind = "flows"
flows = [
    { source = 0, destination = 2, size = "300KB" },
    { source = 2, destination = 1, size = "300KB" },
]
"#;
    let times = |settings: &[(&str, &str)]| {
        let flows = both_paths(text, settings).flows;
        flows.values::<UInt64Type>("fct_ps").collect::<Vec<_>>()
    };
    let coarse = ("network.model.clock", "nanoseconds");
    assert_eq!(times(&[coarse]), [30_850_000, 32_186_000]);
    for format in ["{ multiplier = 4 }", "exact"] {
        for period in ["300ns", "1us"] {
            let settings = [
                ("network.model.int_format", format),
                ("network.int_table_period", period),
            ];
            times(&settings);
            times(&[&settings[..], &[coarse]].concat());
        }
    }
}
