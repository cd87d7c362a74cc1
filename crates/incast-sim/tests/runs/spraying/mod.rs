//! Packets of one flow on several paths, in whole scenarios: no packet is sent again, no flow is
//! faster than possible, and impossible scenarios are refused with a reason.

use std::num::NonZeroUsize;

use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use incast_net::{AckPolicy, RecoveryKind};
use incast_signals::QueueThreshold;
use incast_sim::{Partitioning, Results, Source, Threads, ValidSpec, run_on};
use incast_units::Bytes;

mod of_entries;
mod order;

use crate::support;

/// The network of the example with an own topology: two racks, and two paths between them, one
/// longer than the other.
const UNEQUAL: &str = r#"
[network]
topology = { file = "own-network.graph", format = "graph" }
flow_control = "none"

[cc]
algorithm = "none"

[[traffic]]
kind = "permutation"
sizes = "300500B"
shift = 2
"#;

const LEAF_SPINE: &str = r#"
[network]
flow_control = "none"

[network.topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
spine_rate = "100Gbps"

[cc]
algorithm = "none"

[[traffic]]
kind = "permutation"
sizes = "400KB"
shift = 4
"#;

const SPRAY: &[(&str, &str)] = &[
    ("network.balance", "{ kind = \"random\" }"),
    ("network.recovery.loss_detection.kind", "explicit"),
];

fn valid(text: &str, settings: &[&[(&str, &str)]]) -> Result<ValidSpec, String> {
    let graph = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/own-network.graph"
    );
    let text = text.replace("own-network.graph", graph);
    support::valid(
        &Source::from_text("spraying.toml", &text),
        &settings.concat(),
    )
}

fn results(text: &str, settings: &[&[(&str, &str)]]) -> Results {
    let spec = valid(text, settings).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
    support::results(&spec)
}

/// The slowdown of every flow, and the number of retransmitted packets.
fn slowdowns(results: &Results) -> (Vec<f64>, u32) {
    let slowdowns = results.flows.values::<Float64Type>("slowdown").collect();
    let again = results.flows.values::<UInt32Type>("retransmitted_packets");
    (slowdowns, again.sum())
}

/// The long path takes 8 us more: packets overtake each other, but none is sent again. No flow is
/// faster than ideal, whatever paths its packets take. A packet of one byte takes 3.0 us by the
/// short path, and 11 us by the long one: a slowdown of 3.7.
#[test]
fn unequal_paths_are_no_defect() {
    for (size, most) in [
        ("1B", 4.0),
        ("1500B", 4.0),
        ("20500B", 4.0),
        ("300500B", 3.0),
    ] {
        for seed in ["1", "2", "3"] {
            let settings = [("traffic[0].sizes", size), ("run.seed", seed)];
            let results = results(UNEQUAL, &[SPRAY, &settings]);
            let (slowdowns, again) = slowdowns(&results);
            assert_eq!(again, 0);
            assert!(
                slowdowns
                    .iter()
                    .all(|slowdown| (1.0..most).contains(slowdown)),
                "{slowdowns:?}"
            );
        }
    }
}

/// The fingerprint is the same on the fast path, the plain path, and two or three threads. Sprayed
/// flows are faster than ECMP flows that share a path.
#[test]
fn any_way_to_compute_a_run_agrees() {
    let reference = results(LEAF_SPINE, &[SPRAY]);
    let (sprayed, again) = slowdowns(&reference);
    assert_eq!(again, 0);
    let traced = results(LEAF_SPINE, &[SPRAY, &[("measure.packets", "true")]]);
    assert_eq!(traced.summary.fingerprint, reference.summary.fingerprint);
    let spec = valid(LEAF_SPINE, &[SPRAY]).expect("it is valid");
    for count in [2, 3] {
        let threads = Threads {
            count: NonZeroUsize::new(count).expect("some threads"),
            partitioning: Partitioning::Random(count as u64),
        };
        let outcome = run_on(&spec, threads, &mut ()).expect("it runs");
        assert_eq!(outcome.summary.fingerprint, reference.summary.fingerprint);
    }
    let (kept, _) = slowdowns(&results(LEAF_SPINE, &[]));
    let largest = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    assert!(
        largest(&sprayed) * 1.3 < largest(&kept),
        "{sprayed:?}, {kept:?}"
    );
}

/// For each balancer, the fingerprint is that of the plain path and of two threads, and no packet
/// is sent again. All balancers have different fingerprints.
#[test]
fn each_balancer_is_a_choice_of_a_scenario() {
    let marks = (
        "network.ecn",
        r#"{ k_min = "20KB", k_max = "80KB", p_max = 0.2 }"#,
    );
    let explicit = ("network.recovery.loss_detection.kind", "explicit");
    let mut fingerprints = Vec::new();
    for balance in [
        r#"{ kind = "flow" }"#,
        r#"{ kind = "random", entropies = 65536 }"#,
        r#"{ kind = "round-robin" }"#,
        r#"{ kind = "oblivious", entropies = 256, order = "xor" }"#,
        r#"{ kind = "bitmap", skips = "penalties", timeout_blames = "first" }"#,
        r#"{ kind = "reps", ring = 16, freezes_on = "loss", frozen_for = "1ms", exploring = 16 }"#,
        r#"{ kind = "reps-legacy", entropies = 100 }"#,
        r#"{ kind = "mixed" }"#,
        r#"{ kind = "plb", congested = 0.02, rounds_before_change = 1 }"#,
    ] {
        let settings = [("network.balance", balance), explicit, marks];
        let dctcp = [("cc.algorithm", "dctcp"), ("traffic[0].sizes", "1MB")];
        let reference = results(LEAF_SPINE, &[&settings, &dctcp]);
        assert_eq!(slowdowns(&reference).1, 0, "{balance}");
        let fingerprint = reference.summary.fingerprint;
        let traced = [("measure.packets", "true")];
        let traced = results(LEAF_SPINE, &[&settings, &dctcp, &traced]);
        assert_eq!(traced.summary.fingerprint, fingerprint, "{balance}");
        let spec = valid(LEAF_SPINE, &[&settings, &dctcp]).expect("it is valid");
        let threads = Threads {
            count: NonZeroUsize::new(2).expect("some threads"),
            partitioning: Partitioning::Random(2),
        };
        let outcome = run_on(&spec, threads, &mut ()).expect("it runs");
        assert_eq!(outcome.summary.fingerprint, fingerprint, "{balance}");
        assert!(!fingerprints.contains(&fingerprint), "{balance}");
        fingerprints.push(fingerprint);
    }
}

/// The paths of 200 entropies are all computed; those of 65,536 only until no new path is found.
/// Both reach the same paths, so flows have the same ideal FCTs.
#[test]
fn many_entropies_reach_the_paths_that_there_are() {
    for text in [UNEQUAL, LEAF_SPINE] {
        let ideal = |entropies: &str| {
            let settings = [("network.balance.entropies", entropies)];
            let flows = results(text, &[SPRAY, &settings]).flows;
            let sources = flows.values::<UInt32Type>("source");
            let ideal = flows.values::<UInt64Type>("ideal_fct_ps");
            let mut of_flows: Vec<(u32, u64)> = sources.zip(ideal).collect();
            of_flows.sort_unstable();
            of_flows
        };
        assert_eq!(ideal("200"), ideal("65536"));
    }
}

/// Messages have file, line, key, the mistake, and a correction.
#[test]
fn impossible_balancers_are_refused() {
    let with = |line: &str| {
        let text = LEAF_SPINE.replace("flow_control = \"none\"", line);
        valid(&text, &[]).expect_err("it is refused")
    };
    for (balance, said) in [
        (
            r#"{ kind = "reps", entropies = 0 }"#,
            "spraying.toml:3: network.balance.entropies: `0` is out of range; write 1 to 65536",
        ),
        (
            r#"{ kind = "oblivious", entropies = 48, order = "xor" }"#,
            "spraying.toml:3: network.balance.entropies: `48` is not a power of two, which the \
             order \"xor\" is for; write 32 or 64, or order = \"shuffled\"",
        ),
        (
            r#"{ kind = "rep" }"#,
            "spraying.toml:3: network.balance.kind: unknown load balancing `rep`; did you mean \
             `reps`?",
        ),
        (
            r#"{ kind = "reps", rings = 4 }"#,
            "spraying.toml:3: network.balance.rings: unknown key `rings`; did you mean `ring`?",
        ),
        (
            r#"{ kind = "reps" }"#,
            "spraying.toml:3: network.balance: go-back-n takes every packet that overtakes another \
             for a loss before it, and \"reps\" lets packets overtake each other; write \
             recovery.kind = \"selective\", or leave load balancing out",
        ),
        (
            r#"{ kind = "plb" }"#,
            "spraying.toml:3: network.balance: \"plb\" changes paths by ECN marks, and no switch \
             marks; write balance.delay",
        ),
    ] {
        let refused = with(&format!("balance = {balance}"));
        assert!(refused.starts_with(said), "{refused}");
    }
}

/// Shares of max-min fair rates: the four hosts of a leaf fill its four links, so each flow has
/// nearly its whole rate on any paths.
#[test]
fn shares_are_of_all_paths() {
    let results = results(LEAF_SPINE, &[SPRAY, &[("measure.fair_share", "all")]]);
    let shares = results.flows.values::<Float64Type>("fair_share");
    for share in shares {
        assert!((0.8..1.2).contains(&share), "{share}");
    }
}

/// Messages name the algorithm, before the run begins.
#[test]
fn algorithms_of_one_path_are_refused_by_name() {
    for (algorithm, why) in [
        ("hpcc", "it compares the INT of successive ACKs hop by hop"),
        ("fncc", "it compares the INT of successive ACKs hop by hop"),
        (
            "timely",
            "it steers by the change of the RTT from ACK to ACK",
        ),
    ] {
        let chosen = [("cc.algorithm", algorithm)];
        let said = valid(LEAF_SPINE, &[SPRAY, &chosen]).expect_err("it is refused");
        for part in ["network.balance", &format!("algorithm `{algorithm}`"), why] {
            assert!(said.contains(part), "{said}");
        }
        assert!(valid(LEAF_SPINE, &[&chosen]).is_ok());
    }
    let in_order = valid(LEAF_SPINE, &[&SPRAY[..1]]).expect_err("it is refused");
    assert!(in_order.contains("in-order loss detection"), "{in_order}");
}

/// A scenario can choose each policy with its options. Where no policy applies, the key is refused.
#[test]
fn loss_detection_is_a_choice_of_selective_repeat() {
    let key = "network.recovery.loss_detection";
    for detection in [
        r#"{ kind = "explicit" }"#,
        r#"{ kind = "reordering", packets = 1000, time = "1ms" }"#,
        r#"{ kind = "early-count", window = 2, probes = { delay = 0.5 } }"#,
    ] {
        let settings = [
            ("network.balance", r#"{ kind = "random" }"#),
            (key, detection),
        ];
        let (_, again) = slowdowns(&results(LEAF_SPINE, &[&settings]));
        assert_eq!(again, 0, "{detection}");
    }
    for (settings, said) in [
        (
            [(key, r#"{ kind = "reordering", packets = 0, time = "1us" }"#)].as_slice(),
            "network.recovery.loss_detection.packets",
        ),
        (
            &[
                (key, r#"{ kind = "explicit" }"#),
                ("network.recovery.kind", "go-back-n"),
            ],
            "go-back-n has no choice of loss detection",
        ),
        (
            &[(key, r#"{ kind = "early-count", probes = { after = 0.0 } }"#)],
            "network.recovery.loss_detection.probes.after: `0` is out of range; write 0.1 to 1000",
        ),
        (
            &[
                ("network.recovery.timeout_of", "packet"),
                ("network.recovery.kind", "go-back-n"),
            ],
            "network.recovery.timeout_of: under go-back-n no packet has a timeout of its own",
        ),
    ] {
        let refused = valid(LEAF_SPINE, &[settings]).expect_err("it is refused");
        assert!(refused.contains(said), "{refused}");
    }
}

/// The algorithm's name alone switches on selective repeat, timestamps, marks between 0.2 and 0.8
/// of the largest BDP, and an ACK for every 16 KiB. A BDP in bytes is RTT · 100 Gb/s.
#[test]
fn nscc_comes_with_the_network_that_it_needs() {
    let spec = valid(LEAF_SPINE, &[&[("cc.algorithm", "nscc")]]).expect("it fits");
    let network = spec.network();
    assert_eq!(network.acks, AckPolicy::Bytes(Bytes::new(16_384)));
    assert_eq!(network.recovery.kind, RecoveryKind::Selective);
    assert!(network.timestamps);
    let ecn = network.ecn.as_ref().expect("marks");
    let bdp = spec.largest_base_rtt().window.as_u64();
    let part = |fifths: u64| QueueThreshold::Size(Bytes::new((bdp * fifths).div_ceil(5)));
    assert_eq!((ecn.k_min, ecn.k_max), (Some(part(1)), Some(part(4))));
    let text = spec.to_toml();
    for line in [
        "ack_every = \"",
        "k_min = \"0.2 bdp\"",
        "kind = \"selective\"",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// A permutation and an incast by NSCC on all paths, with losses and without, in the specified
/// version and in that of the simulator. All bytes arrive, on any number of threads.
#[test]
fn nscc_sends_on_many_paths() {
    let timeout = ("network.recovery.timeout", "100us");
    let equal = ("network.recovery.backoff", "none");
    let short = ("network.drop.queue_limit", "60KB");
    let mut drops = 0;
    for parameters in ["uec-1.0", "uet-htsim"] {
        let nscc = [
            ("cc.algorithm", "nscc"),
            ("cc.parameters", parameters),
            timeout,
            equal,
        ];
        let spared = results(LEAF_SPINE, &[SPRAY, &nscc]);
        let (slowdowns, again) = slowdowns(&spared);
        assert_eq!((slowdowns.len(), again), (16, 0));
        assert!(
            slowdowns
                .iter()
                .all(|slowdown| (1.0..1.5).contains(slowdown)),
            "{slowdowns:?}"
        );
        let incast =
            LEAF_SPINE.replace("kind = \"permutation\"", "kind = \"incast\"\nreceiver = 0");
        let incast = incast.replace("shift = 4\n", "");
        let spec = valid(&incast, &[SPRAY, &nscc, &[short]]).expect("it fits");
        let summary = support::results(&spec).summary;
        assert_eq!(summary.flows.finished, 15);
        drops += summary.packets.dropped;
        let threads = Threads {
            count: NonZeroUsize::new(3).expect("three"),
            partitioning: Partitioning::Random(3),
        };
        let on_three = run_on(&spec, threads, &mut ()).expect("it runs");
        assert_eq!(on_three.summary.fingerprint, summary.fingerprint);
    }
    assert!(drops > 0);
}

/// NSCC is refused without the signals that it needs, and with invalid sizes.
#[test]
fn nscc_is_refused_where_it_cannot_work() {
    let refusal = |key: &str, value: &str| {
        let refused = valid(LEAF_SPINE, &[&[("cc.algorithm", "nscc"), (key, value)]]);
        match refused {
            Err(error) => error,
            Ok(_) => panic!("it is refused"),
        }
    };
    for (key, value, expected) in [
        (
            "network.recovery.kind",
            "go-back-n",
            "network.recovery.kind: algorithm `nscc` needs selective repeat; write \"selective\", \
             or leave it out",
        ),
        (
            "network.ack_every",
            "0B",
            "network.ack_every: an ACK for nothing; write e.g. \"16KiB\", or 1 for each packet",
        ),
        (
            "network.ack_every",
            "some",
            "network.ack_every: `some` is neither a number of packets nor a size; write e.g. 8, or \
             \"16KiB\"",
        ),
        (
            "nic.enforcement",
            "per-pair",
            "one state of `nscc` cannot serve several flows: it counts what the flow has in flight",
        ),
        (
            "network.ecn.k_min",
            "0.2222 bdp",
            "`0.2222 bdp` is no number of BDPs; write up to three decimals",
        ),
    ] {
        let said = refusal(key, value);
        assert!(said.contains(expected), "{said}");
    }
}
