//! NICs with shared congestion states, under every algorithm.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_cc::{AlgorithmConfig, Serves};
use incast_sim::{Partitioning, Results, Source, Threads, ValidSpec, run, run_on};

use crate::support;

const ENFORCEMENTS: [&str; 4] = ["per-qp", "per-destination", "per-pair", "per-source"];

fn valid(text: &str) -> ValidSpec {
    let source = Source::from_text("run.toml", text);
    support::valid(&source, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn results(text: &str) -> Results {
    support::results(&valid(text))
}

/// Many flows among few hosts of two racks; some are not under congestion control.
fn crowd(algorithm: &str, enforcement: &str, qps: &str) -> String {
    format!(
        r#"
[network]
topology = {{ kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 3 }}
[nic]
enforcement = "{enforcement}"
qps = "{qps}"
[cc]
algorithm = "{algorithm}"
[[traffic]]
kind = "poisson"
sizes = "fb-hadoop"
load = 0.6
duration = "100us"
[[traffic]]
kind = "incast"
senders = "1-5"
receiver = 0
sizes = "50KB"
[[traffic]]
kind = "poisson"
sizes = "1KB"
load = 0.05
duration = "100us"
controlled = false
"#
    )
}

fn threads(count: usize) -> Threads {
    Threads {
        count: NonZeroUsize::new(count).expect("some threads"),
        partitioning: Partitioning::Random(count as u64),
    }
}

/// The NICs that suit an algorithm, with the fingerprints of their runs. Checks that any number of
/// threads gives this fingerprint, that every flow completes, and that other NICs are refused.
fn fingerprints(algorithm: &str) -> BTreeMap<(&'static str, &'static str), String> {
    let defaults = AlgorithmConfig::with_defaults(algorithm, None).expect("it exists");
    let serves = defaults.needs().serves;
    let mut fingerprints = BTreeMap::new();
    for (enforcement, qps) in ENFORCEMENTS
        .into_iter()
        .flat_map(|enforcement| ["per-flow", "persistent"].map(|qps| (enforcement, qps)))
    {
        let text = crowd(algorithm, enforcement, qps);
        let suits = match serves {
            Serves::AnyFlows => true,
            Serves::OnePath(_) => enforcement != "per-source",
            Serves::OneFlow(_) => (enforcement, qps) == ("per-qp", "per-flow"),
        };
        if suits {
            fingerprints.insert((enforcement, qps), fingerprint(&text));
        } else {
            let source = Source::from_text("run.toml", text);
            let refused = support::valid(&source, &[]);
            refused.expect_err("one state cannot serve them all");
        }
    }
    fingerprints
}

fn fingerprint(text: &str) -> String {
    let spec = valid(text);
    let alone = run(&spec, &mut ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let summary = &alone.summary;
    assert_eq!(summary.flows.finished, summary.flows.started, "{text}");
    for count in [2, 3, 8] {
        let several = run_on(&spec, threads(count), &mut ());
        let several = several.unwrap_or_else(|error| panic!("{error}"));
        let same = several.summary.fingerprint == summary.fingerprint;
        assert!(same, "{count} threads\n{text}");
    }
    summary.fingerprint.to_string()
}

/// With one lane, all flows of a pair share one persistent QP, so three enforcements are equal.
/// With a QP for each flow the enforcements differ.
#[test]
fn every_algorithm_under_every_enforcement() {
    let mut refused = Vec::new();
    for algorithm in AlgorithmConfig::built_in() {
        let name = algorithm.name;
        let runs = fingerprints(name);
        let of = |enforcement, qps| runs.get(&(enforcement, qps));
        let flows = of("per-qp", "per-flow");
        if runs.len() == 1 {
            continue;
        }
        let lanes = of("per-qp", "persistent");
        assert_eq!(of("per-destination", "persistent"), lanes, "{name}");
        assert_eq!(of("per-pair", "persistent"), lanes, "{name}");
        assert!(flows.is_some() && flows != lanes, "{name}");
        assert_ne!(of("per-pair", "per-flow"), flows, "{name}");
        if of("per-source", "per-flow").is_none() {
            refused.push(name);
        }
    }
    assert_eq!(
        refused,
        [
            "fncc",
            "hpcc",
            "hpcc++",
            "powertcp",
            "rocc",
            "theta-powertcp",
            "timely"
        ]
    );
}

/// Flows that share a congestion state of a pair, or a persistent QP, take one path; other flows
/// have source ports of their own.
#[test]
fn flows_of_one_state_take_one_path() {
    let ports = |algorithm: &str, enforcement, qps| {
        let results = results(&crowd(algorithm, enforcement, qps));
        let table = &results.flows;
        let pairs = table
            .values::<UInt32Type>("source")
            .zip(table.values::<UInt32Type>("destination"));
        let tags = table.values::<UInt16Type>("traffic").map(|tag| tag == 2);
        let mut of: BTreeMap<_, BTreeSet<u16>> = BTreeMap::new();
        for (key, port) in pairs
            .zip(tags)
            .zip(table.values::<UInt16Type>("source_port"))
        {
            of.entry(key).or_default().insert(port);
        }
        of.values().map(BTreeSet::len).max()
    };
    assert!(ports("dcqcn", "per-qp", "per-flow") > Some(1));
    assert!(ports("dcqcn", "per-destination", "per-flow") > Some(1));
    assert_eq!(ports("hpcc", "per-destination", "per-flow"), Some(1));
    assert_eq!(ports("dcqcn", "per-pair", "per-flow"), Some(1));
    assert_eq!(ports("dcqcn", "per-qp", "persistent"), Some(1));
}

/// The attacker's share of a dumbbell in the 20 ms after the first 10 ms. The attacker has `qps`
/// QPs and the victim one, under DCQCN with the timers of ConnectX and RED of 200/800 KB.
fn attackers_share(enforcement: &str, qps: usize) -> f64 {
    let attack = r#", { source = 1, destination = 3, size = "10GB" }"#.repeat(qps);
    let until = |stop| {
        let text = format!(
            r#"
run = {{ stop = "{stop}" }}
nic = {{ enforcement = "{enforcement}" }}
measure = {{ queues = {{ ports = "none", every = "1ms" }}, flows = {{ which = "none" }} }}
[network]
topology = {{ kind = "dumbbell", switches = 2, receivers = 2, delay = "500ns" }}
packets = {{ mtu = "1024B", data_header = "82B" }}
ecn = {{ k_min = "200KB", k_max = "800KB", p_max = 0.2 }}
[cc]
algorithm = "dcqcn"
notification = "cnp"
gain = 0.0048828125
initial_alpha = 0.9990234375
additive_increase = "5Mbps"
hyper_increase = "50Mbps"
min_rate = "1Mbps"
[[traffic]]
kind = "flows"
flows = [{{ source = 0, destination = 2, size = "10GB" }}{attack}]
"#
        );
        let ports = results(&text).ports;
        let peers = ports.values::<UInt32Type>("peer");
        let bytes: BTreeMap<_, _> = peers
            .zip(ports.values::<UInt64Type>("data_bytes"))
            .collect();
        [bytes[&2], bytes[&3]]
    };
    let (early, late) = (until("10ms"), until("30ms"));
    let [victim, attacker] = [late[0] - early[0], late[1] - early[1]].map(|bytes| bytes as f64);
    attacker / (victim + attacker)
}

/// Snyder's testbed. 8 QPs take 8/9 of the rate where each QP has a rate of its own. On ConnectX-5,
/// each QP may use the whole common rate of its destination, and 8 QPs take about 72 %. Where the
/// QPs divide a common rate, they take no more than half.
#[test]
fn parallel_qps_take_what_their_nic_lets_them() {
    let near = |share: f64, expected: f64| (share - expected).abs() < 0.04;
    let per_qp = attackers_share("per-qp", 8);
    assert!(near(per_qp, 8.0 / 9.0), "{per_qp}");
    let per_destination = attackers_share("per-destination", 8);
    assert!(near(per_destination, 0.72), "{per_destination}");
    let per_pair = attackers_share("per-pair", 8);
    assert!(near(per_pair, 0.5), "{per_pair}");
}

/// Packets that wait for long are sent again, and their flow completes while the repeats are in
/// flight. No bytes of the completed flow stay counted as in flight. The later flows, each alone on
/// the network, begin with the window that is left.
#[test]
fn repeats_of_completed_flows_leave_the_window_to_others() {
    for (enforcement, qps) in [("per-qp", "persistent"), ("per-pair", "per-flow")] {
        let text = format!(
            r#"
[network]
topology = {{ kind = "dumbbell", senders = 2, receivers = 2, trunk_rate = "5Gbps" }}
flow_control = "none"
recovery = {{ timeout = "20us" }}
[nic]
enforcement = "{enforcement}"
qps = "{qps}"
[cc]
algorithm = "dctcp"
[[traffic]]
kind = "permutation"
sizes = "50KB"
shift = 2
rounds = {{ count = 7, every = "30us" }}
[[traffic]]
kind = "flows"
flows = [
    {{ source = 0, destination = 2, size = "1MB", start = "50ms" }},
    {{ source = 1, destination = 3, size = "1MB", start = "60ms" }},
]
"#
        );
        let results = results(&text);
        let retransmitted = results.summary.packets.retransmitted;
        assert!(retransmitted > 0, "{enforcement}: {retransmitted}");
        let slowdowns: Vec<_> = results.flows.values::<Float64Type>("slowdown").collect();
        let alone = &slowdowns[slowdowns.len() - 2..];
        assert!(
            alone.iter().all(|slowdown| *slowdown < 1.1),
            "{enforcement}: {alone:?}"
        );
    }
}

/// LGC's first interval begins with the first packet, and ends long before its ACK. On every NIC
/// the results equal those with a retransmission timeout that never expires.
#[test]
fn a_timeout_that_never_expires_changes_nothing() {
    for algorithm in ["lgc", "dcqcn"] {
        for enforcement in ENFORCEMENTS {
            for qps in ["per-flow", "persistent"] {
                let run = |recovery: &str| {
                    let text = format!(
                        r#"
[network]
topology = {{ kind = "star", hosts = 5, rate = "10Gbps", delay = "400us" }}
buffer = {{ size = "10MB" }}
{recovery}
[nic]
enforcement = "{enforcement}"
qps = "{qps}"
[cc]
algorithm = "{algorithm}"
[[traffic]]
kind = "incast"
receiver = 0
sizes = "50KB"
rounds = {{ count = 2, every = "7ms" }}
"#
                    );
                    let results = results(&text);
                    let fingerprint = results.summary.fingerprint;
                    (results.flows.batches().to_vec(), fingerprint)
                };
                let never = run("recovery = { timeout = \"100s\" }");
                assert!(run("") == never, "{algorithm} {enforcement} {qps}");
            }
        }
    }
}
