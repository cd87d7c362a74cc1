//! The observer of a run: it receives progress and flows, and decides whether the run continues.

use std::ops::ControlFlow;
use std::time::Duration;

use incast_engine::Rehearsal;
use incast_units::Time;

use crate::flow::{Flow, Milestone};
use crate::measure::FlowRecord;

/// Progress of a run.
#[derive(Copy, Clone, Debug, Default)]
pub struct Progress {
    /// Simulated time.
    pub time: Time,
    /// Flows started.
    pub flows_started: u64,
    /// Flows completed.
    pub flows_finished: u64,
    /// Data packets and ACKs that crossed a link.
    pub packet_hops: u64,
}

/// Watches a run.
pub trait Observer {
    /// Called about every 50 ms, in large networks every 500 ms. `Break` ends the run cleanly, with
    /// the flows completed so far.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Flows that completed, in order of completion.
    fn finished(&mut self, flows: &[FlowRecord]);

    /// Flows that waited for others and have started, in order of start.
    fn released(&mut self, _flows: &[Flow]) {}

    /// Milestones at hosts whose sends wait, in order of time.
    fn reached(&mut self, _milestones: &[Milestone]) {}

    /// Called while the calling thread of a run on several threads would only wait. Does a piece of
    /// deferred work; returns whether there was any.
    fn meanwhile(&mut self) -> bool {
        false
    }

    /// Called at the end of a run on several threads: the number of threads besides the calling
    /// thread, and their processor time.
    fn helped(&mut self, _threads: usize, _cpu: Duration) {}

    /// Called at the end of a run that was [rehearsed](incast_engine::Partitioning::Rehearsed) for
    /// several threads.
    fn rehearsed(&mut self, _rehearsal: &Rehearsal) {}
}

/// Observes nothing.
impl Observer for () {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}
}
