//! Flows that are drawn at random, listed in the scenario, or read from a file.

use std::fmt::Write as _;

use incast_workload::Flow;
use toml::{Table, Value};

use super::Relation;
use super::base::{Base, put};
use super::columns::assert_same_run;

/// The run is the same if the flows that a scenario draws are listed instead.
pub(super) fn flows_listed_in_the_scenario(base: &Base) -> Relation {
    compare(base, |scenario| {
        put(scenario, "traffic", vec![entry(&base.flows)])
    })
}

/// The run is the same if the flows that a scenario lists are in a CSV file instead.
pub(super) fn flows_in_a_file(base: &Base) -> Relation {
    let mut text = "source,destination,size_bytes,start_ps\n".to_owned();
    for flow in &base.flows {
        let (source, destination) = (flow.source.0, flow.destination.0);
        let (size, start) = (flow.size.as_u64(), flow.start.as_ps());
        writeln!(text, "{source},{destination},{size},{start}").expect("a text has room");
    }
    let path = base.folder.path().join("flows.csv");
    std::fs::write(&path, text).expect("the disk has room");
    compare(base, |scenario| {
        let mut entry = Table::new();
        put(&mut entry, "kind", "file");
        put(&mut entry, "format", "csv");
        put(
            &mut entry,
            "file",
            path.to_str().expect("a path of letters"),
        );
        put(scenario, "traffic", vec![entry]);
    })
}

fn compare(base: &Base, change: impl FnOnce(&mut Table)) -> Relation {
    if base.flows.is_empty() {
        return Relation::DoesNotApply;
    }
    let listed = base
        .run_with(change)
        .expect("flows of a network that was accepted");
    assert_same_run(&listed, &base.results);
    Relation::Holds
}

/// A traffic entry that lists flows.
pub(super) fn entry(flows: &[Flow]) -> Table {
    let flows = flows.iter().map(|flow| {
        let mut table = Table::new();
        put(&mut table, "source", i64::from(flow.source.0));
        put(&mut table, "destination", i64::from(flow.destination.0));
        put(&mut table, "size", format!("{}B", flow.size.as_u64()));
        put(&mut table, "start", format!("{}ps", flow.start.as_ps()));
        Value::from(table)
    });
    let mut entry = Table::new();
    put(&mut entry, "kind", "flows");
    put(&mut entry, "flows", flows.collect::<Vec<_>>());
    entry
}
