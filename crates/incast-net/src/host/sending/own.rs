//! Flows with congestion states of their own: each QP has one flow.

use incast_diagnostic::Diagnostic;
use incast_units::{FlowId, Time};

use crate::clock::Clock;
use crate::flow::Flow;
use crate::host::flow_table::FlowTable;
use crate::host::packets::{cnp_of, data_packet, loss_of};
use crate::measure::Recorder;
use crate::wire::Packet;

use super::base::SenderBase;
use super::qp::{Qp, QpTable};
use super::timers::Timers;
use super::{Expiry, FlowView, QpUpdate};

/// The QPs of a host, and their timers.
#[derive(Clone, Default)]
pub(crate) struct OwnFlows {
    pub(crate) qps: QpTable,
    /// Timers by slot and flow.
    timers: Timers<(u32, FlowId)>,
}

/// Events.
impl OwnFlows {
    /// Starts a flow; returns the slot of its QP.
    pub(super) fn open(
        &mut self,
        base: &mut SenderBase<'_>,
        flow: Flow,
        now: Time,
    ) -> Result<u32, Diagnostic> {
        let transfer = base.new_transfer(flow)?;
        let (shared, congestion) = (&base.shared, base.new_congestion(&flow));
        let sizes = (shared.mtu, shared.data_overhead);
        let qp = Qp::new(transfer, congestion, sizes, now);
        let slot = self.qps.insert(flow.id.0, qp);
        base.begin(slot, &mut self.qps.get_mut(slot).transfer);
        self.schedule_timer(slot, now, base.clock);
        Ok(slot)
    }

    /// The next packet of a QP, which leaves now.
    #[inline]
    pub(super) fn next_packet<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        slot: u32,
        now: Time,
    ) -> Packet<WORDS> {
        let shared = &*base.shared;
        let qp = self.qps.get_mut(slot);
        let segment = qp.send_next(now);
        let size = segment.payload + shared.data_overhead;
        let packet = data_packet(&mut qp.transfer, &segment, shared, now);
        let mut needs_timer = qp.report_sent(&segment, size, now);
        let limit = &qp.congestion.limit;
        qp.pacer.pace(now, size, limit, base.clock, &mut base.gaps);
        needs_timer |= qp.transfer.retransmission.start(now);
        if needs_timer {
            self.schedule_timer(slot, now, base.clock);
        }
        packet
    }

    /// An ACK or NACK arrives.
    pub(in crate::host) fn on_ack<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> QpUpdate {
        let Some((slot, qp)) = self.qps.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        let outcome = base.acknowledge((slot, &mut qp.transfer), packet, now, recorder);
        let is_finished = qp.transfer.is_finished();
        if !is_finished || base.final_ack_reaches_controller {
            let old = qp.congestion.limit.rate;
            let tells_of_trimming = base.shared.tells_of_trimming(packet);
            if !tells_of_trimming {
                let news = qp.transfer.take_ack_news(base.shared.data_overhead);
                let (progress, news) =
                    (qp.transfer.progress(), (packet, outcome.newly_acked, news));
                base.deliver_ack(&mut qp.congestion, news, progress, now, recorder);
                qp.reschedule_pending(old, base.clock);
                qp.congestion.note_ack_for_scan();
            }
            if outcome.shows_loss {
                let loss = loss_of(packet, &base.shared, outcome.trimmed, now);
                qp.report_loss(loss, now, base.clock);
            }
            self.schedule_timer(slot, now, base.clock);
        }
        if is_finished {
            self.complete(base, packet, now, recorder);
            return QpUpdate::Completed(slot);
        }
        QpUpdate::Updated(slot)
    }

    /// A CNP arrives.
    pub(super) fn on_cnp<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> QpUpdate {
        let Some((slot, qp)) = self.qps.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        qp.change(base.clock, |congestion| {
            congestion.on_cnp(now, &cnp_of(packet));
        });
        self.schedule_timer(slot, now, base.clock);
        QpUpdate::Updated(slot)
    }

    /// Runs the first timer that is due by `now`. Stale entries are dropped on the way.
    pub(super) fn run_due_timer(&mut self, base: &mut SenderBase<'_>, now: Time) -> Option<Expiry> {
        while let Some((time, (slot, flow))) = self.timers.take_due(now) {
            let qp = self.qps.get_mut(slot);
            let is_alive = !qp.transfer.is_finished() && qp.transfer.flow.id == flow;
            if is_alive && qp.timer == time {
                let shows_loss = qp.on_timer(now, base.clock);
                let probe = qp.transfer.takes_probe().then_some(flow.0);
                self.schedule_timer(slot, now, base.clock);
                return Some(Expiry {
                    slot,
                    shows_loss,
                    probe,
                });
            }
        }
        None
    }

    pub(super) fn on_path_change(&mut self, flow: u32) {
        if let Some((_, qp)) = self.qps.find(flow) {
            qp.congestion.on_path_change();
        }
    }

    /// Schedules the QP's next timer, unless an earlier one is scheduled.
    pub(crate) fn schedule_timer(&mut self, slot: u32, now: Time, clock: Clock) {
        let qp = self.qps.get_mut(slot);
        if qp.needs_earlier_timer() {
            qp.timer = clock.round_up(qp.next_timer().max(now));
            self.timers.set(qp.timer, (slot, qp.transfer.flow.id));
        }
    }

    fn complete<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        ack: &Packet<WORDS>,
        finish: Time,
        recorder: &mut Recorder,
    ) {
        let flow = ack.flow();
        let slot = self.qps.slot_of(flow).expect("the QP is in the table");
        let qp = self.qps.remove(flow).expect("the QP is in the table");
        base.complete((slot, &qp.transfer), ack, finish, recorder);
        if self.qps.is_empty() {
            self.timers.clear();
        }
    }
}

/// Queries.
impl OwnFlows {
    /// Earliest time of the next packet of the QP in this slot.
    #[inline]
    pub(in crate::host) fn next_send(&mut self, slot: u32) -> Time {
        self.qps.get_mut(slot).next_send()
    }

    #[inline]
    pub(super) fn next_timer(&self) -> Time {
        self.timers.next()
    }

    pub(super) fn table(&mut self) -> &mut FlowTable<Qp> {
        &mut self.qps
    }

    /// The flows that have not completed.
    pub(super) fn views(&self) -> impl Iterator<Item = FlowView<'_>> {
        self.qps.unfinished().map(Qp::view)
    }
}
