//! The sending end of flows: QPs are created, send, learn, recover and complete.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_cc::{Ack, Cnp, Loss, LossKind, Pacing, Sent};
use incast_signals::int::Telemetry;
use incast_units::{Bytes, FlowId, Time};

use crate::context::NetContext;
use crate::measure::PacketEvent;
use crate::packet::{Class, Kind, Packet};
use crate::shared::Shared;
use crate::{Fault, FlowRecord};

use super::qp::Qp;
use super::selective::News;
use super::{Host, START, TIMER, WAKE, bytes};

/// Timers of all QPs of a host: (time, slot, flow). An entry may be out of date; the QP knows.
pub(super) type Timers = BinaryHeap<Reverse<(Time, u32, FlowId)>>;

/// Timeouts in a row double the timeout up to 2⁶ = 64 times.
const MOST_DOUBLINGS: u32 = 6;
/// With exponential gaps so many mean gaps are made good that passed while the link was busy.
const TURNS_MADE_GOOD: u64 = 64;

impl<const WORDS: usize> Host<'_, WORDS> {
    /// Creates the QPs of all flows that start now.
    pub(super) fn start_flows<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        while let Some(flow) = self.starts.front().copied() {
            if flow.start > context.now() {
                context.set_timer(START, flow.start);
                break;
            }
            self.starts.pop_front();
            self.start_flow(flow, context);
            if !self.punctual::<C>() {
                self.live(context.now() + Time::from_ps(1), context);
            }
        }
    }

    fn start_flow<C: NetContext<WORDS>>(&mut self, flow: crate::Flow, context: &mut C) {
        let packets = flow.size.as_u64().div_ceil(self.shared.mtu).max(1);
        let Ok(packets) = u32::try_from(packets) else {
            let (now, node) = (context.now(), incast_units::NodeId(self.number.into()));
            let fault = Fault::FlowTooLarge { flow: flow.id };
            return context.local().fail(now, node, fault);
        };
        let controller = self.controllers.create(&flow);
        let ack_every = self.shared.config.ack_every;
        let needs = self.controllers.needs();
        let mut qp = Qp::new(flow, controller, &needs, packets, ack_every, context.now());
        if self.shared.numbered {
            qp.selective = Some(Box::default());
        }
        let slot = self.qps.insert(qp);
        self.scheduler.add(slot);
        let now = context.now();
        self.set_qp_timer(slot, now, context);
        self.update_turn(slot, now);
        self.send(context);
    }

    /// Sends the next packet of a QP whose turn it is.
    #[inline(always)]
    pub(super) fn send_packet_of<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        now: Time,
        context: &mut C,
    ) {
        if self.plain {
            self.send_one_of::<true, C>(slot, now, context);
        } else {
            self.send_one_of::<false, C>(slot, now, context);
        }
    }

    #[inline(always)]
    fn send_one_of<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        now: Time,
        context: &mut C,
    ) {
        let shared = self.shared;
        let qp = self.qps.get_mut(slot);
        let leaving = if !PLAIN && shared.numbered {
            qp.count_transmission(shared.mtu)
        } else {
            qp.count_sent::<PLAIN>(shared.mtu)
        };
        let size = leaving.payload + shared.data_overhead;
        let packet = &mut self.leaving;
        packet.renew(leaving.kind, size as u16);
        if !PLAIN && shared.numbered {
            packet.set_order(leaving.order);
        }
        packet.flow = qp.flow.id.0;
        packet.psn = leaving.number;
        packet.destination = qp.flow.destination.0 as u16;
        packet.source_port = qp.flow.source_port;
        if !PLAIN && shared.stamped {
            packet.set_timestamp(now);
        }
        if !qp.is_ack_only {
            let sent = Sent {
                payload: Bytes::new(leaving.payload),
                wire: Bytes::new(size),
                next_to_send: qp.next_byte,
                retransmission: leaving.again,
            };
            qp.controller.on_sent(now, &sent);
            qp.limit = qp.controller.limit();
        }
        let gap = qp.gap(size, self.clock);
        qp.next_turn = match qp.limit.pacing {
            Pacing::Regular => now + gap,
            // A Poisson process: from turn to turn, not from packet to packet, or a link that is
            // busy when a turn comes would slow the flow down.
            Pacing::Exponential => {
                let drawn = gap.as_ps() as f64 * self.pacing.exponential();
                let late_at_most = now.saturating_sub(gap * TURNS_MADE_GOOD);
                let drawn = self.clock.round_down(Time::from_ps(drawn.round() as u64));
                qp.next_turn.max(late_at_most) + drawn
            }
        };
        let turn = qp.turn::<PLAIN>();
        context.note(PacketEvent::Send, 0, packet, || bytes(&self.acks));
        self.link.start(0, packet, Class::Data, now, context);
        if !PLAIN
            && let Some(timeout) = shared.config.recovery.timeout
            && qp.deadline == Time::MAX
        {
            qp.deadline = now + timeout * (1 << qp.timeouts.min(MOST_DOUBLINGS));
            self.set_qp_timer(slot, now, context);
        }
        self.scheduler.set_turn(slot, turn, now);
    }

    #[inline(always)]
    pub(super) fn on_ack<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) {
        let (now, shared) = (context.now(), self.shared);
        // A QP may be gone before the last ACK of a packet that was sent twice.
        let Some((slot, qp)) = self.qps.find(packet.flow) else {
            return;
        };
        if !PLAIN && shared.counts_round_trips {
            let rtt = now - packet.timestamp();
            context.local().round_trip(qp.flow.tag, rtt);
        }
        let news = if !PLAIN && shared.numbered {
            qp.acknowledge_one(packet.psn, packet.order(), shared.mtu)
        } else {
            News {
                arrived: qp.acknowledge(packet.psn, shared.mtu),
                lost: packet.kind() == Kind::Nack,
            }
        };
        if !PLAIN
            && let Some(timeout) = shared.config.recovery.timeout
            && news.arrived > 0
        {
            qp.timeouts = 0;
            qp.deadline = if qp.in_flight() {
                now + timeout
            } else {
                Time::MAX
            };
        }
        if news.lost || news.arrived == 0 || qp.finished() {
            return self.on_rare_ack(slot, news, packet, context);
        }
        self.acked += news.arrived;
        let ack = ack_of::<PLAIN, WORDS>(packet, qp, news.arrived, shared, self.int_words, now);
        let before = qp.limit.rate;
        qp.answer_ack(now, &ack);
        qp.follow(before, self.clock);
        let turn = qp.turn::<PLAIN>();
        if !(PLAIN && qp.is_ack_only) && (self.scans || qp.wants_timer()) {
            self.attend(slot, now, context);
        }
        self.scheduler.set_turn(slot, turn, now);
        if !PLAIN || C::PUNCTUAL {
            self.send(context);
        }
    }

    /// A loss shows, nothing new arrived in order, or the last byte is acknowledged.
    #[inline(never)]
    fn on_rare_ack<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        news: News,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) {
        let now = context.now();
        self.acked += news.arrived;
        let qp = self.qps.get_mut(slot);
        let finished = qp.finished();
        // The artifact lets even the last ACK change the rate, and so wakes its scan.
        if !finished || self.scans {
            if news.lost && qp.selective.is_none() {
                qp.go_back();
            }
            let (shared, words) = (self.shared, self.int_words);
            let ack = ack_of::<false, WORDS>(packet, qp, news.arrived, shared, words, now);
            qp.hear_ack(now, &ack);
            if news.lost {
                let loss = Loss {
                    kind: LossKind::Nack,
                    resume_at: qp.acked_byte,
                };
                qp.controller.on_loss(now, &loss);
            }
            self.refresh(slot, now, context);
        }
        if finished {
            self.complete(slot, context);
        }
        self.send(context);
    }

    pub(super) fn on_cnp<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let Some((slot, qp)) = self.qps.find(packet.flow) else {
            return;
        };
        let (rate, congestion_point) = packet.asked_rate().unzip();
        let cnp = Cnp {
            rate,
            congestion_point,
        };
        qp.controller.on_cnp(context.now(), &cnp);
        self.refresh(slot, context.now(), context);
        self.send(context);
    }

    /// Asks the algorithm for its limit again, after telling it something.
    fn refresh<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let qp = self.qps.get_mut(slot);
        let before = qp.limit.rate;
        qp.limit = qp.controller.limit();
        qp.follow(before, self.clock);
        self.attend(slot, now, context);
        self.update_turn(slot, now);
    }

    /// Sees to the timers that follow from a new limit.
    #[inline(never)]
    fn attend<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let qp = self.qps.get_mut(slot);
        if self.scans && qp.wakes_scan {
            wake_early(qp.next_turn, context);
        }
        self.set_qp_timer(slot, now, context);
    }

    /// Tells the scheduler when a QP may send.
    fn update_turn(&mut self, slot: u32, now: Time) {
        let turn = self.qps.get_mut(slot).turn::<false>();
        self.scheduler.set_turn(slot, turn, now);
    }

    fn complete<C: NetContext<WORDS>>(&mut self, slot: u32, context: &mut C) {
        let finish = context.now();
        let qp = self.qps.remove(slot);
        context.local().finished.push(FlowRecord {
            id: qp.flow.id,
            source: qp.flow.source,
            destination: qp.flow.destination,
            size: qp.flow.size,
            tag: qp.flow.tag,
            source_port: qp.flow.source_port,
            start: qp.flow.start,
            finish,
            retransmitted: qp.retransmitted,
        });
        self.scheduler.remove(slot);
        if self.qps.is_empty() {
            self.timers.clear();
            context.cancel_timer(TIMER);
        }
    }

    /// Enters the QP's next timer, unless an earlier one is set.
    fn set_qp_timer<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let qp = self.qps.get_mut(slot);
        if !qp.wants_timer() {
            return;
        }
        let wanted = self.clock.round_up(qp.next_timer().max(now));
        qp.timer = wanted;
        self.timers.push(Reverse((wanted, slot, qp.flow.id)));
        self.chores = self.chores.min(wanted);
        if self.punctual::<C>() && context.timer_deadline(TIMER).is_none_or(|set| wanted < set) {
            context.set_timer(TIMER, wanted);
        }
    }

    pub(super) fn on_timers<C: NetContext<WORDS>>(&mut self, now: Time, context: &mut C) {
        while let Some(&Reverse((time, slot, flow))) = self.timers.peek() {
            if time > now {
                break;
            }
            self.timers.pop();
            let current = self
                .qps
                .get(slot)
                .filter(|qp| qp.flow.id == flow && qp.timer == time);
            if current.is_some() {
                self.on_timer(slot, now, context);
            }
        }
        let next = self.timers.peek().map(|&Reverse((time, ..))| time);
        match next {
            Some(time) if self.punctual::<C>() && context.timer_deadline(TIMER) != next => {
                context.set_timer(TIMER, time);
            }
            _ => {}
        }
        self.send(context);
    }

    fn on_timer<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let qp = self.qps.get_mut(slot);
        qp.timer = Time::MAX;
        if qp.controller.next_timer().is_some_and(|at| at <= now) {
            qp.controller.on_timer(now);
        }
        if qp.deadline <= now {
            // The next packet sets it anew. If none is in flight, none is missing.
            qp.deadline = Time::MAX;
            if qp.in_flight() {
                qp.time_out(now);
            }
        }
        self.refresh(slot, now, context);
    }
}

/// What an ACK or NACK says to the algorithm of its QP; each record of INT takes `int_words`.
#[inline(always)]
fn ack_of<'a, const PLAIN: bool, const WORDS: usize>(
    packet: &'a Packet<WORDS>,
    qp: &Qp,
    newly_acked: u64,
    shared: &'a Shared,
    int_words: usize,
    now: Time,
) -> Ack<'a> {
    let words = &packet.words[..packet.hops() * int_words];
    Ack {
        newly_acked: Bytes::new(newly_acked),
        next_expected: qp.acked_byte,
        next_to_send: qp.next_byte,
        flow_size: qp.flow.size,
        marked: packet.marked(),
        round_trip: (!PLAIN && shared.config.timestamps).then(|| now - packet.timestamp()),
        switch_hops: packet.hops() as u8,
        telemetry: Telemetry::new(words, &shared.layout),
        receiver_flows: (!PLAIN && shared.int_on_acks).then(|| packet.receiver_flows()),
    }
}

/// Lets a linear scan that sleeps wake for a QP whose turn comes earlier.
fn wake_early<C: incast_engine::Context>(turn: Time, context: &mut C) {
    if context.timer_deadline(WAKE).is_some_and(|wake| turn < wake) {
        context.set_timer(WAKE, turn.max(context.now()));
    }
}
