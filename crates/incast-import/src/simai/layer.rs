//! A line of a workload: one pass through a layer of the model.

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, Time};
use incast_workload::{CollectiveMeans, CollectiveOperation, CollectiveSpec};

use super::groups::{GroupKind, GroupSizes};
use super::header::Parallelism;
use crate::goal::nanoseconds;
use crate::text::{Field, TextLine, Words};

const LAYER: &str = "name -1 forward ALLREDUCE size input-gradient ALLREDUCE size weight-gradient \
                     ALLREDUCE size update";

const OPERATIONS: [(&str, CollectiveOperation); 5] = [
    ("ALLREDUCE", CollectiveOperation::AllReduce),
    ("ALLGATHER", CollectiveOperation::AllGather),
    ("REDUCESCATTER", CollectiveOperation::ReduceScatter),
    ("ALLTOALL", CollectiveOperation::AllToAll),
    ("BROADCAST", CollectiveOperation::Broadcast),
];

/// A layer.
#[derive(Clone, Debug)]
pub(super) struct ModelLayer {
    /// The layer's line in the file.
    pub(super) line: u64,
    pub(super) forward: LayerPass,
    pub(super) input_gradient: LayerPass,
    pub(super) weight_gradient: LayerPass,
    /// Time after each collective, in addition to its messages.
    pub(super) update: Time,
}

/// One pass through a layer: computing, then a collective.
#[derive(Clone, Debug)]
pub(super) struct LayerPass {
    pub(super) compute: Time,
    pub(super) collective: Option<LayerCollective>,
}

/// A collective with at least two ranks and one byte.
#[derive(Copy, Clone, Debug)]
pub(super) struct LayerCollective {
    operation: CollectiveOperation,
    data: Bytes,
    pub(super) group: GroupKind,
}

/// The names of the words of a pass.
struct PassWords {
    compute: &'static str,
    collective: &'static str,
    size: &'static str,
    /// The group of a collective whose name has no suffix.
    group: GroupKind,
}

const FORWARD: PassWords = PassWords {
    compute: "forward time",
    collective: "forward collective",
    size: "forward size",
    group: GroupKind::Tp,
};
const INPUT_GRADIENT: PassWords = PassWords {
    compute: "input gradient time",
    collective: "input gradient collective",
    size: "input gradient size",
    group: GroupKind::Tp,
};
const WEIGHT_GRADIENT: PassWords = PassWords {
    compute: "weight gradient time",
    collective: "weight gradient collective",
    size: "weight gradient size",
    group: GroupKind::Dp,
};

impl ModelLayer {
    pub(super) fn read(
        line: TextLine<'_>,
        parallelism: Parallelism,
        groups: &GroupSizes,
    ) -> Result<Self, Diagnostic> {
        let mut words = line.words(LAYER);
        words.next("name")?;
        let dependency = words.next("dependency")?;
        if dependency.text != "-1" {
            return Err(dependency.wrong(depends(dependency.text)));
        }
        let layer = Self {
            line: line.number(),
            forward: LayerPass::read(&mut words, &FORWARD, parallelism, groups)?,
            input_gradient: LayerPass::read(&mut words, &INPUT_GRADIENT, parallelism, groups)?,
            weight_gradient: LayerPass::read(&mut words, &WEIGHT_GRADIENT, parallelism, groups)?,
            update: time(words.next("update time")?)?,
        };
        words.end()?;
        Ok(layer)
    }

    /// An upper bound on the number of tasks of the layer.
    pub(super) fn tasks(
        &self,
        groups: &GroupSizes,
        means: CollectiveMeans,
    ) -> Result<u128, Diagnostic> {
        let passes = [&self.forward, &self.input_gradient, &self.weight_gradient];
        let mut tasks = 0;
        for pass in passes {
            // One task for computing; three for begin, end and update of a collective.
            let own = 1 + 3 * u128::from(pass.collective.is_some());
            tasks += own * u128::from(groups.ranks);
            if let Some(collective) = pass.collective {
                let size = groups.size(collective.group);
                let of_group = collective.spec(means).unrolled_tasks(size)?;
                tasks += of_group * u128::from(groups.ranks / size);
            }
        }
        Ok(tasks)
    }
}

impl LayerPass {
    fn read(
        words: &mut Words<'_>,
        names: &PassWords,
        parallelism: Parallelism,
        groups: &GroupSizes,
    ) -> Result<Self, Diagnostic> {
        let compute = time(words.next(names.compute)?)?;
        let word = words.next(names.collective)?;
        let size = words.next(names.size)?;
        let bytes = size.integer("1000000")?;
        let Some((operation, group)) = collective(word, names.group)? else {
            let collective = None;
            return Ok(Self {
                compute,
                collective,
            });
        };
        if group != GroupKind::Tp && group != GroupKind::Dp && groups.expert.is_none() {
            return Err(word.wrong(match parallelism {
                Parallelism::Transformer => no_experts(word.text),
                _ => no_such_group(word.text),
            }));
        }
        let is_sent = bytes > 0 && groups.size(group) > 1;
        let collective = match is_sent {
            true => Some(LayerCollective {
                operation,
                data: size.size()?,
                group,
            }),
            false => None,
        };
        Ok(Self {
            compute,
            collective,
        })
    }
}

impl LayerCollective {
    /// The collective among the ranks of one group.
    pub(super) fn spec(&self, means: CollectiveMeans) -> CollectiveSpec {
        CollectiveSpec {
            algorithm: means.algorithm,
            channels: means.channels,
            ..CollectiveSpec::new(self.operation, self.data)
        }
    }
}

/// The collective that a word names, if it is not `NONE`; without a suffix it has the given group.
fn collective(
    word: Field<'_>,
    group: GroupKind,
) -> Result<Option<(CollectiveOperation, GroupKind)>, Diagnostic> {
    if word.text == "NONE" {
        return Ok(None);
    }
    for (name, operation) in OPERATIONS {
        let group = match word.text.strip_prefix(name) {
            Some("") => group,
            Some("_EP") => GroupKind::Ep,
            Some("_DP_EP") => GroupKind::DpEp,
            _ => continue,
        };
        return Ok(Some((operation, group)));
    }
    Err(word.wrong(no_collective(word.text)))
}

fn time(word: Field<'_>) -> Result<Time, Diagnostic> {
    nanoseconds(word.integer("1000")?).map_err(|wrong| word.wrong(wrong))
}

fn depends(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{}` is given, which means nothing in SimAI", excerpt(text)),
        "write -1",
    )
}

fn no_collective(word: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{}` is no collective of SimAI", excerpt(word)),
        "there are ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL and BROADCAST, each also with _EP \
         or _DP_EP, and NONE",
    )
}

fn no_such_group(word: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{word}` is of a group, which this way of training does not have"),
        "leave out _EP or _DP_EP: the collective is among all ranks",
    )
}

fn no_experts(word: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the first line has no `ep:`, so the ranks of `{word}` are not known"),
        "add how many ranks an EP group has, e.g. `ep: 8`",
    )
}
