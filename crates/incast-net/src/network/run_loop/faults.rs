//! Faults of links, as the run loop sees them: when they change anything, and what they have done.

use incast_units::Time;
use rustc_hash::FxHashSet;

use super::RunLoop;
use crate::measure::{FaultRecord, Log, Recorder, UnfinishedFlow};
use crate::network::engines::{Engine, Starting};
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// With the last flow faults are over: else those would still happen that come before a timer
    /// of a flow that has completed.
    pub(super) fn end_faults_with_flows(&mut self) {
        self.state.are_faults_over = self.faults.is_some() && self.is_done();
    }

    /// Start of the next step in which links change, unless nothing else is to happen (`others`)
    /// and all flows have completed: a run does not wait for links.
    pub(super) fn next_fault(&self, others: Option<Time>) -> Option<Time> {
        if self.state.are_faults_over {
            return None;
        }
        let times = self.faults?.times();
        let next = *times.get(self.state.faults_passed)?;
        let matters = others.is_some() || self.state.alive > 0;
        matters.then(|| self.engine.step_of(next).0)
    }

    /// Tells the nodes of changes of links before `end`.
    pub(super) fn announce_faults(&mut self, end: Time) {
        let Some(plan) = self.faults.filter(|_| !self.state.are_faults_over) else {
            return;
        };
        let rest = &plan.times()[self.state.faults_passed..];
        let passed = rest.partition_point(|time| *time < end);
        if passed == 0 {
            return;
        }
        self.state.faults_passed += passed;
        for node in 0..self.engine.nodes().count() {
            let starting = &mut self.state.starting;
            self.engine
                .node_mut(node)
                .announce_changes(end, &mut |timer, at| {
                    starting.push(Starting { node, timer, at });
                });
        }
    }

    /// What faults have done, if there are any.
    pub(super) fn fault_record(
        &self,
        recorder: &mut Recorder,
        unfinished: &[UnfinishedFlow],
    ) -> Option<FaultRecord> {
        let plan = self.faults?;
        let mut recovering = FxHashSet::default();
        for node in self.engine.nodes() {
            node.append_recovering(&mut recovering);
        }
        let log = std::mem::take(&mut recorder.faults);
        // Timers of flows that have completed are none of the run.
        Some(plan.record(log, &recovering, unfinished, self.series_end()))
    }
}
