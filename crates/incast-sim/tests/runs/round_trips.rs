//! Round trips and states of algorithms in results: they are correct and complete, and change no
//! other result.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, UInt16Type, UInt64Type};
use incast_sim::{Results, Source, Table};

use crate::support;

/// A flow of 100 packets alone; later a single packet from each of two hosts to one, of which the
/// second waits.
fn results(network: &str, measure: &str) -> Results {
    let text = format!(
        r#"
[network]
topology = "star"
{network}

[cc]
algorithm = "lgc"
interval = "10us"
initial_share = 1
pacing = "regular"

[[traffic]]
kind = "flows"
flows = [{{ source = 0, destination = 2, size = "100KB" }}]

[[traffic]]
kind = "flows"
flows = [
    {{ source = 0, destination = 2, size = "1KB", start = "1ms" }},
    {{ source = 1, destination = 2, size = "1KB", start = "1ms" }},
]

[measure]
{measure}
"#
    );
    let source = Source::from_text("scenario.toml", text);
    support::results_of(&source, &[])
}

fn column(table: &Table, name: &str) -> Vec<u64> {
    table.values::<UInt64Type>(name).collect()
}

/// 1048 B take 83.84 ns, and an ACK of 60 B 4.8 ns, each over two links of 1 us. On an empty
/// network this is 4 177.28 ns; behind another packet it is 83.84 ns more.
#[test]
fn every_packet_is_counted() {
    let results = results("", "round_trips = true");
    let rtts = results.summary.rtt_ps.as_ref().expect("counted");
    let of: Vec<_> = rtts.iter().map(|rtt| (rtt.traffic, rtt.count)).collect();
    assert_eq!(of, [(0, 100), (1, 2)]);
    assert_eq!((rtts[0].min, rtts[0].max), (4_177_280, 4_177_280));
    assert_eq!((rtts[1].min, rtts[1].max), (4_177_280, 4_261_120));
    assert_eq!(rtts[1].mean, 4_219_200.0);
    // Bins are 8 ns wide: 4176 to 4184, and 4256 to 4264.
    let table = results.round_trips.as_ref().expect("a table");
    let traffic: Vec<_> = table.values::<UInt16Type>("traffic").collect();
    assert_eq!(traffic, [0, 1, 1]);
    assert_eq!(column(table, "packets"), [100, 1, 1]);
    let [from, to] = ["rtt_from_ps", "rtt_to_ps"].map(|name| column(table, name));
    assert_eq!(from, [4_176_000, 4_176_000, 4_256_000]);
    assert_eq!(to, [4_184_000, 4_184_000, 4_264_000]);
}

/// Counting does not make packets larger, with and without INT, numbered or not.
#[test]
fn counting_changes_no_result() {
    for network in [
        "",
        "int = \"data\"",
        "flow_control = \"none\"",
        "flow_control = \"none\"\nint = \"data\"\ntimestamps = true",
    ] {
        let counted = results(network, "round_trips = true\nflows = { probes = true }");
        let plain = results(network, "");
        assert_eq!(counted.summary.fingerprint, plain.summary.fingerprint);
        assert!(plain.round_trips.is_none() && plain.summary.rtt_ps.is_none());
    }
}

#[test]
fn the_folder_has_them_if_they_were_counted() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    let file = folder.join("round_trips.parquet");
    let counted = results("", "round_trips = true");
    counted.write(&folder).expect("written");
    let stored = Table::read_parquet(&file).expect("read");
    assert_eq!(column(&stored, "packets"), [100, 1, 1]);
    results("", "").write(&folder).expect("written");
    assert!(!file.exists());
}

/// The ACKs of the first flow's 100 packets arrive within 20 us, those of the other two packets
/// after 1 ms.
#[test]
fn a_beginning_can_be_left_out() {
    let results = results("", "round_trips = { from = \"500us\" }");
    let table = results.round_trips.as_ref().expect("a table");
    assert_eq!(column(table, "packets"), [1, 1]);
    let rtts = results.summary.rtt_ps.as_ref().expect("counted");
    let of: Vec<_> = rtts.iter().map(|rtt| (rtt.traffic, rtt.count)).collect();
    assert_eq!(of, [(1, 2)]);
}

/// No ACK arrives within 2 us, so the table has no rows.
#[test]
fn without_an_ack_the_table_is_empty() {
    let results = results("", "round_trips = true\n[run]\nstop = \"2us\"");
    assert_eq!(results.summary.rtt_ps, Some(Vec::new()));
    assert_eq!(results.round_trips.as_ref().expect("a table").rows(), 0);
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    results.write(&folder).expect("written");
    let stored = Table::read_parquet(&folder.join("round_trips.parquet")).expect("read");
    assert_eq!(stored.rows(), 0);
}

/// The flow of 100 packets lasts for 12.5 us and is sampled at 4, 8 and 12 us. Flows from 1 ms on
/// are sampled once. Each sample has three values.
#[test]
fn states_of_algorithms_are_series() {
    let results = results("", "flows = { probes = true, every = \"4us\" }");
    let mut names = BTreeSet::new();
    let mut rows = 0;
    for batch in results.series.batches() {
        let measures = batch.column_by_name("measure").expect("a column");
        let measures = measures.as_dictionary::<Int32Type>();
        let values = measures.values().as_string::<i32>();
        for key in measures.keys().iter().flatten() {
            let name = values.value(key as usize);
            if name.starts_with("cc_") {
                names.insert(name.to_owned());
                rows += 1;
            }
        }
    }
    assert_eq!(Vec::from_iter(names), ["cc_growth", "cc_load", "cc_share"]);
    assert_eq!(rows, 3 * (3 + 2));
}

/// One way, 1048 B take 83.84 ns on each of two links of 1 us: 2 167.68 ns on an empty network. Of
/// the two packets that meet at 1 ms the second waits 83.84 ns for the first. The 100 packets of
/// one sender do not wait.
#[test]
fn each_flow_has_the_latency_of_its_slowest_packet() {
    let results = results("", "packet_latency = true");
    let latencies = column(&results.flows, "longest_packet_latency_ps");
    assert_eq!(latencies, [2_167_680, 2_167_680, 2_251_520]);
    let summary = results.summary.longest_packet_latency_ps;
    assert_eq!(summary.expect("measured").max, Some(2_251_520.0));
}

#[test]
fn measuring_latencies_changes_nothing_else() {
    let (plain, measured) = (results("", ""), results("", "packet_latency = true"));
    assert_eq!(plain.summary.fingerprint, measured.summary.fingerprint);
    assert!(plain.summary.longest_packet_latency_ps.is_none());
    assert!(
        plain
            .flows
            .schema()
            .column_with_name("longest_packet_latency_ps")
            .is_none()
    );
}
