//! Idle time: no flow is alive, and no event happens. An idle span has two samples, its first and
//! last.

use incast_units::Time;

use super::{Ending, RunLoop};
use crate::measure::Log;
use crate::network::engines::{Engine, StepEnd};
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// Ends the run at its stop time.
    pub(super) fn stop(&mut self, stop: Time) -> Ending {
        if self.state.alive == 0 {
            self.state.idle.add(self.state.end, stop);
        }
        self.state.end = stop;
        self.stopped()
    }

    /// Whether idle time is the time between steps. This holds if sends wait, because the loop does
    /// not know their starts in advance, and if a step is an instant. Otherwise idle time is the
    /// time between the last packet and the next flow, which does not depend on the length of
    /// steps.
    pub(super) fn is_idle_between_steps(&self) -> bool {
        self.state.has_waiting || E::JOINS_STEPS
    }

    /// Notes idle time before a step that begins at `start`.
    pub(super) fn note_idle_time_before_step(&mut self, start: Time) {
        if self.is_idle_between_steps() {
            self.note_idle_time(start);
        }
    }

    /// Notes idle time between the last packet and a flow that starts at `start`.
    pub(super) fn note_idle_time_before_flow(&mut self, start: Time) {
        if !self.is_idle_between_steps() {
            let unit = self.engine.unit().as_ps();
            self.note_idle_time(Time::from_ps(start.as_ps() / unit * unit));
        }
    }

    /// Notes the time from the last event to `next` as idle, if it is long and no flow is alive.
    fn note_idle_time(&mut self, next: Time) {
        if self.state.alive == 0 && next.saturating_sub(self.state.end) > self.state.min_idle {
            self.state.idle.add(self.state.end, next);
        }
    }

    /// Notes the progress of a step.
    pub(super) fn note_end(&mut self, done: StepEnd, stop: Time) {
        let end = match self.is_idle_between_steps() {
            true => done.worked_until,
            false => done.active_until.max(self.state.end),
        };
        self.state.end = end.min(stop);
    }

    /// The end of series: the end of the last flow, unless the run is cut short. Timers of
    /// completed flows may expire much later.
    pub(super) fn series_end(&self) -> Time {
        match self.is_done() {
            true => self.state.last_finish.min(self.state.end),
            false => self.state.end,
        }
    }
}
