//! Congestion state: a controller and its limit.
//!
//! A QP owns a congestion state. The state holds no sequence numbers and no send times, so that QPs
//! that a NIC limits together ([`super::shared`]) can share one.

use incast_cc::{Ack, Backlog, Cnp, FlowController, Loss, SendLimit, Sent, Start};
use incast_units::{Bytes, Rate, Time};

use crate::flow::NicCalls;

/// A controller and its limit.
#[derive(Clone)]
pub(crate) struct CongestionState {
    controller: Box<dyn FlowController>,
    /// The controller's last limit.
    pub(crate) limit: SendLimit,
    /// Whether the controller needs neither calls for sent packets nor timers.
    pub(crate) is_ack_only: bool,
    /// Whether the limit may name a sequence number.
    pub(crate) limits_sequence: bool,
    /// Whether the limit names the bytes that may leave.
    pub(crate) limits_room: bool,
    /// Whether a packet that leaves may set the controller's timer, or move it forward.
    sets_timer_on_sent: bool,
    /// Whether a change of rate reschedules the pending packet.
    reschedules_pending: bool,
    /// Whether the controller has heard an ACK.
    has_heard_ack: bool,
    /// Whether a new limit may wake the linear scan early. In the artifact `ChangeRate` updates the
    /// NIC's next-available event, even if the rate is unchanged. `ChangeRate` is called from a
    /// flow's second ACK on, since the INT of the first ACK is only stored (`rdma-hw.cc`,
    /// `UpdateRateHp`).
    pub(crate) wakes_scan: bool,
}

impl CongestionState {
    pub(crate) fn new(controller: Box<dyn FlowController>, calls: NicCalls) -> Self {
        Self {
            limit: controller.limit(),
            is_ack_only: !calls.sent_packets && !calls.timers,
            limits_sequence: calls.sequence_limit,
            limits_room: calls.room,
            sets_timer_on_sent: calls.sent_packets && calls.timers,
            reschedules_pending: calls.reschedules_pending,
            has_heard_ack: false,
            wakes_scan: false,
            controller,
        }
    }

    /// An ACK arrived.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.controller.answer_ack(now, ack, &mut self.limit);
    }

    /// Notes an ACK for the linear scan; called after [`CongestionState::on_ack`].
    pub(crate) fn note_ack_for_scan(&mut self) {
        self.wakes_scan = self.reschedules_pending && self.has_heard_ack;
        self.has_heard_ack = true;
    }

    /// Packets were lost.
    pub(crate) fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.controller.on_loss(now, loss);
        self.refresh();
    }

    /// A CNP arrived.
    pub(crate) fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.controller.on_cnp(now, cnp);
        self.refresh();
    }

    /// Tells the controller that the next ACK is of another path.
    pub(crate) fn on_path_change(&mut self) {
        self.controller.on_path_change();
    }

    /// How a flow of this state starts.
    pub(crate) fn start(&self) -> Start {
        self.controller.start()
    }

    /// [`FlowController::credit_wanted`](incast_cc::CongestionControl::credit_wanted).
    pub(crate) fn credit_wanted(&self, backlog: &Backlog) -> Bytes {
        self.controller.credit_wanted(backlog)
    }

    /// [`FlowController::is_bound_by_credit`](incast_cc::CongestionControl::is_bound_by_credit).
    pub(crate) fn is_bound_by_credit(&self) -> bool {
        self.controller.is_bound_by_credit()
    }

    /// Tells the controller something that a host program has learnt.
    pub(crate) fn tell(&mut self, news: impl FnOnce(&mut dyn FlowController)) {
        news(&mut *self.controller);
        self.refresh();
    }

    /// Runs the controller's timer if it is due. The limit changes only with
    /// [`CongestionState::refresh`].
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.controller.next_timer().is_some_and(|at| at <= now) {
            self.controller.on_timer(now);
        }
    }

    /// Asks the controller for its limit.
    pub(crate) fn refresh(&mut self) {
        self.limit = self.controller.limit();
    }

    /// A packet leaves now.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.controller.on_sent(now, sent);
        self.limit = self.controller.limit();
    }

    /// Whether pending packets are rescheduled, now that the rate is no longer `old_rate`.
    #[inline(always)]
    pub(crate) fn moves_pending(&self, old_rate: Rate) -> bool {
        self.reschedules_pending && self.limit.rate != old_rate
    }

    /// Time of the controller's timer; [`Time::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_timer(&self) -> Time {
        if self.is_ack_only {
            return Time::MAX;
        }
        self.controller.next_timer().unwrap_or(Time::MAX)
    }

    /// Whether the controller's timer comes before `scheduled` after a packet has left.
    #[inline]
    pub(crate) fn needs_earlier_timer_after_sent(&self, scheduled: Time) -> bool {
        self.sets_timer_on_sent && self.next_timer() < scheduled
    }

    /// Names and values of the controller's state that are worth plotting.
    pub(crate) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.controller.probe(record);
    }
}
