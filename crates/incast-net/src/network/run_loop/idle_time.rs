//! Idle time: no flow is alive, and nothing happens. It takes no samples but its first and last.

use incast_units::Time;

use super::{Ending, RunLoop};
use crate::measure::Log;
use crate::network::engines::{Engine, StepEnd};
use crate::network::nodes::RunLoopNode;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// The run ends at its stop time.
    pub(super) fn stop(&mut self, stop: Time) -> Ending {
        if self.state.alive == 0 {
            self.state.idle.add(self.state.end, stop);
        }
        self.state.end = stop;
        self.stopped()
    }

    /// Whether idle time is that between steps: where sends wait, of which the loop does not know
    /// when they begin, and where a step is an instant. Otherwise it is that between the last
    /// packet and the next flow, however long steps are.
    pub(super) fn is_idle_between_steps(&self) -> bool {
        self.state.has_waiting || E::JOINS_STEPS
    }

    /// A step begins: nothing has happened before.
    pub(super) fn note_idle_time_before_step(&mut self, start: Time) {
        if self.is_idle_between_steps() {
            self.note_idle_time(start);
        }
    }

    /// A flow starts: nothing has happened since the last packet.
    pub(super) fn note_idle_time_before_flow(&mut self, start: Time) {
        if !self.is_idle_between_steps() {
            let unit = self.engine.unit().as_ps();
            self.note_idle_time(Time::from_ps(start.as_ps() / unit * unit));
        }
    }

    /// Nothing has happened since the last packet, and nothing will before `next`, unless a flow is
    /// alive.
    fn note_idle_time(&mut self, next: Time) {
        if self.state.alive == 0 && next.saturating_sub(self.state.end) > self.state.min_idle {
            self.state.idle.add(self.state.end, next);
        }
    }

    /// Takes note of how far a step came.
    pub(super) fn note_end(&mut self, done: StepEnd, stop: Time) {
        let end = match self.is_idle_between_steps() {
            true => done.worked_until,
            false => done.active_until.max(self.state.end),
        };
        self.state.end = end.min(stop);
    }

    /// Series end with the last flow, unless the run is cut short: timers of flows that have
    /// completed, which may come much later, are no part of them.
    pub(super) fn series_end(&self) -> Time {
        match self.is_done() {
            true => self.state.last_finish.min(self.state.end),
            false => self.state.end,
        }
    }
}
