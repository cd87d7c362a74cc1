use incast_workload::{FileTasks, TaskWork};

use super::groups::{GroupKind, GroupSizes};
use super::*;

mod ways;

/// 4 ranks in TP groups of two; its duration is worked out in `incast-sim/tests/task_files.rs`.
const STEP: &str = include_str!("tests/step.txt");

fn workload(text: &str, ranks: u32) -> Result<FileTasks, Diagnostic> {
    counted(text, ranks, Strictness::Check)
}

fn counted(text: &str, ranks: u32, count: Strictness) -> Result<FileTasks, Diagnostic> {
    let lines = TextLines::new(text.as_bytes(), "a.txt");
    read(lines, ranks, CollectiveMeans::default(), count)
}

/// The diagnostic of a workload, also of its checked list.
fn wrong(text: &str, ranks: u32) -> String {
    let checked = workload(text, ranks).and_then(|read| read.list.check(&read.name));
    checked.map_or_else(|wrong| wrong.to_string(), |_| "nothing".to_owned())
}

/// A workload with these words in the first line, and these layers.
fn of(header: &str, layers: &[&str]) -> String {
    let number = layers.len();
    let layers = layers.join("\n");
    format!("HYBRID_TRANSFORMER_FWD_IN_BCKWD {header}\n{number}\n{layers}\n")
}

/// Messages counted by sender, receiver and size.
fn sent(text: &str, ranks: u32) -> Vec<(u32, u32, u64, usize)> {
    let read = workload(text, ranks).unwrap();
    let mut sent = Vec::new();
    for (rank, work) in read.list.tasks() {
        if let TaskWork::Send { to, size, .. } = *work {
            sent.push((*rank, to, size.as_u64()));
        }
    }
    sent.sort_unstable();
    let counted = sent.chunk_by(|one, other| one == other);
    counted
        .map(|same| (same[0].0, same[0].1, same[0].2, same.len()))
        .collect()
}

/// t = 2, e = 2, n = 8: TP groups are 0-1, 2-3, …; DP groups have every second rank; EP groups have
/// the same place in two TP groups; DP_EP groups have every fourth rank.
#[test]
fn groups_are_those_of_simai() {
    let sizes = GroupSizes {
        ranks: 8,
        tensor: 2,
        expert: Some(2),
    };
    let groups = |kind| sizes.groups(kind).collect::<Vec<_>>();
    assert_eq!(groups(GroupKind::Tp), [[0, 1], [2, 3], [4, 5], [6, 7]]);
    assert_eq!(groups(GroupKind::Dp), [[0, 2, 4, 6], [1, 3, 5, 7]]);
    assert_eq!(groups(GroupKind::Ep), [[0, 2], [1, 3], [4, 6], [5, 7]]);
    assert_eq!(groups(GroupKind::DpEp), [[0, 4], [1, 5], [2, 6], [3, 7]]);
}

/// Without a suffix a collective is in the TP group; that of a weight gradient is in the DP group.
/// Over a ring of two, an all-reduce of 4000 bytes sends 2000 bytes twice, other collectives once.
#[test]
fn collectives_are_among_their_groups() {
    let header = "model_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8";
    let both = |pairs: [(u32, u32); 4], size, times| {
        let mut sent = pairs.map(|(one, other)| (one, other, size, times)).to_vec();
        sent.extend(pairs.map(|(one, other)| (other, one, size, times)));
        sent.sort_unstable();
        sent
    };
    let tensor = [(0, 1), (2, 3), (4, 5), (6, 7)];
    let expert = [(0, 2), (1, 3), (4, 6), (5, 7)];
    let of_experts = [(0, 4), (1, 5), (2, 6), (3, 7)];
    for (layer, expected) in [
        (
            "a -1 0 ALLREDUCE 4000 0 NONE 0 0 NONE 0 0",
            both(tensor, 2000, 2),
        ),
        (
            "a -1 0 NONE 0 0 ALLGATHER 4000 0 NONE 0 0",
            both(tensor, 2000, 1),
        ),
        (
            "norm -1 0 BROADCAST 4000 0 NONE 0 0 NONE 0 0",
            tensor.map(|(one, other)| (one, other, 4000, 1)).to_vec(),
        ),
        (
            "a -1 0 ALLTOALL_EP 4000 0 NONE 0 0 NONE 0 0",
            both(expert, 2000, 1),
        ),
        (
            "a -1 0 NONE 0 0 REDUCESCATTER_EP 4000 0 NONE 0 0",
            both(expert, 2000, 1),
        ),
        (
            "a -1 0 NONE 0 0 NONE 0 0 ALLREDUCE_DP_EP 4000 0",
            both(of_experts, 2000, 2),
        ),
    ] {
        assert_eq!(sent(&of(header, &[layer]), 8), expected, "{layer}");
    }
    // On a ring of four, 4000 bytes are sent in parts of 1000, in three steps.
    let layer = "a -1 0 NONE 0 0 NONE 0 0 ALLGATHER 4000 0";
    let ring = [
        (0, 2),
        (2, 4),
        (4, 6),
        (6, 0),
        (1, 3),
        (3, 5),
        (5, 7),
        (7, 1),
    ];
    let mut expected = ring.map(|(from, to)| (from, to, 1000, 3));
    expected.sort_unstable();
    assert_eq!(sent(&of(header, &[layer]), 8), expected);
}

/// Groups of one rank and collectives of 0 bytes, which AICB writes.
#[test]
fn what_sends_nothing_takes_no_time() {
    let alone = "a -1 5 ALLREDUCE 4000 6 ALLTOALL_EP 4000 7 REDUCESCATTER 4000 100";
    let empty = "a -1 5 ALLREDUCE 0 6 ALLTOALL 0 7 NONE 4000 100";
    let header = "model_parallel_NPU_group: 1 ep: 1 all_gpus: 1";
    let pair = "model_parallel_NPU_group: 2";
    for (text, ranks) in [(of(header, &[alone]), 1), (of(pair, &[empty]), 2)] {
        let read = workload(&text, ranks).unwrap();
        let tasks: Vec<_> = read.list.tasks().iter().map(|(_, work)| *work).collect();
        let times = [5, 6, 7].map(|ns| TaskWork::Compute {
            duration: incast_units::Time::from_ps(ns * 1000),
            unit: 0,
        });
        let expected = times.map(|work| vec![work; ranks as usize]).concat();
        assert_eq!(tasks, expected);
    }
}

#[test]
fn first_lines_of_aicb_are_read() {
    let layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1";
    for header in [
        "model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 32 ga: 1 all_gpus: 4 checkpoints: 0 \
         checkpoint_initiates: 0 pp_comm: 0",
        "model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 4 mode: 1 vpp: 1 ga: 1 checkpoints: 0 \
         checkpoint_initiates: 0 pp_comm: 0.0",
        "model_parallel_NPU_group: 4 checkpoints: 0 checkpoint_initiates: 0",
        "model_parallel_NPU_group: 1 pp_comm 0",
    ] {
        assert_eq!(wrong(&of(header, &[layer]), 4), "nothing", "{header}");
    }
    let plain = of("model_parallel_NPU_group: 4", &[layer]).replace("_FWD_IN_BCKWD", "");
    assert_eq!(wrong(&plain, 4), "nothing");
}

#[test]
fn mistakes_in_the_first_line_are_named() {
    let layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1";
    for (header, message) in [
        (
            "ep: 1",
            "the first line has no `model_parallel_NPU_group:`; \
             add how many ranks a TP group has, e.g. `model_parallel_NPU_group: 8`",
        ),
        (
            "model_parallel_NPU_group: 0",
            "model_parallel_NPU_group: a group of 0 ranks is none; give 1 or more",
        ),
        (
            "model_parallel_NPU_group: 3",
            "model_parallel_NPU_group: 4 ranks are not divided by groups of 3; \
             the ranks of TP, EP and DP_EP groups, multiplied, are all ranks",
        ),
        (
            "model_parallel_NPU_group: 2 ep: 4",
            "ep: 2 ranks are not divided by groups of 4; \
             the ranks of TP, EP and DP_EP groups, multiplied, are all ranks",
        ),
        (
            "model_parallel_NPU_group: 2 all_gpus: 8",
            "all_gpus: the workload is of 8 ranks, but `hosts` has 4; \
             give a host for each rank, e.g. hosts = \"0-15\"",
        ),
        (
            "model_parallel_NPU_group: 2 pp: 2 pp_comm: 5",
            "pp: the layers are those of one of 2 stages, and what stages send each other is not \
             in the file: SimAI adds the time of a formula; give a workload of `pp: 1`",
        ),
        (
            "model_parallel_NPU_group: 2 pp_comm: 50331648",
            "pp_comm: without a pipeline there are no bytes between stages; give `pp_comm: 0`",
        ),
        (
            "model_parallel_NPU_group: 2 mode: 0",
            "mode: mode 0 is not known; give `mode: 1`, as AICB does for inference, or leave it \
             out",
        ),
        (
            "checkpoints: 2 0 1",
            "checkpoints: layers that are computed again are not done: SimAI leaves open among \
             which ranks; give `checkpoints: 0 checkpoint_initiates: 0`, as AICB does",
        ),
        (
            "ep: 1 ep: 2",
            "ep: it stands in the first line twice; leave one",
        ),
        (
            "vp: 1",
            "first line: unknown word `vp`; did you mean `ep`? (available: all_gpus, \
             checkpoint_initiates, checkpoints, ep, ga, mode, model_parallel_NPU_group, pp, \
             pp_comm, vpp)",
        ),
        ("ga: -1", "ga: `-1` is negative; give zero or more"),
    ] {
        let expected = format!("a.txt:1: {message}");
        assert_eq!(wrong(&of(header, &[layer]), 4), expected, "{header}");
    }
    let other = |name: &str| wrong(&STEP.replace("HYBRID_TRANSFORMER_FWD_IN_BCKWD", name), 4);
    assert_eq!(
        other("HYBRID_DLRM"),
        "a.txt:1: the collectives of `HYBRID_DLRM` are among dimensions of a torus, or differ from \
         layer to layer, and which ranks these are is not in the file; write the layers under \
         HYBRID_TRANSFORMER_FWD_IN_BCKWD, with `model_parallel_NPU_group:`"
    );
    assert_eq!(
        other("MICRO"),
        "a.txt:1: model_parallel_NPU_group: the collectives of `MICRO` are among all ranks, \
         whatever stands here; leave it out, or write HYBRID_TRANSFORMER_FWD_IN_BCKWD"
    );
    assert_eq!(
        other("HYBRID_TRANSFORMERS"),
        "a.txt:1: unknown parallelism `HYBRID_TRANSFORMERS`; did you mean `HYBRID_TRANSFORMER`? \
         (available: DATA, DISTRIBUTED_INFERENCE, HYBRID_TRANSFORMER, \
         HYBRID_TRANSFORMER_FWD_IN_BCKWD, MICRO, MODEL)"
    );
}

#[test]
fn mistakes_in_layers_are_named() {
    for (layer, message) in [
        (
            "a 0 1 NONE 0 1 NONE 0 1 NONE 0 1",
            "dependency: `0` is given, which means nothing in SimAI; write -1",
        ),
        (
            "norm -1 0 ALLREDUCEALLTOALL 16384 1 NONE 0 1 NONE 0 100",
            "forward collective: `ALLREDUCEALLTOALL` is no collective of SimAI; there are \
             ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL and BROADCAST, each also with _EP or \
             _DP_EP, and NONE",
        ),
        (
            "a -1 1 NONE 0 1 ALLREDUCE_TP 5 1 NONE 0 1",
            "input gradient collective: `ALLREDUCE_TP` is no collective of SimAI; there are \
             ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL and BROADCAST, each also with _EP or \
             _DP_EP, and NONE",
        ),
        (
            "a -1 1 NONE 0 1 NONE 0 1 ALLGATHER_DP_EP 5 1",
            "weight gradient collective: the first line has no `ep:`, so the ranks of \
             `ALLGATHER_DP_EP` are not known; add how many ranks an EP group has, e.g. `ep: 8`",
        ),
        (
            "a -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1",
            "forward time: `1.5` is not a whole number; give digits only, e.g. `1000`",
        ),
        (
            "a -1 1 NONE 0 1 NONE -5 1 NONE 0 1",
            "input gradient size: `-5` is negative; give zero or more",
        ),
        (
            "a -1 1 ALLREDUCE 9223372036854775808 1 NONE 0 1 NONE 0 1",
            "forward size: 9223372036854775808 bytes are more than a flow may have; give at most",
        ),
        (
            "a -1 1 NONE 0 1 NONE 0 5000000000000000 NONE 0 1",
            "weight gradient time: 5000000000000000 ns of computing are too long to simulate; give \
             at most 4611686 s (53 days)",
        ),
        (
            "a -1 1 NONE 0 1 NONE 0 1 NONE 0",
            "update time: the line ends before it; a line is `name -1 forward ALLREDUCE size \
             input-gradient ALLREDUCE size weight-gradient ALLREDUCE size update`: is the file \
             cut off?",
        ),
        (
            "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODEL",
            "end of line: `MODEL` is too much; a line is `name -1 forward ALLREDUCE size",
        ),
    ] {
        let found = wrong(&of("model_parallel_NPU_group: 2", &[layer]), 4);
        let expected = format!("a.txt:3: {message}");
        assert!(found.starts_with(&expected), "{layer}: {found}");
    }
}

/// Cut at the end of every line, and within lines.
#[test]
fn files_that_are_cut_off_are_refused() {
    assert_eq!(wrong(STEP, 4), "nothing");
    assert_eq!(
        wrong("", 4),
        "a.txt: the file is empty; it begins with `HYBRID_TRANSFORMER_FWD_IN_BCKWD`"
    );
    let lines: Vec<_> = STEP.lines().collect();
    assert_eq!(
        wrong(lines[0], 4),
        "a.txt: the file ends after its first line; the second line has the number of layers: is \
         the file cut off?"
    );
    assert_eq!(
        wrong(&lines[..4].join("\n"), 4),
        "a.txt: the file has 2 layers, but its second line says 3; is it cut off? Correct the \
         number, or set `count = \"ignore\"`"
    );
    let more = format!("{STEP}{}\n", lines[4]);
    assert_eq!(
        wrong(&more, 4),
        "a.txt:6: this is a layer more than the 3 of the second line; correct the number, or set \
         `count = \"ignore\"`"
    );
    // With `ignore` any number is accepted, and the tasks are the same as with the right number.
    let tasks = |text: &str, count| counted(text, 4, count).unwrap().list.len();
    for stated in ["0", "2", "839"] {
        let other = STEP.replacen("\n3\n", &format!("\n{stated}\n"), 1);
        assert_ne!(other, STEP);
        let all = tasks(STEP, Strictness::Check);
        assert_eq!(tasks(&other, Strictness::Ignore), all);
    }
    // Only missing digits at the very end cannot be noticed.
    for length in 0..STEP.len() - "00\n".len() {
        assert_ne!(wrong(&STEP[..length], 4), "nothing", "{length}");
    }
}

/// 1024 ranks, one ring: 2 · 1023 steps of 1024 chunks, with a send and a receive each, are
/// 4 190 208 tasks. Each rank has 6 more, for computing and the collective: 4 196 352 tasks for a
/// layer. 31 layers stay below 2²⁷.
#[test]
fn too_large_a_workload_is_refused_before_it_is_held() {
    let layer = "a -1 1 ALLREDUCE 4000000 1 NONE 0 1 NONE 0 1";
    let text = of("model_parallel_NPU_group: 1024", &[layer; 40]);
    assert_eq!(
        wrong(&text, 1024),
        "a.txt:34: with it there are 134283264 sends and receives, and other tasks; give at most \
         134217728, as all of them are held in memory; a trace of fewer steps, or an entry of kind \
         `collective`, which holds none"
    );
}
