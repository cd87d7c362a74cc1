//! Profile `uet-htsim`: its defaults, and keys of the scenario that replace them.

use incast_cc::{AlgorithmConfig, NsccConfig};
use incast_net::{Backoff, Balance};

use super::*;

/// Hosts of different pods have paths of six links at 100 Gb/s, 1 us each. The largest base RTT is
/// 6 · (2 us + 337.12 ns) = 14.02272 us, or 175,284 B. That is 42.2 packets of 4150 B, so 43.
const TREE: &str = r#"
[network]
topology = { kind = "fat-tree", k = 4 }

[cc]
algorithm = "nscc"

[[traffic]]
kind = "permutation"
sizes = "1MB"
"#;

/// Of 43 packets of 4150 B, 42 wait and one leaves: 174,300 B. Headers: 2 · 43 · 4150 B. Lower
/// threshold: 0.2 · 43 = 8.6, so 9 packets, of which 8 wait: 33,200 B. Upper threshold:
/// 0.8 · 43 = 34.4, so 35, of which 34 wait. Timeout: 15 us + 6 · 43 · 332 ns = 100.656 us.
const WRITTEN: &str = r#"
[network]
topology = { kind = "fat-tree", k = 4 }
flow_control = "none"
base_rtt = "global"
ack_every = "16384B"
balance = { kind = "mixed", order = "xor", skips = "penalties", timeout_blames = "first" }
packets = { mtu = "4086B", data_header = "64B", ack = "64B", minimum = "64B", timestamp = "0B" }
ecn = { at = "dequeue", k_min = "33200B", k_max = "141100B", p_max = 1.0 }
recovery.kind = "selective"
recovery.loss_detection = { kind = "explicit" }
recovery.timeout = "100656ns"
recovery.backoff = "none"

[network.drop]
sharing = "per-port"
queue_limit = "174300B"
last_hop_queue_limit = "174300B"
contention = "coin"
trimming = { header = "64B", header_queue = "356900B", service = "strict" }

[cc]
algorithm = "nscc"
parameters = "uet-htsim"

[[traffic]]
kind = "permutation"
sizes = "1MB"
"#;

const PROFILE: (&str, &str) = ("network.profile", "uet-htsim");

fn tree(overrides: &[(&str, &str)]) -> ValidSpec {
    let mut all = vec![PROFILE];
    all.extend(overrides);
    with(TREE, &all).unwrap_or_else(|error| panic!("{error}"))
}

fn ports(spec: &ValidSpec) -> &PortBufferConfig {
    match &spec.network().flow_control {
        FlowControl::Drop(DropConfig::PerPort(ports)) => ports,
        other => panic!("ports have buffers of their own: {other:?}"),
    }
}

fn packets(count: u64) -> PortLimit {
    PortLimit::Size(Bytes::new(count * 4_150))
}

/// With receiver credit, ports to hosts do not mark.
#[test]
fn the_profile_is_what_its_keys_say() {
    let credits = "{ speculative = 1.5, idle_turns = \"of-demands\", grants_after_end = true }";
    let last_hop = ("network.ecn.last_hop", "false");
    for (algorithm, of_profile, written) in [
        ("nscc", vec![], vec![]),
        ("rccc", vec![], vec![last_hop]),
        (
            "nscc+credits",
            vec![],
            vec![last_hop, ("cc.credits", credits)],
        ),
        (
            "nscc",
            vec![
                ("network.balance.kind", "reps"),
                ("network.drop.trimming", "off"),
            ],
            vec![
                ("network.balance", "{ kind = \"reps\", exploring = 16 }"),
                // The limit is 5 · 43 = 215 packets, one of which leaves; the timeout is 15
                // us + 6 · 215 · 332 ns.
                ("network.drop.trimming", "off"),
                ("network.drop.queue_limit", "888100B"),
                ("network.drop.last_hop_queue_limit", "888100B"),
                ("network.recovery.timeout", "443280ns"),
            ],
        ),
        (
            "dctcp",
            vec![("network.balance.kind", "oblivious")],
            vec![
                (
                    "network.balance",
                    "{ kind = \"oblivious\", order = \"xor\" }",
                ),
                ("cc", "{ algorithm = \"dctcp\" }"),
                ("network.ack_every", "1"),
            ],
        ),
    ] {
        let cc = ("cc.algorithm", algorithm);
        let of_profile = tree(&[&[cc], &of_profile[..]].concat());
        let written = with(WRITTEN, &[&[cc], &written[..]].concat());
        let written = written.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            format!("{:?}", of_profile.network()),
            format!("{:?}", written.network()),
            "{algorithm}"
        );
        assert_eq!(of_profile.algorithm(), written.algorithm(), "{algorithm}");
    }
}

#[test]
fn what_is_written_goes_first() {
    let spec = tree(&[
        ("network.packets.mtu", "1936B"),
        ("network.balance", "{ kind = \"bitmap\", skips = \"once\" }"),
        ("network.drop.queue_limit", "82kB"),
        ("network.recovery.backoff", "exponential"),
        ("network.ecn", "{ step = \"10 packets\" }"),
        ("cc.parameters", "uec-1.0"),
    ]);
    let (network, packet) = (spec.network(), Bytes::new(2_000));
    let curve = network
        .ecn
        .as_ref()
        .and_then(|ecn| ecn.curve(Rate::from_gbps(100), packet));
    assert_eq!(curve, Some(EcnCurve::step(Bytes::new(20_000))));
    assert_eq!(network.recovery.backoff, Backoff::Exponential);
    assert_eq!(
        spec.algorithm(),
        &AlgorithmConfig::Nscc(NsccConfig::default())
    );
    let Balance::Bitmap(bitmap) = &network.balance else {
        panic!("{network:?}")
    };
    let expected = "order: Xor, skips: Once, timeout_blames: First";
    assert!(format!("{bitmap:?}").contains(expected), "{bitmap:?}");
    // The limit is 82,000 B, or 84,000 B with the departing packet; the header queue has twice
    // 84,000 B.
    let limit = PortLimit::Size(Bytes::new(82_000));
    let headers = ports(&spec)
        .trimming
        .as_ref()
        .map(|trimming| trimming.header_queue);
    assert_eq!(ports(&spec).queue_limit, limit);
    assert_eq!(headers, Some(PortLimit::Size(Bytes::new(168_000))));
    // 15 us, plus six queues of 6.72 us.
    assert_eq!(network.recovery.timeout, Some(Time::from_ns(55_320)));
}

/// Three BDPs are 3 · 43 packets.
#[test]
fn bdps_are_whole_packets() {
    let spec = tree(&[("network.drop.queue_limit", "3bdp")]);
    let ports = ports(&spec);
    assert_eq!(
        [ports.queue_limit, ports.last_hop_queue_limit],
        [packets(128); 2]
    );
    let headers = ports
        .trimming
        .as_ref()
        .map(|trimming| trimming.header_queue);
    assert_eq!(headers, Some(packets(6 * 43)));
}

/// Entries may have their own algorithms, by name.
#[test]
fn entries_have_the_parameters_of_the_profile() {
    let of_entry = |cc: &str| {
        let entry = format!("{{ kind = \"permutation\", sizes = \"1MB\", cc = \"{cc}\" }}");
        let spec = tree(&[("cc.algorithm", "none"), ("traffic.1", &entry)]);
        let own = spec.algorithms().of_flows(1);
        own.expect("they are controlled").config().clone()
    };
    assert_eq!(&of_entry("nscc"), tree(&[]).algorithm());
    let specified = AlgorithmConfig::Nscc(NsccConfig::default());
    assert_eq!(of_entry("nscc:uec-1.0"), specified);
}

/// HPCC reads INT of one path, but the profile spreads packets: the message names the profile's
/// line.
#[test]
fn messages_about_its_keys_name_its_place() {
    let text = TREE.replace("[network]\n", "[network]\nprofile = \"uet-htsim\"\n");
    let message = |key, value| with(&text, &[(key, value)]).unwrap_err().to_string();
    let spread = message("cc", "{ algorithm = \"hpcc\" }");
    assert!(
        spread.starts_with("run.toml:3: network.balance: "),
        "{spread}"
    );
    let trimming = message("network.drop.trimming", "none");
    assert!(
        trimming.starts_with("--set network.drop.trimming: "),
        "{trimming}"
    );
}
