//! Several algorithms in one network. Flows that do not meet do the same as alone, and results name
//! the algorithm of each flow.

use std::num::NonZeroUsize;

use arrow_array::Array as _;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use incast_sim::{Partitioning, Results, Source, Threads, ValidSpec, run_on};

use crate::support;

/// Two pairs of senders, each with a receiver of its own, so the pairs never meet. INT, timestamps
/// and marking are on for every algorithm, so packets have one size.
const PAIRS: &str = r#"
[network]
topology = { kind = "star", hosts = 6 }
timestamps = true
ecn = { k_min = "20KB", k_max = "80KB", p_max = 0.5 }
"#;

const ONE: &str = r#"
[[traffic]]
kind = "incast"
senders = "0-1"
receiver = 2
sizes = "300KB"
stagger = { group = 1, every = "3us" }
"#;

const OTHER: &str = r#"
[[traffic]]
kind = "incast"
senders = "3-4"
receiver = 5
sizes = "300KB"
stagger = { group = 1, every = "7us" }
"#;

fn valid(text: &str, settings: &[(&str, &str)]) -> Result<ValidSpec, String> {
    support::valid(&Source::from_text("mixed.toml", text), settings)
}

fn results(text: &str, settings: &[(&str, &str)]) -> Results {
    support::results_of(&Source::from_text("mixed.toml", text), settings)
}

/// The source and the FCT of each flow; each host sends one flow.
fn completion_times(results: &Results) -> Vec<(u64, u64)> {
    let column = |name: &str| -> Vec<u64> {
        let batches = results.flows.batches().iter();
        let values = batches.flat_map(|rows| {
            let values = rows.column_by_name(name).expect("a column");
            match values.as_primitive_opt::<UInt64Type>() {
                Some(values) => values.values().to_vec(),
                None => {
                    let values = values.as_primitive::<arrow_array::types::UInt32Type>();
                    values.values().iter().map(|&value| value.into()).collect()
                }
            }
        });
        values.collect()
    };
    let mut times: Vec<_> = column("source").into_iter().zip(column("fct_ps")).collect();
    times.sort_unstable();
    times
}

/// `[cc]` with this algorithm, or with one of its parameter sets (`name:set`).
fn cc(name: &str) -> String {
    match name.split_once(':') {
        Some((name, set)) => {
            format!("[cc]\nalgorithm = \"{name}\"\nparameters = \"{set}\"\n")
        }
        None => format!("[cc]\nalgorithm = \"{name}\"\n"),
    }
}

/// Compares every pair of these algorithms with each of them alone, to the picosecond.
fn each_does_what_it_does_alone(names: &[&str], int: &str) {
    let alone = |name: &str, traffic: &str| {
        let cc = cc(name);
        let text = format!("{PAIRS}int = \"{int}\"\n{cc}{traffic}");
        completion_times(&results(&text, &[]))
    };
    let alone: Vec<_> = names
        .iter()
        .map(|name| (alone(name, ONE), alone(name, OTHER)))
        .collect();
    for (one, (first, _)) in names.iter().zip(&alone) {
        for (other, (_, second)) in names.iter().zip(&alone) {
            let (cc, own) = (cc(one), format!("cc = \"{other}\"\n"));
            let text = format!("{PAIRS}int = \"{int}\"\n{cc}{ONE}{OTHER}{own}");
            let both = completion_times(&results(&text, &[]));
            let expected = [first.clone(), second.clone()].concat();
            assert_eq!(both, expected, "{one} beside {other}");
        }
    }
}

/// The algorithms cover all signals: INT, marks and CNPs, marks alone, round trips, none.
#[test]
fn algorithms_that_do_not_meet_do_what_they_do_alone() {
    let names = [
        "hpcc",
        "hpcc+vai+sf",
        "hpcc++",
        "powertcp",
        "dcqcn",
        "dcqcn:connectx",
        "dctcp",
        "ecn-tcp",
        "lgc",
        "swift",
        "timely",
        "theta-powertcp",
        "none",
    ];
    each_does_what_it_does_alone(&names, "data");
}

#[test]
fn the_same_with_int_on_acks() {
    each_does_what_it_does_alone(&["fncc", "dcqcn:connectx", "swift", "dctcp"], "acks");
}

/// Two racks with flows under three algorithms that meet, and flows without congestion control.
const RACKS: &str = r#"
[network]
ecn = { k_min = "20KB", k_max = "80KB", p_max = 0.5 }
buffer = { size = "900KB" }

[network.topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
spine_rate = "100Gbps"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
receiver = 0
sizes = "200KB"

[[traffic]]
kind = "permutation"
sizes = "300KB"
cc = "dcqcn:connectx"

[[traffic]]
kind = "poisson"
name = "kernel"
sizes = "fb-hadoop"
load = 0.3
duration = "20us"
cc = { algorithm = "swift", parameters = "fairness", beta = 0.7 }

[[traffic]]
kind = "poisson"
name = "storage"
sizes = "20KB"
load = 0.1
duration = "20us"
controlled = false
"#;

fn on(spec: &ValidSpec, count: usize, seed: u64) -> Results {
    let threads = Threads {
        count: NonZeroUsize::new(count).expect("some threads"),
        partitioning: Partitioning::Random(seed),
    };
    run_on(spec, threads, &mut ()).unwrap_or_else(|error| panic!("{error}"))
}

/// For each kind of NIC, one thread and several agree, and so do the fast path and the plain path,
/// which traced runs take.
#[test]
fn threads_and_paths_agree() {
    let nics = [
        "{}",
        "{ qps = \"persistent\" }",
        "{ enforcement = \"per-destination\" }",
        "{ enforcement = \"per-pair\" }",
    ];
    for nic in nics {
        let spec = valid(RACKS, &[("nic", nic)]).unwrap_or_else(|error| panic!("{error}"));
        let alone = support::results(&spec);
        for count in [2, 3] {
            let divided = on(&spec, count, count as u64);
            assert_eq!(
                divided.summary.fingerprint, alone.summary.fingerprint,
                "{nic}"
            );
            assert_eq!(divided.flows.batches(), alone.flows.batches(), "{nic}");
        }
        let traced = [("nic", nic), ("measure.packets", "{ ports = \"all\" }")];
        let plain = results(RACKS, &traced);
        assert_eq!(
            plain.summary.fingerprint, alone.summary.fingerprint,
            "{nic}"
        );
    }
}

/// The scenario in a results folder, with every default filled in, gives the same run.
#[test]
fn the_scenario_of_results_gives_the_same_run() {
    let first = results(RACKS, &[]);
    let again = results(&first.scenario, &[("run.name", "\"mixed\"")]);
    assert_eq!(again.summary.fingerprint, first.summary.fingerprint);
    assert_eq!(
        again.summary.scenario.identity,
        first.summary.scenario.identity
    );
}

#[test]
fn results_say_which_flow_has_which_algorithm() {
    let mixed = results(RACKS, &[]);
    assert_eq!(mixed.summary.scenario.algorithm, "hpcc, dcqcn, swift");
    let told = mixed.summary.traffic.iter();
    let told: Vec<_> = told
        .map(|party| (party.name.as_str(), party.algorithm.as_deref()))
        .collect();
    let expected = [
        ("incast", Some("hpcc")),
        ("permutation", Some("dcqcn")),
        ("kernel", Some("swift")),
        ("storage", Some("none")),
    ];
    assert_eq!(told, expected);
    let mut seen = 0;
    for rows in mixed.flows.batches() {
        let names = rows
            .column_by_name("cc")
            .expect("a column")
            .as_string::<i32>();
        let entries = rows.column_by_name("traffic_name").expect("a column");
        let entries = entries.as_string::<i32>();
        for row in 0..rows.num_rows() {
            let entry = expected.iter().find(|entry| entry.0 == entries.value(row));
            assert_eq!(entry.expect("an entry").1, Some(names.value(row)));
        }
        seen += names.len();
    }
    assert!(seen > 15, "{seen} flows");
    let plain = results(RACKS, &[("traffic.1.cc", "hpcc"), ("traffic.2.cc", "hpcc")]);
    assert_eq!(plain.summary.scenario.algorithm, "hpcc");
    assert!(plain.flows.schema().column_with_name("cc").is_none());
    assert!(
        plain
            .summary
            .traffic
            .iter()
            .all(|party| party.algorithm.is_none())
    );
}

/// An entry with the algorithm of `[cc]` changes nothing but the text.
#[test]
fn an_entry_may_name_the_algorithm_that_it_has() {
    let text = format!("{PAIRS}[cc]\nalgorithm = \"hpcc\"\n{ONE}{OTHER}");
    let plain = results(&text, &[]);
    let named = results(&text, &[("traffic.1.cc", "hpcc:fairness")]);
    assert_eq!(plain.summary.fingerprint, named.summary.fingerprint);
    let spec = valid(&text, &[("traffic.1.cc", "hpcc:artifact")]).expect("two sets of one");
    assert_eq!(spec.algorithm_name(), "hpcc");
    assert_ne!(
        support::results(&spec).summary.fingerprint,
        plain.summary.fingerprint
    );
}
