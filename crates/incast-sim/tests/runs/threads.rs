//! Whole scenarios on one thread and on several: equal fingerprints, equal tables.

use std::num::NonZeroUsize;
use std::path::Path;

use incast_sim::{
    Partitioning, Results, SingleThreadedBecause, Source, Table, Threads, ValidSpec, run_on,
};

use crate::support;

/// A scenario file of this repository with some settings replaced.
fn scenario(file: &str, settings: &[(&str, &str)]) -> ValidSpec {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = Source::from_file(&repository.join(file)).unwrap();
    support::valid(&source, settings).unwrap_or_else(|error| panic!("{error}"))
}

fn threads(count: usize, partitioning: Partitioning) -> Threads {
    let count = NonZeroUsize::new(count).expect("some threads");
    Threads {
        count,
        partitioning,
    }
}

fn on(spec: &ValidSpec, threads: Threads) -> Results {
    run_on(spec, threads, &mut ()).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether all results are equal but the run's cost.
fn same(one: &Results, other: &Results) -> bool {
    one.summary.fingerprint == other.summary.fingerprint
        && one.flows.batches() == other.flows.batches()
        && one.series.batches() == other.series.batches()
        && one.ports.batches() == other.ports.batches()
        && one.messages.as_ref().map(Table::batches) == other.messages.as_ref().map(Table::batches)
}

fn any_threads_give_the_same(spec: &ValidSpec) {
    let alone = support::results(spec);
    assert_eq!(alone.summary.effort.threads, 1);
    for count in [1, 2, 3, 8] {
        let random = on(spec, threads(count, Partitioning::Random(count as u64)));
        assert!(same(&random, &alone), "{count} threads, at random");
    }
    for count in [2, 8] {
        let measured = on(spec, threads(count, Partitioning::Measured));
        assert!(same(&measured, &alone), "{count} threads, by work");
    }
}

#[test]
fn a_star() {
    any_threads_give_the_same(&scenario("python/incast/scenarios/star16.toml", &[]));
}

#[test]
fn a_fat_tree_of_hpcc_with_samples() {
    let settings = [
        ("traffic.0.duration", "\"40us\""),
        ("measure.queues", "{ ports = \"all\", every = \"2us\" }"),
        ("measure.flows", "{ which = \"all\", every = \"5us\" }"),
    ];
    any_threads_give_the_same(&scenario("benches/clos-320-short.toml", &settings));
}

#[test]
fn a_fat_tree_of_dcqcn() {
    let settings = [("traffic.0.duration", "\"40us\"")];
    any_threads_give_the_same(&scenario("benches/clos-320-dcqcn.toml", &settings));
}

/// A run with enough work uses all threads that it may use, and reports their number.
#[test]
fn work_is_divided_when_there_is_enough() {
    let settings = [("traffic.0.duration", "\"20us\"")];
    let spec = scenario("benches/clos-320-short.toml", &settings);
    let two = on(&spec, threads(2, Partitioning::Measured));
    assert_eq!(two.summary.effort.threads, 2);
}

#[test]
fn some_scenarios_have_one_thread() {
    let star = "python/incast/scenarios/star16.toml";
    assert_eq!(scenario(star, &[]).single_threaded_because(), None);
    let serial = scenario(star, &[("network.profile", "\"hpcc-ns3\"")]);
    assert_eq!(
        serial.single_threaded_because(),
        Some(SingleThreadedBecause::OneQueue)
    );
    let traced = scenario(star, &[("measure.packets", "{ ports = \"all\" }")]);
    let reason = traced
        .single_threaded_because()
        .expect("a reason")
        .to_string();
    assert_eq!(reason, "it traces packets");
    let results = on(&traced, threads(4, Partitioning::Measured));
    assert_eq!(results.summary.effort.threads, 1);
}

/// Messages come in pieces. Some pieces are read before earlier ones have started, and some are
/// unfinished at the end.
#[test]
fn an_attack_cut_short() {
    let text = r#"
[network]
topology = { kind = "leaf-spine", hosts_per_leaf = 4, leaves = 2, spines = 2 }
[run]
stop = "120us"
[cc]
algorithm = "dcqcn"
[attack]
kind = "staggered"
piece = "10KB"
spacing = "2us"
attackers = { larger_than = "30KB" }
[[traffic]]
kind = "poisson"
sizes = "web-search"
load = 0.8
duration = "150us"
"#;
    let spec = support::valid(&Source::from_text("attack.toml", text), &[]).expect("a scenario");
    let results = support::results(&spec);
    let counts = results.summary.flows;
    assert!(
        counts.finished > 20 && counts.finished < counts.started,
        "{counts:?}"
    );
    assert!(results.messages.is_some_and(|messages| messages.rows() > 3));
    any_threads_give_the_same(&spec);
}

/// 4,320 flows of one byte all start in the first 60 ns. More flows complete together than a buffer
/// holds.
#[test]
fn many_flows_complete_together() {
    let text = r#"
[network]
topology = { kind = "star", hosts = 9 }
[cc]
algorithm = "hpcc"
[[traffic]]
kind = "all-to-all"
sizes = "1B"
rounds = { count = 60, every = "1ns" }
"#;
    let spec = support::valid(&Source::from_text("bytes.toml", text), &[]).expect("a scenario");
    assert_eq!(support::results(&spec).summary.flows.finished, 4_320);
    any_threads_give_the_same(&spec);
}
