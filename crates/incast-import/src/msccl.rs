//! Algorithms of MSCCL (microsoft/msccl, ROCm/rccl), as msccl-tools writes them: the sends,
//! receives and reductions of each GPU's thread blocks, chunk by chunk.
//!
//! ```text
//! <algo name="a" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" …>
//!   <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
//!     <tb id="0" send="1" recv="1" chan="0">
//!       <step s="0" type="s" srcbuf="i" srcoff="0" … cnt="1" depid="-1" deps="-1" hasdep="0"/>
//! ```
//!
//! The size of a chunk is that of the buffers over `nchunksperloop`, as in `msccl_interpreter.h`.
//! The file does not state the size of the buffers. Steps of a thread block follow each other. A
//! step may wait for a step of another thread block of the same GPU (`depid`, `deps`):
//!
//! | step | here |
//! |---|---|
//! | `s` | a message to `send`; the next step begins when this one has begun |
//! | `r`, `rrc` | a message from `recv` that has arrived |
//! | `rcs`, `rrs`, `rrcs` | a message from `recv`, then one to `send` |
//! | `cpy`, `re`, `nop` | no time |
//!
//! `algorithm.rs` reads the file, `xml.rs` its elements; `steps.rs` makes tasks of the steps.

use std::io::Read;

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;
use incast_workload::{FileTasks, TaskWork};

pub(crate) use algorithm::Algorithm;
pub(crate) use steps::tasks;

mod algorithm;
mod steps;
#[cfg(test)]
mod tests;
mod xml;

/// Reads the tasks of an algorithm, for buffers of this size and this number of ranks.
pub(crate) fn read(
    file: impl Read,
    data: Option<Bytes>,
    ranks: u32,
) -> Result<FileTasks, Diagnostic> {
    let algorithm = Algorithm::read(file)?;
    if algorithm.gpus.len() != ranks as usize {
        return Err(other_ranks(algorithm.gpus.len(), ranks));
    }
    let chunk = match data {
        Some(data) => algorithm.chunk(data).map_err(|wrong| wrong.at("data"))?,
        None => {
            let example = format!("data = \"{}\"", algorithm.some_data());
            return Err(no_data(&example).at("data"));
        }
    };
    tasks(&algorithm, chunk)
}

/// The numbers of GPUs and of messages of an algorithm, if the whole file can be read.
pub(crate) fn contents(file: impl Read) -> Result<(usize, usize), Diagnostic> {
    let algorithm = Algorithm::read(file)?;
    let tasks = tasks(&algorithm, Bytes::new(1))?;
    let sends = |(_, work): &&(u32, TaskWork)| matches!(work, TaskWork::Send { .. });
    let messages = tasks.list.tasks().iter().filter(sends).count();
    let gpus = algorithm.gpus.len();
    tasks.list.check(&tasks.name)?;
    Ok((gpus, messages))
}

fn other_ranks(gpus: usize, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the algorithm is of {gpus} GPUs, but `hosts` has {ranks}"),
        format!(
            "give a host for each, e.g. hosts = \"0-{}\"",
            gpus.max(2) - 1
        ),
    )
}

/// The diagnostic of a missing size of the buffers; `example` shows how to give it.
pub(crate) fn no_data(example: &str) -> Diagnostic {
    Diagnostic::new(
        "an algorithm of MSCCL does not say how large the buffers are",
        format!("give their size, e.g. {example}"),
    )
}
