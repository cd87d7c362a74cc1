//! Sends that wait: flows that start when others have been received.
//!
//! A flow may wait only for flows received by its own host, and for computing there. So no host has
//! to know of another, the engine's windows stay as they are, and flows that wait for nothing pay
//! nothing. Dependencies are not known here: [`WaitingSends`] of a host is told of every flow that
//! has been received there in full, and answers with flows that are ready.

use std::collections::BTreeMap;

use incast_units::{FlowId, HostId, Time};

use crate::{Clock, Flow, Milestone};

/// The waiting sends of all hosts.
pub trait Dependencies: Sync {
    /// The waiting sends of this host; `None` if it need not be told of received flows.
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>>;
}

/// The waiting sends of one host.
pub trait WaitingSends: Send {
    /// This host has received all bytes of a flow, in order, at `now`.
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut ReceivedOutcome);
}

/// The effects of a flow that has been received.
#[derive(Debug, Default)]
pub struct ReceivedOutcome {
    /// Flows that this host sends. Their `start` is `now`, or later if the host computes first; it
    /// is rounded up to the clock's unit. No other flow may have their numbers.
    pub sends: Vec<Flow>,
    /// Milestones reached at this host.
    pub milestones: Vec<Milestone>,
}

/// The waiting sends of a host, and its flows that are ready and start later.
pub(crate) struct WaitingHost<'a> {
    sends: Box<dyn WaitingSends + 'a>,
    clock: Clock,
    outcome: ReceivedOutcome,
    /// In order of start, then of number.
    ready: BTreeMap<(Time, FlowId), Flow>,
}

impl<'a> WaitingHost<'a> {
    pub(crate) fn new(sends: Box<dyn WaitingSends + 'a>, clock: Clock) -> Self {
        Self {
            sends,
            clock,
            outcome: ReceivedOutcome::default(),
            ready: BTreeMap::new(),
        }
    }

    /// A flow has been received in full; returns the milestones that this reaches.
    pub(crate) fn on_received(&mut self, flow: FlowId, now: Time) -> Vec<Milestone> {
        self.sends.on_received(flow, now, &mut self.outcome);
        for mut flow in self.outcome.sends.drain(..) {
            flow.start = self.clock.round_up(flow.start.max(now));
            self.ready.insert((flow.start, flow.id), flow);
        }
        std::mem::take(&mut self.outcome.milestones)
    }

    /// Start and number of the first flow that is ready.
    pub(crate) fn first(&self) -> Option<(Time, FlowId)> {
        self.ready.first_key_value().map(|(key, _)| *key)
    }

    /// Takes that flow out.
    pub(crate) fn take_first(&mut self) -> Option<Flow> {
        self.ready.pop_first().map(|(_, flow)| flow)
    }
}
