//! The work of endpoints: scripts of steps, each with operations that are issued at once.

use crate::control::OwnOperation;
use crate::packet::{Cycle, MAX_PAYLOAD_FLITS, OperationKind};

/// A piece of work of one initiator.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// One operation.
    Single(OperationKind),
    /// A read reduction and, when it completes, a multicast write of its result.
    Transaction,
}

/// Equal pieces of work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The operations of each.
    pub kind: WorkKind,
    /// The group of collective operations, the endpoint of others.
    pub target: u16,
    /// Flits of data that each moves, 1 to 8.
    pub data: u8,
    /// How many.
    pub count: u32,
}

impl Work {
    /// This many operations with full packets.
    pub fn new(kind: WorkKind, target: u16, count: u32) -> Self {
        Self {
            kind,
            target,
            data: MAX_PAYLOAD_FLITS,
            count,
        }
    }

    /// The operation that each begins with.
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
    /// The step starts in this cycle, or when the step before is complete if that is later.
    At(Cycle),
    /// This many cycles after the step before is complete.
    After(Cycle),
}

/// Work that is issued at once.
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

/// An operation from issue to completion.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// The initiator.
    pub initiator: u16,
    /// Its kind.
    pub kind: OperationKind,
    /// The group of a collective operation, the endpoint of another.
    pub target: u16,
    /// Flits of data that it moves.
    pub data: u8,
    /// When it was issued to the network interface.
    pub issued: Cycle,
    /// When its request went onto the link.
    pub injected: Cycle,
    /// When the last flit of its response had arrived.
    pub completed: Cycle,
}

impl OperationRecord {
    /// Cycles from injection to completion.
    pub fn latency(&self) -> Cycle {
        self.completed - self.injected
    }
}
