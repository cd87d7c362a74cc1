//! The receiving side of a host: delivers data in order and sends ACKs, NACKs and CNPs.
//!
//! An ACK names the packet that is expected next. Out-of-order data are asked for again by a NACK
//! (go-back-N) or kept and acknowledged (selective repeat). Where receivers send CNPs, marks also
//! cause CNPs, at most one per interval. The header of a trimmed packet is answered at once: by a
//! NACK for this transmission alone, or by an ACK if the packet has arrived before.

mod received_flow;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use incast_units::{FlowId, NodeId, Time};
use rustc_hash::FxHasher;

use crate::measure::{ArrivalOrders, PacketLatency, Recorder};
use crate::shared::Shared;
use crate::transport::AckPolicy;
use crate::wire::{Kind, Packet};

use super::feedback::Senders;
use super::flow_table::FlowTable;
use super::sending::FeedbackScope;

use self::received_flow::ReceivedFlow;

/// The flows that a host receives.
#[derive(Clone)]
pub(super) struct ReceiveSide {
    shared: Arc<Shared>,
    /// Flows in progress: at least one packet has arrived, but not all.
    pub(super) flows: FlowTable<ReceivedFlow>,
    /// Senders, where feedback is per sender ([`FeedbackScope::SourcePort`]).
    senders: Option<Senders>,
    /// Payload bytes that wait for earlier packets of their flows.
    waiting: u64,
    /// Packet count of each completed flow; kept only in lossy networks.
    completed: HashMap<u32, u32, BuildHasherDefault<FxHasher>>,
    /// The flow that has just been received in full, until it is taken.
    pub(super) just_received: Option<u32>,
    /// Where the bitmap of the answer to the last data packet starts.
    sack_from: SackStart,
}

/// Where the bitmap of early packets in an ACK starts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum SackStart {
    /// At the window of 64 packets that ends at the answered one, or at the first packet that can
    /// be early, if this is later.
    #[default]
    Window,
    /// The bitmap starts at the packet that the ACK answers.
    Packet,
}

/// Whether a packet has come before.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Novelty {
    New,
    Duplicate,
}

impl SackStart {
    /// The start of the bitmap in the answer to `packet`. Where ACKs go by bytes, it is this packet
    /// if it is marked, or is new and requests its ACK (as in uet-htsim).
    fn of<const WORDS: usize>(packet: &Packet<WORDS>, novelty: Novelty, shared: &Shared) -> Self {
        let asks = packet.kind() != Kind::Data && novelty == Novelty::New;
        match shared.config.acks {
            AckPolicy::Bytes(_) if packet.marked() || asks => Self::Packet,
            _ => Self::Window,
        }
    }
}

/// The answer to a data packet, with the next expected PSN.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// All packets before this one have arrived.
    Ack(u32),
    /// All packets before this one have arrived, and this one is missing. For a trimmed packet: its
    /// own PSN.
    Nack(u32),
}

impl ReceiveSide {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            flows: FlowTable::default(),
            senders: match shared.config.nic.feedback_scope() {
                FeedbackScope::Flow => None,
                FeedbackScope::SourcePort => Some(Senders::default()),
            },
            waiting: 0,
            completed: HashMap::default(),
            just_received: None,
            sack_from: SackStart::default(),
        }
    }

    /// A data packet arrives; returns the answer, if one is due.
    #[inline]
    pub(super) fn on_data<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> Option<Answer> {
        self.sack_from = SackStart::of(packet, Novelty::Duplicate, &self.shared);
        if let Some(&packets) = self.completed.get(&packet.flow()) {
            // The sender has not had the last ACK: it was lost, or is still in flight.
            recorder.note_duplicate(packet.flow());
            return Some(Answer::Ack(packets));
        }
        let flow = self.flows.entry(packet.flow());
        if let (Some(senders), None) = (&mut self.senders, flow.sender) {
            flow.sender = Some(senders.begin(packet));
        }
        flow.time_packet(packet, now, &self.shared);
        let expected = flow.expected;
        match packet.psn().cmp(&expected) {
            Ordering::Equal => self.on_expected(packet, recorder),
            Ordering::Greater => self.on_out_of_order(packet, now, recorder),
            Ordering::Less => {
                recorder.note_duplicate(packet.flow());
                // A retransmitted duplicate: without a new ACK the sender may wait forever.
                let shared = &*self.shared;
                shared.lossy.then(|| flow.acknowledge_at_once(shared))
            }
        }
    }

    /// The header of a trimmed packet arrives; returns the answer.
    pub(super) fn on_trimmed<const WORDS: usize>(
        &mut self,
        header: &Packet<WORDS>,
        recorder: &mut Recorder,
    ) -> Answer {
        if let Some(&packets) = self.completed.get(&header.flow()) {
            recorder.note_duplicate(header.flow());
            return Answer::Ack(packets);
        }
        let flow = self.flows.entry(header.flow());
        if let (Some(senders), None) = (&mut self.senders, flow.sender) {
            flow.sender = Some(senders.begin(header));
        }
        if !flow.has(header.psn()) {
            return Answer::Nack(header.psn());
        }
        recorder.note_duplicate(header.flow());
        flow.acknowledge_at_once(&self.shared)
    }

    /// A probe arrives; returns the answer. A probe does not count as a packet of its flow.
    pub(super) fn on_probe<const WORDS: usize>(&mut self, probe: &Packet<WORDS>) -> Answer {
        self.sack_from = SackStart::Window;
        let known = self.flows.peek(probe.flow()).map(|flow| flow.expected);
        let completed = || self.completed.get(&probe.flow()).copied();
        Answer::Ack(known.or_else(completed).unwrap_or_default())
    }

    /// A flow in progress without out-of-order packets in its reorder buffer.
    #[inline(always)]
    pub(super) fn without_gap(&mut self, flow: u32) -> Option<&mut ReceivedFlow> {
        let (_, flow) = self.flows.find(flow)?;
        let buffer = flow.reorder.as_ref();
        buffer
            .is_none_or(|buffer| buffer.is_empty())
            .then_some(flow)
    }

    /// Whether the last packet of a flow has arrived before some earlier packet.
    pub(super) fn has_last_of(&self, flow: u32) -> bool {
        let buffer = self.flows.peek(flow).and_then(|flow| flow.reorder.as_ref());
        buffer.is_some_and(|buffer| buffer.has_last())
    }

    /// The expected packet has arrived: delivers it, and all packets that waited for it.
    fn on_expected<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        recorder: &mut Recorder,
    ) -> Option<Answer> {
        let flow = self.flows.entry(packet.flow());
        if let Some(distance) = flow.end_wait() {
            recorder.arrival_orders.distances.add(distance.into(), 1);
        }
        let is_due = flow.accept(packet, &self.shared);
        let released = flow.release(&self.shared);
        self.waiting -= released.payload;
        let fills_gap = match self.shared.acks_early_at_once {
            true => released.packets > 0,
            false => flow.fills_last_gap(),
        };
        let expected = flow.expected;
        self.sack_from = SackStart::of(packet, Novelty::New, &self.shared);
        recorder.delivered += self.shared.payload_of(packet) + released.payload;
        if packet.kind() == Kind::LastData || released.completes_flow {
            self.note_latency(packet.flow(), recorder);
            self.complete(packet.flow(), expected, recorder);
        }
        (is_due || fills_gap).then_some(Answer::Ack(expected))
    }

    /// All packets of a flow have arrived: records the longest latency, if latencies are measured.
    pub(super) fn note_latency(&mut self, flow: u32, recorder: &mut Recorder) {
        if self.shared.measures_packet_latency {
            recorder.packet_latencies.push(PacketLatency {
                flow: FlowId(flow),
                longest: self.flows.entry(flow).longest_latency,
            });
        }
    }

    /// An earlier packet is missing: selective repeat keeps this one, go-back-N drops it.
    fn on_out_of_order<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> Option<Answer> {
        let shared = &*self.shared;
        let flow = self.flows.entry(packet.flow());
        let expected = flow.expected;
        if shared.numbered {
            let is_last = packet.kind() == Kind::LastData;
            let payload = shared.payload_of(packet);
            let buffer = flow.reorder.get_or_insert_default();
            let distance = buffer.keep(packet.psn(), payload, is_last);
            if distance.is_none() {
                recorder.note_duplicate(packet.flow());
            }
            if let Some(distance) = distance {
                self.waiting += payload;
                let orders = &mut recorder.arrival_orders;
                orders.wait(self.waiting, NodeId(packet.destination()));
                orders.distances.add(distance.into(), (distance > 0).into());
                self.sack_from = SackStart::of(packet, Novelty::New, shared);
                if !flow.accept_early(packet, shared) {
                    return None;
                }
            }
            return Some(flow.acknowledge_at_once(shared));
        }
        let interval = shared.config.recovery.nack_interval;
        let asks = flow.nacks.asks_for(expected, now, interval);
        asks.then_some(Answer::Nack(expected))
    }

    /// The CNP that answers a data packet, if one is due.
    pub(super) fn cnp_for<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> Option<Packet<WORDS>> {
        let shared = &*self.shared;
        let answers = shared.sends_cnps && packet.marked() && packet.wants_cnps();
        if !answers || self.completed.contains_key(&packet.flow()) {
            return None;
        }
        let is_due = match &mut self.senders {
            None => {
                let flow = self.flows.entry(packet.flow());
                flow.cnps.answers_mark(now, shared.config.cnp)
            }
            Some(senders) => senders.answers_mark(packet, now, shared.config.cnp),
        };
        if !is_due {
            return None;
        }
        let mut cnp = *packet;
        cnp.words = [0; WORDS];
        cnp.become_reply(Kind::Cnp, shared.cnp_size);
        Some(cnp)
    }

    /// Turns a data packet into its answer. INT, timestamp and mark are echoed unchanged.
    #[inline]
    pub(super) fn answer<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        answer: Answer,
    ) {
        let (kind, expected) = match answer {
            Answer::Ack(expected) => (Kind::Ack, expected),
            Answer::Nack(expected) => (Kind::Nack, expected),
        };
        packet.become_reply(kind, self.shared.ack_size);
        packet.set_psn(expected);
        if self.shared.counts_received {
            let flow = self.flows.find(packet.flow());
            let arrivals = flow.and_then(|(_, flow)| flow.arrivals.as_ref());
            packet.set_received_bytes(arrivals.map_or(0, |arrivals| arrivals.received));
        }
        if self.shared.int_on_acks {
            self.begin_int(packet);
        }
    }

    /// Writes the bitmap of early packets into the answer to packet `psn`, in runs whose ACKs have
    /// one. It has 64 packets and starts where `sack_from` says.
    #[inline]
    pub(super) fn name_early<const WORDS: usize>(&mut self, answer: &mut Packet<WORDS>, psn: u32) {
        if !self.shared.names_early {
            return;
        }
        let expected = answer.psn();
        let base = match std::mem::take(&mut self.sack_from) {
            SackStart::Window => psn.saturating_sub(63).max(expected + 1),
            SackStart::Packet => psn,
        };
        let flow = self.flows.find(answer.flow());
        let buffer = flow.and_then(|(_, flow)| flow.reorder.as_ref());
        if let Some(buffer) = buffer.filter(|buffer| !buffer.is_empty()) {
            answer.set_early_packets(base, buffer.sack(base).bits);
        }
    }

    /// Writes the number of flows in progress at this host into an ACK that collects INT itself.
    /// Where feedback is per sender, the number of senders. At least 1; a flow that has just
    /// completed does not count.
    #[inline]
    pub(super) fn begin_int<const WORDS: usize>(&self, packet: &mut Packet<WORDS>) {
        let flows = match &self.senders {
            None => self.flows.len(),
            Some(senders) => senders.len(),
        };
        let flows = u16::try_from(flows).unwrap_or(u16::MAX);
        packet.set_receiver_flows(flows.max(1));
        packet.reset_hops();
    }

    /// Closes a flow. In a lossy network its packet count is kept, so that late duplicates get the
    /// final ACK and do not open a new entry.
    pub(super) fn complete(&mut self, flow: u32, packets: u32, recorder: &mut Recorder) {
        self.just_received = Some(flow);
        let state = self.flows.remove(flow);
        if self.shared.numbered {
            let order = state.and_then(ReceivedFlow::order);
            let orders = &mut recorder.arrival_orders;
            orders.end_flow(FlowId(flow), packets, order);
        }
        let sender = state.and_then(|flow| flow.sender);
        if let (Some(senders), Some(sender)) = (&mut self.senders, sender) {
            senders.end(sender);
        }
        if self.shared.lossy {
            self.completed.insert(flow, packets);
        }
    }

    /// Adds the arrival orders of flows that are not complete.
    pub(super) fn add_open(&self, orders: &mut ArrivalOrders) {
        for (flow, state) in self.flows.iter() {
            let order = state.order();
            let received = order.map_or(state.expected, |order| order.received);
            orders.end_flow(FlowId(flow), received, order);
        }
    }
}

#[cfg(test)]
mod tests;
