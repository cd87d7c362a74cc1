//! Faults of links in whole scenarios: the facts in results, which depend only on scenario and
//! seed.

use std::num::NonZeroUsize;
use std::path::Path;

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Results, Source, Threads, ValidSpec, run_on};

use crate::support::{self, valid};

fn spec(text: &str) -> ValidSpec {
    valid(&Source::from_text("run.toml", text), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn results(text: &str) -> Results {
    support::results(&spec(text))
}

/// Host 0 sends 1000 B to host 1 over one switch at 100 Gb/s.
const ONE: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }
[cc]
algorithm = "none"
[[traffic]]
kind = "flows"
flows = [{ source = 0, destination = 1, size = "1KB" }]
"#;

/// The run ends after 4.17728 us. A retransmission timer that is no longer needed would expire
/// after the fault. The fault still does not happen, and no port holds data because of it.
#[test]
fn faults_after_the_end_do_not_happen_whatever_timers_are_left() {
    let fault = "[[fault]]\nkind = \"degraded\"\nlinks = [\"host 1\"]\nrate = \"1Gbps\"\n\
                 from = \"10us\"\nuntil = \"20us\"\n";
    let with_timeout = |timeout: &str| results(&format!("{ONE}{timeout}{fault}"));
    let patient = with_timeout("[network.recovery]\ntimeout = \"1ms\"\n");
    let faults = patient.faults.as_ref().expect("the scenario has one");
    assert_eq!(faults.rows(), 0);
    let paused: u64 = patient.ports.values::<UInt64Type>("paused_ps").sum();
    assert_eq!(paused, 0);
    let fingerprints = [patient, with_timeout("")].map(|results| results.summary.fingerprint);
    assert_eq!(fingerprints[0], fingerprints[1]);
}

/// The packet of 1048 B takes 83.84 ns on each link and its ACK 4.8 ns; each link has 1 us: 4.17728
/// us. The link of host 1 is down until 10 us, so the packet is sent again after the timeout of
/// 1 ms.
#[test]
fn a_fault_is_told_in_tables_and_summary() {
    let fault = "[[fault]]\nkind = \"down\"\nlinks = [\"host 1\"]\nuntil = \"10us\"\n";
    let results = results(&format!("{ONE}{fault}"));
    let fct = results.flows.values::<UInt64Type>("fct_ps").next();
    assert_eq!(fct, Some(1_004_177_280));
    let again = results.flows.values::<UInt32Type>("retransmitted_packets");
    assert_eq!(again.collect::<Vec<_>>(), [1]);
    let lost = results.flows.values::<UInt64Type>("lost_link_down");
    assert_eq!(lost.collect::<Vec<_>>(), [1]);
    // Hosts have one port each; the second of the switch's four ports leads to host 1.
    let lost: Vec<_> = results
        .ports
        .values::<UInt64Type>("lost_link_down")
        .collect();
    assert_eq!(lost, [0, 0, 0, 0, 0, 1, 0, 0]);
    let facts = results.summary.faults.as_ref().expect("there is a fault");
    assert_eq!((facts.lost_link_down, facts.lost_corrupted), (1, 0));
    let [entry] = facts.entries.as_slice() else {
        panic!("{facts:?}");
    };
    assert_eq!(
        (entry.kind.as_str(), entry.times, entry.flows),
        ("down", 1, 1)
    );
    assert_eq!(entry.links, ["host 1 – switch 4"]);
    assert_eq!(
        (entry.recovery_ps, entry.not_recovered),
        (Some(1_004_177_280), 0)
    );
    let table = results.faults.as_ref().expect("a table");
    let recovery: Vec<_> = table.values::<UInt64Type>("recovery_ps").collect();
    assert_eq!((table.rows(), recovery), (1, vec![1_004_177_280]));
}

/// The packet is on its first link from 0 to 1.08384 us. A link that would fail at the stop time or
/// later loses nothing. A link that fails a picosecond before the stop loses the packet.
#[test]
fn a_fault_after_the_stop_never_happens() {
    let lost = |from: &str| {
        let fault =
            format!("[[fault]]\nkind = \"down\"\nlinks = [\"host 0\"]\nfrom = \"{from}\"\n");
        let results = results(&format!("[run]\nstop = \"1us\"\n{ONE}{fault}"));
        let facts = results.summary.faults.expect("there is a fault");
        let rows = results.faults.map_or(0, |table| table.rows());
        (facts.lost_link_down, rows)
    };
    assert_eq!(lost("1us"), (0, 0));
    assert_eq!(lost("1050ns"), (0, 0));
    assert_eq!(lost("999999ps"), (1, 1));
}

/// Without faults results have no fault table. Faults are part of a scenario's identity.
#[test]
fn faults_are_part_of_the_identity() {
    let fault = |until| {
        let fault =
            format!("[[fault]]\nkind = \"down\"\nlinks = [\"host 1\"]\nuntil = \"{until}\"\n");
        spec(&format!("{ONE}{fault}"))
    };
    let (none, short, long) = (spec(ONE), fault("10us"), fault("20us"));
    let identity = |spec: &ValidSpec| spec.identity().expect("no files");
    assert_ne!(identity(&none), identity(&short));
    assert_ne!(identity(&short), identity(&long));
    assert!(support::results(&none).faults.is_none());
    let printed = short.to_toml();
    assert_eq!(spec(&printed).to_toml(), printed);
    assert!(printed.contains("detection = \"1ms\""), "{printed}");
}

/// A flow is cut off for good: the run ends with a stall whose message names the hosts.
#[test]
fn a_host_that_is_cut_off_for_good_is_named() {
    let fault = "[[fault]]\nkind = \"down\"\nlinks = [\"host 1\"]\n";
    let results = results(&format!("{ONE}{fault}"));
    let stall = results.summary.stall.as_ref().expect("it never completes");
    assert_eq!(
        (stall.kind.as_str(), stall.ended_run),
        ("no-progress", true)
    );
    let way = "; links that failed for good leave no way from host 0 to host 1 (flow 0)";
    assert!(stall.message.ends_with(way), "{}", stall.message);
    let facts = results.summary.faults.as_ref().expect("there is a fault");
    assert_eq!(facts.entries[0].not_recovered, 1);
}

/// The check for stalled runs takes outages into account: the link is down for 15 s, and the flow
/// then completes.
#[test]
fn an_outage_is_no_stall() {
    let fault = "[[fault]]\nkind = \"down\"\nlinks = [\"host 1\"]\nuntil = \"15s\"\n";
    let results = results(&format!("{ONE}{fault}"));
    assert!(results.summary.stall.is_none());
    assert_eq!(results.summary.flows.finished, 1);
}

fn on(spec: &ValidSpec, count: usize) -> Results {
    let threads = Threads {
        count: NonZeroUsize::new(count).expect("some threads"),
        partitioning: Partitioning::Random(count as u64),
    };
    run_on(spec, threads, &mut ()).unwrap_or_else(|error| panic!("{error}"))
}

/// The example `link-failure.toml` under algorithms of every kind of signal: results are equal on
/// any number of threads.
#[test]
fn faults_under_every_kind_of_signal() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = Source::from_file(&repository.join("examples/link-failure.toml")).unwrap();
    for (algorithm, flow_control) in [
        ("hpcc", "pfc"),
        ("hpcc", "none"),
        ("hpcc++", "pfc"),
        ("powertcp", "none"),
        ("fncc", "pfc"),
        ("dcqcn", "pfc"),
        ("rocc", "pfc"),
        ("swift", "none"),
    ] {
        let settings = [
            ("cc.algorithm", format!("\"{algorithm}\"")),
            ("network.flow_control", format!("\"{flow_control}\"")),
            ("traffic.0.data", "\"1MB\"".to_owned()),
            ("traffic.0.rounds", "3".to_owned()),
            ("fault.0.from", "\"100us\"".to_owned()),
            ("fault.0.until", "\"400us\"".to_owned()),
            ("fault.0.detection", "\"50us\"".to_owned()),
        ];
        let settings: Vec<_> = settings
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
            .collect();
        let spec = valid(&source, &settings).unwrap_or_else(|error| panic!("{error}"));
        let alone = support::results(&spec);
        let facts = alone.summary.faults.as_ref().expect("there is a fault");
        assert!(facts.lost_link_down > 0, "{algorithm}: {facts:?}");
        assert_eq!(facts.entries[0].not_recovered, 0, "{algorithm}");
        for count in [1, 2, 3, 8] {
            let shared = on(&spec, count);
            let fingerprints = [&shared, &alone].map(|results| results.summary.fingerprint);
            assert_eq!(
                fingerprints[0], fingerprints[1],
                "{algorithm}, {count} threads"
            );
            assert_eq!(shared.flows.batches(), alone.flows.batches());
        }
    }
}
