//! Observation changes nothing, and stored results are equal to those in memory.

use incast_net::SenderPart;
use incast_sim::{Results, Table};

use super::Relation;
use super::base::{Base, put};
use super::columns::{TextColumns, assert_same_run};

/// A run with all measurements and a run with none have the same results.
pub(super) fn measuring(base: &Base) -> Relation {
    let none = base.run_with(|scenario| {
        put(scenario, "measure.queues.ports", "none");
        put(scenario, "measure.flows.which", "none");
        put(scenario, "measure.pauses", false);
    });
    let Some(none) = none else {
        return Relation::DoesNotApply;
    };
    assert_same_run(&none, &base.results);
    let all = all_measured(base);
    let parts = [
        "fct_way_ps",
        "fct_last_waits_ps",
        "longest_packet_latency_ps",
    ];
    let measured: Vec<_> = SenderPart::NAMES.into_iter().chain(parts).collect();
    let flows = TextColumns::flows(&all).without(&measured);
    flows.assert_are(&TextColumns::flows(&base.results), "flows");
    assert_eq!(all.summary.fingerprint, base.results.summary.fingerprint);
    Relation::Holds
}

/// Results that are stored and read again are the same.
pub(super) fn storing(base: &Base) -> Relation {
    let results = all_measured(base);
    let folder = base.folder.path().join("results");
    results.write(&folder).expect("the disk has room");
    let optional = [
        ("packets", &results.packets),
        ("round_trips", &results.round_trips),
        ("collectives", &results.collectives),
        ("ranks", &results.ranks),
        ("critical_path", &results.critical_path),
        ("faults", &results.faults),
    ];
    let always = [
        ("flows", &results.flows),
        ("series", &results.series),
        ("ports", &results.ports),
    ];
    let optional = optional
        .into_iter()
        .filter_map(|(name, table)| Some((name, table.as_ref()?)));
    for (name, table) in always.into_iter().chain(optional) {
        let file = folder.join(name).with_extension("parquet");
        let read = Table::read_parquet(&file).unwrap_or_else(|error| panic!("{error}"));
        TextColumns::of(&read).assert_are(&TextColumns::of(table), name);
    }
    Relation::Holds
}

/// The base with all measurements, except the age of INT, which not every network has.
fn all_measured(base: &Base) -> Results {
    let all = base.run_with(|scenario| {
        put(scenario, "measure.queues.ports", "all");
        put(scenario, "measure.queues.every", "100ns");
        put(scenario, "measure.flows.which", "all");
        put(scenario, "measure.flows.every", "700ns");
        put(scenario, "measure.flows.probes", true);
        put(scenario, "measure.round_trips", true);
        put(scenario, "measure.rows", 2_000);
        put(scenario, "measure.packet_latency", true);
        put(scenario, "measure.breakdown", true);
        put(scenario, "measure.packets", true);
    });
    all.expect("measures of any network")
}
