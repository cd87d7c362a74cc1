//! The search for stalls: during the run, when no event is left, and at the stop time.

use incast_units::Time;

use super::what_is_left::numbers_of;
use super::{END_OF_TIME, Ending, RunLoop};
use crate::measure::Log;
use crate::network::deadlock;
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;
use crate::network::stall_watch::Look;
use crate::stall::Stall;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// Ends a run without events: completed, or a stall if flows are alive. If the run has a stop
    /// time and reports deadlocks without ending, time passes until `stop`, as long as flows may
    /// stand still.
    pub(super) fn silence(&mut self, stop: Time) -> Ending {
        if self.state.alive == 0 {
            return Ending::Completed;
        }
        // A flow may have started at a paused NIC, so that no packet follows its start.
        self.state.end = self.state.end.max(self.state.last_start).min(stop);
        if self.state.stalls.wants_deadlocks() {
            let deadlock = self.deadlock(self.state.end, self.state.end);
            let ends = deadlock.and_then(|deadlock| self.state.stalls.judge(deadlock));
            if let Some(deadlock) = ends {
                return Ending::Stalled(deadlock);
            }
        }
        if self.state.stalls.reported.is_some() && stop < END_OF_TIME {
            if self.state.stalls.next() <= stop
                && let Some(stall) = self.look_for_stalls(stop)
            {
                return Ending::Stalled(stall);
            }
            self.state.end = stop;
            return Ending::Stopped;
        }
        Ending::Stalled(
            self.state
                .stalls
                .reported
                .take()
                .unwrap_or_else(|| Stall::Silence {
                    since: self.state.end,
                    flows: numbers_of(&self.unfinished()),
                }),
        )
    }

    /// Notes a deadlock at the stop time, if there is one.
    pub(super) fn stopped(&mut self) -> Ending {
        if self.state.stalls.wants_deadlocks() {
            let since = self.state.stalls.paused_since_at_end(self.state.end);
            self.state.stalls.reported = self.deadlock(since, self.state.end);
        }
        Ending::Stopped
    }

    /// The state of the flows and the network at `time`.
    fn look(&self, time: Time) -> Look {
        Look {
            time,
            flows: self.unfinished(),
            completed: self.state.started - self.state.alive,
            packet_hops: self.packet_hops(),
            packets_wait: self.engine.nodes().any(RunLoopNode::holds_packets),
        }
    }

    /// Searches for stalls that end the run, before the step that begins at `start`.
    pub(super) fn look_for_stalls(&mut self, start: Time) -> Option<Stall> {
        let looks = self.state.stalls.advance(start);
        self.state.next_look = self.engine.look_before(self.state.stalls.next());
        if self.state.next_look <= start {
            self.state.stalls.skip();
            self.state.next_look = self.engine.look_before(self.state.stalls.next());
        }
        for now in looks {
            // All nodes stand at `start`, and no event lies between the searches and `start`.
            let seen = self.engine.look_before(now);
            let ends = self.stall_at(now, seen);
            if ends.is_some() {
                self.state.end = seen;
                return ends;
            }
        }
        None
    }

    /// The stall found by a search at `now`, which sees all events before `seen`.
    fn stall_at(&mut self, now: Time, seen: Time) -> Option<Stall> {
        if self.state.stalls.wants_deadlocks() {
            let since = self.state.stalls.paused_since(now);
            let found = self.deadlock(since, seen);
            let ends = found.and_then(|deadlock| self.state.stalls.judge(deadlock));
            if ends.is_some() {
                return ends;
            }
        }
        if !self.state.stalls.compares_flows(now) {
            return None;
        }
        let look = self.look(now);
        self.state.stalls.compare_flows(look, seen)
    }

    /// The deadlock of PFC at `now` among ports that have been paused since `since` or longer, if
    /// any.
    fn deadlock(&self, since: Time, now: Time) -> Option<Stall> {
        if !self.engine.nodes().any(|node| node.is_paused_since(since)) {
            return None;
        }
        let mut waiting = Vec::new();
        for node in self.engine.nodes() {
            node.append_waiting_ports(&mut waiting);
        }
        let ports = self.ports;
        deadlock::find(&waiting, since, now, &|port| ports.peer_index(port))
    }
}
