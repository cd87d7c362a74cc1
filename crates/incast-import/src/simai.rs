//! Workloads of SimAI (aliyun/SimAI), as AICB (aliyun/aicb) writes them: the layers of a model,
//! each with its computing and its collectives.
//!
//! ```text
//! HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 … all_gpus: 2 …
//! 1
//! mlp -1 1000 ALLREDUCE 4000 500 NONE 0 300 NONE 0 100
//! ```
//!
//! The second line is the number of layers. A layer has a name and a `-1`. Time, collective and
//! size follow, of its forward pass, of its input gradient and of its weight gradient. The last
//! number is the update time after each collective. Times are in ns: SimAI's clock has 1 GHz
//! (`CLOCK_PERIOD`, `Common.hh`).
//!
//! All ranks go through all layers in the order of SimAI's `Workload.cc`, in a pass without
//! checkpoints (`execution.rs`). The ranks of a collective follow from `groups.rs`, after
//! `MockNcclGroup.cc`, and from the table in `header.rs`. Micro-batches follow each other in the
//! file.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_workload::{CollectiveMeans, FileTasks, Strictness, TaskList};

use crate::text::TextLines;
use execution::Execution;
use layer::ModelLayer;

mod execution;
mod groups;
mod header;
mod layer;
#[cfg(test)]
mod tests;

/// Reads the tasks of a workload, for this number of ranks. The check of the stated number of
/// layers is optional, because one of AICB's own examples has fewer.
pub(crate) fn read(
    mut lines: TextLines<impl BufRead>,
    ranks: u32,
    means: CollectiveMeans,
    count: Strictness,
) -> Result<FileTasks, Diagnostic> {
    let (parallelism, groups) = header::read(lines.first_line(header::BEGINS)?, ranks)?;
    let stated = match lines.next_line()? {
        Some(line) => {
            let mut words = line.words("number of layers");
            let stated = words.next("layers")?.integer_32("32")?;
            words.end()?;
            stated
        }
        None => return Err(lines.in_file(no_layers())),
    };
    let (list, mut layers, mut tasks) = (TaskList::new(ranks), Vec::new(), 0);
    while let Some(line) = lines.next_line()? {
        if count == Strictness::Check && layers.len() as u64 == u64::from(stated) {
            return Err(line.wrong(one_too_many(stated)));
        }
        let layer = ModelLayer::read(line, parallelism, &groups)?;
        // All tasks are counted before the first one is added.
        let room = layer.tasks(&groups, means).and_then(|more| {
            tasks += more;
            list.check_room(tasks)
        });
        room.map_err(|wrong| line.wrong(wrong))?;
        layers.push(layer);
    }
    if count == Strictness::Check && (layers.len() as u64) < u64::from(stated) {
        return Err(lines.in_file(layers_missing(layers.len(), stated)));
    }
    let executed = Execution::new(list, &groups, means).run(parallelism, &layers);
    executed.map_err(|wrong| lines.in_file(wrong))
}

fn no_layers() -> Diagnostic {
    Diagnostic::new(
        "the file ends after its first line",
        "the second line has the number of layers: is the file cut off?",
    )
}

fn one_too_many(stated: u32) -> Diagnostic {
    Diagnostic::new(
        format!("this is a layer more than the {stated} of the second line"),
        "correct the number, or set `count = \"ignore\"`",
    )
}

fn layers_missing(found: usize, stated: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the file has {found} layers, but its second line says {stated}"),
        "is it cut off? Correct the number, or set `count = \"ignore\"`",
    )
}
