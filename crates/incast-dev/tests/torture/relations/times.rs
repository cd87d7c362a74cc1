//! Starts of flows, the stop of the run, and the scale of time.

use incast_sim::Results;
use incast_units::{Rate, Time};
use incast_workload::Flow;
use toml::{Table, Value};

use super::Relation;
use super::base::{Base, put, remove, run_of};
use super::columns::TextColumns;
use super::graph::NamedGraph;
use super::listed::entry;

/// A multiple of every period that is counted from the start of the run: of INT tables and of
/// samples.
const LATER: Time = Time::from_ms(1);

/// If all starts, the stop and all faults are a millisecond later, all results are a millisecond
/// later.
pub(super) fn later_starts(base: &Base) -> Relation {
    // With `hash`, a hash of the time orders simultaneous packets.
    if base.flows.is_empty() || base.is("network.model.ties", "hash") {
        return Relation::DoesNotApply;
    }
    let at = |start: Time| start + LATER;
    let flows = base.flows.iter().map(|flow| Flow {
        start: at(flow.start),
        ..*flow
    });
    let flows: Vec<_> = flows.collect();
    let later = base.run_with(|scenario| {
        put(scenario, "traffic", vec![entry(&flows)]);
        for key in ["stop", "from", "until"] {
            change(scenario, key, &|text| {
                text.parse().ok().map(|time| written(at(time)))
            });
        }
        // Faults that begin with the run have no key `from`.
        for fault in scenario
            .get_mut("fault")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            let fault = fault.as_table_mut().expect("a fault");
            fault.entry("from").or_insert_with(|| written(LATER).into());
        }
    });
    let later = later.expect("a later start is a start");
    let expected = TextColumns::flows(&base.results).with("start_ps", |ps| ps + LATER.as_ps());
    TextColumns::flows(&later).assert_are(&expected, "flows");
    TextColumns::ports(&later).assert_are(&TextColumns::ports(&base.results), "ports");
    Relation::Holds
}

/// Flows that complete before an earlier stop have the same results as in the longer run.
pub(super) fn stop_is_a_prefix(base: &Base) -> Relation {
    let mut known: Vec<_> = TextColumns::finishes(&base.results)
        .iter()
        .flatten()
        .copied()
        .collect();
    known.sort_unstable();
    let Some(&stop) = known.get(known.len() / 2) else {
        return Relation::DoesNotApply;
    };
    let stopped = base.run_with(|scenario| {
        put(scenario, "run.stop", format!("{stop}ps"));
    });
    let stopped = stopped.expect("a stop within the run");
    // After a flow has completed, its receiver may still count duplicates, and links may lose
    // needless packets.
    let later = [
        "duplicate_packets",
        "lost_link_down",
        "lost_corrupted",
        "lost_unreachable",
    ];
    let completed = |results: &Results| {
        let finishes = TextColumns::finishes(results);
        let is_kept = |row: usize| finishes[row].is_some_and(|finish| finish < stop);
        TextColumns::flows(results).rows(is_kept).without(&later)
    };
    completed(&stopped).assert_are(&completed(&base.results), "flows");
    Relation::Holds
}

/// Algorithms that set windows, not rates. Rates are whole bit/s, so that half of a rate is
/// rounded. Credit is rounded, too.
const EXACT: [&str; 4] = ["none", "dctcp", "ecn-tcp", "nscc"];

/// With half of all rates and twice all times, a run takes twice the time, if nothing is rounded.
pub(super) fn twice_the_time(base: &Base) -> Relation {
    let algorithm = base.spec.algorithm_name();
    let mut parts = algorithm.split('+');
    let is_exact = EXACT.contains(&parts.next().unwrap_or_default());
    let is_exact = is_exact && !parts.any(|part| part == "credits");
    let is_rounded = base.is("network.model.clock", "nanoseconds");
    // With `hash`, a hash of the time orders simultaneous packets.
    if base.flows.is_empty() || !is_exact || is_rounded || base.is("network.model.ties", "hash") {
        return Relation::DoesNotApply;
    }
    let graph = NamedGraph::of(base.spec.topology());
    let mut one = base.scenario.clone();
    put(&mut one, "traffic", vec![entry(&base.flows)]);
    // INT records of 64 bits round times to nanoseconds.
    put(&mut one, "network.model.int_format", "exact");
    // Sample periods of queues are not part of the network.
    remove(&mut one, "measure.queues");
    let mut two = one.clone();
    for key in two.keys().cloned().collect::<Vec<_>>() {
        slow(two.get_mut(&key).expect("a section"));
    }
    graph.put_into(&mut one, base);
    let one = run_of(&one);
    graph.slowed().put_into(&mut two, base);
    let (Some(one), Some(two)) = (one, run_of(&two)) else {
        return Relation::DoesNotApply;
    };
    assert_twice(&two, &one);
    Relation::Holds
}

/// Asserts that a run is another run in twice the time.
///
/// # Panics
/// If it is not.
pub(super) fn assert_twice(found: &Results, one: &Results) {
    let times = ["start_ps", "fct_ps", "ideal_fct_ps", "timeout_wait_ps"];
    let twice = |flows: TextColumns, time: &&str| flows.with(time, |ps| 2 * ps);
    let expected = times.iter().fold(TextColumns::flows(one), twice);
    TextColumns::flows(found).assert_are(&expected, "flows");
    let ports = TextColumns::ports(one).with("rate_bps", |rate| rate / 2);
    let expected = ports.with("paused_ps", |ps| 2 * ps);
    TextColumns::ports(found).assert_are(&expected, "ports");
}

/// Halves all rates and doubles all times in a setting.
fn slow(value: &mut Value) {
    match value {
        Value::String(text) => {
            let rate = text
                .parse::<Rate>()
                .map(|rate| format!("{}bps", rate.as_bps() / 2));
            let time = text.parse::<Time>().map(|time| written(time * 2));
            *text = rate.or(time).unwrap_or_else(|_| text.clone());
        }
        Value::Array(values) => values.iter_mut().for_each(slow),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| slow(value)),
        _ => {}
    }
}

/// Changes all texts of a key, at any depth.
fn change(table: &mut Table, key: &str, to: &impl Fn(&str) -> Option<String>) {
    for (name, value) in table.iter_mut() {
        match value {
            Value::String(text) if name == key => *text = to(text).unwrap_or_else(|| text.clone()),
            Value::Table(inner) => change(inner, key, to),
            Value::Array(values) => {
                let tables = values.iter_mut().filter_map(Value::as_table_mut);
                tables.for_each(|inner| change(inner, key, to));
            }
            _ => {}
        }
    }
}

fn written(time: Time) -> String {
    format!("{}ps", time.as_ps())
}
