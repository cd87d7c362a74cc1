//! A network that others drive: it goes on as far as they say, and halts where flows come to their
//! end, so that they can answer at that moment.
//!
//! Nothing that a host does in a window reaches another node in the same window. So the end of a
//! flow can be known, and answered by any host, before the window is run. The hosts at which flows
//! may end in it run [ahead](RunsAhead) to those moments, one after the other in time, and all
//! others have not begun it. Which moments these are follows from the packets on their way, which
//! arrive in this window and were sent before it.

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

/// Flows that are to start.
pub trait FlowQueue {
    /// When the first of them starts.
    fn first_start(&self) -> Option<Time>;

    /// Takes the first one, if it starts before `end`.
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

/// How far a network goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HaltAt {
    /// The network goes on to the time that is asked for.
    Time,
    /// No further than to the next moment at which a flow has been received, or acknowledged, in
    /// full.
    FlowEnd,
}

/// Why a network that others drive stands still.
#[derive(Clone, Debug)]
pub(in crate::network) enum Halt {
    /// All that happens before the time asked for has happened.
    Reached,
    /// At this moment flows have come to their end.
    FlowEnds(Time),
    /// No flow is left, and none will start by itself. The last one ended at this moment.
    Idle(Time),
    /// Its flows get nowhere.
    Stalled(Stall),
    /// The observer broke off.
    Interrupted(Time),
}

/// How far hosts have run ahead in a window that has not been run.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Ahead {
    /// Its start.
    window: Option<Time>,
    /// Whether `moments` are known.
    is_foreseen: bool,
    /// Moments left at which a flow may come to its end, with its host; the first one last.
    moments: Vec<(Time, usize)>,
}

impl<N: RunLoopNode, L: Log, E: RunsAhead<N, L>> RunLoop<'_, N, L, E> {
    /// Goes on until all that happens before a time has happened, or to the next end of a flow.
    /// Without a time, goes on to the end of the last flow.
    pub(in crate::network) fn advance(
        &mut self,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        (limit, at): (Option<Time>, HaltAt),
    ) -> Result<Halt, NetworkError> {
        let until = limit.unwrap_or(END_OF_TIME);
        // What the program did in the meantime took no time of the run.
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
                    // Many may come, one after the other, that nothing waits for.
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
            // Where a step is an instant, or ends with one that has news, no host runs ahead.
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

    /// Start of the first step that has work.
    fn next_start(&self, flows: &dyn FlowQueue) -> Option<Time> {
        let next = self.engine.next_step();
        let first = flows.first_start().map(|time| self.engine.step_of(time).0);
        let fault = self.next_fault(next.or(first));
        next.into_iter().chain(first).chain(fault).min()
    }

    /// Lets hosts run ahead in the window that begins at `start`, to the moments before `limit` at
    /// which flows come to their end; or to the first of them. No further than to the end of the
    /// last flow.
    fn run_ahead(
        &mut self,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        (start, limit): (Time, Time),
        at: HaltAt,
    ) -> Result<Option<Time>, NetworkError> {
        if !ahead.is_foreseen {
            ahead.is_foreseen = true;
            self.engine.ends_of_flows(start, &mut ahead.moments);
            ahead.moments.sort_unstable_by(|one, other| other.cmp(one));
            ahead.moments.dedup();
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

    /// Lets happen what is left without flows: timers, and packets that nothing depends on.
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

    /// Brings all nodes to `time`, in the window under way, for good: the network ends there.
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
