//! The steps of an algorithm as tasks of ranks.

use std::collections::HashMap;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};
use incast_workload::{FileTasks, TaskList, TaskWork};

use super::algorithm::{Algorithm, MscclStep, ThreadBlock};

/// The unit of steps without duration, which never delay another task.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// The tasks of an algorithm, with chunks of this size.
pub(crate) fn tasks(algorithm: &Algorithm, chunk: Bytes) -> Result<FileTasks, Diagnostic> {
    let list = TaskList::new(algorithm.gpus.len() as u32);
    let steps = algorithm.blocks().map(|(_, block)| block.steps.len());
    list.check_room(2 * steps.sum::<usize>() as u128)?;
    let mut tasks = MscclTasks {
        list,
        names: Vec::new(),
        chunk,
    };
    for (gpu, blocks) in (0..).zip(&algorithm.gpus) {
        let placed: HashMap<u32, Vec<PlacedStep>> = blocks
            .iter()
            .map(|block| (block.id, tasks.add_block(gpu, block)))
            .collect();
        for block in blocks {
            for (step, placed_step) in block.steps.iter().zip(&placed[&block.id]) {
                if let Some(before) = step.waits_for {
                    let (other, number) = (before.block, before.step as usize);
                    tasks.wait(placed_step.first, placed[&other][number]);
                }
            }
        }
    }
    let names = tasks.names;
    let name = move |task: u32| {
        let (block, step) = names[task as usize];
        format!("step {step} of thread block {block}")
    };
    Ok(FileTasks {
        list: tasks.list,
        name: Box::new(name),
    })
}

/// The tasks that have been listed.
struct MscclTasks {
    list: TaskList,
    /// For each task, its thread block and step.
    names: Vec<(u32, u32)>,
    chunk: Bytes,
}

/// The tasks of one step.
#[derive(Copy, Clone)]
struct PlacedStep {
    /// The first task, which waits for earlier steps.
    first: u32,
    /// The task whose start or end, by `end`, ends the step.
    last: u32,
    end: StepWait,
}

/// When a step has ended, for the steps that wait for it.
#[derive(Copy, Clone)]
enum StepWait {
    /// When its last task has begun: a send ends the step once the network has it.
    Begun,
    /// When its last task has ended.
    Ended,
}

impl MscclTasks {
    /// Adds the steps of a thread block, each after the one before.
    fn add_block(&mut self, gpu: u32, block: &ThreadBlock) -> Vec<PlacedStep> {
        let mut placed: Vec<PlacedStep> = Vec::with_capacity(block.steps.len());
        for (number, step) in (0..).zip(&block.steps) {
            let added = self.add_step(gpu, block, step);
            self.names.resize(self.list.len(), (block.id, number));
            if let Some(before) = placed.last() {
                self.wait(added.first, *before);
            }
            placed.push(added);
        }
        placed
    }

    fn add_step(&mut self, gpu: u32, block: &ThreadBlock, step: &MscclStep) -> PlacedStep {
        let size = Bytes::new(self.chunk.as_u64().saturating_mul(step.chunks.into()));
        // The messages of a connection follow each other on one QP, as in NCCL.
        let (tag, lane) = (block.channel.into(), block.channel);
        let receive = step.kind.receives().then(|| {
            let from = block.receives_from.unwrap_or_default();
            self.list.add(gpu, TaskWork::Receive { from, size, tag })
        });
        let send = step.kind.sends().then(|| {
            let to = block.sends_to.unwrap_or_default();
            let nic = None;
            let work = TaskWork::Send {
                to,
                size,
                tag,
                lane,
                nic,
            };
            self.list.add(gpu, work)
        });
        let (first, last, end) = match (receive, send) {
            (Some(receive), Some(send)) => {
                self.list.wait_for_end(send, receive);
                (receive, send, StepWait::Begun)
            }
            (Some(receive), None) => (receive, receive, StepWait::Ended),
            (None, Some(send)) => (send, send, StepWait::Begun),
            (None, None) => {
                let (duration, unit) = (Time::ZERO, NO_UNIT);
                let local = self.list.add(gpu, TaskWork::Compute { duration, unit });
                (local, local, StepWait::Ended)
            }
        };
        PlacedStep { first, last, end }
    }

    fn wait(&mut self, task: u32, before: PlacedStep) {
        match before.end {
            StepWait::Begun => self.list.wait_for_start(task, before.last),
            StepWait::Ended => self.list.wait_for_end(task, before.last),
        }
    }
}
