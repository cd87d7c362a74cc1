//! What results tell apart: unfinished flows, the measuring window, traffic entries, nodes.

mod support;

use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{Results, Source, Table};
use support::valid;

fn results_in(folder: &Path, text: &str) -> Results {
    let source = Source {
        folder: folder.to_owned(),
        ..Source::from_text("scenario.toml", text)
    };
    let spec = valid(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
    support::results(&spec)
}

fn results(text: &str) -> Results {
    results_in(Path::new("."), text)
}

/// Two flows share a link of 100 Gb/s; after 1 ms neither of 100 MB has completed, one of 1 KB has.
/// 1 ms at 100 Gb/s are 12.5 MB.
#[test]
fn unfinished_flows_follow_the_others_with_their_bytes() {
    let flow =
        |source, size| format!("{{ source = {source}, destination = 2, size = \"{size}\" }}");
    let flows = [flow(0, "100MB"), flow(1, "100MB"), flow(1, "1KB")].join(", ");
    for nic in ["per-qp", "per-source"] {
        let results = results(&format!(
            "[run]\nstop = \"1ms\"\n[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"dcqcn\"\n\
             [nic]\nenforcement = \"{nic}\"\n[[traffic]]\nkind = \"flows\"\n\
             name = \"two and one\"\nflows = [{flows}]\n"
        ));
        let table = &results.flows;
        assert_eq!(
            table.values::<UInt32Type>("flow_id").collect::<Vec<_>>(),
            [2, 0, 1],
            "{nic}"
        );
        let acked = table
            .values::<UInt64Type>("acked_bytes")
            .collect::<Vec<_>>();
        assert_eq!(acked[0], 1000);
        let sum = acked[1] + acked[2];
        assert!((8_000_000..12_500_000).contains(&sum), "{nic}: {acked:?}");
        let missing = |column: &str| -> usize {
            let rows = table.batches().iter();
            rows.map(|rows| rows.column_by_name(column).expect("a column").null_count())
                .sum()
        };
        for name in ["fct_ps", "ideal_fct_ps", "slowdown", "fair_share"] {
            assert_eq!(missing(name), 2, "{name}");
        }
        assert_eq!(missing("traffic_name"), 0);
        // What the summary tells of completed flows does not count the others.
        assert_eq!(results.summary.fct_slowdown.all.count, 1);
        assert_eq!(table.head(1).rows(), 1);
    }
}

/// Poisson traffic for 1 ms at 40 % load: from 200 µs on, and not while the last flows drain.
#[test]
fn figures_of_open_loop_traffic_leave_out_ramp_up_and_drain() {
    let text = |measure: &str| {
        format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
             kind = \"poisson\"\nsizes = \"web-search\"\nload = 0.4\nduration = \"1ms\"\n\
             [measure]\n{measure}\n"
        )
    };
    let default = results(&text(""));
    let window = default.summary.measuring_window.expect("a window");
    assert_eq!(
        (window.from_ps, window.until_ps),
        (200_000_000, 1_000_000_000)
    );
    let asked = results(&text("from = \"200us\"\nuntil = \"1ms\""));
    let (mut one, mut other) = (default.summary.clone(), asked.summary.clone());
    assert_ne!(one.scenario.identity, other.scenario.identity);
    assert_eq!(one.fingerprint, other.fingerprint);
    assert_eq!(one.goodput_bps, other.goodput_bps);
    assert_eq!(
        one.jain_index.map(|jain| jain.mean),
        other.jain_index.map(|jain| jain.mean)
    );
    // One has samples after 1 ms, the other none: queues are the same all the same.
    assert_eq!(one.queue_bytes, other.queue_bytes);
    assert!(default.series.rows() > asked.series.rows());
    let whole = results(&text("from = \"0us\"\nuntil = \"1s\""));
    (one, other) = (whole.summary, one);
    assert_eq!(one.fingerprint, other.fingerprint);
    // After 1 ms elephants drain one by one.
    assert!(one.goodput_bps.total < other.goodput_bps.total);
    assert!(one.queue_bytes.mean < other.queue_bytes.mean);
}

#[test]
fn traffic_entries_are_told_apart_by_name() {
    let entry = |name: &str, source| {
        format!(
            "[[traffic]]\nkind = \"flows\"\n{name}\n\
             flows = [{{ source = {source}, destination = 2, size = \"1MB\" }}]\n"
        )
    };
    let run = |first, second| {
        let (first, second) = (entry(first, 0), entry(second, 1));
        results(&format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"none\"\n{first}{second}"
        ))
    };
    let names = |results: &Results| -> Vec<String> {
        let entries = results.summary.traffic.iter();
        entries.map(|entry| entry.name.clone()).collect()
    };
    let named = run("name = \"early\"", "name = \"late\"");
    assert_eq!(names(&named), ["early", "late"]);
    assert_eq!(named.summary.traffic[1].payload_bytes, 1_000_000);
    let unnamed = run("", "");
    assert_eq!(names(&unnamed), ["flows 0", "flows 1"]);
    assert_eq!(named.summary.fingerprint, unnamed.summary.fingerprint);
    let (alone, nothing) = (
        entry("", 0),
        "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"none\"\n",
    );
    assert!(
        results(&format!("{nothing}{alone}"))
            .summary
            .traffic
            .is_empty()
    );
}

/// A file's nodes keep their names in results and in messages.
#[test]
fn nodes_keep_the_names_of_the_users_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = "hosts a b\nswitches s\nlink a s 100Gbps 1us\nlink b s 100Gbps 1us\n";
    std::fs::write(folder.path().join("own.graph"), graph).expect("written");
    let text = "[network]\ntopology = { file = \"own.graph\", format = \"graph\" }\n[cc]\n\
                algorithm = \"none\"\n[[traffic]]\nkind = \"flows\"\n\
                flows = [{ source = 0, destination = 1, size = \"1MB\" }]\n";
    let results = results_in(folder.path(), text);
    let texts = |table: &Table, name: &str| -> Vec<String> {
        let rows = &table.batches()[0];
        let column = rows
            .column_by_name(name)
            .expect("a column")
            .as_string::<i32>();
        column
            .iter()
            .map(|text| text.unwrap_or_default().to_owned())
            .collect()
    };
    let ports = [
        "a port 0 → s",
        "b port 0 → s",
        "s port 0 → a",
        "s port 1 → b",
    ];
    assert_eq!(texts(&results.ports, "label"), ports);
    assert_eq!(texts(&results.flows, "source_name"), ["a"]);
    assert_eq!(texts(&results.flows, "destination_name"), ["b"]);
}
