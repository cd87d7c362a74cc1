//! The short path: in-order data, and their ACKs except for the last ACK of a flow. All other
//! packets take the general path. The first packet of a flow also takes the general path if the
//! short path is [full](ShortPath::Full). With selective repeat, out-of-order data and their ACKs
//! are handled here like on the general path, without programs, which do not need to know of them.

use incast_cc::AckNews;
use incast_units::Time;

use super::FastHost;
use crate::context::NetContext;
use crate::host::PORT;
use crate::host::dispatch::Outbox as _;
use crate::host::packets::{ack_of, renew_data_packet};
use crate::host::programs::Hears;
use crate::host::receiver::Answer;
use crate::host::sending::QpUpdate;
use crate::shared::Shared;
use crate::transport::AckPolicy;
use crate::wire::{Class, Kind, Packet};

/// The packets of a host that may take the short path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ShortPath {
    /// None.
    Closed,
    /// In-order packets. Each packet has its own ACK, only its round trip may be measured, and lost
    /// packets are not retransmitted alone.
    Plain,
    /// In-order packets that may be retransmitted, share an ACK, be measured, change paths, or be
    /// limited by sequence number.
    Full,
}

impl ShortPath {
    /// The short path of a host whose programs need these events.
    pub(super) fn of(shared: &Shared, hears: Hears) -> Self {
        let repeats = shared.lossy || shared.numbered;
        let measures = shared.measures_packet_latency || shared.measures_int_age.is_some();
        let is_full = repeats
            || measures
            || shared.limits_sequence
            || shared.counts_received
            || !shared.keeps_paths
            || shared.times_links
            || shared.config.acks != AckPolicy::Packets(1);
        let is_open = shared.has_short_path && !hears.acks && !hears.data;
        match (is_open, is_full) {
            (false, _) => Self::Closed,
            (true, false) => Self::Plain,
            (true, true) => Self::Full,
        }
    }
}

impl<const WORDS: usize> FastHost<'_, WORDS> {
    /// Handles an arrival if a short path is open: [plain](ShortPath::Plain), or full if `FULL`.
    #[inline(always)]
    pub(super) fn on_arrival_by_short_path<const FULL: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if packet.has_payload() {
            self.on_data_in_order::<FULL, C>(packet, context);
        } else if packet.is(Kind::Ack) {
            self.on_ack_in_order::<FULL, C>(packet, context);
        } else {
            self.on_any_packet(packet, context);
        }
    }

    // Not inlined, so that the plain path of all other hosts stays short.

    #[inline(never)]
    pub(super) fn on_arrival_by_full_path<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.on_arrival_by_short_path::<true, C>(packet, context);
    }

    #[inline(never)]
    pub(super) fn send_by_full_path<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        at: Time,
        context: &mut C,
    ) {
        self.send_in_order::<true, false, C>(slot, at, context);
    }

    /// Sends a packet of a host whose programs need every sent packet.
    #[inline(never)]
    pub(super) fn send_heard<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        at: Time,
        context: &mut C,
    ) {
        self.send_in_order::<true, true, C>(slot, at, context);
        if self.host.next_due() <= at {
            self.follow_programs(at, context);
        }
        self.note_timers();
    }

    #[inline(always)]
    fn on_data_in_order<const FULL: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let receiver = &mut self.host.receiver;
        let flow = match FULL {
            true => receiver.without_gap(packet.flow()),
            false => Some(receiver.flows.entry(packet.flow())),
        };
        let Some(flow) = flow.filter(|flow| flow.expected == packet.psn()) else {
            return self.on_other_data::<FULL, C>(packet, context);
        };
        let is_due = if FULL {
            flow.time_packet(packet, context.now(), &self.shared);
            flow.accept(packet, &self.shared)
        } else {
            flow.expected += 1;
            true
        };
        let expected = flow.expected;
        if packet.marked() && self.shared.sends_cnps {
            self.send_cnp(packet, context);
        }
        context.local().delivered += self.shared.payload_of(packet);
        if packet.is(Kind::LastData) {
            self.complete_received(packet.flow(), expected, context);
        }
        if is_due {
            self.host.receiver.answer(packet, Answer::Ack(expected));
            self.commit_control(packet, context);
        }
    }

    /// Handles data that are out of order, or first in their flow.
    #[inline(always)]
    fn on_other_data<const FULL: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if !FULL || !self.shared.numbered || self.shared.sends_cnps {
            return self.on_any_packet(packet, context);
        }
        let (now, psn) = (context.now(), packet.psn());
        let receiver = &mut self.host.receiver;
        if let Some(answer) = receiver.on_data(packet, now, context.local()) {
            receiver.answer(packet, answer);
            receiver.name_early(packet, psn);
            self.commit_control(packet, context);
        }
        if self.host.receiver.just_received.is_some() {
            self.host.on_flow_received(context);
        }
    }

    #[inline(never)]
    fn complete_received<C: NetContext<WORDS>>(
        &mut self,
        flow: u32,
        packets: u32,
        context: &mut C,
    ) {
        let receiver = &mut self.host.receiver;
        receiver.note_latency(flow, context.local());
        receiver.complete(flow, packets, context.local());
        self.host.on_flow_received(context);
    }

    #[inline(always)]
    fn on_ack_in_order<const FULL: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let (now, shared) = (context.now(), &*self.shared);
        let sender = &mut self.host.sender;
        let Some((slot, qp)) = sender.own.qps.find(packet.flow()) else {
            return;
        };
        let transfer = &mut qp.transfer;
        let sequence = &transfer.sequence;
        if packet.psn() <= sequence.acked || packet.psn() == sequence.packets {
            return match FULL && packet.psn() < sequence.packets && shared.numbered {
                true => self.on_numbered_ack(packet, context),
                false => self.on_any_packet(packet, context),
            };
        }
        if FULL && (shared.counts_received || !transfer.acknowledge_transmission(packet)) {
            return self.on_numbered_ack(packet, context);
        }
        let newly_acked = transfer.acknowledge_before(packet.psn(), shared.mtu);
        transfer.count_mark(packet);
        if FULL {
            transfer.report_path(packet, now);
            let in_flight = transfer.has_in_flight();
            transfer.retransmission.on_progress(now, in_flight);
        }
        sender
            .base
            .since_sample
            .acknowledge(slot, &mut transfer.samples, newly_acked);
        let (progress, words) = (transfer.progress(), self.words_per_record);
        let mut round_trip = None;
        if self.stamps {
            let time = now - packet.timestamp();
            if now >= shared.round_trips_from {
                context.local().round_trip(transfer.flow.tag, time);
            }
            round_trip = shared.config.timestamps.then_some(time);
        }
        let told = (newly_acked, AckNews::default());
        let ack = ack_of(packet, progress, told, shared, words, round_trip);
        if FULL && let Some(order) = shared.measures_int_age {
            context.local().int_ages(ack.telemetry, order, now);
        }
        qp.on_ack(now, &ack, sender.base.clock);
        let next_send = qp.next_send_if(FULL);
        let may_need_timer = FULL || !qp.congestion.is_ack_only;
        if may_need_timer && qp.needs_earlier_timer() {
            self.schedule_timer(slot, now);
        }
        let scheduler = &mut self.host.nic.scheduler;
        scheduler.set_next_send(slot, next_send, now);
        self.host.note_next_send(slot, next_send, now);
    }

    /// Handles an ACK that may name any packets, and is not the last ACK of its flow.
    #[inline(never)]
    fn on_numbered_ack<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let now = context.now();
        let (base, own) = (&mut self.host.sender.base, &mut self.host.sender.own);
        if let QpUpdate::Updated(slot) = own.on_ack(base, packet, now, context.local()) {
            let next_send = own.next_send(slot);
            self.host.nic.scheduler.set_next_send(slot, next_send, now);
            self.host.note_next_send(slot, next_send, now);
            self.note_timers();
        }
    }

    #[inline(never)]
    fn schedule_timer(&mut self, slot: u32, now: Time) {
        let sender = &mut self.host.sender;
        sender.own.schedule_timer(slot, now, sender.base.clock);
        self.note_timers();
    }

    /// Sends the next packet of a QP. `HEARD`: programs need it, and may write into it.
    #[inline(always)]
    pub(super) fn send_in_order<const FULL: bool, const HEARD: bool, C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        at: Time,
        context: &mut C,
    ) {
        let shared = &*self.shared;
        let sender = &mut self.host.sender;
        let qp = sender.own.qps.get_mut(slot);
        let segment = match FULL {
            true => qp.send_next(at),
            false => qp.transfer.send_in_order(shared.mtu, qp.window()),
        };
        let size = segment.payload + shared.data_overhead;
        let packet = &mut self.template;
        if HEARD {
            packet.words = [0; WORDS];
        }
        renew_data_packet(packet, &qp.transfer, &segment, size);
        if self.stamps {
            packet.set_timestamp(at);
        }
        if FULL && shared.times_links {
            packet.set_time_on_links(Time::ZERO);
        }
        let mut needs_timer = qp.report_sent(&segment, size, at);
        if FULL {
            qp.transfer.choose_path(packet, &segment, shared.mtu, at);
            if shared.numbered {
                packet.set_transmission_number(segment.transmission);
            }
            needs_timer |= qp.transfer.retransmission.start(at);
        }
        let (limit, clock) = (&qp.congestion.limit, sender.base.clock);
        qp.pacer.pace(at, size, limit, clock, &mut sender.base.gaps);
        let next_send = qp.next_send_if(FULL);
        if HEARD {
            self.host.tell_of_sent(slot, packet, at);
        }
        let link = &mut self.host.nic.link;
        link.start(PORT, packet, Class::Data, at, context);
        let packet = &self.template;
        self.host.note_sent(slot, packet, at, next_send);
        let scheduler = &mut self.host.nic.scheduler;
        scheduler.set_next_send(slot, next_send, at);
        if needs_timer {
            self.schedule_timer(slot, at);
        }
    }
}
