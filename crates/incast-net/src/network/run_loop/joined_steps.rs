//! The length of steps. The engine joins successive steps where it can, since a step of an instant
//! does less than the loop around it. Long steps with many samples are cut short.

use incast_units::Time;

use super::RunLoop;
use crate::measure::Log;
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// The end of the step that begins at `start`, cut short if it has too many samples.
    pub(super) fn end_by_samples(&self, start: Time) -> Time {
        let (_, end) = self.engine.step_of(start);
        if start.saturating_add(self.state.longest_step) >= end {
            return end;
        }
        let (bound, _) = self.engine.step_of(start + self.state.longest_step);
        bound.max(self.engine.earliest_end(start))
    }

    /// The end of a step, extended beyond `end` to the next act of the run loop: the next flow, a
    /// search for stalls, or `stop`. Not while no flow is alive, since idle time is noted between
    /// steps.
    pub(super) fn end_of_step(&self, end: Time, next_flow: Option<Time>, stop: Time) -> Time {
        if !E::JOINS_STEPS || self.state.alive == 0 || self.faults.is_some() {
            return end;
        }
        let begin = self.state.beginning.last().map(|each| each.at);
        let outside = next_flow.into_iter().chain(begin);
        outside.fold(stop.min(self.state.next_look), Time::min)
    }
}
