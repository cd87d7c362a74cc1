//! One small set of results, worked by hand: three hosts on switch 3, 100 Gb/s, 1 µs; host 0
//! and host 1 send to host 2.

use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use incast_net::{
    Clock, FlowCounters, FlowRecord, FlowSample, Histogram, PauseEvent, PortCounters, QueueSample,
    Recording, SampleIntervals, Tick,
};
use incast_topology::{Link, Ports, Topology};
use incast_units::{Bytes, FlowId, HostId, NodeId, Rate, Time};
use tempfile::tempdir;

use super::*;
use crate::identity::Identity;
use crate::spec::{CountedStarts, FlowRows};

fn star() -> PortNames {
    let link = |host| {
        Link::new(
            NodeId(host),
            NodeId(3),
            Rate::from_gbps(100),
            Time::from_us(1),
        )
    };
    let topology = Topology::new("star", 3, 1, (0..3).map(link).collect());
    PortNames::new(&topology, &Ports::new(&topology))
}

fn flow(id: u32, size: u64, start_us: u64, fct_us: u64) -> FlowRecord {
    FlowRecord {
        id: FlowId(id),
        source: HostId(id),
        destination: HostId(2),
        size: Bytes::new(size),
        tag: 7,
        source_port: 10_000,
        start: Time::from_us(start_us),
        finish: Time::from_us(start_us + fct_us),
        counters: FlowCounters {
            retransmitted: id,
            retransmitted_bytes: u64::from(id) * 1_000,
            timeout_bytes: u64::from(id) * 500,
            nacks: 0,
            trimmed_bytes: 0,
            marked_acks: 0,
            probes: 0,
            timeouts: id,
            timeout_wait: Time::from_us(id.into()) * 2,
        },
    }
}

/// Flow 0: 1000 B from 0 to 6 µs. Flow 1: 100 000 B from 1 to 21 µs.
fn flows() -> CompletedFlows<'static> {
    let mut flows = CompletedFlows::new(ROWS_OF_ALL, RoomForRows::default(), None);
    flows.push(&flow(0, 1000, 0, 6), Time::from_us(4), 1.5);
    flows.push(&flow(1, 100_000, 1, 20), Time::from_us(10), 2.0);
    flows
}

/// Statistics of the same flows.
fn statistics() -> FlowStatistics {
    let mut statistics = FlowStatistics::new(StatisticsScope {
        entries: vec![CountedStarts::default(); 8],
        traffic: &[],
        tenants: &[],
        exact: ROWS_OF_ALL.exact(),
    });
    statistics.push(&flow(0, 1000, 0, 6), 1.5);
    statistics.push(&flow(1, 100_000, 1, 20), 2.0);
    statistics.finish(&[], Time::from_us(21));
    statistics
}

const ROWS_OF_ALL: KeptRows = KeptRows {
    of: FlowRows::All,
    seed: 1,
    for_memory: false,
    most_loaded: u64::MAX,
};

/// Ports 0 to 2 are the hosts' ports, and ports 3 to 5 those of the switch.
fn recording() -> Recording {
    let sent = |packets, bytes| PortCounters {
        data_packets: packets,
        data_bytes: bytes,
        ..PortCounters::default()
    };
    let mut ports = vec![PortCounters::default(); 6];
    ports[0] = PortCounters {
        paused: Time::from_us(2),
        ..sent(1, 1048)
    };
    ports[1] = sent(100, 104_800);
    ports[2] = PortCounters {
        control_packets: 101,
        control_bytes: 6060,
        ..Default::default()
    };
    ports[3] = PortCounters {
        pauses_sent: 1,
        ..Default::default()
    };
    ports[5] = PortCounters {
        queue_max: 2_096,
        marked: 3,
        ..sent(101, 105_848)
    };

    let tick = |us, alive, acked: &[u64]| Tick {
        time: Time::from_us(us),
        alive,
        acked: acked.iter().sum(),
        whole: acked.len() as u64,
        acked_sum: acked.iter().sum(),
        acked_square_sum: acked.iter().map(|x| u128::from(x * x)).sum(),
        ..Tick::default()
    };
    let queue_tick = |us, max, sum, paused_ports| Tick {
        time: Time::from_us(us),
        queue_max: max,
        queue_sum: sum,
        paused_ports,
        ..Tick::default()
    };
    Recording {
        unsent: vec![0; ports.len()],
        ports,
        kept_intervals: asked_intervals(),
        queue_ticks: vec![queue_tick(0, 0, 0, 0), queue_tick(5, 1048, 1048, 2)],
        flow_ticks: vec![
            tick(0, 1, &[]),
            Tick {
                paused_ports: 1,
                ..tick(5, 2, &[500, 1500])
            },
            tick(10, 1, &[1000]),
        ],
        queue_histogram: Histogram::from_iter([0, 0, 0, 0, 0, 1048]),
        queue_sum: 1048,
        queues: vec![QueueSample {
            time: Time::from_us(5),
            port: 5,
            bytes: 1048,
        }],
        flow_samples: vec![FlowSample {
            time: Time::from_us(5),
            flow: FlowId(1),
            rate: Rate::from_gbps(100),
            window: Bytes::MAX,
            sent: Bytes::new(2000),
            acked: Bytes::new(1500),
        }],
        pauses: vec![PauseEvent {
            time: Time::from_us(3),
            node: NodeId(3),
            port: 1,
            paused: true,
        }],
        packet_hops: 404,
        delivered: Bytes::new(101_000),
        started: 2,
        end: Time::from_us(21),
        ..Recording::default()
    }
}

fn asked_intervals() -> SampleIntervals {
    let every = Some(Time::from_us(5));
    SampleIntervals {
        queues: every,
        flows: every,
    }
}

fn results() -> Results {
    let facts = ScenarioFacts {
        identity: Identity::of("seed = 1"),
        name: "two into one".to_owned(),
        algorithm: "hpcc".to_owned(),
        profile: "default".to_owned(),
        clock: Clock::Picoseconds,
        seed: 1,
        hosts: 3,
        nics: None,
        switches: 1,
        links: 3,
        base_rtt_ps: 4_000_000,
        left_whole: Vec::new(),
        bdp_bytes: 50_000,
        live: false,
    };
    let timing = RunTiming {
        first_arrival: Time::ZERO,
        end: Time::from_us(21),
        links_end: Time::from_us(21),
        partial: false,
        wall: Duration::from_millis(20),
        cpu: Duration::from_millis(10),
        threads: 1,
    };
    let scenario = RunScenario {
        facts,
        toml: "seed = 1\n".to_owned(),
    };
    let recording = recording();
    let fair_shares = Some(vec![Some(0.5), Some(1.0)]);
    let late = LateColumns {
        fair_shares: fair_shares.as_deref(),
        ..LateColumns::default()
    };
    let flows = flows().finish(&[], &late).expect("rows stay in memory");
    let measured = Measurements {
        fingerprint: flows.hash.finish(
            (&recording.ports, &recording.trims),
            recording.packet_hops,
            None,
        ),
        faults: None,
        recording,
        start_finish_correlation: flows.start_finish_correlation,
        flows: flows.table,
        arrivals: FlowArrivals::of(Time::from_us(5), [Time::ZERO, Time::from_us(1)]),
        window: MeasuringWindow::WHOLE,
        statistics: statistics(),
        finished: 2,
        kept_rows: None,
        asked_loads: AskedLoads::default(),
        asked_intervals: asked_intervals(),
        traffic: Vec::new(),
        algorithms: None,
        messages: None,
        tasks: None,
        tenants: Vec::new(),
        fair_shares,
        measures_packet_latency: false,
        counts_round_trips: false,
        timing,
        stall: None,
    };
    Results::new(scenario, measured, &star())
}

#[test]
fn flows_are_one_row_each() {
    let flows = results().flows;
    let column = |name| flows.values::<UInt64Type>(name).collect::<Vec<_>>();
    assert_eq!(column("size_bytes"), [1000, 100_000]);
    assert_eq!(column("start_ps"), [0, 1_000_000]);
    assert_eq!(column("fct_ps"), [6_000_000, 20_000_000]);
    assert_eq!(column("ideal_fct_ps"), [4_000_000, 10_000_000]);
    assert_eq!(
        flows.values::<Float64Type>("slowdown").collect::<Vec<_>>(),
        [1.5, 2.0]
    );
    assert_eq!(
        flows.values::<UInt32Type>("source").collect::<Vec<_>>(),
        [0, 1]
    );
    assert_eq!(
        flows
            .values::<UInt32Type>("retransmitted_packets")
            .collect::<Vec<_>>(),
        [0, 1]
    );
}

#[test]
fn every_column_is_in_the_docs() {
    let docs = include_str!("../../../../docs/results/columns.md");
    let results = results();
    for table in [&results.flows, &results.ports, &results.series] {
        for field in table.schema().fields() {
            let name = format!("`{}`", field.name());
            assert!(
                docs.contains(&name),
                "{name} is not in docs/results/columns.md"
            );
        }
    }
}

/// Goodput of the flow sample at 5 µs: 2000 B in 5 µs, 3.2 Gb/s. Jain's index: (500 + 1500)² over
/// 2 · (500² + 1500²), 0.8. The number of paused ports is that of the queue sample at 5 µs,
/// whatever flow samples have.
#[test]
fn series_are_in_long_form() {
    let expected = "\
5000000 queue_bytes switch 3 port 2 → host 2: 1048
0 queue_max_bytes network: 0
5000000 queue_max_bytes network: 1048
0 queue_sum_bytes network: 0
5000000 queue_sum_bytes network: 1048
0 active_flows network: 1
5000000 active_flows network: 2
10000000 active_flows network: 1
5000000 goodput_bps network: 3200000000
10000000 goodput_bps network: 1600000000
5000000 jain_index network: 0.8
10000000 jain_index network: 1
0 paused_ports network: 0
5000000 paused_ports network: 2
5000000 rate_bps flow 1: 100000000000
5000000 sent_bytes flow 1: 2000
5000000 acked_bytes flow 1: 1500
3000000 pfc switch 3 port 1 → host 1: 1
";
    assert_eq!(series_as_text(&results().series), expected);
}

fn series_as_text(series: &Table) -> String {
    let words = |batch: &RecordBatch, column: &str| -> Vec<String> {
        let column = batch
            .column_by_name(column)
            .expect("a column")
            .as_dictionary::<Int32Type>();
        let words = column
            .downcast_dict::<arrow_array::StringArray>()
            .expect("text");
        words
            .into_iter()
            .map(|word| word.expect("not null").to_owned())
            .collect()
    };
    let measures = series
        .batches()
        .iter()
        .flat_map(|batch| words(batch, "measure"));
    let entities = series
        .batches()
        .iter()
        .flat_map(|batch| words(batch, "entity"));
    let times = series.values::<UInt64Type>("time_ps");
    let values = series.values::<Float64Type>("value");
    times
        .zip(measures.zip(entities))
        .zip(values)
        .map(|((time, (measure, entity)), value)| format!("{time} {measure} {entity}: {value}\n"))
        .collect()
}

/// Port 5 sent 105 848 B in 21 µs, of the 262 500 B that its link can carry.
#[test]
fn ports_are_one_row_each() {
    let ports = results().ports;
    assert_eq!(ports.rows(), 6);
    assert_eq!(
        ports.values::<UInt32Type>("node").collect::<Vec<_>>(),
        [0, 1, 2, 3, 3, 3]
    );
    assert_eq!(
        ports.values::<UInt32Type>("peer").collect::<Vec<_>>(),
        [3, 3, 3, 0, 1, 2]
    );
    let used = ports
        .values::<Float64Type>("utilisation")
        .nth(5)
        .expect("six ports");
    assert!((used - 105_848.0 / 262_500.0).abs() < 1e-12, "{used}");
    let labels = ports.batches()[0]
        .column_by_name("label")
        .expect("labels")
        .as_string::<i32>();
    assert_eq!(labels.value(4), "switch 3 port 1 → host 1");
}

/// Every key of `summary.json`, and every figure worked out by hand:
///
/// - slowdowns 1.5 and 2: mean 1.75, of two values the larger is the median
/// - goodput: 101 000 B in 21 µs; per flow 1000 B in 6 µs and 100 000 B in 20 µs, mean of
///   1.333 and 40 Gb/s
/// - queues: six samples of 0 and 1048 B, mean 1048 / 6; the larger lies in the bin 1048 to 1049
/// - host links: 1048, 104 800 and 6060 B in 21 µs, in which each carries 262 500 B
#[test]
fn the_summary_by_hand() {
    let results = results();
    let mut summary = results.summary.clone();
    for rounded in [
        &mut summary.utilisation.max,
        &mut summary.utilisation.mean_host_links,
        &mut summary.recovery.timeout_wait_share,
    ] {
        *rounded = (*rounded * 1e6).round() / 1e6;
    }
    summary.goodput_bps.total = summary.goodput_bps.total.map(f64::round);
    summary.goodput_bps.mean_per_flow = summary.goodput_bps.mean_per_flow.map(f64::round);
    summary.queue_bytes.mean = summary
        .queue_bytes
        .mean
        .map(|mean| (mean * 1e3).round() / 1e3);
    let found = summary
        .to_json()
        .replace(&summary.scenario.identity.to_string(), "IDENTITY")
        .replace(crate::ENGINE, "ENGINE")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_eq!(found, include_str!("tests/summary.json"), "found:\n{found}");
}

#[test]
fn a_folder_holds_what_the_tables_hold() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    let results = results();
    results.write(&folder).expect("written");
    for (file, table) in [
        ("flows.parquet", &results.flows),
        ("ports.parquet", &results.ports),
        ("series.parquet", &results.series),
    ] {
        let read = Table::read_parquet(&folder.join(file)).expect("read");
        assert_eq!(read.schema().fields(), table.schema().fields(), "{file}");
        assert_eq!(read.rows(), table.rows(), "{file}");
    }
    let series = Table::read_parquet(&folder.join("series.parquet")).expect("read");
    assert_eq!(series_as_text(&series), series_as_text(&results.series));
    let flows = Table::read_parquet(&folder.join("flows.parquet")).expect("read");
    assert_eq!(flows.batches(), results.flows.batches());
    let text = |name| std::fs::read_to_string(folder.join(name)).expect("read");
    assert_eq!(text("summary.json"), results.summary.to_json());
    assert_eq!(text("scenario.toml"), "seed = 1\n");
}

#[test]
fn equal_results_are_equal_files() {
    let place = tempdir().expect("a folder");
    let write = |name| {
        let folder = place.path().join(name);
        results().write(&folder).expect("written");
        [
            "flows.parquet",
            "series.parquet",
            "ports.parquet",
            "summary.json",
        ]
        .map(|file| std::fs::read(folder.join(file)).expect("read"))
    };
    assert!(write("one") == write("two"));
}

#[test]
fn a_missing_table_is_named() {
    let message = Table::read_parquet(Path::new("no/flows.parquet")).expect_err("none");
    let start = "no/flows.parquet: cannot read: No such file or directory";
    assert!(message.to_string().starts_with(start), "{message}");
}

#[test]
fn a_file_of_another_kind_is_named() {
    let place = tempdir().expect("a folder");
    let file = place.path().join("flows.parquet");
    std::fs::write(&file, "flow,fct\n").expect("written");
    let message = Table::read_parquet(&file)
        .expect_err("no Parquet")
        .to_string();
    let start = format!("{}: cannot read: ", file.display());
    assert!(message.starts_with(&start), "{message}");
}
