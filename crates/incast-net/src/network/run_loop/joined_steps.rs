//! How long steps are. Successive steps are one where the engine can, since a step of an instant
//! has less to do than the loop around it. Long steps with many samples end early.

use incast_units::Time;

use super::RunLoop;
use crate::measure::Log;
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// The end of the step that begins at `start`, by itself, or where it has many samples.
    pub(super) fn end_by_samples(&self, start: Time) -> Time {
        let (_, end) = self.engine.step_of(start);
        if start.saturating_add(self.state.longest_step) >= end {
            return end;
        }
        let (bound, _) = self.engine.step_of(start + self.state.longest_step);
        bound.max(self.engine.earliest_end(start))
    }

    /// The end of a step that ends at `end` by itself, and may go on as long as nothing comes from
    /// outside: the next flow, a look for stalls, or `stop`. Idle time is noted between steps.
    pub(super) fn end_of_step(&self, end: Time, next_flow: Option<Time>, stop: Time) -> Time {
        if !E::JOINS_STEPS || self.state.alive == 0 || self.faults.is_some() {
            return end;
        }
        let begin = self.state.beginning.last().map(|each| each.at);
        let outside = next_flow.into_iter().chain(begin);
        outside.fold(stop.min(self.state.next_look), Time::min)
    }
}
