//! The work of endpoints: scripts of steps. The operations of a step are issued at once.

use crate::control::OwnOperation;
use crate::packet::{Cycle, MAX_PAYLOAD_FLITS, OperationKind};

/// The operations that make up one piece of an initiator's work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// One operation.
    Single(OperationKind),
    /// A read reduction, followed by a multicast write of its result.
    Transaction,
}

/// Several equal pieces of work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The operations of each piece.
    pub kind: WorkKind,
    /// The group of collective operations, else the destination endpoint.
    pub target: u16,
    /// Flits of data that each operation moves, 1 to 8.
    pub data: u8,
    /// How many.
    pub count: u32,
}

impl Work {
    /// `count` pieces of work with full packets.
    pub fn new(kind: WorkKind, target: u16, count: u32) -> Self {
        Self {
            kind,
            target,
            data: MAX_PAYLOAD_FLITS,
            count,
        }
    }

    /// The first operation of a piece.
    pub fn first(&self) -> OwnOperation {
        let kind = match self.kind {
            WorkKind::Single(kind) => kind,
            WorkKind::Transaction => OperationKind::ReadReduction,
        };
        OwnOperation {
            kind,
            target: self.target,
            data: self.data,
        }
    }

    /// Operations in all.
    pub fn operations(&self) -> u64 {
        let each = match self.kind {
            WorkKind::Single(_) => 1,
            WorkKind::Transaction => 2,
        };
        each * u64::from(self.count)
    }
}

/// When a step begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StepStart {
    /// In this cycle, or when the previous step is complete, whichever is later.
    At(Cycle),
    /// This many cycles after the previous step is complete.
    After(Cycle),
}

/// A step: work that is issued at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkStep {
    /// When.
    pub start: StepStart,
    /// The operations, in order of issue.
    pub work: Vec<Work>,
}

/// The work of one endpoint, step after step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// In order.
    pub steps: Vec<WorkStep>,
}

impl Script {
    /// One step.
    pub fn once(start: Cycle, work: Work) -> Self {
        let step = WorkStep {
            start: StepStart::At(start),
            work: vec![work],
        };
        Self { steps: vec![step] }
    }

    /// Operations in all.
    pub fn operations(&self) -> u64 {
        let work = self.steps.iter().flat_map(|step| &step.work);
        work.map(Work::operations).sum()
    }
}

/// The record of an operation from issue to completion.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// The initiator.
    pub initiator: u16,
    /// Its kind.
    pub kind: OperationKind,
    /// The group of a collective operation, else the destination endpoint.
    pub target: u16,
    /// Flits of data that the operation moves.
    pub data: u8,
    /// Cycle in which the operation was issued to the network interface.
    pub issued: Cycle,
    /// Cycle in which the first flit of the request went onto the link.
    pub injected: Cycle,
    /// Cycle in which the last flit of the response had arrived.
    pub completed: Cycle,
}

impl OperationRecord {
    /// Cycles from injection to completion.
    pub fn latency(&self) -> Cycle {
        self.completed - self.injected
    }
}
