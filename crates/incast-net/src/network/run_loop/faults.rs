//! Faults of links in the run loop: their times, and the record of their effects.

use incast_units::Time;
use rustc_hash::FxHashSet;

use super::RunLoop;
use crate::measure::{FaultRecord, Log, Recorder, UnfinishedFlow};
use crate::network::engines::{Engine, Starting};
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// Ends faults with the last flow. Otherwise changes of links would depend on the timers of
    /// completed flows.
    pub(super) fn end_faults_with_flows(&mut self) {
        self.state.are_faults_over = self.faults.is_some() && self.is_done();
    }

    /// Start of the next step in which links change. `None` if all flows have completed and no
    /// other step is left (`others`): a run does not wait for links.
    pub(super) fn next_fault(&self, others: Option<Time>) -> Option<Time> {
        if self.state.are_faults_over {
            return None;
        }
        let times = self.faults?.times();
        let next = *times.get(self.state.faults_passed)?;
        let matters = others.is_some() || self.state.alive > 0;
        matters.then(|| self.engine.step_of(next).0)
    }

    /// Announces the changes of links before `end` to the nodes.
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

    /// The record of the effects of faults, if there are faults.
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
        // The time after the last flow, in which timers of completed flows expire, does not
        // count.
        Some(plan.record(log, &recovering, unfinished, self.series_end()))
    }
}
