//! Sends that wait: flows that start when other flows have been received or acknowledged at their
//! host, or when the host has computed.
//!
//! A flow may wait only for events at its own host. So hosts need no messages about each other,
//! windows keep their length, and flows without dependencies have no cost. The dependencies
//! themselves are elsewhere: the [`WaitingSends`] of a host is told of events there. It answers
//! with flows that are ready, and with times at which it is to be woken.

use std::collections::BTreeMap;

use dyn_clone::DynClone;
use incast_units::{FlowId, HostId, Time};

use crate::clock::Clock;
use crate::flow::{Flow, Milestone};

/// The waiting sends of all hosts.
pub trait Dependencies: Sync {
    /// The waiting sends of this host, or of this machine if hosts have several NICs. `None` if no
    /// sends wait there.
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>>;
}

/// The waiting sends of one host.
pub trait WaitingSends: Send + DynClone {
    /// Called before the run: the times of the first wake-ups, with tokens.
    fn begin(&mut self) -> Vec<(Time, u64)> {
        Vec::new()
    }

    /// This host has received all bytes of a flow, in order, at `now`.
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked);

    /// The last ACK of a flow that this host sends arrives at `now`.
    fn on_acknowledged(&mut self, _flow: FlowId, _now: Time, _outcome: &mut Unblocked) {}

    /// A wake-up at `now`, requested with this token.
    fn on_wake(&mut self, _token: u64, _now: Time, _outcome: &mut Unblocked) {}
}

dyn_clone::clone_trait_object!(WaitingSends);

/// The results of an event for the waiting sends of a host.
#[derive(Clone, Debug, Default)]
pub struct Unblocked {
    /// Flows of this host that are ready. Each `start` is `now` or later, and is rounded up to the
    /// clock's unit. Their numbers must be unused.
    pub sends: Vec<Flow>,
    /// Times of further wake-ups, each with a token; rounded up like starts. Simultaneous wake-ups
    /// happen in the order of their requests.
    pub wakes: Vec<(Time, u64)>,
    /// Milestones reached at this host.
    pub milestones: Vec<Milestone>,
}

/// The waiting sends of a host or machine, and their wake-ups.
#[derive(Clone)]
pub(crate) struct DependencyTracker<'a> {
    sends: Box<dyn WaitingSends + 'a>,
    clock: Clock,
    outcome: Unblocked,
    /// Tokens by time, then by order of request.
    wakes: BTreeMap<(Time, u64), u64>,
    wakes_asked: u64,
}

impl<'a> DependencyTracker<'a> {
    pub(crate) fn new(mut sends: Box<dyn WaitingSends + 'a>, clock: Clock) -> Self {
        let outcome = Unblocked {
            wakes: sends.begin(),
            ..Unblocked::default()
        };
        let mut tracker = Self {
            sends,
            clock,
            outcome,
            wakes: BTreeMap::new(),
            wakes_asked: 0,
        };
        tracker.take_in(Time::ZERO);
        tracker
    }

    /// Reports the end of a flow; returns the milestones reached by it.
    pub(crate) fn on_flow_end(&mut self, end: EndedFlow, now: Time) -> Vec<Milestone> {
        match end {
            EndedFlow::Received(flow) => self.sends.on_received(flow, now, &mut self.outcome),
            EndedFlow::Acknowledged(flow) => {
                self.sends.on_acknowledged(flow, now, &mut self.outcome)
            }
        }
        self.take_in(now)
    }

    /// Runs the wake-ups that are due; returns the milestones reached by them.
    pub(crate) fn wake(&mut self, now: Time) -> Vec<Milestone> {
        let mut milestones = Vec::new();
        while let Some(entry) = self.wakes.first_entry()
            && entry.key().0 <= now
        {
            let token = entry.remove();
            self.sends.on_wake(token, now, &mut self.outcome);
            milestones.append(&mut self.take_in(now));
        }
        milestones
    }

    /// Time of the next wake-up.
    pub(crate) fn next_wake(&self) -> Option<Time> {
        self.wakes.first_key_value().map(|((time, _), _)| *time)
    }

    /// Takes the flows that are ready, with their starts.
    pub(crate) fn take_ready(&mut self) -> impl Iterator<Item = Flow> + '_ {
        self.outcome.sends.drain(..)
    }

    /// Takes in the results of an event, and returns the milestones.
    fn take_in(&mut self, now: Time) -> Vec<Milestone> {
        for flow in &mut self.outcome.sends {
            flow.start = self.clock.round_up(flow.start.max(now));
        }
        for (time, token) in self.outcome.wakes.drain(..) {
            let time = self.clock.round_up(time.max(now));
            self.wakes.insert((time, self.wakes_asked), token);
            self.wakes_asked += 1;
        }
        std::mem::take(&mut self.outcome.milestones)
    }
}

/// The end of a flow, at one of its hosts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndedFlow {
    /// All of the flow has arrived.
    Received(FlowId),
    /// The flow's last ACK has arrived.
    Acknowledged(FlowId),
}

/// Flows of a host that waited and are ready to start now or later.
#[derive(Clone)]
pub(crate) struct WaitingHost<'a> {
    tracked: Tracked<'a>,
    /// Flows that may start, in order of start, then of number.
    ready: BTreeMap<(Time, FlowId), Flow>,
}

/// The place where the waiting sends of a host are kept.
#[derive(Clone)]
enum Tracked<'a> {
    Here(DependencyTracker<'a>),
    /// At the machine of which the host is a NIC. The machine takes the flow ends from here.
    ByMachine(Vec<EndedFlow>),
}

impl<'a> WaitingHost<'a> {
    pub(crate) fn new(sends: Box<dyn WaitingSends + 'a>, clock: Clock) -> Self {
        let mut host = Self {
            tracked: Tracked::Here(DependencyTracker::new(sends, clock)),
            ready: BTreeMap::new(),
        };
        host.keep_ready();
        host
    }

    /// For a NIC of a machine, which keeps the waiting sends.
    pub(crate) fn of_machine() -> Self {
        Self {
            tracked: Tracked::ByMachine(Vec::new()),
            ready: BTreeMap::new(),
        }
    }

    /// Reports the end of a flow; returns the milestones reached by it at this host.
    pub(crate) fn on_flow_end(&mut self, end: EndedFlow, now: Time) -> Vec<Milestone> {
        let milestones = match &mut self.tracked {
            Tracked::Here(tracker) => tracker.on_flow_end(end, now),
            Tracked::ByMachine(ends) => {
                ends.push(end);
                return Vec::new();
            }
        };
        self.keep_ready();
        milestones
    }

    /// Runs the wake-ups that are due; returns the milestones reached by them.
    pub(crate) fn wake(&mut self, now: Time) -> Vec<Milestone> {
        let Tracked::Here(tracker) = &mut self.tracked else {
            return Vec::new();
        };
        let milestones = tracker.wake(now);
        self.keep_ready();
        milestones
    }

    fn keep_ready(&mut self) {
        if let Tracked::Here(tracker) = &mut self.tracked {
            let keyed = tracker
                .take_ready()
                .map(|flow| ((flow.start, flow.id), flow));
            self.ready.extend(keyed);
        }
    }

    /// Adds a flow that is ready, from the machine.
    pub(crate) fn add_ready(&mut self, flow: Flow) {
        self.ready.insert((flow.start, flow.id), flow);
    }

    /// Takes the ends of flows that have not been passed to the machine yet.
    pub(crate) fn take_flow_ends(&mut self) -> Vec<EndedFlow> {
        match &mut self.tracked {
            Tracked::Here(_) => Vec::new(),
            Tracked::ByMachine(ends) => std::mem::take(ends),
        }
    }

    /// Start and number of the first flow that is ready.
    pub(crate) fn first(&self) -> Option<(Time, FlowId)> {
        self.ready.first_key_value().map(|(key, _)| *key)
    }

    /// Time of the first start or wake-up.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let flow = self.first().map(|(start, _)| start);
        let wake = match &self.tracked {
            Tracked::Here(tracker) => tracker.next_wake(),
            Tracked::ByMachine(_) => None,
        };
        flow.into_iter().chain(wake).min()
    }

    /// Takes the first flow out.
    pub(crate) fn take_first(&mut self) -> Option<Flow> {
        self.ready.pop_first().map(|(_, flow)| flow)
    }
}
