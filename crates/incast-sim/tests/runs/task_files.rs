//! Tasks from files in whole runs: times worked out by hand, and errors.

use arrow_array::types::UInt64Type;
use incast_sim::{Results, Source};

use crate::support;

const GOAL: &str = include_str!("../../../incast-import/src/goal/tests/ping-pong.goal");
const GOAL_BINARY: &[u8] = include_bytes!("../../../incast-import/src/goal/tests/ping-pong.bin");

/// Two hosts, with the tasks of a file.
const STAR: &str = r#"
[network]
topology = { kind = "star", hosts = 2 }
link_delay = "1us"

[cc]
algorithm = "none"

[[traffic]]
kind = "tasks"
"#;

/// The results of a task file; the traffic entry has these keys added.
fn results(file: &[u8], keys: &str) -> Result<Results, String> {
    results_on(STAR, file, keys)
}

fn results_on(network: &str, file: &[u8], keys: &str) -> Result<Results, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tasks"), file).unwrap();
    let text = format!("{network}file = \"tasks\"\n{keys}\n");
    let source = Source {
        folder: folder.path().to_owned(),
        ..Source::from_text("run.toml", &text)
    };
    let spec = support::valid(&source, &[])?;
    Ok(support::results(&spec))
}

fn times(results: &Results) -> Vec<u64> {
    let table = results.collectives.as_ref().unwrap();
    table.values::<UInt64Type>("time_ps").collect()
}

/// A packet has 1000 + 48 B: 83.84 ns on each of two links of 1 us; an ACK has 60 B: 4.8 ns. Rank 0
/// computes for 100 ns and sends two packets, which have arrived after 3·83.84 ns + 2 us. Rank 1
/// sends its one packet behind the ACK of the second one, and is done when its packet is
/// acknowledged.
#[test]
fn a_ping_pong_takes_the_time_worked_by_hand() {
    let there = 100_000 + 3 * 83_840 + 2_000_000;
    let back = there + 4_800 + 2 * 83_840 + 2_000_000;
    let acknowledged = back + 2 * 4_800 + 2_000_000;
    assert_eq!(acknowledged, 6_533_600);
    let text = results(GOAL.as_bytes(), "format = \"goal\"").unwrap();
    assert_eq!(times(&text), [acknowledged]);
    let ranks = text.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [back, acknowledged]);
    let binary = results(GOAL_BINARY, "format = \"goal-binary\"").unwrap();
    assert_eq!(times(&binary), [acknowledged]);
}

#[test]
fn what_is_wrong_stops_a_run_before_it_begins() {
    let without_receive = GOAL.replace("l1: recv 2000b from 0 tag 5", "l1: calc 5");
    let wrong = results(without_receive.as_bytes(), "format = \"goal\"").unwrap_err();
    assert_eq!(
        wrong,
        "tasks: line 6 of rank 0 sends 2KB to rank 1 with tag 5, but rank 1 has no receive from \
         rank 0 for it; give every send its receive, with the same tag"
    );
    let wrong = results(b"num_ranks 2\nrank 0 { }\nrank 1 { }", "format = \"goal\"");
    assert_eq!(
        wrong.unwrap_err(),
        "tasks: there is no task; give at least one"
    );
}

const STEP: [&[u8]; 2] = [
    include_bytes!("../../../incast-import/src/chakra/tests/step.0.et"),
    include_bytes!("../../../incast-import/src/chakra/tests/step.1.et"),
];

/// The results of a Chakra trace on a star; the traffic entry has these keys added.
fn traced(files: &[Vec<u8>], keys: &str) -> Result<Results, String> {
    let star = STAR.replace("hosts = 2", &format!("hosts = {}", files.len()));
    traced_on(&star, files, keys)
}

fn traced_on(network: &str, files: &[Vec<u8>], keys: &str) -> Result<Results, String> {
    let folder = tempfile::tempdir().unwrap();
    for (rank, file) in files.iter().enumerate() {
        std::fs::write(folder.path().join(format!("step.{rank}.et")), file).unwrap();
    }
    let text = format!("{network}file = \"step\"\nformat = \"chakra\"\n{keys}\n");
    let source = Source {
        folder: folder.path().to_owned(),
        ..Source::from_text("run.toml", &text)
    };
    let spec = support::valid(&source, &[])?;
    Ok(support::results(&spec))
}

/// After 1 us of computing, two packets go each way, twice; the second time behind an ACK. Then
/// rank 0 sends a packet behind another ACK, and is done when the packet is acknowledged.
#[test]
fn a_trace_takes_the_time_worked_by_hand() {
    let packets = |count: u64| (count + 1) * 83_840 + 2_000_000;
    let reduced = 1_000_000 + packets(2) + 4_800 + packets(2);
    let sent = reduced + 4_800 + packets(1);
    let acknowledged = sent + 2 * 4_800 + 2_000_000;
    assert_eq!((reduced, acknowledged), (5_507_840, 9_689_920));
    let results = traced(&STEP.map(<[u8]>::to_vec), "").unwrap();
    let ranks = results.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [acknowledged, sent]);
}

/// A trace in which each of `ranks` has one collective. The size (12 KB, `comm_size`) is at most
/// 127 · 128 + 127.
fn collective(kind: u8, size: u16, ranks: usize) -> Vec<Vec<u8>> {
    let size = [(size & 0x7f) as u8 | 0x80, (size >> 7) as u8];
    let kind = [&[0x52, 13, 0x0a, 9][..], b"comm_type", &[0x48, kind]].concat();
    let size = [&[0x52, 14, 0x0a, 9][..], b"comm_size", &[0x48], &size].concat();
    let node = [&[0x08, 1, 0x18, 7][..], &kind, &size].concat();
    // An empty version, then the node.
    let file = [&[0, node.len() as u8][..], &node].concat();
    vec![file; ranks]
}

/// Starts and FCTs of all flows, in order.
fn flows(results: &Results) -> Vec<(u64, u64)> {
    let column = |name| results.flows.values::<UInt64Type>(name);
    let mut flows: Vec<_> = column("start_ps").zip(column("fct_ps")).collect();
    flows.sort_unstable();
    flows
}

/// A collective in a trace sends the same flows as an entry of its own, at the same times, by the
/// same paths and QPs.
#[test]
fn collectives_of_traces_are_those_of_their_own_entries() {
    let star = STAR.replace("hosts = 2", "hosts = 4");
    let leaf_spine = STAR.replace(
        "kind = \"star\", hosts = 2",
        "kind = \"leaf-spine\", leaves = 4, spines = 2, hosts_per_leaf = 1",
    );
    let persistent = star.replace("[cc]", "[nic]\nqps = \"persistent\"\n\n[cc]");
    for (kind, size, keys) in [
        (0, 12_000, "operation = \"all-reduce\"\ndata = \"12KB\""),
        (
            0,
            12_000,
            "operation = \"all-reduce\"\ndata = \"12KB\"\nalgorithm = \"tree\"",
        ),
        (
            0,
            12_000,
            "operation = \"all-reduce\"\ndata = \"12KB\"\nalgorithm = \"halving-doubling\"",
        ),
        (
            0,
            12_000,
            "operation = \"all-reduce\"\ndata = \"12KB\"\nalgorithm = \"direct\"",
        ),
        (1, 12_000, "operation = \"reduce\"\ndata = \"12KB\""),
        (2, 3_000, "operation = \"all-gather\"\ndata = \"12KB\""),
        (5, 12_000, "operation = \"broadcast\"\ndata = \"12KB\""),
        (6, 12_000, "operation = \"all-to-all\"\ndata = \"12KB\""),
        (7, 12_000, "operation = \"reduce-scatter\"\ndata = \"12KB\""),
    ] {
        let algorithm = keys.lines().nth(2).unwrap_or_default();
        for network in [&star, &leaf_spine, &persistent] {
            let traced = traced_on(network, &collective(kind, size, 4), algorithm).unwrap();
            let entry = network.replace("\"tasks\"", "\"collective\"");
            let source = Source::from_text("run.toml", format!("{entry}{keys}\n"));
            let alone = support::results(&support::valid(&source, &[]).unwrap());
            assert_eq!(flows(&traced), flows(&alone), "{network}{keys}");
        }
    }
}

#[test]
fn a_trace_is_of_as_many_ranks_as_there_are_hosts() {
    let files = || STEP.map(<[u8]>::to_vec).to_vec();
    let more = [files(), collective(0, 12_000, 1)].concat();
    let wrong = traced(&more, "hosts = \"0-1\"").unwrap_err();
    assert_eq!(
        wrong,
        "step.2.et: this is a file of rank 2, but `hosts` has ranks 0 to 1; \
         give a host for each rank, e.g. hosts = \"0-15\""
    );
    let star = STAR.replace("hosts = 2", "hosts = 3");
    let text = format!("{star}file = \"step\"\nformat = \"chakra\"\n");
    let wrong = support::valid(&Source::from_text("run.toml", &text), &[]).unwrap_err();
    assert_eq!(
        wrong,
        "run.toml:11: traffic[0].file: `step.0.et`: there is no such file; \
         relative paths begin at the scenario's folder"
    );
    let wrong = traced(&files(), "nics = \"ignore\"").unwrap_err();
    assert_eq!(
        wrong,
        "run.toml:13: traffic[0].nics: files of format `chakra` have no use for it; remove it"
    );
}

/// Two packets go to host 1, which then sends one to host 2, behind the ACK of the second. Host 1
/// is done when its packet is acknowledged. If the first flow starts at 1.5 us, all is 1.5 us
/// later.
#[test]
fn a_triggered_flow_takes_the_time_worked_by_hand() {
    let there = 3 * 83_840 + 2_000_000;
    let on = there + 4_800 + 2 * 83_840 + 2_000_000;
    let acknowledged = on + 2 * 4_800 + 2_000_000;
    assert_eq!((on, acknowledged), (4_424_000, 6_433_600));
    for (start, later) in [("0", 0), ("1.5", 1_500_000)] {
        let matrix = format!(
            "Nodes 3\nConnections 2\nTriggers 1\n\
             0->1 id 1 start {start} size 2000 recv_done_trigger 1\n\
             1->2 id 2 trigger 1 size 1000\ntrigger id 1 oneshot\n"
        );
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.cm"), matrix).unwrap();
        let star = STAR.replace("hosts = 2", "hosts = 3");
        let keys = "file = \"m.cm\"\nformat = \"htsim\"\nstart_unit = \"us\"\n";
        let source = Source {
            folder: folder.path().to_owned(),
            ..Source::from_text("run.toml", format!("{star}{keys}"))
        };
        let results = support::results(&support::valid(&source, &[]).unwrap());
        let ranks = results.ranks.as_ref().unwrap();
        let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
        assert_eq!(done[1..], [acknowledged + later, on + later]);
        let untold = source.text.replace("start_unit = \"us\"\n", "");
        let untold = Source {
            text: untold,
            ..source
        };
        assert_eq!(
            support::valid(&untold, &[]).unwrap_err(),
            "run.toml:9: traffic[0].start_unit: a connection matrix does not say what `start` \
             counts: some htsim programs take picoseconds, others microseconds; \
             give `start_unit = \"ps\"` or `\"us\"`"
        );
    }
}

/// The identity covers the contents of all files.
#[test]
fn every_file_of_a_trace_counts() {
    let identity = |files: &[Vec<u8>]| traced(files, "").unwrap().summary.scenario.identity;
    let files = collective(0, 12_000, 2);
    let mut longer = files.clone();
    // A node that does nothing.
    longer[1].extend([4, 0x08, 2, 0x18, 1]);
    assert_eq!(identity(&files), identity(&files));
    assert_ne!(identity(&files), identity(&longer));
}

const SIMAI: &str = include_str!("../../../incast-import/src/simai/tests/step.txt");

/// Four ranks are in TP groups 0-1 and 2-3, and in DP groups 0, 2 and 1, 3. In a step, collectives
/// of 4000 bytes send two packets each way. The second step of an all-reduce is behind an ACK.
///
/// ```text
/// forward       1 ns, 1 us, all-gather, 100 ns (update), 2 us, all-reduce, 100 ns
/// backward      600 ns, all-reduce, 100 ns, 400 ns; 500 ns, 300 ns; 1 ns, 1 ns
/// beside it     reduce-scatter from the 400 ns on; then all-gather, since both are ready before
/// ```
#[test]
fn a_workload_of_simai_takes_the_time_worked_by_hand() {
    let step = 3 * 83_840 + 2_000_000;
    let ack = 4_800;
    let gather = 1_000 + 1_000_000;
    let forward = gather + step + 100_000 + 2_000_000;
    let input = forward + step + ack + step + 100_000 + 600_000;
    let scatter = input + step + ack + step + 100_000 + 400_000;
    let gather_last = scatter + step;
    let acknowledged = gather_last + ack + step + 2 * ack + 2_000_000;
    assert!(scatter + 500_000 + 300_000 + 2_000 < gather_last);
    assert_eq!(acknowledged, 22_085_640);
    let star = STAR.replace("hosts = 2", "hosts = 4");
    let results = results_on(&star, SIMAI.as_bytes(), "format = \"simai\"").unwrap();
    let started: Vec<_> = flows(&results).iter().map(|(start, _)| *start).collect();
    let expected = [
        gather,
        forward,
        forward + step,
        input,
        input + step,
        scatter,
        gather_last,
    ];
    assert_eq!(started, expected.map(|start| [start; 4]).concat());
    let ranks = results.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [acknowledged; 4]);
}

#[test]
fn a_workload_of_simai_has_its_own_keys() {
    let wrong = |keys: &str| results(SIMAI.as_bytes(), keys).unwrap_err();
    assert_eq!(
        wrong("format = \"simai\""),
        "tasks:1: all_gpus: the workload is of 4 ranks, but `hosts` has 2; \
         give a host for each rank, e.g. hosts = \"0-15\""
    );
    assert_eq!(
        wrong("format = \"simai\"\nnics = \"check\""),
        "run.toml:13: traffic[0].nics: files of format `simai` have no use for it; remove it"
    );
    // With direct algorithms an all-gather between two ranks takes as long, and so does an
    // all-reduce, which has two steps.
    let star = STAR.replace("hosts = 2", "hosts = 4");
    let by = |keys: &str| flows(&results_on(&star, SIMAI.as_bytes(), keys).unwrap());
    let direct = by("format = \"simai\"\nalgorithm = \"direct\"");
    assert_eq!(direct, by("format = \"simai\""));
}

/// An all-reduce of 1 MiB among all hosts, whatever times the file has, sends the flows of an entry
/// of its own. On a star of 400 Gb/s and 500 ns it takes 57.8 us under HPCC.
#[test]
fn a_micro_benchmark_of_simai_is_a_collective_among_all_hosts() {
    let network = r#"
[network]
topology = { kind = "star", hosts = 8, rate = "400Gbps", delay = "500ns" }

[nic]
qps = "persistent"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "tasks"
"#;
    let micro = "MICRO\n1\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1\n";
    let traced = results_on(network, micro.as_bytes(), "format = \"simai\"").unwrap();
    let entry = network.replace("\"tasks\"", "\"collective\"");
    let keys = "operation = \"all-reduce\"\ndata = \"1MiB\"\n";
    let source = Source::from_text("run.toml", format!("{entry}{keys}"));
    let alone = support::results(&support::valid(&source, &[]).unwrap());
    assert_eq!(flows(&traced), flows(&alone));
    // 8 ranks send in each of 14 steps.
    assert_eq!(flows(&traced).len(), 14 * 8);
    let ends = flows(&traced).into_iter().map(|(start, fct)| start + fct);
    let time = times(&traced)[0];
    assert_eq!(ends.max(), Some(time));
    assert!(time.abs_diff(57_800_000) < 50_000, "{time}");
}

/// Each of two ranks sends four packets. When the four of the other rank have arrived, it sends
/// four more, behind the ACK of the last one. The run ends with the last ACK.
#[test]
fn flows_of_simccl_take_the_time_worked_by_hand() {
    let flows_of = "collective,flow_id,src,dest,flow_size,parent_flow_ids\n\
                    A,0,0,1,4000,\nA,1,1,0,4000,\nA,2,0,1,4000,1\nA,3,1,0,4000,0\n";
    let step = 5 * 83_840 + 2_000_000;
    let acknowledged = step + 4_800 + step + 2 * 4_800 + 2_000_000;
    assert_eq!(acknowledged, 6_852_800);
    let results = results(flows_of.as_bytes(), "format = \"simccl\"").unwrap();
    let started: Vec<_> = flows(&results).iter().map(|(start, _)| *start).collect();
    assert_eq!(started, [0, 0, step, step]);
    let ranks = results.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [acknowledged; 2]);
    // A rank begins the second collective when it has ended the first one.
    let twice = format!("{flows_of}B,4,0,1,4000,\n");
    let results = results_on(STAR, twice.as_bytes(), "format = \"simccl\"").unwrap();
    let last = flows(&results).last().map(|(start, _)| *start);
    assert_eq!(last, Some(acknowledged));
}

const RING: &str = include_str!("../../../incast-import/src/msccl/tests/ring.xml");

/// Chunks of one packet go around four GPUs in six rounds, 83.84 ns on each of two links of 1 us.
/// From the second round on, a packet leaves behind the ACK of the packet before. The last message
/// of each GPU is acknowledged 2·(4.8 ns + 1 us) after it has arrived.
#[test]
fn an_algorithm_of_msccl_takes_the_time_worked_by_hand() {
    let arrived = 6 * (2 * 83_840 + 2_000_000) + 5 * 4_800;
    let acknowledged = arrived + 2 * 4_800 + 2_000_000;
    assert_eq!(acknowledged, 15_039_680);
    let star = STAR.replace("hosts = 2", "hosts = 4");
    let keys = "format = \"msccl\"\ndata = \"4KB\"";
    let results = results_on(&star, RING.as_bytes(), keys).unwrap();
    assert_eq!(times(&results), [acknowledged]);
    let sizes = results.flows.values::<UInt64Type>("size_bytes");
    assert_eq!(sizes.collect::<Vec<_>>(), [1_000; 24]);
    let wrong = results_on(&star, RING.as_bytes(), "format = \"msccl\"").unwrap_err();
    assert!(
        wrong.starts_with("tasks: data: an algorithm of MSCCL"),
        "{wrong}"
    );
}
