//! Throttles: one limit of a congestion state, applied to one QP or several.

use incast_units::{FlowId, Time};

use crate::host::sending::pacer::Pacer;
use crate::transport::Tally;

use super::send_queue::SendQueue;

/// Bytes in flight and pacer under one limit. The NIC's scheduler serves throttles; a throttle
/// serves its flows.
#[derive(Clone)]
pub(super) struct Throttle {
    /// The congestion state that sets the limit.
    pub(super) state: u32,
    pub(super) pacer: Pacer,
    pub(super) queue: SendQueue,
    /// Payload bytes in flight.
    in_flight: u64,
    /// Flows that are owed an ACK.
    owed_ack: u32,
    /// Flows that have not completed.
    pub(super) flows: u32,
    /// The flow of the throttle's last packet.
    pub(super) served: Option<FlowId>,
}

impl Throttle {
    pub(super) fn new(state: u32, now: Time) -> Self {
        Self {
            state,
            pacer: Pacer::new(now),
            queue: SendQueue::default(),
            in_flight: 0,
            owed_ack: 0,
            flows: 0,
            served: None,
        }
    }

    /// Updates the sums after a change of a flow's progress.
    pub(super) fn count(&mut self, before: &Tally, after: &Tally) {
        self.in_flight = self.in_flight + after.in_flight - before.in_flight;
        self.owed_ack =
            self.owed_ack + u32::from(after.is_owed_ack) - u32::from(before.is_owed_ack);
    }

    pub(super) fn has_nothing_in_flight(&self) -> bool {
        (self.in_flight, self.owed_ack) == (0, 0)
    }

    /// The window of a flow with `own` bytes in flight: `window` less the bytes of the other flows.
    pub(super) fn window_of(&self, own: u64, window: u64) -> u64 {
        window.saturating_sub(self.in_flight - own)
    }

    /// Earliest time of the next packet; [`Time::MAX`] if an ACK has to come first, or everything
    /// is sent. With one ACK for several packets, a packet may leave despite a full window, if no
    /// flow is owed an ACK.
    pub(super) fn next_send(&self, window: u64) -> Time {
        let is_full = self.in_flight >= window;
        if self.queue.is_empty() || (is_full && self.owed_ack > 0) {
            return Time::MAX;
        }
        self.pacer.next_send
    }
}
