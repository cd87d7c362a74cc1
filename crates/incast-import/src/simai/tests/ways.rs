//! Ways of training without group sizes.

use super::*;

/// A layer that computes for 1, 2 and 3 us, with a collective in each pass.
const LAYER: &str = "a -1 1000 ALLGATHER 4000 2000 ALLTOALL 8000 3000 ALLREDUCE 12000 100";

fn of_way(way: &str, layers: &[&str]) -> String {
    format!("{way}\n{}\n{}\n", layers.len(), layers.join("\n"))
}

/// The tasks of rank 0 of 4, in order: sends as their sizes, computing as its time in ns; begins
/// and ends of collectives are left out.
fn of_rank_0(text: &str) -> Vec<String> {
    let read = workload(text, 4).unwrap();
    let mut told = Vec::new();
    for (rank, work) in read.list.tasks() {
        match *work {
            _ if *rank != 0 => {}
            TaskWork::Send { to, size, .. } => told.push(format!("{size} to {to}")),
            TaskWork::Compute { duration, .. } if duration.as_ps() > 0 => {
                told.push(format!("{} ns", duration.as_ps() / 1000));
            }
            _ => {}
        }
    }
    told
}

/// Over a ring of 4, an all-reduce of 12 000 bytes is 6 steps of 3000 bytes. There is no computing.
#[test]
fn a_micro_benchmark_does_its_collectives_one_after_the_other() {
    let once = vec!["3KB to 1"; 6];
    assert_eq!(of_rank_0(&of_way("MICRO", &[LAYER])), once);
    let twice = of_rank_0(&of_way("MICRO all_gpus: 4", &[LAYER, LAYER]));
    assert_eq!(twice, [once.clone(), once].concat());
    // AICB separates words by tabs.
    let tabs = of_way("MICRO", &[LAYER]).replace(' ', "\t");
    assert_eq!(of_rank_0(&tabs), vec!["3KB to 1"; 6]);
    let read = workload(&of_way("MICRO", &[LAYER, LAYER]), 4).unwrap();
    // The second collective begins at a rank when the first has ended there.
    assert!(read.list.check(&read.name).is_ok());
}

/// Only weight gradients have collectives, which begin before the input gradient; the first layer
/// computes no input gradient.
#[test]
fn data_parallelism_reduces_weight_gradients_among_all_ranks() {
    let told = of_rank_0(&of_way("DATA", &[LAYER, LAYER]));
    let computes: Vec<_> = told
        .iter()
        .filter(|task| task.ends_with("000 ns"))
        .collect();
    assert_eq!(
        computes,
        ["1000 ns", "1000 ns", "3000 ns", "2000 ns", "3000 ns"]
    );
    assert_eq!(told.iter().filter(|task| *task == "3KB to 1").count(), 12);
    assert_eq!(told.iter().filter(|task| task.contains(" to ")).count(), 12);
}

/// Collectives of forward passes and input gradients; not of the first layer's input gradient. An
/// all-gather of 4000 bytes is 3 steps of 1000, an all-to-all of 8000 bytes sends 2000 to each
/// other rank.
#[test]
fn model_parallelism_has_collectives_of_activations_among_all_ranks() {
    let told = of_rank_0(&of_way("MODEL", &[LAYER, LAYER]));
    let count = |task: &str| told.iter().filter(|told| *told == task).count();
    assert_eq!(count("1KB to 1"), 6);
    assert_eq!([1, 2, 3].map(|to| count(&format!("2KB to {to}"))), [1; 3]);
    assert_eq!(told.iter().filter(|task| task.contains(" to ")).count(), 9);
    let computes: Vec<_> = told
        .iter()
        .filter(|task| task.ends_with("000 ns"))
        .collect();
    assert_eq!(
        computes,
        [
            "1000 ns", "1000 ns", "2000 ns", "3000 ns", "2000 ns", "3000 ns"
        ]
    );
    let inference = of_rank_0(&of_way("DISTRIBUTED_INFERENCE", &[LAYER]));
    let expected = ["1000 ns", "1KB to 1", "1KB to 1", "1KB to 1", "100 ns"];
    let mut sorted = inference.clone();
    sorted.sort_unstable();
    let mut expected = expected.map(str::to_owned).to_vec();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
}

#[test]
fn groups_that_a_way_does_not_have_are_named() {
    assert_eq!(
        wrong(
            &of_way("DATA", &["a -1 0 NONE 0 0 NONE 0 0 ALLREDUCE_EP 8 0"]),
            4
        ),
        "a.txt:3: weight gradient collective: `ALLREDUCE_EP` is of a group, which this way of \
         training does not have; leave out _EP or _DP_EP: the collective is among all ranks"
    );
    assert_eq!(
        wrong(&of_way("MICRO all_gpus: 8", &[LAYER]), 4),
        "a.txt:1: all_gpus: the workload is of 8 ranks, but `hosts` has 4; \
         give a host for each rank, e.g. hosts = \"0-15\""
    );
}
