//! A network driven from outside, by another simulator or a program that starts flows between
//! steps.

use std::marker::PhantomData;
use std::sync::Arc;

use dyn_clone::DynClone;
use incast_engine::{EventQueueContext, Node, NodeShape, WindowContext};
use incast_units::{FlowId, HostId, Time};

use super::engines::{OneThread, RunsAhead};
use super::nodes::{Foresight, RunLoopNode};
use super::run_loop::{Ahead, Ending, FlowQueue, Halt, HaltAt, LoopState, RunLoop};
use super::{Built, END_OF_TIME, HostParts, Run, UseNodes};
use crate::flow::{Controllers, Milestone};
use crate::measure::{Log, Recording};
use crate::observer::Observer;
use crate::stall::Stall;
use crate::violation::NetworkError;
use crate::waiting::{Unblocked, WaitingSends};
use crate::wire::Packet;

/// A network between two steps. It can be copied with everything under way.
///
/// Each call takes the same [`Run`]. Its stop time, dependencies and threads are ignored: the
/// network has none and runs on one thread. Milestones tell the observer which flows have been
/// received in full: [`Milestone::what`] is the number of the flow.
#[derive(Clone)]
pub struct DrivenNetwork {
    steps: Box<dyn Steps>,
    ahead: Ahead,
    now: Time,
    /// Whether the last call ended with nothing left to do.
    is_idle: bool,
    /// The stall that the network is in, if any.
    stall: Option<Stall>,
}

/// The state in which a call leaves the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stand {
    /// The network has reached the requested time.
    Reached,
    /// The network stands at a time at which flows ended.
    FlowEnds,
    /// No flow is left, and none will start. The network stands at the end of the last flow, or at
    /// the requested time.
    Idle,
    /// Flows of the network make no progress any more.
    Stalled(Stall),
    /// The network stands where the observer stopped it.
    Interrupted,
}

impl DrivenNetwork {
    /// A network at time zero.
    ///
    /// # Errors
    /// If the network cannot be built.
    pub fn new(run: &Run<'_>, controllers: &Arc<dyn Controllers>) -> Result<Self, NetworkError> {
        let parts = HostParts {
            controllers,
            waiting: &|host| Some(Box::new(Received { host })),
        };
        Ok(Self {
            steps: run.with_nodes(&parts, GoLive)?,
            ahead: Ahead::default(),
            now: Time::ZERO,
            is_idle: false,
            stall: None,
        })
    }

    /// The current time: all events before it have happened, and all ends of flows at it.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The stall that the network is in, if any.
    pub fn stall(&self) -> Option<&Stall> {
        self.stall.as_ref()
    }

    /// Runs all events before `until`, or up to the next end of a flow. Without `until`, runs until
    /// no flow is left, and stops at the end of the last flow. Timers and packets that no flow
    /// depends on are then still pending, so that flows can start at this time.
    ///
    /// Flows in the queue start at `now` or later, at whole units of the clock.
    ///
    /// # Errors
    /// If an invariant of the model does not hold, or an algorithm cannot go on.
    pub fn advance(
        &mut self,
        run: &Run<'_>,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        until: Option<Time>,
        at: HaltAt,
    ) -> Result<Stand, NetworkError> {
        if let Some(stall) = &self.stall {
            return Ok(Stand::Stalled(stall.clone()));
        }
        let limit = until.map(|until| until.min(END_OF_TIME));
        let to = (limit, at);
        let halt = self
            .steps
            .advance(run, &mut self.ahead, flows, observer, to)?;
        let (time, stand) = match halt {
            Halt::Reached => (limit.unwrap_or(END_OF_TIME), Stand::Reached),
            Halt::FlowEnds(time) => (time, Stand::FlowEnds),
            Halt::Idle(last_end) => (until.unwrap_or(last_end), Stand::Idle),
            Halt::Interrupted(time) => (time, Stand::Interrupted),
            Halt::Stalled(stall) => {
                self.stall = Some(stall.clone());
                (self.steps.end(), Stand::Stalled(stall))
            }
        };
        self.now = self.now.max(time);
        self.is_idle = stand == Stand::Idle;
        Ok(stand)
    }

    /// Ends the network and returns its recording. Flows in the queue that start before now are
    /// included. If the network is idle, pending events that no flow depends on are included, too.
    ///
    /// # Errors
    /// If an invariant of the model does not hold.
    pub fn finish(
        self,
        run: &Run<'_>,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
    ) -> Result<Recording, NetworkError> {
        let end = LiveEnd {
            now: self.now,
            is_idle: self.is_idle,
            ahead: self.ahead,
            stall: self.stall,
        };
        self.steps.finish(run, flows, observer, end)
    }
}

impl std::fmt::Debug for DrivenNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrivenNetwork")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// The state of a driven network at its end.
struct LiveEnd {
    now: Time,
    is_idle: bool,
    ahead: Ahead,
    stall: Option<Stall>,
}

/// A run loop between two steps, for nodes of any type.
trait Steps: DynClone + Send {
    fn advance(
        &mut self,
        run: &Run<'_>,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        to: (Option<Time>, HaltAt),
    ) -> Result<Halt, NetworkError>;

    /// End of the last step.
    fn end(&self) -> Time;

    fn finish(
        self: Box<Self>,
        run: &Run<'_>,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        end: LiveEnd,
    ) -> Result<Recording, NetworkError>;
}

dyn_clone::clone_trait_object!(Steps);

/// An engine with the state of its run loop.
#[derive(Clone)]
struct Kept<N, L, E> {
    engine: E,
    state: LoopState,
    kind: PhantomData<fn(N, L)>,
}

impl<N, L, E> Kept<N, L, E>
where
    N: RunLoopNode,
    L: Log,
    E: RunsAhead<N, L>,
{
    fn new(engine: E, run: &Run<'_>) -> Self {
        Self {
            state: LoopState::new(&engine, run),
            engine,
            kind: PhantomData,
        }
    }
}

impl<N, L, E> Steps for Kept<N, L, E>
where
    N: RunLoopNode + Clone,
    L: Log + Clone,
    E: RunsAhead<N, L> + Clone + Send,
{
    fn advance(
        &mut self,
        run: &Run<'_>,
        ahead: &mut Ahead,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        to: (Option<Time>, HaltAt),
    ) -> Result<Halt, NetworkError> {
        let mut run_loop = RunLoop::new(&mut self.engine, run, &mut self.state);
        run_loop.advance(ahead, flows, observer, to)
    }

    fn end(&self) -> Time {
        self.state.end
    }

    fn finish(
        mut self: Box<Self>,
        run: &Run<'_>,
        flows: &mut dyn FlowQueue,
        observer: &mut dyn Observer,
        end: LiveEnd,
    ) -> Result<Recording, NetworkError> {
        let now = end.now;
        let is_started = flows.first_start().is_none_or(|first| first >= now);
        let mut run_loop = RunLoop::new(&mut self.engine, run, &mut self.state);
        if is_started && end.is_idle {
            run_loop.run_out(end.ahead, observer)?;
        }
        let ending = match end.stall {
            Some(stall) => Ending::Stalled(stall),
            None if is_started && run_loop.is_over() => Ending::Completed,
            None => {
                run_loop.stop_at(now, flows, observer)?;
                Ending::Stopped
            }
        };
        run_loop.finish(ending)
    }
}

/// Reports as milestones which flows have been received in full.
#[derive(Clone)]
struct Received {
    host: HostId,
}

impl WaitingSends for Received {
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        outcome.milestones.push(Milestone {
            time: now,
            host: self.host,
            what: flow.0.into(),
            cause: 0,
            since: now,
        });
    }
}

/// Keeps the nodes, to be driven from outside.
struct GoLive;

impl UseNodes<'static> for GoLive {
    type Output = Box<dyn Steps>;

    fn in_windows<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        mut log: impl FnMut() -> L,
    ) -> Result<Box<dyn Steps>, NetworkError>
    where
        L: Log + Clone + 'static,
        N: RunLoopNode + NodeShape + Foresight<WORDS> + Clone + Send + 'static,
        N: for<'e> Node<WindowContext<'e, Packet<WORDS>, L>>,
    {
        let Built { run, nodes, .. } = built;
        let windows = run.windows(nodes);
        let look_unit = match run.may_alternate() {
            true => windows.length_if_alternating(&run.delays()),
            false => windows.length(),
        };
        let engine = OneThread::new(windows, look_unit, log());
        Ok(Box::new(Kept::new(engine, run)))
    }

    fn in_one_queue<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        mut log: impl FnMut() -> L,
    ) -> Result<Box<dyn Steps>, NetworkError>
    where
        L: Log + Clone + 'static,
        N: RunLoopNode + NodeShape + Clone + Send + 'static,
        N: for<'e> Node<EventQueueContext<'e, Packet<WORDS>, L>>,
    {
        let Built { run, nodes, .. } = built;
        Ok(Box::new(Kept::new(run.one_queue(nodes, log()), run)))
    }
}
