//! Results with rows of some flows: the run is the same, on any number of threads.

use std::num::NonZeroUsize;

use incast_sim::{Results, RowsOfAll, Source, Threads, run_keeping, run_on};

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

fn source() -> Source {
    Source::from_text("scenario.toml", COLLECTIVE_AND_POISSON)
}

/// The summary without what differs from run to run, and without `flow_rows`.
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

/// Only where the scenario leaves it open.
#[test]
fn rows_that_do_not_fit_are_those_of_the_slowest() {
    let kept = |settings: &[(&str, &str)]| {
        let spec = support::valid(&source(), settings).expect("a scenario");
        let results = run_keeping(&spec, RowsOfAll::DoNotFit, Threads::ONE, &mut ());
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

/// To write `auto` is to leave the key out.
#[test]
fn auto_is_the_scenario_without_the_key() {
    let identity = |settings: &[(&str, &str)]| {
        let spec = support::valid(&source(), settings).expect("a scenario");
        spec.identity().expect("an identity").to_string()
    };
    assert_eq!(identity(&[("measure.flows.rows", "auto")]), identity(&[]));
    assert_ne!(identity(&[("measure.flows.rows", "none")]), identity(&[]));
}
