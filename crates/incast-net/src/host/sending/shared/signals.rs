//! Signals to a shared congestion state, and the effects of its limit on its throttles.

use incast_cc::{Loss, LossKind, SendLimit};
use incast_units::{Bytes, Time};

use crate::host::sending::congestion::CongestionState;
use crate::host::sending::pacer::RandomGaps;
use crate::transport::NextSegment;

use super::SharedFlows;
use super::state::SharedState;

impl SharedFlows {
    /// Tells a state of a loss. The lost packets will be sent again; the state's sums do not
    /// decrease.
    pub(super) fn report_loss(&mut self, state: u32, kind: LossKind, now: Time) {
        let loss = Loss::new(kind, self.state(state).progress.next_expected);
        self.change(state, |congestion| congestion.on_loss(now, &loss));
    }

    /// Tells a state of a packet that leaves, if its controller needs that. Where each QP may use
    /// the whole limit, only the bytes of one QP count, as the rate applies to each QP.
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

    /// Changes a congestion state, and applies its new limit to all its throttles.
    pub(super) fn change(&mut self, state: u32, change: impl FnOnce(&mut CongestionState)) {
        let congestion = &mut self.state(state).congestion;
        let old = congestion.limit;
        change(congestion);
        self.on_limit_change(state, old);
    }

    /// Applies a changed limit: send times of throttles may change. After a change of rate, pending
    /// packets are rescheduled for controllers that need this.
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

    /// Sets the next send time of a throttle, when a packet of `size` bytes on the wire leaves now.
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
