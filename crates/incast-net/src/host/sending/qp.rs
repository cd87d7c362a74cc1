//! A QP with a congestion state of its own: the sender's state of one flow.

use incast_cc::{Ack, FlowController, Loss, LossKind};
use incast_units::{Rate, Time};

use crate::clock::Clock;
use crate::host::flow_table::FlowTable;
use crate::measure::{Keeper, NicLog, SendState};
use crate::transport::{NextSegment, Transfer};

use super::congestion::CongestionState;
use super::pacer::Pacer;
use super::{FlowView, HasTransfer};

/// The QPs of one host. A free slot keeps a QP that has finished.
pub(crate) type QpTable = FlowTable<Qp>;

/// One flow, at its sender, with a congestion state of its own.
#[derive(Clone)]
pub(crate) struct Qp {
    pub(crate) transfer: Transfer,
    pub(crate) congestion: CongestionState,
    pub(crate) pacer: Pacer,
    /// Payload bytes of a full packet.
    mtu: u64,
    overhead: u64,
    /// Time of this QP's earliest entry among the timers of its host.
    pub(super) timer: Time,
}

impl HasTransfer for Qp {
    fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    fn transfer_mut(&mut self) -> &mut Transfer {
        &mut self.transfer
    }
}

impl Qp {
    pub(super) fn new(
        transfer: Transfer,
        congestion: CongestionState,
        (mtu, overhead): (u64, u64),
        now: Time,
    ) -> Self {
        Self {
            transfer,
            congestion,
            pacer: Pacer::new(now),
            mtu,
            overhead,
            timer: Time::MAX,
        }
    }

    /// Payload bytes that may be in flight.
    #[inline(always)]
    pub(crate) fn window(&self) -> u64 {
        self.congestion.limit.window.as_u64()
    }

    /// Earliest time of the next packet; [`Time::MAX`] if none may leave before an ACK or another
    /// event.
    #[inline]
    pub(super) fn next_send(&self) -> Time {
        if self.may_send() {
            self.pacer.next_send
        } else {
            Time::MAX
        }
    }

    /// The flow's state for samples.
    pub(super) fn view(&self) -> FlowView<'_> {
        FlowView {
            transfer: &self.transfer,
            congestion: &self.congestion,
            next_send: self.next_send(),
        }
    }

    /// The state of the next packet at `now`: ready, or what it waits for.
    pub(super) fn send_state(&self, now: Time) -> SendState {
        if self.transfer.has_sent_all() {
            SendState::SentAll
        } else if self.may_send() {
            self.pacer.send_state(now)
        } else if self.congestion.limits_room {
            match self.congestion.is_bound_by_credit() {
                true => SendState::Credit,
                false => SendState::Window,
            }
        } else if self.transfer.may_send(self.window()) {
            SendState::Grant
        } else {
            SendState::Window
        }
    }

    /// Notes in the flow's timeline what the next packet waits for from now on; `next_send` is
    /// [`Qp::next_send`].
    #[inline]
    pub(crate) fn note_next_send(&mut self, next_send: Time, now: Time, nic: &NicLog) {
        let keeper = match next_send {
            Time::MAX => Keeper::new(self.send_state(now), self.transfer.sends_again()),
            at => Keeper::Pace(at),
        };
        self.transfer.note_keeper(keeper, now, nic);
    }

    /// Same as [`Qp::next_send`]. `is_full`: whether packets may be sent again, or limits name
    /// sequence numbers.
    #[inline(always)]
    pub(crate) fn next_send_if(&self, is_full: bool) -> Time {
        let may_send = match is_full {
            true => self.may_send(),
            false => self.transfer.may_send_in_order(self.window()),
        };
        if may_send {
            self.pacer.next_send
        } else {
            Time::MAX
        }
    }

    /// [`Transfer::may_send`] within this QP's window and up to the sequence number of its limit.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        if self.congestion.limits_room {
            return !self.transfer.has_sent_all() && self.next_wire() <= self.room();
        }
        self.transfer.may_send(self.window()) && !self.is_held()
    }

    /// Bytes on the wire that may leave, where the limit names them.
    fn room(&self) -> u64 {
        self.congestion.limit.room.as_u64()
    }

    /// Bytes on the wire of the next packet.
    fn next_wire(&self) -> u64 {
        self.transfer.next_payload(self.mtu) + self.overhead
    }

    /// Whether the next packet begins beyond the sequence number of the limit.
    #[inline]
    fn is_held(&self) -> bool {
        let limit = &self.congestion.limit;
        self.congestion.limits_sequence && !self.transfer.begins_before(limit.until, self.mtu)
    }

    /// [`Qp::window`], or the bytes up to the sequence number of the limit, if these are fewer. The
    /// packet that fills them requests an ACK. Where the limit names bytes that may leave, it is
    /// the packet after which no full packet fits.
    #[inline]
    pub(crate) fn window_to_fill(&self) -> u64 {
        if self.congestion.limits_room {
            let after = self.room().saturating_sub(self.next_wire());
            return match after < self.mtu + self.overhead {
                true => 0,
                false => u64::MAX,
            };
        }
        if !self.congestion.limits_sequence {
            return self.window();
        }
        let acked = self.transfer.progress().next_expected;
        let granted = self.congestion.limit.until.saturating_sub(acked);
        self.window().min(granted)
    }

    /// The next packet, which leaves now.
    #[inline(always)]
    pub(crate) fn send_next(&mut self, now: Time) -> NextSegment {
        let mut segment = self
            .transfer
            .send_next(self.mtu, self.window_to_fill(), now);
        if self.congestion.limits_room {
            segment.window = self.window();
            self.transfer.note_window(segment.window);
        }
        segment
    }

    /// An ACK arrived.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, clock: Clock) {
        self.change(clock, |congestion| congestion.on_ack(now, ack));
    }

    /// Changes the congestion state. If the rate changes, the pending packet may be rescheduled.
    #[inline(always)]
    pub(crate) fn change(&mut self, clock: Clock, change: impl FnOnce(&mut CongestionState)) {
        let old = self.congestion.limit.rate;
        change(&mut self.congestion);
        self.reschedule_pending(old, clock);
    }

    /// Reschedules the pending packet after a change of rate, for controllers that need this.
    #[inline(always)]
    pub(super) fn reschedule_pending(&mut self, old: Rate, clock: Clock) {
        if self.congestion.moves_pending(old) {
            let rate = self.congestion.limit.rate;
            self.pacer.reschedule(old, rate, clock);
        }
    }

    /// Runs the timers that are due: the controller's and the retransmission timeout. Returns
    /// whether a loss is assumed.
    pub(super) fn on_timer(&mut self, now: Time, clock: Clock) -> bool {
        self.timer = Time::MAX;
        self.congestion.on_timer(now);
        let loss = self.transfer.on_timer(now);
        if let Some(kind) = loss {
            self.report_loss((kind, None), now, clock);
        }
        self.change(clock, CongestionState::refresh);
        loss.is_some()
    }

    /// Tells the controller of a loss; for a trimmed packet, with the round trip of its header.
    pub(super) fn report_loss(
        &mut self,
        (kind, round_trip): (LossKind, Option<Time>),
        now: Time,
        clock: Clock,
    ) {
        let loss = Loss {
            wire: self.transfer.take_lost().on_wire(self.overhead),
            round_trip,
            ..Loss::new(kind, self.transfer.progress().next_expected)
        };
        self.change(clock, |congestion| congestion.on_loss(now, &loss));
    }

    /// Nothing may be sent before a [restart](Self::restart).
    pub(crate) fn hold(&mut self) {
        self.pacer.next_send = Time::MAX;
    }

    /// Tells the controller something. The next packet may then leave at once, whatever its send
    /// time was.
    pub(crate) fn restart(&mut self, now: Time, news: impl FnOnce(&mut dyn FlowController)) {
        self.congestion.tell(news);
        self.pacer.next_send = now;
    }

    /// Tells the controller of a packet of `size` bytes on the wire that leaves now, if the
    /// controller needs to know. Returns whether its timer comes before the QP's earliest entry
    /// among the timers of its host.
    #[inline]
    pub(crate) fn report_sent(&mut self, segment: &NextSegment, size: u64, now: Time) -> bool {
        if self.congestion.is_ack_only {
            return false;
        }
        let sent = segment.sent(size, self.transfer.progress().next_to_send);
        self.congestion.on_sent(now, &sent);
        self.congestion.needs_earlier_timer_after_sent(self.timer)
    }

    /// Time of the next timer, the controller's or the retransmission timeout; [`Time::MAX`] if
    /// none is set.
    #[inline]
    pub(super) fn next_timer(&self) -> Time {
        let controllers = self.congestion.next_timer();
        controllers.min(self.transfer.retransmission.deadline())
    }

    /// Whether the next timer comes before the QP's earliest entry among the timers of its host.
    #[inline]
    pub(crate) fn needs_earlier_timer(&self) -> bool {
        self.next_timer() < self.timer
    }
}
