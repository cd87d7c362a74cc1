//! QPs: the sender's state of each flow.

use incast_cc::{Ack, SendLimit};
use incast_units::{Bytes, Rate, Time};

use crate::clock::Clock;
use crate::measure::{FlowSample, ProbeSample};

use super::congestion::CongestionState;
use super::flow_table::FlowTable;
use super::pacer::Pacer;
use super::rate_requests::Returned;
use crate::transport::{NextSegment, Transfer};

/// One flow, at its sender, with a congestion state of its own.
#[derive(Clone)]
pub(crate) struct Qp {
    pub(crate) transfer: Transfer,
    pub(crate) congestion: CongestionState,
    pub(crate) pacer: Pacer,
    /// Earliest entry of this QP among its host's timers.
    pub(crate) timer: Time,
}

/// The effect of an ACK, NACK, CNP or rate reply on its QP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum QpUpdate {
    /// The flow has completed: a duplicate ACK, a late CNP or reply, which is ignored.
    Unknown,
    /// The QP in this slot may have a new limit, sequence state or timer.
    Updated(u32),
    /// The flow of this slot is complete, and the slot is free.
    Completed(u32),
}

/// A timer that expired.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Expiry {
    /// The slot of its QP, or of a throttle that it concerns.
    pub(super) slot: u32,
    /// Whether time shows a loss: no ACK came, or none of a packet that was overtaken.
    pub(super) shows_loss: bool,
}

impl Qp {
    pub(crate) fn new(transfer: Transfer, congestion: CongestionState, now: Time) -> Self {
        Self {
            transfer,
            congestion,
            pacer: Pacer::new(now),
            timer: Time::MAX,
        }
    }

    /// Payload bytes that may be in flight.
    #[inline(always)]
    pub(crate) fn window(&self) -> u64 {
        self.congestion.limit.window.as_u64()
    }

    /// Earliest time of the next packet; [`Time::MAX`] if none may leave before an ACK or a rate
    /// reply.
    pub(crate) fn next_send(&self) -> Time {
        if self.may_send() {
            self.pacer.next_send
        } else {
            Time::MAX
        }
    }

    /// [`Qp::next_send`], where packets may be sent again, or not.
    #[inline(always)]
    pub(crate) fn next_send_if(&self, repeats: bool) -> Time {
        let may_send = match repeats {
            true => self.may_send(),
            false => self.transfer.may_send_in_order(self.window()),
        };
        if may_send {
            self.pacer.next_send
        } else {
            Time::MAX
        }
    }

    /// [`Transfer::may_send`] within this QP's window.
    pub(crate) fn may_send(&self) -> bool {
        self.transfer.may_send(self.window())
    }

    /// An ACK arrived.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, clock: Clock) {
        let old = self.congestion.limit.rate;
        self.congestion.on_ack(now, ack);
        self.reschedule_pending(old, clock);
    }

    /// Asks the controller for its limit.
    pub(crate) fn refresh(&mut self, clock: Clock) {
        let old = self.congestion.limit.rate;
        self.congestion.refresh();
        self.reschedule_pending(old, clock);
    }

    /// Nothing may be sent until a rate reply arrives.
    pub(crate) fn hold(&mut self) {
        self.pacer.next_send = Time::MAX;
    }

    /// A rate reply arrives. After the first one the next data packet may leave at once.
    pub(crate) fn on_rate_reply(&mut self, now: Time, returned: &Returned, clock: Clock) {
        self.congestion.on_rate_reply(now, &returned.reply);
        if returned.is_first {
            self.congestion.refresh();
            self.pacer.next_send = now;
        } else {
            self.refresh(clock);
        }
    }

    /// After a change of rate, moves the send time of the pending packet, for controllers that need
    /// this.
    #[inline(always)]
    fn reschedule_pending(&mut self, old: Rate, clock: Clock) {
        if self.congestion.moves_pending(old) {
            let rate = self.congestion.limit.rate;
            self.pacer.reschedule(old, rate, clock);
        }
    }

    /// Tells the controller of a packet of `size` bytes on the wire that leaves now, if it needs to
    /// know. Says whether its timer now comes before the QP's earliest entry among its host's
    /// timers.
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
    pub(crate) fn next_timer(&self) -> Time {
        let controllers = self.congestion.next_timer();
        controllers.min(self.transfer.retransmission.deadline())
    }

    /// Whether the next timer comes before the QP's earliest entry among its host's timers.
    #[inline]
    pub(crate) fn needs_earlier_timer(&self) -> bool {
        self.next_timer() < self.timer
    }
}

/// The state of a flow under this limit.
pub(crate) fn flow_sample(time: Time, transfer: &Transfer, limit: &SendLimit) -> FlowSample {
    let progress = transfer.progress();
    FlowSample {
        time,
        flow: transfer.flow.id,
        rate: limit.rate,
        window: limit.window,
        sent: Bytes::new(progress.next_to_send),
        acked: Bytes::new(progress.next_expected),
    }
}

/// Records what the congestion state of a flow shows.
pub(crate) fn probe(
    time: Time,
    transfer: &Transfer,
    congestion: &CongestionState,
    keep: &mut Vec<ProbeSample>,
) {
    let flow = transfer.flow.id;
    congestion.probe(&mut |name, value| {
        keep.push(ProbeSample {
            time,
            flow,
            name,
            value,
        });
    });
}

/// The unfinished QPs of one host.
#[derive(Clone, Default)]
pub(crate) struct QpTable {
    table: FlowTable<Qp>,
}

impl QpTable {
    pub(crate) fn insert(&mut self, qp: Qp) -> u32 {
        self.table.insert(qp.transfer.flow.id.0, qp)
    }

    /// Removes a finished QP and returns it; its slot may be used again at once.
    pub(crate) fn remove(&mut self, slot: u32) -> &Qp {
        let flow = self.table.get_mut(slot).transfer.flow.id.0;
        self.table.remove(flow).expect("the QP is in the table")
    }

    /// The QP of a flow, and its slot.
    #[inline(always)]
    pub(crate) fn find(&mut self, flow: u32) -> Option<(u32, &mut Qp)> {
        self.table.find(flow)
    }

    /// The QP of a flow, seen from outside.
    pub(crate) fn peek(&self, flow: u32) -> Option<&Qp> {
        self.table.peek(flow)
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&Qp> {
        self.table.get(slot).filter(|qp| !qp.transfer.is_finished())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Qp {
        self.table.get_mut(slot)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Qp> {
        let qps = self.table.slots().iter();
        qps.filter(|qp| !qp.transfer.is_finished())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Records the values that every flow's controller shows.
    pub(crate) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        for qp in self.iter() {
            probe(time, &qp.transfer, &qp.congestion, keep);
        }
    }

    /// Keeps the state of every flow.
    pub(crate) fn keep_sample(&self, time: Time, keep: &mut Vec<FlowSample>) {
        let qps = self.iter();
        keep.extend(qps.map(|qp| flow_sample(time, &qp.transfer, &qp.congestion.limit)));
    }
}
