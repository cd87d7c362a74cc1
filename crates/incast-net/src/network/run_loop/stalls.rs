//! Looking for stalls: on the way, when nothing happens any more, and at the stop time.

use incast_units::Time;

use super::{END_OF_TIME, Ending, RunLoop};
use crate::measure::Log;
use crate::network::deadlock;
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;
use crate::network::stall_watch::Look;
use crate::stall::Stall;

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// No event is left: the end, or a stall if some flows have not completed. A deadlock that is
    /// only told lets time pass until `stop`, if the run has a stop time and allows flows to stand
    /// still for as long.
    pub(super) fn silence(&mut self, stop: Time) -> Ending {
        if self.state.alive == 0 {
            return Ending::Completed;
        }
        // Its NIC may be paused, so that no packet comes after it.
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
                    flows: self.unfinished().iter().map(|each| each.flow.id).collect(),
                }),
        )
    }

    /// The stop time has come: a deadlock by then is told.
    pub(super) fn stopped(&mut self) -> Ending {
        if self.state.stalls.wants_deadlocks() {
            let since = self.state.stalls.paused_since_at_end(self.state.end);
            self.state.stalls.reported = self.deadlock(since, self.state.end);
        }
        Ending::Stopped
    }

    /// The flows and the network, as they are at `time`.
    fn look(&self, time: Time) -> Look {
        Look {
            time,
            flows: self.unfinished(),
            completed: self.state.started - self.state.alive,
            packet_hops: self.packet_hops(),
            packets_wait: self.engine.nodes().any(RunLoopNode::holds_packets),
        }
    }

    /// Looks for stalls before the step that begins at `start`: those that end the run.
    pub(super) fn look_for_stalls(&mut self, start: Time) -> Option<Stall> {
        let looks = self.state.stalls.advance(start);
        self.state.next_look = self.engine.look_before(self.state.stalls.next());
        if self.state.next_look <= start {
            self.state.stalls.skip();
            self.state.next_look = self.engine.look_before(self.state.stalls.next());
        }
        for now in looks {
            // All nodes are there: what comes between has not happened yet.
            let seen = self.engine.look_before(now);
            let ends = self.stall_at(now, seen);
            if ends.is_some() {
                self.state.end = seen;
                return ends;
            }
        }
        None
    }

    /// The stall that a look at `now` finds, which sees all that happened before `seen`.
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

    /// The deadlock of PFC at `now`, if there is one, among ports that have been paused since
    /// `since` or longer.
    fn deadlock(&self, since: Time, now: Time) -> Option<Stall> {
        if !self.engine.nodes().any(|node| node.is_paused_since(since)) {
            return None;
        }
        let mut waiting = Vec::new();
        for node in self.engine.nodes() {
            node.append_waiting_ports(&mut waiting);
        }
        deadlock::find(&waiting, since, now, |port| self.ports.peer_index(port))
    }
}
