//! Results with rows of some flows only: the run itself is the same, on any number of threads.

use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use incast_sim::{Results, RoomForRows, RowsOfAll, Source, Table, Threads, run_keeping, run_on};
use proptest::prelude::*;
use tempfile::tempdir;

use crate::support;

const COLLECTIVE_AND_POISSON: &str = "
[network]
topology = { kind = \"leaf-spine\", leaves = 4, spines = 2, hosts_per_leaf = 4 }
[cc]
algorithm = \"hpcc\"
[[traffic]]
kind = \"collective\"
operation = \"all-reduce\"
data = \"64KiB\"
hosts = \"0-7\"
[[traffic]]
kind = \"poisson\"
sizes = \"web-search\"
load = 0.3
duration = \"200us\"
";

const SPRAYED_INCAST: &str = "
[network]
topology = { kind = \"leaf-spine\", leaves = 4, spines = 4, hosts_per_leaf = 4 }
flow_control = \"none\"
balance = { kind = \"random\" }
drop = { trimming = {} }
[cc]
algorithm = \"nscc\"
[measure]
entropies = true
fair_share = \"all\"
[[traffic]]
kind = \"incast\"
receiver = 0
senders = \"4-15\"
sizes = \"40KB\"
rounds = { count = 12, every = \"5us\" }
";

fn source() -> Source {
    Source::from_text("scenario.toml", COLLECTIVE_AND_POISSON)
}

/// The summary without the keys that differ between equal runs, and without `flow_rows`.
fn figures(results: &Results) -> serde_json::Value {
    let mut summary: serde_json::Value =
        serde_json::from_str(&results.summary.to_json()).expect("JSON");
    let all = summary.as_object_mut().expect("keys");
    for own in [
        "wall_seconds",
        "cpu_seconds",
        "threads",
        "packet_hops_per_cpu_second",
    ] {
        all.remove(own);
    }
    summary
}

#[test]
fn rows_do_not_change_a_run() {
    let all = support::results_of(&source(), &[]);
    assert_eq!(all.summary.flow_rows, None);
    for (rows, kept) in [
        ("none", 0),
        ("slowest 7", 7),
        ("slowest 100000", all.flows.rows()),
    ] {
        let found = support::results_of(&source(), &[("measure.flows.rows", rows)]);
        assert_eq!(found.summary.fingerprint, all.summary.fingerprint, "{rows}");
        assert_eq!(found.flows.rows(), kept, "{rows}");
        assert_eq!(found.flows.schema(), all.flows.schema(), "{rows}");
        let tables = |results: &Results| {
            [&results.collectives, &results.ranks, &results.critical_path]
                .map(|table| table.as_ref().expect("a collective").batches().to_vec())
        };
        assert_eq!(tables(&found), tables(&all), "{rows}");
    }
}

#[test]
fn threads_do_not_change_statistics_of_rows_that_were_not_kept() {
    for rows in ["none", "slowest 7", "sample 20 %"] {
        let spec = support::valid(&source(), &[("measure.flows.rows", rows)]).expect(rows);
        let alone = support::results(&spec);
        for count in [2, 3] {
            let threads = Threads::new(NonZeroUsize::new(count).expect("some threads"));
            let found = run_on(&spec, threads, &mut ()).expect(rows);
            assert_eq!(figures(&found), figures(&alone), "{rows}, {count} threads");
            assert_eq!(found.flows.batches(), alone.flows.batches(), "{rows}");
        }
    }
}

/// The slowest flows keep their rows only if the scenario says `auto` or nothing.
#[test]
fn rows_that_do_not_fit_are_those_of_the_slowest() {
    let kept = |settings: &[(&str, &str)]| {
        let spec = support::valid(&source(), settings).expect("a scenario");
        let room = RoomForRows {
            of_all: RowsOfAll::DoNotFit,
            ..RoomForRows::default()
        };
        let results = run_keeping(&spec, room, Threads::ONE, &mut ());
        let rows = results.expect("a run").summary.flow_rows;
        rows.map(|rows| (rows.of, rows.for_memory))
    };
    assert_eq!(kept(&[]), Some(("slowest 10000".to_owned(), true)));
    assert_eq!(
        kept(&[("measure.flows.rows", "auto")]),
        Some(("slowest 10000".to_owned(), true))
    );
    assert_eq!(kept(&[("measure.flows.rows", "all")]), None);
    assert_eq!(
        kept(&[("measure.flows.rows", "none")]),
        Some(("none".to_owned(), false))
    );
}

/// A scenario with `auto` has the identity of a scenario without the key.
#[test]
fn auto_is_the_scenario_without_the_key() {
    let identity = |settings: &[(&str, &str)]| {
        let spec = support::valid(&source(), settings).expect("a scenario");
        spec.identity().expect("an identity").to_string()
    };
    assert_eq!(identity(&[("measure.flows.rows", "auto")]), identity(&[]));
    assert_ne!(identity(&[("measure.flows.rows", "none")]), identity(&[]));
}

fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).expect("some threads"))
}

/// The rows of a table one by one, whatever the sizes of its batches.
fn rows(table: &Table) -> Vec<RecordBatch> {
    let batches = table.batches().iter();
    let rows = batches.flat_map(|rows| (0..rows.num_rows()).map(|row| rows.slice(row, 1)));
    rows.collect()
}

/// Compares a run with all rows in memory to a run that moves rows to disk.
fn check_rows_on_disk(
    source: &Source,
    settings: &[(&str, &str)],
    in_memory: usize,
    threads: Threads,
) {
    let spec = support::valid(source, settings).expect("a scenario");
    let expected = support::results(&spec);
    let place = tempdir().expect("a folder");
    let room = RoomForRows {
        folder: Some(place.path()),
        in_memory,
        ..RoomForRows::default()
    };
    let found = run_keeping(&spec, room, threads, &mut ()).expect("a run");
    assert_eq!(figures(&found), figures(&expected));
    let has_left = found.flows.rows() == 0 && expected.flows.rows() > 0;
    let completed = expected
        .summary
        .flow_rows
        .as_ref()
        .map(|rows| rows.completed);
    let completed = completed.unwrap_or(expected.summary.flows.finished);
    assert_eq!(has_left, completed >= in_memory as u64, "{completed} rows");
    assert_eq!(found.flows.schema(), expected.flows.schema());
    let read = found.read_flows().expect("read");
    assert_eq!(read.schema().fields(), expected.flows.schema().fields());
    assert_eq!(rows(&read), rows(&expected.flows));
    assert_eq!(place.path().read_dir().expect("a folder").count(), 0);
    let stored = place.path().join("results");
    found.write(&stored).expect("written");
    let stored = Table::read_parquet(&stored.join("flows.parquet")).expect("read");
    assert_eq!(rows(&stored), rows(&expected.flows));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Runs that complete, or that stop with unfinished flows.
    #[test]
    fn rows_that_leave_memory_are_those_that_stay(
        in_memory in prop_oneof![1_usize..20, 20_usize..400],
        stop_us in 5_u64..400,
        count in prop_oneof![Just(1_usize), Just(3)],
        kept in prop_oneof![Just("all"), Just("slowest 50"), Just("sample 40 %")],
    ) {
        let stop = format!("{stop_us}us");
        let settings = [("run.stop", stop.as_str()), ("measure.flows.rows", kept)];
        check_rows_on_disk(&source(), &settings, in_memory, threads(count));
    }
}

/// Some columns are known only at the end of the run, after rows have left memory.
#[test]
fn rows_that_left_memory_have_late_columns() {
    for settings in [
        &[
            ("measure.breakdown", "true"),
            ("measure.packet_latency", "true"),
        ][..],
        &[("measure.breakdown", "true"), ("run.stop", "60us")],
        &[
            ("traffic.0.name", "ring"),
            ("traffic.1.name", "load"),
            ("traffic.1.tenant", "one"),
        ],
    ] {
        check_rows_on_disk(&source(), settings, 64, threads(2));
    }
    let sprayed = Source::from_text("sprayed.toml", SPRAYED_INCAST);
    for settings in [&[][..], &[("run.stop", "50us")]] {
        check_rows_on_disk(&sprayed, settings, 20, Threads::ONE);
    }
}

#[test]
fn where_no_file_can_be_made_rows_stay_in_memory() {
    let spec = support::valid(&source(), &[]).expect("a scenario");
    let place = tempdir().expect("a folder");
    let missing = place.path().join("missing");
    let room = RoomForRows {
        folder: Some(&missing),
        in_memory: 10,
        ..RoomForRows::default()
    };
    let results = run_keeping(&spec, room, Threads::ONE, &mut ()).expect("a run");
    assert_eq!(rows(&results.flows), rows(&support::results(&spec).flows));
}

/// More flows complete than `measure.rows` (1000): about twice as many small flows.
#[test]
fn statistics_of_more_flows_than_rows_that_are_loaded_are_in_bins() {
    let more = [("traffic.1.sizes", "2KB"), ("traffic.1.duration", "100us")];
    let of = |settings: &[(&str, &str)]| support::results_of(&source(), settings);
    let all = of(&more);
    assert_eq!(all.summary.flow_rows, None);
    let bounded = of(&[more[0], more[1], ("measure.rows", "1000")]);
    let told = bounded
        .summary
        .flow_rows
        .clone()
        .expect("more than 1000 flows");
    let finished = all.summary.flows.finished;
    assert!(finished > 1000, "{finished}");
    assert_eq!((told.of.as_str(), told.completed), ("all", finished));
    assert_eq!(bounded.flows.batches(), all.flows.batches());
    let [exact, binned] = [&all, &bounded].map(|each| &each.summary.fct_slowdown.all);
    assert_eq!((exact.count, exact.max), (binned.count, binned.max));
    let (exact, binned) = (exact.p50.expect("flows"), binned.p50.expect("flows"));
    assert!(exact < binned && binned <= exact * (1.0 + told.percentiles_within));
    let correlation = |results: &Results| results.summary.start_finish_correlation;
    assert_eq!(correlation(&all), correlation(&bounded));
    // With exactly as many flows as the limit, each value is kept.
    let limit = finished.to_string();
    let at_limit = of(&[more[0], more[1], ("measure.rows", &limit)]);
    assert_eq!(at_limit.summary.flow_rows, None);
}
