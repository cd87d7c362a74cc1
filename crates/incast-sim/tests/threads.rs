//! Whole scenarios on one thread and on several: equal fingerprints, equal tables.

use std::num::NonZeroUsize;
use std::path::Path;

use incast_sim::{
    Partitioning, Results, SingleThreadedBecause, Source, Threads, ValidSpec, run_on,
};

mod support;

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

/// All but what the run took.
fn same(one: &Results, other: &Results) -> bool {
    one.summary.fingerprint == other.summary.fingerprint
        && one.flows.batches() == other.flows.batches()
        && one.series.batches() == other.series.batches()
        && one.ports.batches() == other.ports.batches()
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

/// Enough work to be divided: it takes as many threads as it may have, and says so.
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
