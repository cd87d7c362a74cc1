//! Collectives in whole runs: closed forms, tables, roles, threads.

use std::num::NonZeroUsize;

use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Results, Source, Table, Threads, ValidSpec, run_on};

use crate::support;

/// Four hosts hold 8 KB each: chunks of 2 KB, two packets.
const STAR: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }
link_delay = "1us"

[cc]
algorithm = "none"

[[traffic]]
kind = "all-reduce"
data = "8KB"
"#;

fn valid(text: &str, settings: &[(&str, &str)]) -> Result<ValidSpec, String> {
    support::valid(&Source::from_text("ring.toml", text), settings)
}

fn results(text: &str, settings: &[(&str, &str)]) -> Results {
    support::results_of(&Source::from_text("ring.toml", text), settings)
}

fn column(table: &Table, name: &str) -> Vec<u64> {
    table.values::<UInt64Type>(name).collect()
}

/// A packet has 1000 + 48 B: 1048·8 bits / 100 Gb/s = 83.84 ns on each of two links of 1 us. Two
/// packets arrive after 3·83.84 ns + 2 us = 2.25152 us. The chunk goes on at once, but behind the
/// ACK of its last packet: 60 B, 4.8 ns. So the first of 2·(4 - 1) = 6 steps takes 2.25152 us and
/// each other one 2.25632 us: 13.53312 us in all. (ACKs meet no data on the way to a host: ACKs of
/// step s pass the switch 83.84 ns before the data of step s + 1.)
#[test]
fn a_ring_on_an_idle_star_takes_the_time_worked_by_hand() {
    let first = 3 * 83_840 + 2_000_000;
    let time = first + 5 * (first + 4_800);
    assert_eq!(time, 13_533_120);
    let results = results(STAR, &[]);
    let table = results.collectives.unwrap();
    assert_eq!(column(&table, "time_ps"), [time]);
    // 8 KB · 8 / 13.53312 us = 4.73 Gb/s, times 2·3/4.
    let bandwidth: Vec<f64> = table
        .values::<Float64Type>("algorithm_bandwidth_bps")
        .collect();
    assert!((bandwidth[0] - 64_000.0 / 13.533_12e-6).abs() < 1.0);
    let facts = &results.summary.collectives[0];
    assert!((facts.bus_bandwidth_bps - 1.5 * bandwidth[0]).abs() < 1.0);
    assert_eq!((facts.hosts, facts.rounds), (4, 1));
    // Four hosts send in each of six steps.
    assert_eq!(results.flows.rows(), 24);
}

/// With 1 us of computing, ACKs delay no chunk: 6·2.25152 us + 5·1 us = 18.50912 us. Each host
/// begins the second round 1 us after its last chunk. That is the same moment for all hosts, so the
/// second round takes as long.
#[test]
fn computing_and_rounds_add_up() {
    let settings = [("traffic.0.compute", "1us"), ("traffic.0.rounds", "2")];
    let table = results(STAR, &settings).collectives.unwrap();
    let time = 6 * 2_251_520 + 5 * 1_000_000;
    assert_eq!(time, 18_509_120);
    assert_eq!(column(&table, "time_ps"), [time, time]);
    assert_eq!(column(&table, "start_ps"), [0, time + 1_000_000]);
}

/// Around a fat tree with k = 4, a packet to the next host crosses 2, 4, 2 and 6 links. The next
/// host is under the same edge switch, under the pod's other edge switch, or in the next pod. No
/// two packets meet, whatever ECMP picks: each switch has one in and one out. Each of 16 chunks of
/// a packet goes 2·(16 - 1) = 30 times to the next rank. It passes all four distances 7 times (98
/// links), and then two more distances of at most 6 and 2. That makes 106 links of 83.84 ns and 1
/// us each, and 29 times 1 us of computing. ACKs meet no data: a rank has the next chunk T + 1 us
/// after the one before, where T is the time of a packet, and sends its own chunk 1 us after its
/// ACK.
#[test]
fn a_ring_around_a_non_blocking_fat_tree_takes_the_time_worked_by_hand() {
    let settings = [
        ("network.topology", "{ kind = \"fat-tree\", k = 4 }"),
        ("traffic.0.data", "16KB"),
        ("traffic.0.compute", "1us"),
    ];
    let time = 106 * (83_840 + 1_000_000) + 29 * 1_000_000;
    assert_eq!(time, 143_887_040);
    let results = results(STAR, &settings);
    assert_eq!(column(&results.collectives.unwrap(), "time_ps"), [time]);
    assert_eq!(results.flows.rows(), 16 * 30);
}

/// The time of a collective on the star, with its results.
fn time_of(keys: &[(&str, &str)]) -> (u64, Results) {
    let of_traffic = |key: &str| match key.contains('.') {
        true => key.to_owned(),
        false => format!("traffic.0.{key}"),
    };
    let keys: Vec<_> = keys
        .iter()
        .map(|(key, value)| (of_traffic(key), *value))
        .collect();
    let keys: Vec<_> = keys.iter().map(|(key, value)| (&**key, *value)).collect();
    let star = STAR.replace(
        "\"all-reduce\"",
        "\"collective\"\noperation = \"all-reduce\"",
    );
    let results = results(&star, &keys);
    let times = column(results.collectives.as_ref().unwrap(), "time_ps");
    (times[0], results)
}

/// The time of k packets over the two links: (k + 1)·83.84 ns + 2 us. Packets of a later step leave
/// 4.8 ns later, behind the ACK of the last packet that they waited for.
fn packets(count: u64) -> u64 {
    (count + 1) * 83_840 + 2_000_000
}

/// The steps exchange 4 KB with the rank at distance 2, 2 KB at distance 1, again 2 KB, then 4 KB
/// at distance 2.
#[test]
fn halving_and_doubling_take_the_time_worked_by_hand() {
    let (time, results) = time_of(&[("algorithm", "\"halving-doubling\"")]);
    let ack = 4_800;
    let expected = packets(4) + 2 * (ack + packets(2)) + ack + packets(4);
    assert_eq!(expected, 9_355_840);
    assert_eq!((time, results.flows.rows()), (expected, 16));
}

/// Each rank sends 2 KB chunks to the three others in turn, 6 packets. They meet no other packets,
/// since all ranks begin with the next rank. A second such step follows.
#[test]
fn direct_sends_take_the_time_worked_by_hand() {
    let (time, results) = time_of(&[("algorithm", "\"direct\"")]);
    let expected = packets(6) + 4_800 + packets(6);
    assert_eq!(expected, 5_178_560);
    assert_eq!((time, results.flows.rows()), (expected, 24));
}

/// The trees are 1, 3 → 2 → 0 and 2, 0 → 1 → 3, with half of the data each: 4 packets. Two ranks
/// send to their parent, whose link carries 8 packets one after the other. The parent sends
/// 4 packets to the root, the root sends 4 back, and 8 packets go down to the two ranks.
#[test]
fn trees_take_the_time_worked_by_hand() {
    let (time, results) = time_of(&[("algorithm", "\"tree\"")]);
    let expected = packets(8) + 3 * 4_800 + 2 * packets(4) + packets(8);
    assert_eq!(expected, 10_361_920);
    assert_eq!((time, results.flows.rows()), (expected, 12));
    // The critical path goes up and down one of the trees.
    let path = results.critical_path.unwrap();
    let ends = column(&path, "end_ps");
    assert_eq!(ends.len(), 4);
    assert_eq!(ends[3], time);
    let starts = column(&path, "start_ps");
    assert_eq!(starts[1..], ends[..3]);
    let ranks = results.ranks.unwrap();
    assert_eq!(
        ranks.values::<UInt32Type>("host").collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
}

/// 4 KB in four chunks of a packet go along 0 → 1 → 2 → 3. The root sends the chunks one after the
/// other. Chunk k leaves rank 1 behind k + 1 ACKs: after 2.16768 us + 4.8 ns + k·(83.84 + 4.8) ns.
/// Rank 2 gets a chunk every 88.64 ns, and passes it on 4.8 ns later.
#[test]
fn a_chain_takes_the_time_worked_by_hand() {
    let broadcast = [
        ("operation", "\"broadcast\""),
        ("data", "4KB"),
        ("chunk", "1KB"),
    ];
    let (time, results) = time_of(&[&broadcast[..], &[("slots", "4")]].concat());
    let expected = 3 * packets(1) + 2 * 4_800 + 3 * (83_840 + 4_800);
    assert_eq!(expected, 6_778_560);
    assert_eq!((time, results.flows.rows()), (expected, 12));
    // With one slot, the root waits for an ACK before each of three chunks: 2.16768 us there, and
    // 2·(4.8 ns + 1 us) back. The last chunk then crosses idle links.
    let (time, _) = time_of(&[&broadcast[..], &[("slots", "1")]].concat());
    let round_trip = packets(1) + 2_009_600;
    assert_eq!(time, 3 * round_trip + 3 * packets(1) + 2 * 4_800);
    // A reduce goes the opposite way, in the same time.
    let reduce = [
        ("operation", "\"reduce\""),
        ("data", "4KB"),
        ("chunk", "1KB"),
    ];
    let (time, _) = time_of(&[&reduce[..], &[("slots", "4")]].concat());
    assert_eq!(time, expected);
}

const TASKS: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }
link_delay = "1us"

[cc]
algorithm = "none"

[[traffic]]
kind = "tasks"
hosts = "2,0"
tasks = [
    { id = "first", rank = 0, compute = "10us" },
    { rank = 0, send = 1, size = "1KB", after = ["first"] },
    { rank = 0, receive = 1, size = "1KB", tag = 5 },
    { id = "in", rank = 1, receive = 0, size = "1KB" },
    { id = "second", rank = 1, compute = "5us", after = ["in"] },
    { rank = 1, send = 0, size = "1KB", tag = 5, after = ["second"] },
]
"#;

/// Rank 0 computes for 10 us and sends a packet, 2.16768 us. Rank 1 then computes for 5 us and
/// sends one back, which arrives at 19.33536 us. The send of rank 1 ends with its ACK,
/// 2·(4.8 ns + 1 us) later.
#[test]
fn listed_tasks_take_the_time_worked_by_hand() {
    let results = results(TASKS, &[]);
    let arrival = 10_000_000 + 2 * packets(1) + 5_000_000;
    assert_eq!(arrival, 19_335_360);
    let end = arrival + 2_009_600;
    let ranks = results.ranks.unwrap();
    assert_eq!(column(&ranks, "end_ps"), [arrival, end]);
    assert_eq!(
        ranks.values::<UInt32Type>("host").collect::<Vec<_>>(),
        [2, 0]
    );
    let path = results.critical_path.unwrap();
    let [starts, ends] = ["start_ps", "end_ps"].map(|name| column(&path, name));
    let there = 10_000_000 + packets(1);
    assert_eq!(
        (starts, ends),
        (vec![10_000_000, there + 5_000_000], vec![there, end])
    );
    assert_eq!(column(&path, "computing_ps"), [5_000_000, 0]);
    assert_eq!(column(&results.collectives.unwrap(), "time_ps"), [end]);
    assert!(results.summary.collectives[0].operation.is_none());
}

/// The last rank computes for 5 us after its message has arrived at 2.16768 us. The run includes
/// this time, but the message ends at its arrival.
#[test]
fn computing_after_the_last_message_belongs_to_the_run() {
    let begin = TASKS.find("tasks = [").unwrap();
    let tasks = r#"tasks = [
        { rank = 0, send = 1, size = "1KB" },
        { id = "in", rank = 1, receive = 0, size = "1KB" },
        { rank = 1, compute = "5us", after = ["in"] },
    ]"#;
    let results = results(&format!("{}{tasks}", &TASKS[..begin]), &[]);
    let end = packets(1) + 5_000_000;
    assert_eq!(results.summary.effort.simulated_ps, end);
    let path = results.critical_path.unwrap();
    assert_eq!(column(&path, "end_ps"), [packets(1)]);
    assert_eq!(column(&path, "computing_ps"), [5_000_000]);
}

/// With fewer tasks than hosts, attackers have no tasks to shuffle.
#[test]
fn tasks_are_not_shuffled() {
    let attack = "\n[attack]\nkind = \"shuffled\"\nattackers = { tenant = \"t\" }\n";
    let text = TASKS.replace("kind = \"tasks\"", "kind = \"tasks\"\ntenant = \"t\"");
    let text = text.replace("hosts = \"2,0\"", "hosts = \"2,0,1,3\"");
    let results = results(&(text + attack), &[]);
    assert_eq!(results.flows.rows(), 2);
}

/// The bus bandwidth of each collective is data over time, times the factor of nccl-tests. It stays
/// below the payload rate of a link: 100 Gb/s · 1000/1048.
#[test]
fn bus_bandwidth_comes_near_the_payload_rate_from_below() {
    for (operation, algorithm, factor) in [
        ("all-reduce", "ring", 1.5),
        ("all-reduce", "direct", 1.5),
        ("all-reduce", "halving-doubling", 1.5),
        ("reduce-scatter", "ring", 0.75),
        ("all-gather", "direct", 0.75),
        ("all-to-all", "direct", 0.75),
        ("broadcast", "ring", 1.0),
        ("broadcast", "tree", 1.0),
        ("reduce", "ring", 1.0),
        ("send-receive", "direct", 1.0),
    ] {
        let (operation, algorithm) = (format!("\"{operation}\""), format!("\"{algorithm}\""));
        let mut keys = vec![
            ("operation", &*operation),
            ("algorithm", &*algorithm),
            ("data", "20MB"),
            // As in NCCL, the chunks of a stream share one QP.
            ("nic.qps", "\"persistent\""),
        ];
        // A pipelined collective uses only some links at its begin and end.
        if factor == 1.0 && operation != "\"send-receive\"" {
            keys.push(("chunk", "\"64KB\""));
        }
        let (time, results) = time_of(&keys);
        let facts = &results.summary.collectives[0];
        let expected = 20e6 * 8.0 / (time as f64 * 1e-12) * factor;
        assert!((facts.bus_bandwidth_bps / expected - 1.0).abs() < 1e-9);
        let payload_rate = 100e9 * 1000.0 / 1048.0;
        let share = facts.bus_bandwidth_bps / payload_rate;
        assert!(
            share < 1.0 && share > 0.9,
            "{operation} {algorithm}: {share}"
        );
    }
}

/// 5 hosts have 4 rings. With all rings at once, each NIC sends 4 chunks of 1000 B one after the
/// other.
#[test]
fn several_rings_share_the_data() {
    let five = [
        ("network.topology", "{ kind = \"star\", hosts = 5 }"),
        ("traffic.0.data", "20KB"),
    ];
    let one = results(STAR, &five).collectives.unwrap();
    let settings = [&five[..], &[("traffic.0.rings", "all")]].concat();
    let all = results(STAR, &settings);
    // 5 hosts · 4 rings · 8 steps of one packet.
    assert_eq!(all.flows.rows(), 160);
    assert!(
        all.flows
            .values::<UInt64Type>("size_bytes")
            .all(|size| size == 1000)
    );
    let all = column(&all.collectives.unwrap(), "time_ps");
    let one = column(&one, "time_ps");
    // The bytes and steps are the same, and so is the length of a step but for headers and waiting.
    assert!(
        all[0] > one[0] * 9 / 10 && all[0] < one[0] * 13 / 10,
        "{all:?} {one:?}"
    );
    // With rings in turn there are 32 steps in place of 8.
    let settings = [&settings[..], &[("traffic.0.shuffled", "true")]].concat();
    let shuffled = column(&results(STAR, &settings).collectives.unwrap(), "time_ps");
    assert!(shuffled[0] > 3 * one[0], "{shuffled:?} {one:?}");
}

const MIXED: &str = r#"
[network]
topology = { kind = "fat-tree", k = 4 }

[cc]
algorithm = "dcqcn"

[attack]
kind = "none"
attackers = { tenant = "training" }

[[traffic]]
kind = "all-reduce"
hosts = "0,2,4,6,8,10,12,14"
data = "400KB"
compute = "1us"
rounds = 2
tenant = "training"

[[traffic]]
kind = "poisson"
sizes = "fb-hadoop"
load = 0.3
duration = "100us"
"#;

/// The flows of a collective have the lowest numbers, and other flows the numbers above. Roles and
/// messages are told apart.
#[test]
fn chunks_stand_among_the_flows() {
    let results = results(MIXED, &[]);
    // Chunks of 8 hosts in 14 steps and 2 rounds.
    let chunks = 8 * 14 * 2;
    let mut ids: Vec<u32> = results.flows.values::<UInt32Type>("flow_id").collect();
    ids.sort_unstable();
    assert!(ids.len() > chunks + 10, "{}", ids.len());
    assert!(ids.iter().copied().eq(0..ids.len() as u32));
    let roles = &results.summary.roles;
    assert_eq!(roles[0].messages, chunks as u64);
    // In each of two rounds, each host sends 2·7/8 of 400 KB.
    assert_eq!(roles[0].payload_bytes, 8 * 2 * 700_000);
    let messages = results.messages.unwrap();
    assert_eq!(messages.rows(), ids.len());
    let mut numbers: Vec<u32> = messages.values::<UInt32Type>("message").collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..ids.len() as u32));
}

/// The attackers' all-reduce takes its seven rings in turn: 8 · 7 · 14 sends a round, each of a
/// seventh of a chunk.
#[test]
fn an_attack_shuffles_the_attackers_collective() {
    let results = results(MIXED, &[("attack.kind", "shuffled")]);
    assert_eq!(results.summary.roles[0].messages, 2 * 8 * 7 * 14);
    assert_eq!(results.summary.roles[0].payload_bytes, 8 * 2 * 700_000);
}

/// Attackers are chosen by size. 400 KB over 8 hosts are chunks of 50 KB, or of 7 KB over seven
/// rings. With and without the attack, the chunks are the same and belong to attackers.
#[test]
fn chunks_of_attackers_by_size_stay_whole() {
    let of = |kind| {
        let by_size = ("attack.attackers", "{ larger_than = \"40KB\" }");
        let results = results(MIXED, &[("attack.kind", kind), by_size]);
        let attackers = &results.summary.roles[0];
        (attackers.messages, attackers.payload_bytes)
    };
    assert!(of("none").0 > 0);
    assert_eq!(of("none"), of("shuffled"));
}

#[test]
fn any_threads_give_the_same() {
    let trees = MIXED.replace(
        "\"all-reduce\"",
        "\"collective\"\noperation = \"all-reduce\"\nalgorithm = \"tree\"\nchunk = \"16KB\"",
    );
    for (text, settings) in [
        (MIXED, vec![("attack.kind", "shuffled")]),
        (
            MIXED,
            vec![("traffic.0.rings", "7"), ("attack.kind", "parallel")],
        ),
        (&trees, vec![]),
        (TASKS, vec![]),
    ] {
        let spec = valid(text, &settings).unwrap();
        let alone = support::results(&spec);
        for count in [2, 3, 8] {
            let threads = Threads {
                count: NonZeroUsize::new(count).unwrap(),
                partitioning: Partitioning::Random(count as u64),
            };
            let other = run_on(&spec, threads, &mut ()).unwrap();
            assert_eq!(alone.summary.fingerprint, other.summary.fingerprint);
            assert!(alone.flows.batches() == other.flows.batches());
            let batches = |table: &Option<Table>| table.as_ref().unwrap().batches().to_vec();
            for (one, other) in [
                (&alone.collectives, &other.collectives),
                (&alone.ranks, &other.ranks),
                (&alone.critical_path, &other.critical_path),
            ] {
                assert!(batches(one) == batches(other), "{count} threads");
            }
        }
    }
}

/// The artifact's model has one event queue for the whole network, and counts source ports.
#[test]
fn the_artifacts_model_runs_it_too() {
    let results = results(
        STAR,
        &[("network.profile", "hpcc-ns3"), ("cc.algorithm", "hpcc")],
    );
    assert_eq!(results.collectives.unwrap().rows(), 1);
    assert_eq!(results.flows.rows(), 24);
}

/// A collective that is cut short violates no check, and has no row.
#[test]
fn a_collective_may_be_cut_short() {
    let results = results(STAR, &[("run.stop", "8us")]);
    assert_eq!(results.collectives.unwrap().rows(), 0);
    assert!(results.summary.collectives.is_empty());
}

#[test]
fn what_cannot_be_is_refused() {
    for (settings, message) in [
        (
            vec![("measure.fair_share", "all")],
            "--set measure.fair_share: max-min fair rates are not computed where flows wait for \
             each other; leave it out, or the collectives and tasks",
        ),
        (
            vec![("traffic.0.rounds", "100000000")],
            "ring.toml:9: traffic: the task graphs would take 2400000000 flows; \
             give fewer rounds, or larger chunks: 2147483647 flows at most",
        ),
        (
            vec![("traffic.0.algorithm", "rin")],
            "--set traffic[0].algorithm: unknown algorithm of an all-reduce `rin`; did you mean \
             `ring`? (available: ring)",
        ),
        (
            vec![("traffic.0.rings", "0")],
            "--set traffic[0].rings: along 0 rings nothing is sent; give at least 1",
        ),
        (
            vec![("traffic.0.hosts", "2")],
            "--set traffic[0].hosts: 1 host is too few; 2 are needed at least",
        ),
    ] {
        assert_eq!(valid(STAR, &settings).unwrap_err(), message);
    }
}
