//! Throttles: a limit of a congestion state, and the QP or QPs that it holds.

use incast_units::Time;

use crate::host::pacer::Pacer;
use crate::host::transfer::Tally;

use super::send_queue::SendQueue;

/// One window, one pacer: the NIC's scheduler serves throttles, a throttle its flows.
pub(super) struct Throttle {
    /// The congestion state that it follows.
    pub(super) state: u32,
    pub(super) pacer: Pacer,
    pub(super) queue: SendQueue,
    /// Payload bytes in flight.
    in_flight: u64,
    /// Flows of which an ACK is sure to come before they send more.
    awaiting: u32,
    /// Flows that have not completed.
    pub(super) flows: u32,
}

impl Throttle {
    pub(super) fn new(state: u32, now: Time) -> Self {
        Self {
            state,
            pacer: Pacer::new(now),
            queue: SendQueue::default(),
            in_flight: 0,
            awaiting: 0,
            flows: 0,
        }
    }

    /// A flow got from one state to the next.
    pub(super) fn count(&mut self, before: &Tally, after: &Tally) {
        self.in_flight = self.in_flight + after.in_flight - before.in_flight;
        self.awaiting = self.awaiting + u32::from(after.awaits_ack) - u32::from(before.awaits_ack);
    }

    /// The window of a flow that has `own` bytes in flight, these included.
    pub(super) fn window_of(&self, own: u64, window: u64) -> u64 {
        window.saturating_sub(self.in_flight - own)
    }

    /// Earliest time of the next packet; [`Time::MAX`] if an ACK has to come first, or all is sent.
    /// With one ACK for several packets, one may leave although the window is full, if no ACK would
    /// come else.
    pub(super) fn next_send(&self, window: u64) -> Time {
        let is_full = self.in_flight >= window;
        if self.queue.is_empty() || (is_full && self.awaiting > 0) {
            return Time::MAX;
        }
        self.pacer.next_send
    }
}
