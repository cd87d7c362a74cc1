//! Sends that wait: flows that start when others have been received or acknowledged at their host,
//! or when it has computed.
//!
//! A flow may wait only for what its own host knows. So no host has to know of another, the
//! engine's windows stay as they are, and flows that wait for nothing pay nothing. Dependencies are
//! not known here: [`WaitingSends`] of a host is told what has happened there, and answers with
//! flows that are ready, and with moments at which it wants to be told again.

use std::collections::BTreeMap;

use dyn_clone::DynClone;
use incast_units::{FlowId, HostId, Time};

use crate::{Clock, Flow, Milestone};

/// The waiting sends of all hosts.
pub trait Dependencies: Sync {
    /// The waiting sends of this host; `None` if it need not be told of anything.
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>>;
}

/// The waiting sends of one host.
pub trait WaitingSends: Send + DynClone {
    /// Before the run: the moments at which it is to be told for the first time, with tokens.
    fn begin(&mut self) -> Vec<(Time, u64)> {
        Vec::new()
    }

    /// This host has received all bytes of a flow, in order, at `now`.
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked);

    /// The last ACK of a flow that this host sends arrives at `now`.
    fn on_acknowledged(&mut self, _flow: FlowId, _now: Time, _outcome: &mut Unblocked) {}

    /// It is `now`, a moment that was asked for with this token.
    fn on_wake(&mut self, _token: u64, _now: Time, _outcome: &mut Unblocked) {}
}

dyn_clone::clone_trait_object!(WaitingSends);

/// What may go on at a host.
#[derive(Clone, Debug, Default)]
pub struct Unblocked {
    /// Flows that this host sends. Their `start` is `now` or later; it is rounded up to the clock's
    /// unit. No other flow may have their numbers.
    pub sends: Vec<Flow>,
    /// When to be told again, each with a token; rounded up like starts. At one moment, they come
    /// in the order in which they were asked for.
    pub wakes: Vec<(Time, u64)>,
    /// Milestones reached at this host.
    pub milestones: Vec<Milestone>,
}

/// The waiting sends of a host, and its flows that are ready and start later.
#[derive(Clone)]
pub(crate) struct WaitingHost<'a> {
    sends: Box<dyn WaitingSends + 'a>,
    clock: Clock,
    outcome: Unblocked,
    /// In order of start, then of number.
    ready: BTreeMap<(Time, FlowId), Flow>,
    /// By time, then in the order in which they were asked for: the tokens.
    wakes: BTreeMap<(Time, u64), u64>,
    wakes_asked: u64,
}

impl<'a> WaitingHost<'a> {
    pub(crate) fn new(mut sends: Box<dyn WaitingSends + 'a>, clock: Clock) -> Self {
        let outcome = Unblocked {
            wakes: sends.begin(),
            ..Unblocked::default()
        };
        let mut host = Self {
            sends,
            clock,
            outcome,
            ready: BTreeMap::new(),
            wakes: BTreeMap::new(),
            wakes_asked: 0,
        };
        host.take_in(Time::ZERO);
        host
    }

    /// A flow has been received in full; returns the milestones that this reaches.
    pub(crate) fn on_received(&mut self, flow: FlowId, now: Time) -> Vec<Milestone> {
        self.sends.on_received(flow, now, &mut self.outcome);
        self.take_in(now)
    }

    /// A flow has been acknowledged in full; returns the milestones that this reaches.
    pub(crate) fn on_acknowledged(&mut self, flow: FlowId, now: Time) -> Vec<Milestone> {
        self.sends.on_acknowledged(flow, now, &mut self.outcome);
        self.take_in(now)
    }

    /// Tells of the moments that have come; returns the milestones that this reaches.
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

    /// Keeps what may go on, and returns the milestones.
    fn take_in(&mut self, now: Time) -> Vec<Milestone> {
        for mut flow in self.outcome.sends.drain(..) {
            flow.start = self.clock.round_up(flow.start.max(now));
            self.ready.insert((flow.start, flow.id), flow);
        }
        for (time, token) in self.outcome.wakes.drain(..) {
            let time = self.clock.round_up(time.max(now));
            self.wakes.insert((time, self.wakes_asked), token);
            self.wakes_asked += 1;
        }
        std::mem::take(&mut self.outcome.milestones)
    }

    /// Start and number of the first flow that is ready.
    pub(crate) fn first(&self) -> Option<(Time, FlowId)> {
        self.ready.first_key_value().map(|(key, _)| *key)
    }

    /// When the first flow starts or the first moment comes, whichever is earlier.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let flow = self.first().map(|(start, _)| start);
        let wake = self.wakes.first_key_value().map(|((time, _), _)| *time);
        flow.into_iter().chain(wake).min()
    }

    /// Takes the first flow out.
    pub(crate) fn take_first(&mut self) -> Option<Flow> {
        self.ready.pop_first().map(|(_, flow)| flow)
    }
}
