//! The first line of a workload: how the ranks divide the model.
//!
//! | word | meaning |
//! |---|---|
//! | `model_parallel_NPU_group:` | ranks of a TP group |
//! | `ep:` | ranks of an EP group |
//! | `pp:` | must be 1: SimAI runs no pipeline, but adds a formula's time to its report |
//! | `all_gpus:` | ranks |
//! | `vpp:`, `ga:` | parameters of this formula; the file has all micro-batches anyway |
//! | `mode:` | 1 for inference; SimAI does not read it |
//! | `checkpoints:`, `checkpoint_initiates:` | must be 0: layers that are computed again |
//! | `pp_comm:`, or `pp_comm` | must be 0: bytes between stages |
//!
//! SimAI reads only the first number of a list of checkpoints. It does not define the ranks of a
//! collective that is repeated.
//!
//! Ways of training without group sizes involve all ranks (`decode_involved_dimensions`):
//!
//! | word | forward, input gradient | weight gradient |
//! |---|---|---|
//! | `MICRO`, `DATA` | none | all ranks |
//! | `MODEL`, `DISTRIBUTED_INFERENCE` | all ranks | none |

use incast_diagnostic::{Diagnostic, excerpt};

use super::groups::GroupSizes;
use crate::text::{Field, TextLine, Words};

/// The expected begin of a file, for messages.
pub(super) const BEGINS: &str = "`HYBRID_TRANSFORMER_FWD_IN_BCKWD`";

const HEADER: &str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 \
                      vpp: 32 ga: 1 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0";

/// Ways of training with group sizes; without checkpoints both are the same.
const WITH_GROUPS: [&str; 2] = ["HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER"];

/// Ways of training whose collectives are among dimensions of a torus, or differ by layer.
const WITHOUT_RANKS: [&str; 5] = [
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "HYBRID_CUSTOMIZED",
];

/// The order of layers at a rank, and the ranks of collectives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Parallelism {
    /// Tensor and data parallelism, by the group sizes of the first line.
    Transformer,
    /// Only the collectives of weight gradients, one after the other, among all ranks.
    Micro,
    /// Layers forward, then backward with collectives of weight gradients, among all ranks.
    Data,
    /// Layers forward, then backward with collectives of input gradients, among all ranks.
    Model,
    /// Layers forward.
    Inference,
}

/// The ways of training that are supported.
const KNOWN: [(&str, Parallelism); 6] = [
    (WITH_GROUPS[0], Parallelism::Transformer),
    (WITH_GROUPS[1], Parallelism::Transformer),
    ("MICRO", Parallelism::Micro),
    ("DATA", Parallelism::Data),
    ("MODEL", Parallelism::Model),
    ("DISTRIBUTED_INFERENCE", Parallelism::Inference),
];

const TENSOR: &str = "model_parallel_NPU_group";
const EXPERT: &str = "ep";
const ALL: &str = "all_gpus";

const KEYS: [&str; 10] = [
    TENSOR,
    EXPERT,
    ALL,
    "pp",
    "vpp",
    "ga",
    "mode",
    "checkpoints",
    "checkpoint_initiates",
    "pp_comm",
];

/// The way of training, and the group sizes, for this number of ranks.
pub(super) fn read(
    line: TextLine<'_>,
    ranks: u32,
) -> Result<(Parallelism, GroupSizes), Diagnostic> {
    let mut words = line.words(HEADER);
    let way = words.next("parallelism")?;
    let parallelism = parallelism(way)?;
    let (mut seen, mut tensor, mut expert) = (Vec::new(), None, None);
    while let Some((key, value)) = entry(&mut words)? {
        if seen.contains(&key) {
            return Err(value.wrong(twice()));
        }
        seen.push(key);
        match key {
            TENSOR | EXPERT if parallelism != Parallelism::Transformer => {
                return Err(value.wrong(all_ranks(way.text)));
            }
            TENSOR => tensor = Some((value, group_size(value)?)),
            EXPERT => expert = Some((value, group_size(value)?)),
            ALL => check_ranks(value, ranks)?,
            "vpp" | "ga" => drop(value.integer("1")?),
            "pp" => check_is(value, 1, stages)?,
            "mode" => check_is(value, 1, other_mode)?,
            "pp_comm" if value.number("0")? != 0.0 => return Err(value.wrong(sent_by_stages())),
            "pp_comm" => {}
            _ => check_is(value, 0, checkpoints)?,
        }
    }
    // TP groups of one rank put all ranks into one DP group; one TP group of all ranks leaves DP
    // groups of one rank.
    let whole = |tensor, expert| GroupSizes {
        ranks,
        tensor,
        expert,
    };
    match parallelism {
        Parallelism::Micro | Parallelism::Data => return Ok((parallelism, whole(1, None))),
        Parallelism::Model | Parallelism::Inference => {
            return Ok((parallelism, whole(ranks, None)));
        }
        Parallelism::Transformer => {}
    }
    let (word, tensor) = tensor.ok_or_else(|| line.wrong(no_sizes()))?;
    if !ranks.is_multiple_of(tensor) {
        return Err(word.wrong(not_divided(ranks, tensor)));
    }
    if let Some((word, expert)) = expert
        && !(ranks / tensor).is_multiple_of(expert)
    {
        return Err(word.wrong(not_divided(ranks / tensor, expert)));
    }
    Ok((parallelism, whole(tensor, expert.map(|(_, size)| size))))
}

fn parallelism(word: Field<'_>) -> Result<Parallelism, Diagnostic> {
    if let Some((_, known)) = KNOWN.into_iter().find(|(name, _)| *name == word.text) {
        return Ok(known);
    }
    let names = KNOWN.map(|(name, _)| name);
    Err(word.unnamed(match WITHOUT_RANKS.contains(&word.text) {
        true => no_ranks(word.text),
        false => Diagnostic::unknown("parallelism", &excerpt(word.text), names),
    }))
}

/// The next word, which is a name, and its value.
fn entry<'a>(words: &mut Words<'a>) -> Result<Option<(&'static str, Field<'a>)>, Diagnostic> {
    let Some(word) = words.optional("first line") else {
        return Ok(None);
    };
    let name = word.text.strip_suffix(':').unwrap_or(word.text);
    let known = KEYS.into_iter().find(|key| *key == name);
    let key = known.ok_or_else(|| word.wrong(Diagnostic::unknown("word", &excerpt(name), KEYS)))?;
    Ok(Some((key, words.next(key)?)))
}

fn group_size(value: Field<'_>) -> Result<u32, Diagnostic> {
    match value.integer_32("8")? {
        0 => Err(value.wrong(no_rank())),
        size => Ok(size),
    }
}

fn check_ranks(value: Field<'_>, ranks: u32) -> Result<(), Diagnostic> {
    match value.integer("32")? {
        stated if stated == u64::from(ranks) => Ok(()),
        stated => Err(value.wrong(other_ranks(stated, ranks))),
    }
}

fn check_is(
    value: Field<'_>,
    expected: u64,
    otherwise: fn(u64) -> Diagnostic,
) -> Result<(), Diagnostic> {
    match value.integer("0")? {
        stated if stated == expected => Ok(()),
        stated => Err(value.wrong(otherwise(stated))),
    }
}

fn no_ranks(parallelism: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the collectives of `{parallelism}` are among dimensions of a torus, or differ from \
             layer to layer, and which ranks these are is not in the file"
        ),
        "write the layers under HYBRID_TRANSFORMER_FWD_IN_BCKWD, with `model_parallel_NPU_group:`",
    )
}

fn all_ranks(parallelism: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the collectives of `{parallelism}` are among all ranks, whatever stands here"),
        "leave it out, or write HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    )
}

fn no_sizes() -> Diagnostic {
    Diagnostic::new(
        "the first line has no `model_parallel_NPU_group:`",
        "add how many ranks a TP group has, e.g. `model_parallel_NPU_group: 8`",
    )
}

fn no_rank() -> Diagnostic {
    Diagnostic::new("a group of 0 ranks is none", "give 1 or more")
}

fn not_divided(ranks: u32, size: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{ranks} ranks are not divided by groups of {size}"),
        "the ranks of TP, EP and DP_EP groups, multiplied, are all ranks",
    )
}

fn other_ranks(stated: u64, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the workload is of {stated} ranks, but `hosts` has {ranks}"),
        "give a host for each rank, e.g. hosts = \"0-15\"",
    )
}

fn stages(stages: u64) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the layers are those of one of {stages} stages, and what stages send each other is \
             not in the file: SimAI adds the time of a formula"
        ),
        "give a workload of `pp: 1`",
    )
}

fn sent_by_stages() -> Diagnostic {
    Diagnostic::new(
        "without a pipeline there are no bytes between stages",
        "give `pp_comm: 0`",
    )
}

fn other_mode(mode: u64) -> Diagnostic {
    Diagnostic::new(
        format!("mode {mode} is not known"),
        "give `mode: 1`, as AICB does for inference, or leave it out",
    )
}

fn checkpoints(_: u64) -> Diagnostic {
    Diagnostic::new(
        "layers that are computed again are not done: SimAI leaves open among which ranks",
        "give `checkpoints: 0 checkpoint_initiates: 0`, as AICB does",
    )
}

fn twice() -> Diagnostic {
    Diagnostic::new("it stands in the first line twice", "leave one")
}
