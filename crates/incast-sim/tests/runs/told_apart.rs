//! Distinctions in results: unfinished flows, the measuring window, traffic entries, nodes.

use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_sim::{Distribution, Results, Source, Table};

use crate::support::{self, valid};

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

/// Two flows of 100 MB share a link of 100 Gb/s and are unfinished after 1 ms, when 12.5 MB have
/// passed. A flow of 1 KB has completed.
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
        // The summary's figures of completed flows do not count unfinished ones.
        assert_eq!(results.summary.fct_slowdown.all.count, 1);
        assert_eq!(table.head(1).rows(), 1);
    }
}

/// Poisson traffic arrives for 1 ms at 40 % load. The measuring window begins at 200 µs, and leaves
/// out the time in which the last flows drain.
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
    assert_eq!(one.goodput_bps.total, other.goodput_bps.total);
    assert_eq!(
        one.jain_index.map(|jain| jain.mean),
        other.jain_index.map(|jain| jain.mean)
    );
    // One run has samples after 1 ms, the other none; the figures of queues are equal.
    assert_eq!(one.queue_bytes, other.queue_bytes);
    assert!(default.series.rows() > asked.series.rows());
    let whole = results(&text("from = \"0us\"\nuntil = \"1s\""));
    (one, other) = (whole.summary, one);
    assert_eq!(one.fingerprint, other.fingerprint);
    // After 1 ms the large flows drain one by one.
    assert!(one.goodput_bps.total < other.goodput_bps.total);
    assert!(one.queue_bytes.mean < other.queue_bytes.mean);
}

/// Web-search flows arrive for 3 ms at 40 % load: flows that start from 1 to 2 ms count. All flows
/// of an incast beside them count. The choice of counted flows does not change the run.
#[test]
fn fcts_of_open_loop_traffic_are_those_of_the_middle_third() {
    let text = |measure: &str| {
        format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
             kind = \"poisson\"\nsizes = \"web-search\"\nload = 0.4\nduration = \"3ms\"\n\
             [[traffic]]\nkind = \"incast\"\nsenders = \"1-4\"\nreceiver = 5\nsizes = \"1KB\"\n\
             [measure]\n{measure}\n"
        )
    };
    let default = results(&text(""));
    let of = |results: &Results, keep: fn(u16, u64) -> bool| {
        let tags = results.flows.values::<UInt16Type>("traffic");
        let starts = results.flows.values::<UInt64Type>("start_ps");
        let slowdowns = results.flows.values::<Float64Type>("slowdown");
        let kept = tags.zip(starts).zip(slowdowns);
        let kept = kept.filter(|((tag, start), _)| keep(*tag, *start));
        Distribution::of(kept.map(|(_, slowdown)| slowdown))
    };
    const MS: u64 = 1_000_000_000;
    let expected = of(&default, |tag, start| {
        tag == 1 || (MS..2 * MS).contains(&start)
    });
    let found = default.summary.fct_slowdown.all;
    assert_eq!((found.count, found.mean), (expected.count, expected.mean));
    let counted = default.flows.values::<UInt16Type>("counted");
    assert_eq!(counted.map(u64::from).sum::<u64>(), expected.count);
    let [facts] = default.summary.counted_flows[..] else {
        panic!("one entry is open-loop");
    };
    assert_eq!((facts.from_ps, facts.until_ps), (Some(MS), Some(2 * MS)));
    assert_eq!(facts.flows + 4, expected.count);
    let everything = default
        .summary
        .all_flows
        .as_ref()
        .expect("some do not count");
    assert_eq!(everything.fct_slowdown.all, of(&default, |_, _| true));
    assert_eq!(default.summary.traffic[0].fct_slowdown.count, facts.flows);
    assert_eq!(default.summary.traffic[1].fct_slowdown.count, 4);

    // The largest flows take a good part of 1 ms, so the run is too short, and results say so.
    assert!(facts.steady == Some(false) && facts.steady_duration_ps > 3 * MS);
    let late = found.late.expect("some end after arrivals");
    assert_eq!(
        (late.count, found.p99, late.p99.at_most),
        (facts.late, None, None)
    );

    let all = results(&text("fct = \"all\""));
    assert_eq!(all.summary.fingerprint, default.summary.fingerprint);
    assert_eq!(all.summary.fct_slowdown, everything.fct_slowdown);
    assert_eq!(all.summary.fct_ps, everything.fct_ps);
    assert!(all.summary.all_flows.is_none());
    assert!(all.flows.schema().column_with_name("counted").is_none());
    let window = results(&text("from = \"1ms\"\nuntil = \"2ms\"\nfct = \"window\""));
    assert_eq!(window.summary.fct_slowdown.all.count, facts.flows);

    // Counted flows that a stop leaves unfinished are late, too.
    let stopped = results(&text("[run]\nstop = \"3ms\""));
    let short = stopped.summary.counted_flows[0];
    assert!(stopped.summary.flows.started > stopped.summary.flows.finished);
    let completed = stopped.summary.fct_slowdown.all.count;
    assert_eq!(short.flows, facts.flows);
    assert!(completed < short.flows + 4 && short.late >= short.flows + 4 - completed);
    // The entry's statistics have unfinished flows among the slowest, like those of the run.
    let of_entry = stopped.summary.traffic[0].fct_slowdown;
    let cut = of_entry.late.map(|late| (late.count, late.p99.at_most));
    assert_eq!((cut, of_entry.p99), (Some((short.late, None)), None));
    assert_eq!(of_entry.count + 4, completed);
}

/// When arrivals go on, flows that are not late have the same FCT to the picosecond. Late flows
/// take longer than until the end of arrivals. So the brackets hold.
#[test]
fn brackets_hold_what_percentiles_are_if_arrivals_go_on() {
    let text = |duration: &str, measure: &str| {
        format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"dcqcn\"\n[[traffic]]\n\
             kind = \"poisson\"\nsizes = \"fb-hadoop\"\nload = 0.6\nduration = \"{duration}\"\n\
             [measure]\n{measure}\n"
        )
    };
    let short = results(&text("900us", ""));
    let window = "from = \"300us\"\nuntil = \"600us\"";
    let long = results(&text("10ms", window));
    let (found, truth) = (
        short.summary.fct_slowdown.all,
        long.summary.fct_slowdown.all,
    );
    assert_eq!(found.count, truth.count);
    let late = found.late.expect("some are late");
    assert!(long.summary.counted_flows[0].late < late.count);
    for (bracket, truth) in [
        (late.p50, truth.p50),
        (late.p95, truth.p95),
        (late.p99, truth.p99),
        (late.p999, truth.p999),
    ] {
        let truth = truth.expect("nearly all are done");
        assert!(bracket.at_least <= truth, "{bracket:?}: {truth}");
        assert!(
            bracket.at_most.is_none_or(|most| truth <= most),
            "{bracket:?}: {truth}"
        );
    }
}

/// Web-search flows at 30 % load under HPCC. A packet with 1000 B of payload has 1090 B on the wire
/// with INT, and ACKs of the other direction are added: 1.1 to 1.3 times the payload.
#[test]
fn loads_are_told() {
    let text = |other: &str| {
        format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
             kind = \"poisson\"\nsizes = \"web-search\"\nload = 0.3\nduration = \"2ms\"\n{other}"
        )
    };
    let alone = results(&text(""));
    let loads = alone.summary.loads.expect("open-loop traffic has loads");
    let [entry] = loads.entries[..] else {
        panic!("there is one entry");
    };
    assert_eq!((entry.traffic, entry.asked), (0, 0.3));
    let payload: u64 = alone.flows.values::<UInt64Type>("size_bytes").sum();
    let hosts = alone.summary.scenario.hosts as f64;
    let drawn = payload as f64 * 8.0 / (2e-3 * hosts * 100e9);
    assert!((entry.drawn / drawn - 1.0).abs() < 1e-12);
    let wire = loads.wire.expect("all traffic is open-loop");
    assert_eq!(wire.target, 0.95);
    assert!(["host → switch", "switch → host"].contains(&wire.links.as_str()));
    assert!(
        wire.load > 1.1 * drawn && wire.port_load >= wire.load,
        "{wire:?}"
    );

    let flows =
        "[[traffic]]\nkind = \"incast\"\nsenders = \"1-4\"\nreceiver = 5\nsizes = \"1KB\"\n";
    let mixed = results(&text(flows)).summary.loads.expect("it has loads");
    assert_eq!((mixed.entries.len(), mixed.wire), (1, None));
    let closed = format!("[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n{flows}");
    let closed = results(&closed).summary;
    assert_eq!((closed.loads, closed.counted_flows.len()), (None, 0));
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

/// Nodes keep the names of the user's file in results and messages.
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
