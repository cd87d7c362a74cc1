//! The order in which ranks go through the layers, as in SimAI's `Workload.cc`.
//!
//! ```text
//! Transformer   forward    for each layer: compute; collective
//!               backward   for each layer, the last one first:
//!                              input gradient: compute; collective
//!                              weight gradient: compute; begin the collective
//! Data          forward    for each layer: compute
//!               backward   for each layer, the last one first:
//!                              weight gradient: compute; begin the collective
//!                              input gradient, but not of the first layer: compute
//! Model         forward    for each layer: compute; collective
//!               backward   for each layer, the last one first:
//!                              input gradient: compute; begin the collective, but not that of
//!                              the first layer
//!                              weight gradient: compute
//!                              wait for the collective
//! Inference     forward    for each layer: compute; collective
//! Micro         for each layer: collective of the weight gradient, without computing and update
//! ```
//!
//! A rank waits for a collective, and then for the update time. Where the table says `begin`, the
//! rank continues at once. Collectives of weight gradients run one at a time, in the order in which
//! they begin, as on a stream of NCCL; only the end of the workload waits for them.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Time;
use incast_workload::{CollectiveMeans, CollectiveMember, FileTasks, TaskList, TaskWork};

use super::groups::GroupSizes;
use super::header::Parallelism;
use super::layer::{LayerCollective, LayerPass, ModelLayer};

/// The unit that computes layers.
const GPU: u32 = 0;

/// The tasks that have been listed, which are the same at all ranks.
pub(super) struct Execution<'a> {
    list: TaskList,
    groups: &'a GroupSizes,
    means: CollectiveMeans,
    /// The line of each task.
    lines: Vec<u32>,
    /// For each rank, the last task, which its next task waits for.
    last: Vec<Option<u32>>,
    /// For each rank, the end of the last collective of a weight gradient.
    reduced: Vec<Option<u32>>,
    /// Number of collectives so far.
    number: u32,
}

impl<'a> Execution<'a> {
    pub(super) fn new(list: TaskList, groups: &'a GroupSizes, means: CollectiveMeans) -> Self {
        let ranks = groups.ranks as usize;
        Self {
            list,
            groups,
            means,
            lines: Vec::new(),
            last: vec![None; ranks],
            reduced: vec![None; ranks],
            number: 0,
        }
    }

    pub(super) fn run(
        mut self,
        parallelism: Parallelism,
        layers: &[ModelLayer],
    ) -> Result<FileTasks, Diagnostic> {
        match parallelism {
            Parallelism::Micro => self.micro_benchmark(layers)?,
            Parallelism::Inference => self.forward(layers)?,
            Parallelism::Transformer | Parallelism::Data | Parallelism::Model => {
                self.forward(layers)?;
                // Each layer has a unit of its own, because the updates of two layers may overlap.
                for (unit, layer) in (1..).zip(layers.iter().rev()) {
                    let is_first = unit as usize == layers.len();
                    let backward = match parallelism {
                        Parallelism::Data => self.data_backward(layer, unit, is_first),
                        Parallelism::Model => self.model_backward(layer, unit, is_first),
                        _ => self.transformer_backward(layer, unit),
                    };
                    backward.on_line(layer.line)?;
                    self.called(layer.line);
                }
            }
        }
        Ok(FileTasks::numbered(self.list, "line", self.lines))
    }

    fn forward(&mut self, layers: &[ModelLayer]) -> Result<(), Diagnostic> {
        for layer in layers {
            self.pass(&layer.forward, layer.update)
                .on_line(layer.line)?;
            self.called(layer.line);
        }
        Ok(())
    }

    fn micro_benchmark(&mut self, layers: &[ModelLayer]) -> Result<(), Diagnostic> {
        for layer in layers {
            self.blocking(layer.weight_gradient.collective, Time::ZERO)
                .on_line(layer.line)?;
            self.called(layer.line);
        }
        Ok(())
    }

    fn transformer_backward(&mut self, layer: &ModelLayer, unit: u32) -> Result<(), Diagnostic> {
        self.pass(&layer.input_gradient, layer.update)?;
        self.compute(layer.weight_gradient.compute);
        self.overlapped(layer.weight_gradient.collective, layer.update, unit)
    }

    fn data_backward(
        &mut self,
        layer: &ModelLayer,
        unit: u32,
        is_first: bool,
    ) -> Result<(), Diagnostic> {
        self.compute(layer.weight_gradient.compute);
        self.overlapped(layer.weight_gradient.collective, layer.update, unit)?;
        if !is_first {
            self.compute(layer.input_gradient.compute);
        }
        Ok(())
    }

    fn model_backward(
        &mut self,
        layer: &ModelLayer,
        unit: u32,
        is_first: bool,
    ) -> Result<(), Diagnostic> {
        self.compute(layer.input_gradient.compute);
        let collective = layer.input_gradient.collective.filter(|_| !is_first);
        let ended = self.begun(collective, layer.update, unit)?;
        self.compute(layer.weight_gradient.compute);
        self.join(&ended);
        Ok(())
    }

    /// Adds computing, and a collective that the ranks wait for.
    fn pass(&mut self, pass: &LayerPass, update: Time) -> Result<(), Diagnostic> {
        self.compute(pass.compute);
        self.blocking(pass.collective, update)
    }

    /// Sets the line of all tasks that have none yet.
    fn called(&mut self, line: u64) {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.lines.resize(self.list.len(), line);
    }

    /// Adds computing at all ranks.
    fn compute(&mut self, duration: Time) {
        if duration == Time::ZERO {
            return;
        }
        for rank in 0..self.groups.ranks {
            let before = self.last[rank as usize];
            let task = self.after([before], rank, duration, GPU);
            self.last[rank as usize] = Some(task);
        }
    }

    /// Adds a collective that the ranks wait for.
    fn blocking(
        &mut self,
        collective: Option<LayerCollective>,
        update: Time,
    ) -> Result<(), Diagnostic> {
        let Some(collective) = collective else {
            return Ok(());
        };
        let members = |execution: &mut Self, rank: u32| {
            let before = execution.last[rank as usize];
            let begin = execution.after([before], rank, Time::ZERO, GPU);
            let end = execution.after([], rank, update, GPU);
            execution.last[rank as usize] = Some(end);
            CollectiveMember { rank, begin, end }
        };
        self.collective(collective, members)
    }

    /// Adds a collective that overlaps the next tasks of the ranks. Returns the last task of the
    /// collective at each rank.
    fn begun(
        &mut self,
        collective: Option<LayerCollective>,
        update: Time,
        unit: u32,
    ) -> Result<Vec<Option<u32>>, Diagnostic> {
        let mut ended = vec![None; self.last.len()];
        let Some(collective) = collective else {
            return Ok(ended);
        };
        let members = |execution: &mut Self, rank: u32| {
            let before = execution.last[rank as usize];
            let begin = execution.after([before], rank, Time::ZERO, unit);
            let end = execution.after([], rank, update, unit);
            ended[rank as usize] = Some(end);
            CollectiveMember { rank, begin, end }
        };
        self.collective(collective, members)?;
        Ok(ended)
    }

    /// Makes the next task of each rank wait for these tasks, too.
    fn join(&mut self, ended: &[Option<u32>]) {
        for (rank, ended) in (0..).zip(ended) {
            if ended.is_some() {
                let before = [self.last[rank as usize], *ended];
                let joined = self.after(before, rank, Time::ZERO, GPU);
                self.last[rank as usize] = Some(joined);
            }
        }
    }

    /// Adds a collective of a weight gradient, which overlaps the next tasks of the ranks.
    fn overlapped(
        &mut self,
        collective: Option<LayerCollective>,
        update: Time,
        unit: u32,
    ) -> Result<(), Diagnostic> {
        let Some(collective) = collective else {
            return Ok(());
        };
        let members = |execution: &mut Self, rank: u32| {
            let before = [
                execution.last[rank as usize],
                execution.reduced[rank as usize],
            ];
            let begin = execution.after(before, rank, Time::ZERO, unit);
            let end = execution.after([], rank, Time::ZERO, unit);
            execution.after([Some(end)], rank, update, unit);
            execution.reduced[rank as usize] = Some(end);
            CollectiveMember { rank, begin, end }
        };
        self.collective(collective, members)
    }

    /// Adds the messages of a collective, in all groups.
    fn collective(
        &mut self,
        collective: LayerCollective,
        mut member: impl FnMut(&mut Self, u32) -> CollectiveMember,
    ) -> Result<(), Diagnostic> {
        let spec = collective.spec(self.means);
        for ranks in self.groups.groups(collective.group) {
            let ranks = ranks.into_iter();
            let members: Vec<_> = ranks.map(|rank| member(self, rank)).collect();
            spec.unroll(&mut self.list, &members, self.number)?;
            self.number += 1;
        }
        Ok(())
    }

    /// Adds a task that waits for the ends of `before`.
    fn after<const N: usize>(
        &mut self,
        before: [Option<u32>; N],
        rank: u32,
        duration: Time,
        unit: u32,
    ) -> u32 {
        let task = self.list.add(rank, TaskWork::Compute { duration, unit });
        for before in before.into_iter().flatten() {
            self.list.wait_for_end(task, before);
        }
        task
    }
}
