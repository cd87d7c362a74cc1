//! Counters of ports, computed a second time from the trace of packets.

use std::collections::BTreeMap;

use super::Relation;
use super::base::{Base, put};
use super::columns::{TextColumns, assert_same_run};

/// Counters of one port, by column.
type Counters = BTreeMap<&'static str, u64>;

/// A traced run has the same results, and each counter of its ports is the sum of the trace's
/// events.
pub(super) fn counters_from_the_trace(base: &Base) -> Relation {
    let traced = base.run_with(|scenario| put(scenario, "measure.packets", true));
    let Some(traced) = traced else {
        return Relation::DoesNotApply;
    };
    assert_same_run(&traced, &base.results);
    let counted = counted(&TextColumns::of(traced.packets.as_ref().expect("a trace")));
    let ports = TextColumns::of(&traced.ports);
    let places = ports.numbers("node").into_iter().zip(ports.numbers("port"));
    let nothing = Counters::new();
    for (row, (node, port)) in places.enumerate() {
        let place = (node.expect("a node"), port.expect("a port"));
        let counters = counted.get(&place).unwrap_or(&nothing);
        let expected = |column| counters.get(column).copied().unwrap_or_default();
        let causes = ["lost_link_down", "lost_corrupted"]
            .iter()
            .filter(|name| ports.has(name));
        let lost: u64 = causes.filter_map(|name| ports.numbers(name)[row]).sum();
        assert_eq!(lost, expected(LOST), "lost at node {node:?}, port {port:?}");
        // Hosts do not count their queues. With ns-3's order of simultaneous packets, a packet may
        // be queued for zero time.
        let has_queue = place.0 >= u64::from(base.spec.topology().hosts)
            && !base.is("network.model.ties", "insertion");
        for column in COLUMNS {
            if ports.has(column) && (has_queue || column != QUEUE) {
                let found = ports.numbers(column)[row];
                let expected = counters.get(column).copied().unwrap_or_default();
                assert_eq!(
                    found,
                    Some(expected),
                    "{column} of node {node:?}, port {port:?}"
                );
            }
        }
    }
    Relation::Holds
}

const QUEUE: &str = "queue_max_bytes";
/// Packets that left a port and were lost on its link; the table has a column for each cause.
const LOST: &str = "lost";

const COLUMNS: [&str; 8] = [
    "data_packets",
    "data_bytes",
    "control_packets",
    "control_bytes",
    "dropped",
    "trimmed",
    QUEUE,
    "pauses_sent",
];

/// Counters from the trace, by node and port.
fn counted(trace: &TextColumns) -> BTreeMap<(u64, u64), Counters> {
    let column = |name: &&str| -> Vec<u64> {
        let numbers = trace.numbers(name).into_iter();
        numbers.map(Option::unwrap_or_default).collect()
    };
    let of_packet = [
        "node",
        "port",
        "wire_bytes",
        "flow_id",
        "sequence",
        "time_ps",
    ];
    let numbers = of_packet.each_ref().map(column);
    let queues = column(&"queue_bytes");
    let (events, kinds) = (trace.texts("event"), trace.texts("kind"));
    let mut counted = BTreeMap::<_, Counters>::new();
    for row in 0..events.len() {
        let [node, port, wire] = [0, 1, 2].map(|column: usize| numbers[column][row]);
        let counters = counted.entry((node, port)).or_default();
        let mut add = |name, number| *counters.entry(name).or_default() += number;
        match (events[row].as_str(), kinds[row].as_str()) {
            ("send", "pause") => add("pauses_sent", 1),
            ("send", "resume") => {}
            ("send", "data") => {
                add("data_packets", 1);
                add("data_bytes", wire);
            }
            ("send", _) => {
                add("control_packets", 1);
                add("control_bytes", wire);
            }
            ("drop", _) => add("dropped", 1),
            ("lose", _) => add(LOST, 1),
            ("trim", _) => add("trimmed", 1),
            ("enqueue", kind) if !["pause", "resume"].contains(&kind) => {
                // A packet that is sent at the time of its arrival has not waited.
                let is_same = |next| {
                    kinds[next] == kind && numbers.iter().all(|column| column[next] == column[row])
                };
                let times = &numbers[5];
                let mut later =
                    (row + 1..events.len()).take_while(|next| times[*next] == times[row]);
                let leaves = later.any(|next| events[next] == "send" && is_same(next));
                let waiting = if leaves { 0 } else { queues[row] + wire };
                let longest = counters.entry(QUEUE).or_default();
                *longest = (*longest).max(waiting);
            }
            _ => {}
        }
    }
    counted
}
