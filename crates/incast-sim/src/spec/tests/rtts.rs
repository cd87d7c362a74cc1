//! Base RTTs and windows, compared with values worked out by hand.

use incast_units::HostId;

use super::*;

fn pair(spec: &ValidSpec, source: u32, destination: u32) -> BaseRtt {
    spec.pair(HostId(source), HostId(destination))
}

fn base_rtt(rtt: Time, window: u64) -> BaseRtt {
    BaseRtt {
        rtt,
        window: Bytes::new(window),
        rate: Rate::from_gbps(100),
    }
}

/// 2 links: 4 · 1 us + 2 · 8000 b/100 Gb/s = 4.16 us; 4.16 us · 100 Gb/s = 52 000 B.
#[test]
fn the_artifact_star() {
    let spec = star(&[("network.profile", "hpcc-ns3")]);
    let expected = base_rtt(Time::from_ns(4_160), 52_000);
    assert_eq!(pair(&spec, 0, 16), expected);
    assert_eq!(spec.largest_base_rtt(), expected);
}

/// Same ToR 4.16 us. Same pod: 4 links, 8 us + 2 · 80 ns + 2 · 20 ns = 8.2 us, 102 500 B.
/// Other pod: 6 links, 12 us + 2 · 80 ns + 4 · 20 ns = 12.24 us, 153 000 B.
#[test]
fn the_artifact_fat_tree() {
    let spec = star(&[
        ("network.profile", "hpcc-ns3"),
        ("network.topology", "clos-320"),
    ]);
    assert_eq!(pair(&spec, 0, 5), base_rtt(Time::from_ns(4_160), 52_000));
    assert_eq!(pair(&spec, 0, 16), base_rtt(Time::from_ns(8_200), 102_500));
    assert_eq!(
        pair(&spec, 319, 0),
        base_rtt(Time::from_ns(12_240), 153_000)
    );
    assert_eq!(
        spec.largest_base_rtt(),
        base_rtt(Time::from_ns(12_240), 153_000)
    );
}

/// HPCC's packet of 1090 B takes 87.2 ns on each of 2 links of 1 us, its ACK of 88 B 7.04 ns. The
/// base RTT is 4 us + 2 · 94.24 ns = 4.18848 us, which is 52 356 B at 100 Gb/s.
#[test]
fn the_exact_star() {
    let spec = star(&[]);
    assert_eq!(
        pair(&spec, 0, 16),
        base_rtt(Time::from_ps(4_188_480), 52_356)
    );
}

/// Without INT a packet has 1048 B and an ACK 60 B: 4 us + 2 · (83.84 + 4.8) ns = 4.17728 us,
/// 52 216 B.
#[test]
fn packets_without_int_are_smaller() {
    let spec = star(&[("cc.algorithm", "none")]);
    assert_eq!(
        pair(&spec, 3, 4),
        base_rtt(Time::from_ps(4_177_280), 52_216)
    );
}

/// 12 us + 2 · 94.24 ns + 4 · (1178 B/400 Gb/s = 23.56 ns) = 12.28272 us, 153 534 B.
#[test]
fn the_exact_fat_tree() {
    let spec = star(&[("network.topology", "clos-320")]);
    let expected = base_rtt(Time::from_ps(12_282_720), 153_534);
    assert_eq!(pair(&spec, 0, 319), expected);
    assert_eq!(spec.largest_base_rtt(), expected);
}

#[test]
fn a_flow_is_told_what_the_scenario_says() {
    let (near, far) = (HostId(0), HostId(1));
    let global = star(&[("network.topology", "clos-320")]);
    assert_eq!(global.base_rtt(near, far), global.largest_base_rtt());
    let path = star(&[
        ("network.topology", "clos-320"),
        ("network.base_rtt", "path"),
    ]);
    assert_eq!(path.base_rtt(near, far), path.pair(near, far));
}

/// Hosts with different links are told apart: 2 · (1 + 5) us. No pair has 2 · (5 + 5) us, since
/// only one host has a link of 5 us.
#[test]
fn a_host_has_no_path_to_itself() {
    let topology = "{ kind = \"star\", hosts = 3, host_delays = [\"1us\", \"1us\", \"5us\"] }";
    let spec = with(
        &STAR
            .replace("\"star\"", topology)
            .replace("0-15", "0-1")
            .replace("= 16", "= 2"),
        &[("network.profile", "hpcc-ns3")],
    )
    .unwrap();
    assert_eq!(spec.largest_base_rtt().rtt, Time::from_ns(12_160));
    assert_eq!(pair(&spec, 0, 1).rtt, Time::from_ns(4_160));
}

/// Two paths lead from 0 to 1: by switch 3, or by switch 4, whose links are 1 us longer each. The
/// exact formula takes the slowest path, 2 · (1 + 2 + 2 + 1) us. The artifact takes the first path
/// that it finds, the one by the switch with the larger number. In the order of ports this is the
/// one by switch 3, 2 · (1 + 1 + 1 + 1) us.
#[test]
fn of_equal_paths_the_slowest_counts() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "6 4 6\n2 3 4 5\n0 2 100Gbps 1us 0\n2 3 100Gbps 1us 0\n2 4 100Gbps 2us 0\n\
                 3 5 100Gbps 1us 0\n4 5 100Gbps 2us 0\n5 1 100Gbps 1us 0\n";
    std::fs::write(folder.path().join("ways.txt"), graph).unwrap();
    let rtt = |profile: &str, order: &str| {
        let text = format!(
            "network = {{ topology = {{ file = \"ways.txt\", format = \"hpcc-ns3\" }},\n\
             profile = \"{profile}\", next_hop_order = \"{order}\" }}\n\
             cc = {{ algorithm = \"none\" }}\n\
             traffic = [{{ kind = \"flows\", flows = [\n\
             {{ source = 0, destination = 1, size = \"1KB\" }}] }}]\n"
        );
        let source = Source {
            folder: folder.path().to_owned(),
            ..source(&text)
        };
        let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
        spec.unwrap_or_else(|error| panic!("{error}"))
            .largest_base_rtt()
            .rtt
    };
    // 4 links of 1048 + 60 B take 4 · 88.64 ns = 354.56 ns; in the artifact 4 · 80 ns.
    assert_eq!(rtt("default", "by-port"), Time::from_ps(12_354_560));
    assert_eq!(rtt("hpcc-ns3", "by-port"), Time::from_ns(8_320));
    assert_eq!(rtt("hpcc-ns3", "descending-node"), Time::from_ns(12_320));
}

/// 8192 hosts have 67 million pairs, but with 512 ToRs only 512 classes. As in clos-320, the base
/// RTT is 12 us + 6 · (87.2 + 7.04) ns = 12.56544 us.
#[test]
fn eight_thousand_hosts_are_quick() {
    let spec = star(&[("network.topology", "{ kind = \"fat-tree\", k = 32 }")]);
    assert_eq!(spec.topology().hosts, 8192);
    assert_eq!(spec.largest_base_rtt().rtt, Time::from_ps(12_565_440));
}
