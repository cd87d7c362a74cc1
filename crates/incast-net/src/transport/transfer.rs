//! The transfer of one flow, at its sender: which bytes are sent, acknowledged, lost.
//!
//! A transfer knows no limit: its QP tells it the window.

use incast_cc::Sent;
use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};

use super::selective_repeat::SelectiveRepeat;
use super::{AckOutcome, RetransmissionTimer};
use crate::diagnostics;
use crate::flow::Flow;
use crate::measure::{FlowCounters, FlowRecord, OfFlow, UnfinishedFlow};
use crate::routing::{FlowEntropy, PathFeedback, PathSelector};
use crate::shared::Shared;
use crate::transport::RecoveryKind;
use crate::wire::{Address, Kind, MAX_FLOWS, MAX_PACKETS, MarkReport, Packet};

/// Sequence state of one flow, at its sender.
#[derive(Clone)]
pub(crate) struct Transfer {
    pub(crate) flow: Flow,
    /// The address of its packets.
    pub(crate) address: Address,
    /// Packets of the flow.
    pub(crate) packets: u32,
    /// `snd_nxt` in packets: the PSN to send next, not counting selective-repeat retransmissions.
    next: u32,
    /// `snd_nxt` in bytes.
    next_byte: u64,
    /// `snd_una` in packets: all packets before this PSN are acknowledged.
    pub(crate) acked: u32,
    /// `snd_una` in bytes.
    acked_byte: u64,
    /// `snd_max` at the last go-back, in packets (0 before one): retransmissions lie below it.
    sent_before: u32,
    /// The receiver sends an ACK for every `ack_every`-th packet, or earlier on request.
    ack_every: u32,
    /// One past the PSN of the last packet with an ACK request.
    ack_requested: u32,
    pub(crate) retransmission: RetransmissionTimer,
    /// Packets that were sent again.
    counters: FlowCounters,
    selective: Option<Box<SelectiveRepeat>>,
    pub(crate) samples: OfFlow,
    /// Gives packets their entropies, where the flow takes several paths.
    selector: Option<Box<dyn PathSelector>>,
}

/// A packet that leaves now.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NextSegment {
    pub(crate) psn: u32,
    pub(crate) payload: u64,
    pub(crate) kind: Kind,
    pub(crate) is_retransmission: bool,
    /// With selective repeat: the number of this transmission.
    pub(crate) transmission: u64,
}

/// Sequence numbers in bytes, for a controller.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SequenceNumbers {
    pub(crate) next_expected: u64,
    pub(crate) next_to_send: u64,
    pub(crate) size: Bytes,
}

/// A flow's contribution to the sums of its congestion state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Payload bytes in flight.
    pub(crate) in_flight: u64,
    /// Bytes sent at least once.
    pub(crate) sent: u64,
    /// Bytes acknowledged in order.
    pub(crate) acked: u64,
    /// Whether the receiver owes an ACK even if no more packets are sent.
    pub(crate) is_owed_ack: bool,
}

impl Tally {
    pub(crate) fn with_nothing_in_flight(self) -> Self {
        Self {
            in_flight: 0,
            is_owed_ack: false,
            ..self
        }
    }
}

impl Transfer {
    /// # Errors
    /// If the flow has more packets than sequence numbers can name, or is one of too many.
    pub(crate) fn new(
        flow: Flow,
        mark_report: MarkReport,
        shared: &Shared,
    ) -> Result<Self, Diagnostic> {
        let packets = flow.size.as_u64().div_ceil(shared.mtu).max(1);
        if packets > MAX_PACKETS.into() {
            return Err(diagnostics::flow_too_large(flow.id));
        }
        if flow.id.0 >= MAX_FLOWS {
            return Err(diagnostics::too_many_flows(flow.id));
        }
        let packets = packets as u32;
        let recovery = &shared.config.recovery;
        Ok(Self {
            flow,
            address: Address::new(flow.source.0, flow.destination.0, flow.source_port)
                .reporting(mark_report),
            packets,
            next: 0,
            next_byte: 0,
            acked: 0,
            acked_byte: 0,
            sent_before: 0,
            ack_every: shared.config.ack_every,
            ack_requested: 0,
            retransmission: RetransmissionTimer::new(recovery.timeout),
            counters: FlowCounters::default(),
            selective: match recovery.kind {
                RecoveryKind::GoBackN => None,
                RecoveryKind::Selective => Some(Box::default()),
            },
            samples: OfFlow::default(),
            selector: shared.config.balance.selector(&FlowEntropy {
                flow: flow.id,
                first: flow.source_port,
                seed: shared.config.seed,
            }),
        })
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

    /// Sequence numbers in bytes, for its own controller.
    #[inline(always)]
    pub(crate) fn progress(&self) -> SequenceNumbers {
        SequenceNumbers {
            next_expected: self.acked_byte,
            next_to_send: self.next_byte,
            size: self.flow.size,
        }
    }

    /// The transfer's contribution to the sums of its congestion state.
    pub(crate) fn tally(&self, mtu: u64) -> Tally {
        Tally {
            in_flight: self.in_flight(),
            sent: self.first_byte(self.next.max(self.sent_before), mtu),
            acked: self.acked_byte,
            is_owed_ack: self.has_in_flight() && (self.has_sent_all() || self.is_owed_ack()),
        }
    }

    /// Bytes acknowledged in order, and what is kept of samples.
    pub(crate) fn sampled(&mut self) -> (u64, &mut OfFlow) {
        (self.acked_byte, &mut self.samples)
    }

    /// Payload bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        match &self.selective {
            None => self.next_byte - self.acked_byte,
            Some(selective) => selective.in_flight(),
        }
    }

    fn is_owed_ack(&self) -> bool {
        match &self.selective {
            None => self.is_owed_ack_in_order(),
            Some(selective) => selective.is_owed_ack(self.ack_every),
        }
    }

    /// Whether bytes are left and `window` admits the next packet, pacing aside. The window
    /// counts payload; a packet may leave while less than the window is in flight.
    ///
    /// Deadlock avoidance: with one ACK for several packets, a packet may also leave although the
    /// window is full, if too few are in flight to cause an ACK and none of them requested one.
    pub(crate) fn may_send(&self, window: u64) -> bool {
        match &self.selective {
            None => self.may_send_in_order(window),
            Some(selective) => self.may_send_selectively(selective, window),
        }
    }

    /// [`Transfer::may_send`] without selective repeat.
    #[inline(always)]
    pub(crate) fn may_send_in_order(&self, window: u64) -> bool {
        self.next != self.packets && (!self.window_is_full(window) || !self.is_owed_ack_in_order())
    }

    #[inline]
    fn window_is_full(&self, window: u64) -> bool {
        self.next_byte - self.acked_byte >= window
    }

    /// Whether the receiver owes an ACK even if no more packets are sent.
    #[inline]
    fn is_owed_ack_in_order(&self) -> bool {
        self.ack_requested > self.acked || self.next - self.acked >= self.ack_every
    }

    #[inline(never)]
    fn may_send_selectively(&self, selective: &SelectiveRepeat, window: u64) -> bool {
        let is_full = selective.in_flight() >= window;
        !self.has_sent_all() && (!is_full || !selective.is_owed_ack(self.ack_every))
    }

    /// Takes the next packet to send.
    pub(crate) fn send_next(&mut self, mtu: u64, window: u64) -> NextSegment {
        if self.selective.is_some() {
            self.send_selectively(mtu, window)
        } else {
            self.send_in_order(mtu, window)
        }
    }

    /// [`Transfer::send_next`] without selective repeat.
    #[inline(always)]
    pub(crate) fn send_in_order(&mut self, mtu: u64, window: u64) -> NextSegment {
        let psn = self.next;
        let payload = mtu.min(self.flow.size.as_u64() - self.next_byte);
        let is_retransmission = psn < self.sent_before;
        self.counters.retransmitted += u32::from(is_retransmission);
        self.next = psn + 1;
        self.next_byte += payload;
        let kind = if self.next == self.packets {
            Kind::LastData
        } else if self.ack_every > 1 && self.window_is_full(window) {
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

    /// [`Transfer::send_next`] with selective repeat: the first lost packet, or else the next new
    /// one.
    #[inline(never)]
    fn send_selectively(&mut self, mtu: u64, window: u64) -> NextSegment {
        let Some(selective) = &mut self.selective else {
            unreachable!("the transfer repeats selectively");
        };
        let psn = selective.next_lost().unwrap_or(self.next);
        let size = self.flow.size.as_u64();
        let first_byte = |psn: u32| (u64::from(psn) * mtu).min(size);
        let payload = first_byte(psn + 1) - first_byte(psn);
        let is_retransmission = psn < self.next;
        self.counters.retransmitted += u32::from(is_retransmission);
        self.next = self.next.max(psn + 1);
        self.next_byte = first_byte(self.next);
        let fills_window = selective.in_flight() + payload >= window;
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

    /// Gives a data packet that leaves now the path that it takes, where its flow takes several.
    #[inline]
    pub(crate) fn choose_path<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        now: Time,
    ) {
        if let Some(selector) = &mut self.selector {
            let entropy = selector.next(packet.psn(), now);
            packet.address = packet.address.with_entropy(entropy);
        }
    }

    /// An ACK tells of the path of its data packet, where the flow takes several.
    #[inline]
    pub(crate) fn report_path<const WORDS: usize>(&mut self, ack: &Packet<WORDS>, now: Time) {
        if let Some(selector) = &mut self.selector
            && ack.kind() == Kind::Ack
        {
            let feedback = match ack.marked() {
                false => PathFeedback::Good,
                true => PathFeedback::Marked,
            };
            selector.on_feedback(ack.entropy(), feedback, now);
        }
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
                in_order: advance,
                shows_loss: kind == Kind::Nack,
            },
            Some(selective) => selective.acknowledge(transmission, self.acked, advance),
        }
    }

    /// The part of [`Transfer::acknowledge`] that is selective repeat's, if this ACK of new packets
    /// in order shows nothing else; else it has no effect and gives `false`.
    #[inline(always)]
    pub(crate) fn acknowledge_transmission<const WORDS: usize>(
        &mut self,
        ack: &Packet<WORDS>,
    ) -> bool {
        match &mut self.selective {
            None => true,
            Some(selective) => selective.acknowledge_in_order(ack.transmission_number(), ack.psn()),
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

    /// Speculative packets from `psn` on were dropped: the flow goes on at `psn`, or at `snd_nxt`
    /// if that is lower. They were not lost, so they do not count as retransmitted.
    ///
    /// # Errors
    /// The number of acknowledged packets, if they include a dropped one.
    pub(crate) fn resume_at(&mut self, psn: u32, mtu: u64) -> Result<(), u32> {
        let psn = psn.min(self.next);
        (self.next, self.next_byte) = (psn, self.first_byte(psn, mtu));
        self.ack_requested = self.ack_requested.min(psn);
        match psn >= self.acked {
            true => Ok(()),
            false => Err(self.acked),
        }
    }

    /// Payload bytes and packets that are yet to be sent: from `snd_nxt` on, and with selective
    /// repeat also the lost ones before it.
    pub(crate) fn unsent(&self, mtu: u64) -> (u64, u32) {
        let new = self.flow.size.as_u64() - self.next_byte;
        let lost = self.selective.iter().flat_map(|state| state.lost());
        let start = (new, self.packets - self.next);
        lost.fold(start, |(bytes, packets), psn| {
            let payload = self.first_byte(psn + 1, mtu) - self.first_byte(psn, mtu);
            (bytes + payload, packets + 1)
        })
    }

    /// Go-back-N: the flow goes on with the first packet that is not acknowledged.
    fn go_back(&mut self) {
        self.sent_before = self.sent_before.max(self.next);
        (self.next, self.next_byte) = (self.acked, self.acked_byte);
        self.ack_requested = self.acked;
    }

    /// The flow, not complete yet, which may send again at `next_send`.
    pub(crate) fn unfinished(&self, next_send: Time) -> UnfinishedFlow {
        UnfinishedFlow {
            flow: self.flow,
            acked: Bytes::new(self.acked_byte),
            sent: self.next.max(self.sent_before),
            next_send,
            counters: self.counters,
        }
    }

    /// The record of the flow, complete at `finish`.
    pub(crate) fn record(&self, finish: Time) -> FlowRecord {
        self.flow.record(finish, self.counters)
    }
}

impl NextSegment {
    /// As a controller is told of it; the packet has `wire` bytes on the wire.
    #[inline]
    pub(crate) fn sent(&self, wire: u64, next_to_send: u64) -> Sent {
        Sent {
            payload: Bytes::new(self.payload),
            wire: Bytes::new(wire),
            next_to_send,
            retransmission: self.is_retransmission,
        }
    }
}
