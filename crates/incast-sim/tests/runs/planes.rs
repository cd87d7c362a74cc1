//! Hosts with several NICs: planes, rails, NVLink, files; which flow takes which NIC, and closed
//! forms.

use std::num::NonZeroUsize;

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Results, Source, Table, Threads, ValidSpec, run_on};

use crate::support;

/// Four hosts with links of 100 Gb/s and 1 us.
const STAR: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }
link_delay = "1us"

[cc]
algorithm = "none"

[[traffic]]
kind = "collective"
operation = "all-reduce"
data = "8KB"
"#;

fn valid(text: &str, settings: &[(&str, &str)]) -> Result<ValidSpec, String> {
    support::valid(&Source::from_text("planes.toml", text), settings)
}

fn results(text: &str, settings: &[(&str, &str)]) -> Results {
    support::results_of(&Source::from_text("planes.toml", text), settings)
}

fn times(table: &Option<Table>) -> Vec<u64> {
    let table = table.as_ref().unwrap();
    table.values::<UInt64Type>("time_ps").collect()
}

/// For each flow: source and destination, each as a host and its NIC.
fn ends(results: &Results) -> Vec<[(u32, u16); 2]> {
    let hosts = |name| results.flows.values::<UInt32Type>(name);
    let nics = |name| results.flows.values::<UInt16Type>(name);
    let sources = hosts("source").zip(nics("source_nic"));
    let destinations = hosts("destination").zip(nics("destination_nic"));
    let ends = sources.zip(destinations);
    ends.map(|(source, destination)| [source, destination])
        .collect()
}

/// Each plane carries one channel. Its part of the data takes as long as on one plane alone.
#[test]
fn so_many_planes_carry_so_many_times_the_data_in_the_same_time() {
    for (operation, algorithm) in [
        ("all-reduce", "ring"),
        ("all-reduce", "tree"),
        ("all-reduce", "halving-doubling"),
        ("all-gather", "direct"),
        ("all-to-all", "direct"),
        ("broadcast", "ring"),
    ] {
        let settings = [
            ("traffic.0.operation", operation),
            ("traffic.0.algorithm", algorithm),
        ];
        let one = results(STAR, &settings);
        for (planes, data) in [("2", "16KB"), ("3", "24KB")] {
            let more = [("network.planes", planes), ("traffic.0.data", data)];
            let several = results(STAR, &[&settings[..], &more].concat());
            assert_eq!(times(&several.collectives), times(&one.collectives));
            let count = planes.parse::<usize>().unwrap();
            assert_eq!(several.flows.rows(), count * one.flows.rows());
            assert_eq!(several.summary.scenario.hosts, 4);
            for [(_, from), (_, to)] in ends(&several) {
                assert_eq!(from, to, "{operation} by {algorithm} stays in its plane");
            }
        }
    }
}

/// On one plane a ring takes 13.53312 us for 8 KB (see `collectives.rs`). With one channel on two
/// planes, steps take the planes in turn. The ACK of the last chunk then leaves by another NIC than
/// the next chunk. So each of six steps takes 2.25152 us: 13.50912 us.
#[test]
fn one_channel_takes_the_planes_in_turn() {
    let settings = [("network.planes", "2"), ("traffic.0.channels", "1")];
    let results = results(STAR, &settings);
    assert_eq!(times(&results.collectives), [6 * 2_251_520]);
    let by_nic = ends(&results);
    let of_pair = by_nic.iter().filter(|[(from, _), _]| *from == 0);
    let nics: Vec<u16> = of_pair.map(|[(_, nic), _]| *nic).collect();
    assert_eq!(nics, [1, 0, 1, 0, 1, 0]);
}

/// A packet of 1048 B takes 83.84 ns on each of two links of 1 us: 2.16768 us. An answer by the
/// same NIC leaves 4.8 ns later, behind the ACK of 60 B; by the other NIC it leaves at once.
#[test]
fn a_task_may_name_its_nic() {
    let text = STAR.split("[[traffic]]").next().unwrap().to_owned()
        + r#"
[[traffic]]
kind = "tasks"
hosts = "0-1"
tasks = [
    { rank = 0, send = 1, size = "1000B", nic = 0 },
    { id = "question", rank = 1, receive = 0, size = "1000B" },
    { rank = 1, send = 0, size = "1000B", nic = 1, after = ["question"] },
    { rank = 0, receive = 1, size = "1000B" },
]
"#;
    let two_planes = [("network.planes", "2")];
    let end = |text: &str| {
        let results = results(text, &two_planes);
        let ranks = results.ranks.unwrap();
        ranks.values::<UInt64Type>("end_ps").next().unwrap()
    };
    assert_eq!(end(&text), 2 * 2_167_680);
    assert_eq!(
        end(&text.replace("nic = 1", "nic = 0")),
        2 * 2_167_680 + 4_800
    );
    let refused = |text: &str, settings| valid(text, settings).unwrap_err();
    assert_eq!(
        refused(&text, &[]),
        "planes.toml:16: traffic[0].tasks[2].nic: NIC 1 is not there: a host has one NIC; \
         leave it out"
    );
    assert_eq!(
        refused(&text.replace("nic = 1", "nic = 2"), &two_planes),
        "planes.toml:16: traffic[0].tasks[2].nic: NIC 2 is not there: hosts reach each other by 2 \
         NICs; write 0 to 1, or leave it out"
    );
    assert_eq!(
        refused(
            &text.replace("receive = 0,", "receive = 0, nic = 0,"),
            &two_planes
        ),
        "planes.toml:15: traffic[0].tasks[1].nic: it means nothing for a receive; leave it out"
    );
}

/// Flow n from host s to host d takes NIC (s + d + n) mod 3.
#[test]
fn flows_take_the_nics_in_turn() {
    let text = STAR.replace(
        "kind = \"collective\"\noperation = \"all-reduce\"\ndata = \"8KB\"",
        "kind = \"incast\"\nreceiver = 0\nsizes = \"2KB\"\nrounds = { count = 3, every = \"9us\" }",
    );
    let results = results(&text, &[("network.planes", "3")]);
    let mut by_flow: Vec<_> = results
        .flows
        .values::<UInt32Type>("flow_id")
        .zip(ends(&results))
        .collect();
    by_flow.sort_unstable();
    let nics: Vec<_> = by_flow
        .into_iter()
        .map(|(_, [(source, from), (destination, to)])| (source, destination, from, to))
        .collect();
    let round = |turn: u32| {
        [1, 2, 3].map(|source| {
            let nic = ((source + turn) % 3) as u16;
            (source, 0, nic, nic)
        })
    };
    assert_eq!(nics, [round(0), round(1), round(2)].concat());
}

/// Two nodes of two GPUs. GPUs of a node reach each other by NVLink, NIC 1. Other GPUs use NIC 0:
/// GPU 0 and 2 are on one rail, GPU 0 and 3 on two rails.
#[test]
fn gpus_of_a_node_talk_by_nvlink() {
    let text = r#"
[network]

[network.topology]
kind = "rail-optimised"
units = 1
nodes_per_unit = 2
rails = 2
spines = 1
nvlink_rate = "3600Gbps"

[cc]
algorithm = "none"

[[traffic]]
kind = "all-to-all"
sizes = "100KB"
"#;
    let results = results(text, &[]);
    assert_eq!(results.summary.scenario.hosts, 4);
    for [(source, from), (destination, to)] in ends(&results) {
        let nic = if source / 2 == destination / 2 { 1 } else { 0 };
        assert_eq!((from, to), (nic, nic), "{source} to {destination}");
    }
    let nodes = [
        ("network.topology.hosts", "nodes"),
        ("network.topology.nvlink_rate", "1Gbps"),
    ];
    assert_eq!(
        valid(text, &nodes).unwrap_err(),
        "planes.toml:4: network.topology: `nvlink_rate` is of links inside of a node, and hosts \
         are nodes; leave it out, or let hosts be \"gpus\""
    );
}

const MIXED: &str = r#"
[network]
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 3 }
planes = 2

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "collective"
operation = "all-reduce"
algorithm = "tree"
data = "200KB"
chunk = "16KB"
rounds = 2

[[traffic]]
kind = "tasks"
hosts = "0-2"
tasks = [
    { rank = 0, send = 1, size = "70KB" },
    { id = "a", rank = 1, receive = 0, size = "70KB" },
    { id = "b", rank = 1, compute = "3us", after = ["a"] },
    { rank = 1, send = 2, size = "30KB", after = ["b"] },
    { rank = 2, receive = 1, size = "30KB" },
]

[[traffic]]
kind = "poisson"
sizes = "fb-hadoop"
load = 0.5
duration = "30us"
"#;

const FAULTS: &str = r#"
[[fault]]
kind = "down"
links = ["host 1 NIC 1"]
from = "10us"
until = "40us"
detection = "5us"

[[fault]]
kind = "loss"
links = ["host 4 NIC 0"]
probability = 0.02
"#;

#[test]
fn any_threads_give_the_same() {
    let with_faults = MIXED.to_owned() + FAULTS;
    for (text, settings) in [
        (MIXED, vec![]),
        (
            MIXED,
            vec![("network.flow_control", "none"), ("cc.algorithm", "dctcp")],
        ),
        (MIXED, vec![("nic.qps", "persistent")]),
        (&with_faults, vec![]),
    ] {
        let spec = valid(text, &settings).unwrap_or_else(|error| panic!("{error}"));
        let alone = support::results(&spec);
        for count in [2, 3, 8] {
            let threads = Threads {
                count: NonZeroUsize::new(count).unwrap(),
                partitioning: Partitioning::Random(count as u64),
            };
            let other = run_on(&spec, threads, &mut ()).unwrap();
            assert_eq!(alone.summary.fingerprint, other.summary.fingerprint);
            assert!(alone.flows.batches() == other.flows.batches());
        }
    }
}

#[test]
fn a_fault_names_a_nic() {
    let of = |name: &str| MIXED.to_owned() + &FAULTS.replace("host 1 NIC 1", name);
    assert_eq!(
        valid(&of("host 1"), &[]).unwrap_err(),
        "planes.toml:36: fault[0].links[0]: `host 1` is no NIC; write \"host 1 NIC 0\"; it has \
         NICs 0 to 1"
    );
    assert_eq!(
        valid(&of("host 1 NIC 2"), &[]).unwrap_err(),
        "planes.toml:36: fault[0].links[0]: `host 1 NIC 2` is no NIC; write \"host 1 NIC 0\"; it \
         has NICs 0 to 1"
    );
    assert_eq!(
        valid(&of("host 9 NIC 0"), &[]).unwrap_err(),
        "planes.toml:36: fault[0].links[0]: there is no node `host 9 NIC 0`; write e.g. \"host 0 \
         NIC 0\"; hosts are 0 to 5"
    );
}

#[test]
fn planes_that_cannot_be_are_refused() {
    let refused = |settings: &[(&str, &str)]| valid(STAR, settings).unwrap_err();
    assert_eq!(
        refused(&[("network.planes", "0")]),
        "--set network.planes: 0 planes are not possible; write 1 to 64"
    );
    assert_eq!(
        refused(&[
            ("network.planes", "2"),
            ("network.routing", "spanning-trees")
        ]),
        "--set network.routing: no tree spans planes that are apart; write \"ecmp\", or \
         leave it out"
    );
    let attack = "{ kind = \"none\", attackers = { larger_than = \"1MB\" } }";
    assert_eq!(
        refused(&[("network.planes", "2"), ("attack", attack)]),
        "--set attack: attacks among hosts with several NICs are not in this version; leave \
         [attack] out, or give each host one NIC"
    );
    let nodes = "{ kind = \"rail-optimised\", hosts = \"nodes\" }";
    assert_eq!(
        refused(&[("network.topology", nodes), ("network.planes", "2")]),
        "--set network.planes: hosts of this topology have several NICs already; leave the \
         planes out"
    );
}

/// Half of the capacity of two NICs of 100 Gb/s is that of one NIC: in 1 ms some 12.5 MB from each
/// host.
#[test]
fn load_is_of_all_nics_together() {
    let text = STAR.replace(
        "kind = \"collective\"\noperation = \"all-reduce\"\ndata = \"8KB\"",
        "kind = \"poisson\"\nsizes = \"10KB\"\nload = 0.5\nduration = \"1ms\"",
    );
    let payload = |planes| {
        let results = results(&text, &[("network.planes", planes)]);
        results.flows.rows() as f64 * 10_000.0
    };
    let (one, two) = (payload("1"), payload("2"));
    assert!((two / (4.0 * 12.5e6) - 1.0).abs() < 0.05, "{two}");
    assert!((two / one - 2.0).abs() < 0.1, "{one} {two}");
}
