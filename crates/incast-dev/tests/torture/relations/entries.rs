//! Division of the traffic into entries, and options of entries.

use toml::Value;

use super::Relation;
use super::base::{Base, put};
use super::columns::{TextColumns, assert_same_flows, assert_same_run};
use super::listed::entry;

/// An entry of flows gives the same run if it is split in two by starts, except for numbers of
/// entries.
pub(super) fn one_entry_split_in_two(base: &Base) -> Relation {
    let mut starts: Vec<_> = base.flows.iter().map(|flow| flow.start).collect();
    starts.dedup();
    if starts.len() < 2 {
        return Relation::DoesNotApply;
    }
    // Flows with the same start are numbered in the order of entries, so they must stay in one
    // entry.
    let is_first = |start| {
        starts
            .binary_search(&start)
            .is_ok_and(|place| place % 2 == 0)
    };
    let (one, other): (Vec<_>, Vec<_>) = base
        .flows
        .iter()
        .copied()
        .partition(|flow| is_first(flow.start));
    let split = base.run_with(|scenario| {
        put(scenario, "traffic", vec![entry(&one), entry(&other)]);
    });
    let split = split.expect("flows of a network that was accepted");
    assert_same_flows(&split, &base.results);
    TextColumns::ports(&split).assert_are(&TextColumns::ports(&base.results), "ports");
    Relation::Holds
}

/// The run is the same if every entry names the algorithm, in place of the section `[cc]`.
pub(super) fn algorithm_by_entry(base: &Base) -> Relation {
    let own = base.setting("cc").expect("a scenario has one").clone();
    let named = base.run_with(|scenario| each_entry(scenario, "cc", &own));
    let Some(named) = named else {
        return Relation::DoesNotApply;
    };
    assert_same_run(&named, &base.results);
    Relation::Holds
}

/// Names of the run, its entries and tenants change no result.
pub(super) fn names_of_runs_and_entries(base: &Base) -> Relation {
    let named = base.run_with(|scenario| {
        put(scenario, "run.name", "another");
        each_entry(scenario, "name", &"all of them".into());
        each_entry(scenario, "tenant", &"tenant 7".into());
    });
    let named = named.expect("names are no settings of a network");
    let found = TextColumns::flows(&named).without(&["tenant"]);
    found.assert_are(&TextColumns::flows(&base.results), "flows");
    assert_eq!(named.summary.fingerprint, base.results.summary.fingerprint);
    Relation::Holds
}

fn each_entry(scenario: &mut toml::Table, key: &str, value: &Value) {
    let entries = scenario["traffic"]
        .as_array_mut()
        .expect("entries of the traffic");
    for entry in entries {
        put(entry.as_table_mut().expect("an entry"), key, value.clone());
    }
}
