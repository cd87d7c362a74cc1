//! A network that is driven from outside. It runs up to a given time and halts where flows end, so
//! that the driver can react at this time.
//!
//! No packet that a host sends in a window arrives in the same window. So hosts at which flows may
//! end can run [ahead](RunsAhead) to these times, in order of time, before any other node begins
//! the window. Any host can then react to the end of a flow. The times at which flows may end
//! follow from the packets that arrive in the window, all of which were sent before it.

use std::ops::ControlFlow;
use std::time::Instant;

use incast_units::Time;

use super::{END_OF_TIME, Ending, RunLoop};
use crate::clock::INSTANT;
use crate::flow::Flow;
use crate::measure::Log;
use crate::network::engines::RunsAhead;
use crate::network::nodes::RunLoopNode;
use crate::observer::Observer;
use crate::stall::Stall;
use crate::violation::NetworkError;

/// A queue of flows that are to start.
pub trait FlowQueue {
    /// Start of the first flow.
    fn first_start(&self) -> Option<Time>;

    /// Takes the first flow, if it starts before `end`.
    fn pop_before(&mut self, end: Time) -> Option<Flow>;
}

/// No flows.
struct NoFlows;

impl FlowQueue for NoFlows {
    fn first_start(&self) -> Option<Time> {
        None
    }

    fn pop_before(&mut self, _end: Time) -> Option<Flow> {
        None
    }
}

/// Where a driven network halts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HaltAt {
    /// At the requested time.
    Time,
    /// At the next time at which a flow has been received, or acknowledged, in full, if this is
    /// earlier.
    FlowEnd,
}

/// Why a driven network has halted.
#[derive(Clone, Debug)]
pub(in crate::network) enum Halt {
    /// All events before the requested time have happened.
    Reached,
    /// Flows ended at this time.
    FlowEnds(Time),
    /// No flow is left, and none will start by itself. The last one ended at this time.
    Idle(Time),
    /// Its flows make no progress.
    Stalled(Stall),
    /// The observer stopped it.
    Interrupted(Time),
}

/// Progress of hosts that have run ahead in a window.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Ahead {
    /// Its start.
    window: Option<Time>,
    /// Whether `moments` have been computed.
    is_foreseen: bool,
    /// Remaining times at which a flow may end, each with its host; the earliest time is last.
    moments: Vec<(Time, usize)>,
}

impl Ahead {
    /// Puts moments in order, each once.
    fn order(&mut self) {
        self.is_foreseen = true;
        self.moments.sort_unstable_by(|one, other| other.cmp(one));
        self.moments.dedup();
    }
}

impl<N: RunLoopNode, L: Log, E: RunsAhead<N, L>> RunLoop<'_, N, L, E> {
    /// Runs all events before `limit`, or up to the next end of a flow. Without a limit, runs to
    /// the end of the last flow.
    pub(in crate::network) fn advance(
        &mut self,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        (limit, at): (Option<Time>, HaltAt),
    ) -> Result<Halt, NetworkError> {
        let until = limit.unwrap_or(END_OF_TIME);
        // The time since the last call does not count as time without a reading of the clock.
        self.state.read_at = Instant::now();
        loop {
            let has_flows = self.state.alive > 0 || flows.first_start().is_some();
            let start = self.next_start(flows);
            let Some(start) = start.filter(|_| has_flows || limit.is_some()) else {
                return Ok(match self.state.alive {
                    0 => Halt::Idle(self.state.last_finish),
                    _ => Halt::from(self.silence(END_OF_TIME)),
                });
            };
            if start >= until {
                return Ok(Halt::Reached);
            }
            if start >= self.state.next_look
                && let Some(stall) = self.look_for_stalls(start)
            {
                return Ok(Halt::Stalled(stall));
            }
            if ahead.window != Some(start) {
                *ahead = Ahead {
                    window: Some(start),
                    ..Ahead::default()
                };
                self.note_idle_time_before_step(start);
            }
            let (_, end) = self.engine.step_of(start);
            let may_be_last = limit.is_none() && flows.first_start().is_none();
            if at == HaltAt::FlowEnd || end > until || may_be_last {
                let halt = self.run_ahead(ahead, flows, observer, (start, until.min(end)), at)?;
                if let Some(time) = halt {
                    // Such times may follow each other closely, so the observer is called at each.
                    return Ok(match self.report(observer) {
                        ControlFlow::Continue(()) => Halt::FlowEnds(time),
                        ControlFlow::Break(()) => Halt::Interrupted(time),
                    });
                }
                if may_be_last && self.state.alive == 0 {
                    continue;
                }
                if end > until {
                    return Ok(Halt::Reached);
                }
            }
            self.state.starting.clear();
            self.start_queued(flows, end);
            self.announce_faults(end);
            let end = self.end_of_step(end, flows.first_start(), until);
            let step = (start, end, END_OF_TIME);
            let done = self.engine.run(step, &self.state.starting, &mut || false);
            self.note_end(done, END_OF_TIME);
            // Where a step is an instant, or ends with an instant that has news, no host runs
            // ahead.
            if self.collect(observer)? && at == HaltAt::FlowEnd {
                return Ok(Halt::FlowEnds(done.worked_until.saturating_sub(INSTANT)));
            }
            if self.report(observer).is_break() {
                let reached = if E::JOINS_STEPS {
                    done.worked_until
                } else {
                    end
                };
                return Ok(Halt::Interrupted(reached));
            }
        }
    }

    /// Start of the next step that has work.
    fn next_start(&self, flows: &dyn FlowQueue) -> Option<Time> {
        let next = self.engine.next_step();
        let first = flows.first_start().map(|time| self.engine.step_of(time).0);
        let fault = self.next_fault(next.or(first));
        next.into_iter().chain(first).chain(fault).min()
    }

    /// Lets hosts run ahead in the window that begins at `start`, through the times before `limit`
    /// at which flows may end. Stops at the first end of a flow if `at` says so, and at the end of
    /// the last flow.
    fn run_ahead(
        &mut self,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        (start, limit): (Time, Time),
        at: HaltAt,
    ) -> Result<Option<Time>, NetworkError> {
        if !ahead.is_foreseen {
            self.engine.ends_of_flows(start, &mut ahead.moments);
            ahead.order();
        }
        while let Some((time, _)) = ahead.moments.last().copied()
            && time < limit
        {
            self.state.starting.clear();
            self.start_queued(flows, time + INSTANT);
            self.announce_faults(time + INSTANT);
            while let Some((_, node)) = ahead.moments.pop_if(|(other, _)| *other == time) {
                let part = (start, time + INSTANT);
                self.engine.run_ahead(node, part, &self.state.starting);
                self.state.starting.clear();
            }
            if self.tell(observer)? && at == HaltAt::FlowEnd {
                return Ok(Some(time));
            }
            if self.state.alive == 0 {
                break;
            }
        }
        Ok(None)
    }

    /// Runs the events that are left without flows: timers, and packets without effect on flows.
    pub(in crate::network) fn run_out(
        &mut self,
        mut ahead: Ahead,
        observer: &mut dyn Observer,
    ) -> Result<(), NetworkError> {
        self.end_faults_with_flows();
        let to = (Some(END_OF_TIME), HaltAt::Time);
        self.advance(&mut ahead, &mut NoFlows, observer, to)
            .map(drop)
    }

    /// Hands flows that start before `end` to their hosts.
    fn start_queued(&mut self, flows: &mut dyn FlowQueue, end: Time) {
        while let Some(flow) = flows.pop_before(end) {
            self.hand_over(flow);
        }
    }

    /// Runs all nodes to `time`, in the current window, as the last step of the network.
    pub(in crate::network) fn stop_at(
        &mut self,
        time: Time,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
    ) -> Result<(), NetworkError> {
        if let Some(start) = self.next_start(flows).filter(|start| *start < time) {
            self.state.starting.clear();
            self.start_queued(flows, time);
            self.announce_faults(time);
            let (_, end) = self.engine.step_of(start);
            let step = (start, end, time);
            self.engine.run(step, &self.state.starting, &mut || false);
        }
        self.state.end = self.state.end.max(time);
        self.collect(observer).map(drop)
    }
}

impl From<Ending> for Halt {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Completed => unreachable!("flows are left"),
            Ending::Stopped => Self::Reached,
            Ending::Stalled(stall) => Self::Stalled(stall),
        }
    }
}
