//! Whole runs, from the text of a scenario to the folder of its results.

use std::ops::ControlFlow;
use std::path::Path;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_sim::{
    FlowRecord, Observer, Progress, Results, RunError, Source, Summary, Table, ValidSpec, run,
};

use crate::support;

/// Sixteen hosts send to a seventeenth; two more flows start every 20 µs.
const INCAST: &str = r#"
[network]
topology = "star"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
senders = "0-15"
receiver = 16
sizes = "200KB"
stagger = { group = 2, every = "20us" }
"#;

fn valid_in(folder: &Path, text: &str) -> ValidSpec {
    let source = Source {
        name: "scenario.toml".into(),
        text: text.into(),
        folder: folder.to_owned(),
    };
    support::valid(&source, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn valid(text: &str) -> ValidSpec {
    valid_in(Path::new("."), text)
}

fn results(text: &str) -> Results {
    run(&valid(text), &mut ()).unwrap_or_else(|error| panic!("{error}"))
}

/// Counts completed flows, and ends the run after `enough` of them.
#[derive(Default)]
struct Listener {
    completed: u64,
    enough: Option<u64>,
}

impl Observer for Listener {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        match self.enough {
            Some(enough) if self.completed >= enough => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        self.completed += flows.len() as u64;
    }
}

/// A scenario with one flow per millisecond, each alone on the network.
fn alone(topology: &str, profile: &str, algorithm: &str, flows: &[(u32, u32, u64)]) -> String {
    let flow = |(number, (source, destination, size)): (usize, &(u32, u32, u64))| {
        format!(
            "{{ source = {source}, destination = {destination}, size = \"{size}B\", \
             start = \"{number}ms\" }},\n"
        )
    };
    let flows: String = flows.iter().enumerate().map(flow).collect();
    format!(
        "[network]\ntopology = {topology}\nprofile = \"{profile}\"\n[cc]\nalgorithm = \
         \"{algorithm}\"\n[[traffic]]\nkind = \"flows\"\nflows = [\n{flows}]\n"
    )
}

fn column(table: &Table, name: &str) -> Vec<u64> {
    table.values::<UInt64Type>(name).collect()
}

/// Without congestion control, a flow alone takes its ideal FCT, to the picosecond: over links of
/// 100 and 400 Gb/s, for any size.
#[test]
fn a_flow_alone_is_ideal() {
    let sizes = [1, 100, 1000, 2000, 2500, 123_456];
    let star = sizes.map(|size| (0, 16, size));
    let clos = sizes
        .map(|size| [(0, 5, size), (0, 16, size), (0, 319, size)])
        .concat();
    for (topology, flows) in [("\"star\"", star.to_vec()), ("\"clos-320\"", clos)] {
        let flows = results(&alone(topology, "default", "none", &flows)).flows;
        assert_eq!(
            column(&flows, "fct_ps"),
            column(&flows, "ideal_fct_ps"),
            "{topology}"
        );
        assert!(
            flows
                .values::<Float64Type>("slowdown")
                .all(|slowdown| slowdown == 1.0)
        );
    }
}

/// The bottleneck is the first, the middle or the last link.
#[test]
fn a_flow_alone_is_ideal_behind_a_bottleneck() {
    for [first, middle, last] in [[10, 25, 100], [100, 25, 40], [100, 40, 7]] {
        let topology = format!(
            "{{ kind = \"dumbbell\", sender_rate = \"{first}Gbps\", trunk_rate = \"{middle}Gbps\", \
             receiver_rate = \"{last}Gbps\" }}"
        );
        let flows = [(0, 2, 1), (0, 2, 3000), (0, 2, 50_500), (1, 2, 999)];
        let flows = results(&alone(&topology, "default", "none", &flows)).flows;
        let (fct, ideal) = (column(&flows, "fct_ps"), column(&flows, "ideal_fct_ps"));
        assert_eq!(fct, ideal, "{first}, {middle}, {last} Gb/s");
    }
}

/// INT makes packets larger, and HPCC leaves 5 % of the rate free, so no flow is faster than ideal.
#[test]
fn congestion_control_has_its_price() {
    let flows = [(0, 16, 1000), (0, 16, 1_000_000)];
    let flows = results(&alone("\"star\"", "default", "hpcc", &flows)).flows;
    let slowdowns: Vec<f64> = flows.values::<Float64Type>("slowdown").collect();
    assert!(
        slowdowns
            .iter()
            .all(|slowdown| (1.0..1.2).contains(slowdown)),
        "{slowdowns:?}"
    );
}

/// Profile `hpcc-ns3` repeats the artifact's records of DCQCN, which sends such flows at line rate
/// and without INT: FCT and ideal FCT in ns, and source ports counted per pair.
#[test]
fn flows_alone_are_those_of_the_artifact() {
    let recorded = [
        (0, 16, 1, 10_000, 4014, 4163),
        (0, 16, 100, 10_001, 4030, 4171),
        (0, 16, 1000, 10_002, 4174, 4243),
        (0, 16, 1001, 10_003, 4178, 4247),
        (0, 16, 2000, 10_004, 4257, 4327),
        (0, 16, 10_000, 10_005, 4921, 4998),
        (0, 16, 100_000, 10_006, 12_391, 12_544),
        (0, 16, 1_000_000, 10_007, 87_091, 88_000),
    ];
    compare_with_artifact("\"star\"", &recorded);
}

/// The same comparison on the fat tree: same ToR, same pod, other pod.
#[test]
fn flows_alone_on_a_fat_tree_are_those_of_the_artifact() {
    let recorded = [
        (0, 5, 1, 10_000, 4014, 4163),
        (0, 16, 1, 10_000, 8016, 8203),
        (0, 319, 1, 10_000, 12_018, 12_243),
        (0, 5, 1000, 10_001, 4174, 4243),
        (0, 16, 1000, 10_001, 8216, 8283),
        (0, 319, 1000, 10_001, 12_258, 12_323),
        (0, 5, 1_000_000, 10_002, 87_091, 88_000),
        (0, 16, 1_000_000, 10_002, 91_133, 92_040),
        (0, 319, 1_000_000, 10_002, 95_175, 96_080),
        (0, 319, 2500, 10_003, 12_384, 12_451),
    ];
    compare_with_artifact("\"clos-320\"", &recorded);
}

/// Compares recorded flows: (source, destination, size, source port, FCT, ideal FCT).
fn compare_with_artifact(topology: &str, recorded: &[(u32, u32, u64, u16, u64, u64)]) {
    let flows: Vec<_> = recorded
        .iter()
        .map(|&(from, to, size, ..)| (from, to, size))
        .collect();
    let table = results(&alone(topology, "hpcc-ns3", "none", &flows)).flows;
    let ports = table.values::<UInt16Type>("source_port");
    let times = column(&table, "fct_ps")
        .into_iter()
        .zip(column(&table, "ideal_fct_ps"));
    let slowdowns = table.values::<Float64Type>("slowdown");
    assert_eq!(table.rows(), recorded.len());
    for (((flow, port), (fct, ideal)), slowdown) in
        recorded.iter().zip(ports).zip(times).zip(slowdowns)
    {
        let (.., recorded_port, fct_ns, ideal_ns) = *flow;
        assert_eq!(
            (port, fct, ideal),
            (recorded_port, fct_ns * 1000, ideal_ns * 1000),
            "{flow:?}"
        );
        assert_eq!(slowdown, (fct as f64 / ideal as f64).max(1.0));
    }
}

#[test]
fn the_summary_says_what_the_tables_hold() {
    let Results {
        flows,
        ports,
        summary,
        ..
    } = results(INCAST);
    let Summary {
        effort,
        fct_slowdown,
        packets,
        ..
    } = &summary;
    assert_eq!((summary.flows.started, summary.flows.finished), (16, 16));
    assert_eq!(fct_slowdown.all.count, 16);
    assert_eq!(fct_slowdown.by_size.len(), 1);
    let class = &fct_slowdown.by_size[0];
    assert_eq!(
        (class.from_bytes, class.to_bytes),
        (100_000, Some(1_000_000))
    );
    let largest = flows
        .values::<Float64Type>("slowdown")
        .max_by(f64::total_cmp);
    assert_eq!(fct_slowdown.all.max, largest);

    // Each flow has 200 packets and as many ACKs, all over two links.
    assert_eq!((packets.data, packets.control), (3200, 3200));
    assert_eq!((packets.dropped, packets.retransmitted), (0, 0));
    assert_eq!(effort.packet_hops, 4 * 3200);
    assert_eq!(column(&ports, "data_packets").iter().sum::<u64>(), 2 * 3200);

    // All payload goes to host 16, whose link is the busiest.
    let busiest = "switch 17 port 16 → host 16";
    assert_eq!(summary.utilisation.max_port.as_deref(), Some(busiest));
    assert_eq!(summary.queue_bytes.peak_port.as_deref(), Some(busiest));
    assert!(summary.queue_bytes.p999 <= Some(summary.queue_bytes.peak));
    let simulated = effort.simulated_ps as f64 * 1e-12;
    let goodput = 16.0 * 200_000.0 * 8.0 / simulated;
    let total = summary.goodput_bps.total.expect("a whole run");
    assert!((total / goodput - 1.0).abs() < 1e-12);
}

#[test]
fn the_same_scenario_gives_the_same_fingerprint() {
    let (first, second) = (results(INCAST).summary, results(INCAST).summary);
    assert_eq!(first.fingerprint, second.fingerprint);
    assert_eq!(first.scenario.identity, second.scenario.identity);
    let other = results(&INCAST.replace("200KB", "201KB")).summary;
    assert_ne!(first.fingerprint, other.fingerprint);
    assert_ne!(first.scenario.identity, other.scenario.identity);
}

/// Measurements do not change the simulation.
#[test]
fn measuring_leaves_no_trace() {
    let quiet = "[measure]\npauses = false\nqueues = { ports = \"none\", every = \"1ms\" }\n\
                 flows = { which = \"none\", every = \"1ms\" }\n";
    let (all, little) = (results(INCAST), results(&format!("{INCAST}{quiet}")));
    assert_eq!(all.summary.fingerprint, little.summary.fingerprint);
    assert!(all.series.rows() > little.series.rows());
}

/// Flow files count by their contents, not by their name or folder.
#[test]
fn the_identity_follows_contents() {
    let place = tempfile::tempdir().expect("a folder");
    let identity = |name: &str, size: u64| {
        let flows = format!("1\n0 16 3 100 {size} 2.000000000\n");
        std::fs::write(place.path().join(name), flows).expect("written");
        let text = format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"none\"\n[[traffic]]\n\
             kind = \"file\"\nfile = \"{name}\"\nformat = \"hpcc-ns3\"\n"
        );
        valid_in(place.path(), &text).identity().expect("readable")
    };
    let first = identity("a.txt", 1000);
    assert_eq!(first, identity("b.txt", 1000));
    assert_ne!(first, identity("a.txt", 1001));
}

#[test]
fn a_file_that_has_gone_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("flows.txt");
    std::fs::write(&file, "1\n0 16 3 100 1000 2.000000000\n").expect("written");
    let spec = valid_in(
        place.path(),
        "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"none\"\n[[traffic]]\n\
         kind = \"file\"\nfile = \"flows.txt\"\nformat = \"hpcc-ns3\"\n",
    );
    std::fs::remove_file(&file).expect("removed");
    let error = run(&spec, &mut ()).expect_err("no flows");
    assert!(matches!(error, RunError::File(_)));
    let start = format!("{}: cannot read: No such file", file.display());
    assert!(error.to_string().starts_with(&start), "{error}");
}

#[test]
fn an_observer_hears_of_every_flow() {
    let mut listener = Listener::default();
    run(&valid(INCAST), &mut listener).expect("results");
    assert_eq!(listener.completed, 16);
}

/// 17 hosts at 80 % load for a second would take minutes. When the observer ends the run, completed
/// flows are kept.
#[test]
fn an_observer_can_break_off() {
    let endless = valid(
        "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
         kind = \"poisson\"\nsizes = \"fb-hadoop\"\nload = 0.8\nduration = \"1s\"\n\
         [measure]\nflows = { which = \"none\" }\n",
    );
    let mut listener = Listener {
        enough: Some(100),
        ..Listener::default()
    };
    let results = run(&endless, &mut listener).expect("partial results");
    assert!(results.summary.partial);
    let counts = results.summary.flows;
    assert!(counts.finished >= 100 && counts.started >= counts.finished);
    assert_eq!(results.flows.rows() as u64, counts.started);
}

/// Rates are computed from the first arrival on, whenever that is.
#[test]
fn a_late_start_changes_no_rate() {
    let flow = |start| {
        format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"none\"\n[[traffic]]\n\
             kind = \"flows\"\nflows = [{{ source = 0, destination = 1, size = \"1MB\", \
             start = \"{start}\" }}]\n"
        )
    };
    let (early, late) = (results(&flow("0us")).summary, results(&flow("2ms")).summary);
    assert_eq!(early.goodput_bps, late.goodput_bps);
    assert_eq!(early.utilisation, late.utilisation);
    assert_eq!(
        late.effort.simulated_ps - early.effort.simulated_ps,
        2_000_000_000
    );
    // The run ends when its only flow completes.
    assert_eq!(early.fct_ps.max, Some(early.effort.simulated_ps as f64));
}

/// A stop time belongs to the scenario: results of a run that it stops are whole.
#[test]
fn a_stop_time_is_not_a_break() {
    let summary = results(&format!("[run]\nstop = \"60us\"\n{INCAST}")).summary;
    assert!(!summary.partial);
    // Two flows each start at 0, 20 and 40 µs. Those at 60 µs start too late, and no flow has
    // completed.
    assert_eq!((summary.flows.started, summary.flows.finished), (6, 0));
    assert_eq!(summary.effort.simulated_ps, 60_000_000);
    assert_eq!(summary.fct_slowdown.all.mean, None);
}

#[test]
fn a_folder_of_results_can_be_read_back() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    let results = results(INCAST);
    results.write(&folder).expect("written");
    let flows = Table::read_parquet(&folder.join("flows.parquet")).expect("read");
    assert!(
        flows
            .values::<UInt32Type>("flow_id")
            .eq(results.flows.values::<UInt32Type>("flow_id"))
    );
    assert_eq!(column(&flows, "fct_ps"), column(&results.flows, "fct_ps"));

    // The scenario in the folder is the scenario of the run.
    let again = std::fs::read_to_string(folder.join("scenario.toml")).expect("read");
    let identity = valid_in(&folder, &again).identity().expect("readable");
    assert_eq!(identity, results.summary.scenario.identity);
}

/// Every packet that a host sends and that is received is in the trace, and the trace is in the
/// folder.
#[test]
fn a_trace_of_packets_is_in_the_folder() {
    let results = results(&format!("{INCAST}\n[measure]\npackets = true\n"));
    let trace = results.packets.as_ref().expect("a trace");
    let facts = results.summary.packet_trace.expect("facts");
    assert_eq!((facts.events, facts.cut_ps), (trace.rows() as u64, None));
    // Each hop of a packet is sent and received. Packets are enqueued at the switch, ACKs also at
    // their host.
    let packets = results.summary.packets;
    let hops = results.summary.effort.packet_hops;
    let enqueued = packets.data + 2 * packets.control;
    assert_eq!(trace.rows() as u64, 2 * hops + enqueued);

    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    results.write(&folder).expect("written");
    let stored = Table::read_parquet(&folder.join("packets.parquet")).expect("read");
    assert_eq!(column(&stored, "time_ps"), column(trace, "time_ps"));
    assert!(
        stored
            .schema()
            .field_with_name("flow_id")
            .expect("a column")
            .is_nullable()
    );
}

/// A trace changes no result. A later run without a trace removes the file from the folder.
#[test]
fn a_trace_changes_no_result() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    let traced = results(&format!(
        "{INCAST}\n[measure]\npackets = {{ limit = 100 }}\n"
    ));
    let facts = traced.summary.packet_trace.expect("facts");
    assert!(facts.events <= 100 && facts.cut_ps.is_some());
    traced.write(&folder).expect("written");
    let plain = results(INCAST);
    assert!(plain.packets.is_none() && plain.summary.packet_trace.is_none());
    assert_eq!(plain.summary.fingerprint, traced.summary.fingerprint);
    assert_ne!(
        plain.summary.scenario.identity,
        traced.summary.scenario.identity
    );
    plain.write(&folder).expect("written");
    assert!(!folder.join("packets.parquet").exists());
}

/// LGC begins with 0.6 % of the line rate, a packet in 14 us, so 10 packets take some 126 us. The
/// flow without congestion control takes 9 + 2 packets of 83.84 ns, 4 us, and two ACKs of 4.8 ns.
#[test]
fn background_may_have_no_congestion_control() {
    let text = r#"
[network]
topology = "star"

[cc]
algorithm = "lgc"

[[traffic]]
kind = "flows"
flows = [{ source = 0, destination = 2, size = "10KB" }]

[[traffic]]
kind = "poisson"
sizes = "10KB"
load = 0.1
count = 1
sources = 1
destinations = 3
controlled = false
"#;
    let results = results(text);
    let tags: Vec<_> = results.flows.values::<UInt16Type>("traffic").collect();
    let fcts = column(&results.flows, "fct_ps");
    let of = |tag| fcts[tags.iter().position(|own| *own == tag).expect("a flow")];
    assert_eq!(of(1), 11 * 83_840 + 4_000_000 + 2 * 4_800);
    assert!(of(0) > 40_000_000, "{}", of(0));
}

/// After its only flow, the network still has a retransmission timer without effect, or the rest of
/// a time window. A stop in that time changes nothing.
#[test]
fn a_stop_after_the_last_flow_changes_nothing() {
    let scenario = |settings: &str, stop: &str| {
        format!(
            "{stop}\n[network]\ntopology = {{ kind = \"star\", hosts = 4 }}\n{settings}\n\
             [cc]\nalgorithm = \"none\"\n[[traffic]]\nkind = \"flows\"\n\
             flows = [{{ source = 0, destination = 1, size = \"1MB\" }}]\n"
        )
    };
    let figures = |text: &str| {
        let summary = serde_json::to_value(results(text).summary).unwrap();
        let mut summary = summary.as_object().unwrap().clone();
        for key in [
            "identity",
            "wall_seconds",
            "cpu_seconds",
            "packet_hops_per_cpu_second",
        ] {
            assert!(summary.remove(key).is_some(), "{key}");
        }
        summary
    };
    // The last ACK arrives after 87.93344 us.
    for settings in ["flow_control = \"none\"", ""] {
        let whole = figures(&scenario(settings, ""));
        for stop in ["87.94us", "88us", "900us", "1ms", "1.1ms", "5s"] {
            let stopped = figures(&scenario(settings, &format!("[run]\nstop = \"{stop}\"")));
            assert_eq!(stopped, whole, "{settings}, {stop}");
        }
    }
}
