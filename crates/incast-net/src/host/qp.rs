//! QPs: the sender's state of each flow.

use incast_cc::Sent;
use incast_units::{Bytes, Time};

use crate::measure::{FlowSample, ProbeSample, Tick};
use crate::packet::Kind;
use crate::recovery::{AckOutcome, RetransmissionTimer, SelectiveRepeat};
use crate::{Flow, RecoveryConfig, RecoveryKind};

use super::congestion::CongestionState;
use super::flow_table::FlowTable;

/// One flow, at its sender.
pub(crate) struct Qp {
    pub(crate) flow: Flow,
    pub(crate) congestion: CongestionState,
    /// Packets of the flow.
    pub(crate) packets: u32,
    /// `snd_nxt` in packets: the PSN to send next, retransmissions of selective repeat apart.
    next: u32,
    /// `snd_nxt` in bytes.
    pub(crate) next_byte: u64,
    /// `snd_una` in packets: all packets before this PSN are acknowledged.
    pub(crate) acked: u32,
    /// `snd_una` in bytes.
    pub(crate) acked_byte: u64,
    /// `snd_max` in packets, kept when the flow goes back: packets below this PSN have been sent at
    /// least once.
    sent_before: u32,
    /// The receiver sends an ACK for every `ack_every`-th packet, or earlier on request.
    ack_every: u32,
    /// One past the PSN of the last packet with an ACK request.
    ack_requested: u32,
    pub(crate) retransmission: RetransmissionTimer,
    /// Earliest entry of this QP among its host's timers.
    pub(crate) timer: Time,
    /// Packets that were sent again.
    pub(crate) retransmitted: u32,
    selective: Option<Box<SelectiveRepeat>>,
    /// Bytes acknowledged at the last sample.
    sampled: u64,
}

/// A packet that a QP sends now.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NextSegment {
    pub(crate) psn: u32,
    pub(crate) payload: u64,
    pub(crate) kind: Kind,
    pub(crate) is_retransmission: bool,
    /// With selective repeat: the number of this transmission.
    pub(crate) transmission: u64,
}

impl Qp {
    pub(crate) fn new(
        flow: Flow,
        packets: u32,
        congestion: CongestionState,
        ack_every: u32,
        recovery: &RecoveryConfig,
    ) -> Self {
        Self {
            flow,
            congestion,
            packets,
            next: 0,
            next_byte: 0,
            acked: 0,
            acked_byte: 0,
            sent_before: 0,
            ack_every,
            ack_requested: 0,
            retransmission: RetransmissionTimer::new(recovery.timeout),
            timer: Time::MAX,
            retransmitted: 0,
            selective: match recovery.kind {
                RecoveryKind::GoBackN => None,
                RecoveryKind::Selective => Some(Box::default()),
            },
            sampled: 0,
        }
    }

    /// Sequence number of the first byte of packet `psn`.
    #[inline]
    fn first_byte(&self, psn: u32, mtu: u64) -> u64 {
        (u64::from(psn) * mtu).min(self.flow.size.as_u64())
    }

    /// Whether all packets are acknowledged.
    #[inline]
    pub(crate) fn is_finished(&self) -> bool {
        self.acked == self.packets
    }

    /// Whether every packet has been sent and none is known to be lost.
    #[inline]
    pub(crate) fn has_sent_all(&self) -> bool {
        let lost = self.selective.as_ref().and_then(|state| state.next_lost());
        self.next == self.packets && lost.is_none()
    }

    /// Whether packets are in flight.
    pub(crate) fn has_in_flight(&self) -> bool {
        match &self.selective {
            None => self.next > self.acked,
            Some(selective) => !selective.has_nothing_in_flight(),
        }
    }

    /// Earliest time of the next packet; [`Time::MAX`] if an ACK has to come first, or all is sent.
    pub(crate) fn next_send(&self) -> Time {
        match &self.selective {
            None => self.next_send_in_order(),
            Some(_) if self.may_send() => self.congestion.next_send,
            Some(_) => Time::MAX,
        }
    }

    /// [`Qp::next_send`] without selective repeat.
    #[inline(always)]
    pub(crate) fn next_send_in_order(&self) -> Time {
        if self.may_send_in_order() {
            self.congestion.next_send
        } else {
            Time::MAX
        }
    }

    /// Whether bytes are left and the window admits the next packet, pacing aside. The window
    /// counts payload; a packet may leave while less than the window is in flight.
    ///
    /// Deadlock avoidance: with one ACK for several packets, a packet may also leave although the
    /// window is full, if too few are in flight to cause an ACK and none of them requested one.
    pub(crate) fn may_send(&self) -> bool {
        match &self.selective {
            None => self.may_send_in_order(),
            Some(selective) => self.may_send_selectively(selective),
        }
    }

    #[inline(always)]
    fn may_send_in_order(&self) -> bool {
        self.next != self.packets && (!self.window_is_full() || !self.awaits_ack())
    }

    #[inline]
    fn window_is_full(&self) -> bool {
        self.next_byte - self.acked_byte >= self.congestion.limit.window.as_u64()
    }

    /// Whether an ACK of packets in flight is sure to come before more are sent.
    #[inline]
    fn awaits_ack(&self) -> bool {
        self.ack_requested > self.acked || self.next - self.acked >= self.ack_every
    }

    #[inline(never)]
    fn may_send_selectively(&self, selective: &SelectiveRepeat) -> bool {
        let is_full = selective.in_flight() >= self.congestion.limit.window.as_u64();
        !self.has_sent_all() && (!is_full || !selective.awaits_ack(self.ack_every))
    }

    /// Counts the next packet as sent.
    pub(crate) fn send_next(&mut self, mtu: u64) -> NextSegment {
        if self.selective.is_some() {
            self.send_selectively(mtu)
        } else {
            self.send_in_order(mtu)
        }
    }

    /// [`Qp::send_next`] without selective repeat.
    #[inline(always)]
    pub(crate) fn send_in_order(&mut self, mtu: u64) -> NextSegment {
        let psn = self.next;
        let payload = mtu.min(self.flow.size.as_u64() - self.next_byte);
        let is_retransmission = psn < self.sent_before;
        self.retransmitted += u32::from(is_retransmission);
        self.next = psn + 1;
        self.next_byte += payload;
        let kind = if self.next == self.packets {
            Kind::LastData
        } else if self.ack_every > 1 && self.window_is_full() {
            self.ack_requested = self.next;
            Kind::DataWithAckRequest
        } else {
            Kind::Data
        };
        NextSegment {
            psn,
            payload,
            kind,
            is_retransmission,
            transmission: 0,
        }
    }

    /// [`Qp::send_next`] with selective repeat: the first lost packet, or else the next new one.
    #[inline(never)]
    fn send_selectively(&mut self, mtu: u64) -> NextSegment {
        let Some(selective) = &mut self.selective else {
            unreachable!("the QP repeats selectively");
        };
        let psn = selective.next_lost().unwrap_or(self.next);
        let size = self.flow.size.as_u64();
        let first_byte = |psn: u32| (u64::from(psn) * mtu).min(size);
        let payload = first_byte(psn + 1) - first_byte(psn);
        let is_retransmission = psn < self.next;
        self.retransmitted += u32::from(is_retransmission);
        self.next = self.next.max(psn + 1);
        self.next_byte = first_byte(self.next);
        let fills_window = selective.in_flight() + payload >= self.congestion.limit.window.as_u64();
        let requests_ack = self.ack_every > 1 && (is_retransmission || fills_window);
        let transmission = selective.send(psn, payload, requests_ack);
        let kind = if psn + 1 == self.packets {
            Kind::LastData
        } else if requests_ack {
            Kind::DataWithAckRequest
        } else {
            Kind::Data
        };
        NextSegment {
            psn,
            payload,
            kind,
            is_retransmission,
            transmission,
        }
    }

    /// Tells the controller of a packet of `size` bytes on the wire that leaves now, if it needs to
    /// know.
    #[inline]
    pub(crate) fn report_sent(&mut self, segment: &NextSegment, size: u64, now: Time) {
        if self.congestion.is_ack_only {
            return;
        }
        let sent = Sent {
            payload: Bytes::new(segment.payload),
            wire: Bytes::new(size),
            next_to_send: self.next_byte,
            retransmission: segment.is_retransmission,
        };
        self.congestion.on_sent(now, &sent);
    }

    /// All packets before `psn` have arrived; returns the payload bytes that this acknowledges for
    /// the first time.
    #[inline(always)]
    pub(crate) fn acknowledge_before(&mut self, psn: u32, mtu: u64) -> u64 {
        if psn <= self.acked {
            return 0;
        }
        let byte = self.first_byte(psn, mtu);
        let newly_acked = byte - self.acked_byte;
        (self.acked, self.acked_byte) = (psn, byte);
        if psn > self.next {
            // An ACK of packets sent before the flow went back.
            (self.next, self.next_byte) = (psn, byte);
        }
        newly_acked
    }

    /// An ACK or NACK says that all packets before `psn` have arrived. It answers a packet of this
    /// `transmission`, if transmissions are numbered.
    pub(crate) fn acknowledge(
        &mut self,
        kind: Kind,
        psn: u32,
        transmission: u64,
        mtu: u64,
    ) -> AckOutcome {
        let advance = self.acknowledge_before(psn, mtu);
        match &mut self.selective {
            None => AckOutcome {
                newly_acked: advance,
                shows_loss: kind == Kind::Nack,
            },
            Some(selective) => selective.acknowledge(transmission, self.acked, advance),
        }
    }

    /// A loss was found: go-back-N sends every packet again that is not acknowledged; selective
    /// repeat has noted the lost packets.
    pub(crate) fn recover(&mut self) {
        if self.selective.is_none() {
            self.go_back();
        }
    }

    /// No ACK came in time.
    pub(crate) fn time_out(&mut self) {
        match &mut self.selective {
            None => self.go_back(),
            Some(selective) => selective.time_out(),
        }
        self.retransmission.back_off();
    }

    /// Go-back-N: the flow goes on with the first packet that is not acknowledged.
    fn go_back(&mut self) {
        self.sent_before = self.sent_before.max(self.next);
        (self.next, self.next_byte) = (self.acked, self.acked_byte);
        self.ack_requested = self.acked;
    }

    /// Time of the next timer, the controller's or the retransmission timeout; [`Time::MAX`] if
    /// none is set.
    #[inline]
    pub(crate) fn next_timer(&self) -> Time {
        let controllers = self.congestion.next_timer();
        controllers.min(self.retransmission.deadline())
    }

    /// Whether the next timer comes before the QP's earliest entry among its host's timers.
    #[inline]
    pub(crate) fn needs_earlier_timer(&self) -> bool {
        self.next_timer() < self.timer
    }
}

impl Qp {
    fn sample_at(&self, time: Time) -> FlowSample {
        FlowSample {
            time,
            flow: self.flow.id,
            rate: self.congestion.limit.rate,
            window: self.congestion.limit.window,
            sent: Bytes::new(self.next_byte),
            acked: Bytes::new(self.acked_byte),
        }
    }
}

/// The unfinished QPs of one host.
#[derive(Default)]
pub(crate) struct QpTable {
    table: FlowTable<Qp>,
}

impl QpTable {
    pub(crate) fn insert(&mut self, qp: Qp) -> u32 {
        self.table.insert(qp.flow.id.0, qp)
    }

    /// Removes a finished QP and returns it; its slot may be used again at once.
    pub(crate) fn remove(&mut self, slot: u32) -> &Qp {
        let flow = self.table.get_mut(slot).flow.id.0;
        self.table.remove(flow).expect("the QP is in the table")
    }

    /// The QP of a flow, and its slot.
    #[inline(always)]
    pub(crate) fn find(&mut self, flow: u32) -> Option<(u32, &mut Qp)> {
        self.table.find(flow)
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&Qp> {
        self.table.get(slot).filter(|qp| !qp.is_finished())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Qp {
        self.table.get_mut(slot)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Qp> {
        self.table.slots().iter().filter(|qp| !qp.is_finished())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Records the values that every flow's controller shows.
    pub(crate) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        for qp in self.iter() {
            let flow = qp.flow.id;
            qp.congestion.probe(&mut |name, value| {
                keep.push(ProbeSample {
                    time,
                    flow,
                    name,
                    value,
                });
            });
        }
    }

    /// Adds every flow to the totals of a sample, and keeps its state if asked.
    pub(crate) fn sample(
        &mut self,
        time: Time,
        interval: Time,
        totals: &mut Tick,
        keep: Option<&mut Vec<FlowSample>>,
    ) {
        if let Some(samples) = keep {
            samples.extend(self.iter().map(|qp| qp.sample_at(time)));
        }
        // Flows that began before this time were there for the whole interval.
        let began_before = match time >= interval {
            true => time - interval + Time::from_ps(1),
            false => Time::ZERO,
        };
        let (mut alive, mut whole, mut sum, mut square_sum) = (0, 0, 0, 0_u128);
        let qps = self.table.slots_mut().iter_mut();
        for qp in qps.filter(|qp| !qp.is_finished()) {
            let acked = qp.acked_byte;
            let newly = acked - std::mem::replace(&mut qp.sampled, acked);
            alive += 1;
            if qp.flow.start < began_before {
                whole += 1;
                sum += newly;
                square_sum += u128::from(newly) * u128::from(newly);
            }
        }
        totals.alive += alive;
        totals.whole += whole;
        totals.acked_sum += sum;
        totals.acked_square_sum += square_sum;
    }
}
