//! Mechanisms that are never triggered change nothing.

use toml::{Table, Value};

use super::Relation;
use super::base::{Base, put};
use super::columns::{TextColumns, assert_same_run, assert_same_run_but};

/// Columns of losses on links, which only scenarios with faults have.
const LOST: [&str; 3] = ["lost_link_down", "lost_corrupted", "lost_unreachable"];

const STOP_PS: u64 = 5_000_000_000;
/// A time in ps, longer than a window of the engine, and shorter than timeouts.
const SOON_PS: u64 = 60_000_000;

/// Faults that begin after the end of the run change no result.
pub(super) fn faults_to_come(base: &Base) -> Relation {
    let end = TextColumns::finishes(&base.results)
        .into_iter()
        .flatten()
        .max();
    // A run with flows that have not completed ends at its stop time.
    let is_whole = base.results.summary.flows.started == base.results.summary.flows.finished;
    let end = end.filter(|_| is_whole).unwrap_or(STOP_PS);
    let may_lose = base.setting("network.recovery.timeout").is_some();
    let faulty = base.run_with(|scenario| {
        let mut fault = Table::new();
        put(&mut fault, "links", vec!["host 0"]);
        put(&mut fault, "from", format!("{}ps", end + SOON_PS));
        match may_lose {
            true => put(&mut fault, "kind", "down"),
            false => {
                put(&mut fault, "kind", "degraded");
                put(&mut fault, "rate", "1Gbps");
            }
        }
        let faults = scenario
            .entry("fault")
            .or_insert_with(|| Value::Array(Vec::new()));
        faults.as_array_mut().expect("a list").push(fault.into());
    });
    let Some(faulty) = faulty else {
        return Relation::DoesNotApply;
    };
    let [found, expected] = [&faulty, &base.results].map(TextColumns::flows);
    found
        .without(&LOST)
        .assert_are(&expected.without(&LOST), "flows");
    let [found, expected] = [&faulty, &base.results].map(TextColumns::ports);
    found
        .without(&LOST)
        .assert_are(&expected.without(&LOST), "ports");
    Relation::Holds
}

/// Columns of receivers that keep out-of-order packets; receivers of go-back-N do not have them.
const ORDER: [&str; 4] = [
    "out_of_order_packets",
    "reordering_distance_max",
    "reordering_distance_sum",
    "reorder_buffer_bytes",
];

/// Without losses, go-back-N and selective repeat give the same run.
pub(super) fn recovery_without_loss(base: &Base) -> Relation {
    let packets = &base.results.summary.packets;
    let is_lossless = packets.dropped == 0 && packets.retransmitted == 0;
    if !is_lossless || base.has_faults() {
        return Relation::DoesNotApply;
    }
    let other = match base.is("network.recovery.kind", "selective") {
        true => "go-back-n",
        false => "selective",
    };
    let changed = base.run_with(|scenario| put(scenario, "network.recovery.kind", other));
    let Some(changed) = changed else {
        return Relation::DoesNotApply;
    };
    assert_same_run_but(&ORDER, &changed, &base.results);
    Relation::Holds
}

/// If no timeout expires, a timeout of a second gives the same run.
pub(super) fn timeout_that_never_fires(base: &Base) -> Relation {
    let recovery = &base.results.summary.recovery;
    if recovery.timeouts > 0 {
        return Relation::DoesNotApply;
    }
    let patient = base.run_with(|scenario| put(scenario, "network.recovery.timeout", "1s"));
    let Some(patient) = patient else {
        return Relation::DoesNotApply;
    };
    assert_same_run(&patient, &base.results);
    Relation::Holds
}
