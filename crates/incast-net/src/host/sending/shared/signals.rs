//! Signals to a shared congestion state, and what its limit changes at its throttles.

use incast_cc::{Loss, LossKind, SendLimit};
use incast_units::{Bytes, Time};

use crate::host::sending::congestion::CongestionState;
use crate::host::sending::pacer::RandomGaps;
use crate::transport::NextSegment;

use super::SharedFlows;
use super::state::SharedState;

impl SharedFlows {
    /// A state is told of a loss. The lost packets will be sent again; the state's sums do not go
    /// back.
    pub(super) fn report_loss(&mut self, state: u32, kind: LossKind, now: Time) {
        let loss = Loss::new(kind, self.state(state).progress.next_expected);
        self.change(state, |congestion| congestion.on_loss(now, &loss));
    }

    /// A state is told of a packet that leaves, if it needs that. Where several QPs have the whole
    /// limit each, it counts the bytes of one: those that its rate lets a QP send.
    pub(super) fn report_sent(
        &mut self,
        state: u32,
        throttle: u32,
        segment: &NextSegment,
        size: u64,
        now: Time,
    ) {
        let SharedState {
            leader, progress, ..
        } = *self.state(state);
        if self.state(state).congestion.is_ack_only {
            return;
        }
        let mut sent = segment.sent(size, progress.next_to_send);
        if leader != Some(throttle) {
            (sent.payload, sent.wire) = (Bytes::ZERO, Bytes::ZERO);
        }
        self.change(state, |congestion| congestion.on_sent(now, &sent));
        self.schedule_state_timer(state, now);
    }

    /// Changes a congestion state; its limit holds for all its throttles.
    pub(super) fn change(&mut self, state: u32, change: impl FnOnce(&mut CongestionState)) {
        let congestion = &mut self.state(state).congestion;
        let old = congestion.limit;
        change(congestion);
        self.on_limit_change(state, old);
    }

    /// After a change of limit, throttles may send at other times; after one of rate, pending
    /// packets move for controllers that need this.
    pub(super) fn on_limit_change(&mut self, state: u32, old: SendLimit) {
        let SharedState {
            congestion,
            throttles,
            ..
        } = &self.states[state as usize];
        let limit = congestion.limit;
        if limit == old {
            return;
        }
        self.changed.extend(throttles);
        if congestion.moves_pending(old.rate) {
            for &throttle in throttles {
                let pacer = &mut self.throttles[throttle as usize].pacer;
                pacer.reschedule(old.rate, limit.rate, self.clock);
            }
        }
    }

    /// Sets the time of a throttle's next packet; one of `size` bytes on the wire leaves now.
    pub(super) fn pace(
        &mut self,
        state: u32,
        throttle: u32,
        size: u64,
        now: Time,
        gaps: &mut RandomGaps,
    ) {
        let limit = &self.states[state as usize].congestion.limit;
        let pacer = &mut self.throttles[throttle as usize].pacer;
        pacer.pace(now, size, limit, self.clock, gaps);
        self.changed.push(throttle);
    }
}
