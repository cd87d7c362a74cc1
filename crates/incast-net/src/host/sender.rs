//! The sending end of flows: QPs are created, send, learn, recover and complete.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_cc::{Ack, Cnp, Loss, LossKind, Pacing, SendLimit, Sent, Telemetry};
use incast_units::{Bytes, FlowId, Time};

use crate::context::NetContext;
use crate::packet::{Class, Kind, Packet};
use crate::record::PacketEvent;
use crate::{Fault, FlowRecord, IntCollection};

use super::qp::Qp;
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
                context.set_alarm(START, flow.start);
                break;
            }
            self.starts.pop_front();
            self.start_flow(flow, context);
            if !self.punctual::<C>() {
                self.act(context.now() + Time::from_ps(1), context);
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
        self.qps.mtu = self.shared.mtu;
        let controller = self.controllers.create(&flow);
        let ack_every = self.shared.config.ack_every;
        let mut qp = Qp::new(flow, controller, packets, ack_every, context.now());
        if self.shared.numbered {
            qp.selective = Some(Box::default());
        }
        let slot = self.qps.insert(qp);
        self.scheduler.add(slot);
        let now = context.now();
        self.set_timer(slot, now, context);
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
        let qp = self.qps.get_mut(slot);
        let (number, mtu) = (qp.next_number(), self.shared.mtu);
        let payload = qp.sequence(number + 1, mtu) - qp.sequence(number, mtu);
        let size = payload + self.shared.data_overhead;
        let (kind, retransmission, order) = if self.shared.numbered {
            qp.count_transmission(payload)
        } else {
            let (kind, again) = qp.count_sent(mtu);
            (kind, again, 0)
        };
        let mut packet = Packet::new(kind, size as u16);
        if self.shared.numbered {
            packet.set_order(order);
        }
        packet.flow = qp.flow.id.0;
        packet.psn = number;
        packet.source = self.number;
        packet.destination = qp.flow.destination.0 as u16;
        packet.source_port = qp.flow.source_port;
        if self.shared.stamped {
            packet.set_timestamp(now);
        }
        qp.last_size = size;
        context.note(PacketEvent::Send, 0, &packet, || bytes(&self.acks));
        self.link.start(0, &mut packet, Class::Data, now, context);
        if !qp.aloof {
            let sent = Sent {
                payload: Bytes::new(payload),
                wire: Bytes::new(size),
                next_to_send: qp.sequence(qp.next, mtu),
                retransmission,
            };
            qp.controller.on_sent(now, &sent);
            qp.limit = qp.controller.limit();
        }
        let gap = qp.gap(qp.limit.rate, self.clock);
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
        if let Some(timeout) = self.shared.config.recovery.timeout
            && qp.deadline == Time::MAX
        {
            qp.deadline = now + timeout * (1 << qp.timeouts.min(MOST_DOUBLINGS));
            self.set_timer(slot, now, context);
        }
        self.update_turn(slot, now);
    }

    #[inline]
    pub(super) fn on_ack<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        // A QP may be gone before the last ACK of a packet that was sent twice.
        let Some(slot) = self.qps.slot_of(packet.flow) else {
            return;
        };
        let (now, mtu) = (context.now(), self.shared.mtu);
        let qp = self.qps.get_mut(slot);
        if self.shared.counts_round_trips {
            let rtt = now - packet.timestamp();
            context.local().round_trip(qp.flow.tag, rtt);
        }
        let (newly_acked, lost) = if self.shared.numbered {
            let news = qp.acknowledge_one(packet.psn, packet.order(), mtu);
            (news.arrived, news.lost)
        } else {
            (qp.acknowledge(packet.psn, mtu), packet.kind() == Kind::Nack)
        };
        self.acked += newly_acked;
        if newly_acked > 0 {
            qp.timeouts = 0;
            let timeout = self.shared.config.recovery.timeout;
            let timeout = timeout.filter(|_| qp.in_flight());
            qp.deadline = timeout.map_or(Time::MAX, |timeout| now + timeout);
        }
        let finished = qp.finished();
        // The artifact lets even the last ACK change the rate, and so wakes its scan.
        if !finished || self.scans {
            self.learn(slot, newly_acked, lost, packet, context);
        }
        if finished {
            self.complete(slot, context);
        }
        self.send(context);
    }

    /// Tells the algorithm what an ACK or NACK says, and whether it shows a loss.
    #[inline(always)]
    fn learn<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        newly_acked: u64,
        lost: bool,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) {
        let (now, mtu, config) = (context.now(), self.shared.mtu, &self.shared.config);
        let telemetry = if config.int == IntCollection::Off {
            Telemetry::NONE
        } else {
            let layout = &self.shared.layout;
            let words = packet.hops() * layout.words_per_hop();
            Telemetry::new(&packet.words[..words], layout)
        };
        let qp = self.qps.get_mut(slot);
        let resume_at = qp.sequence(qp.acked, mtu);
        if lost && qp.selective.is_none() {
            qp.go_back();
        }
        let ack = Ack {
            newly_acked: Bytes::new(newly_acked),
            next_expected: resume_at,
            next_to_send: qp.sequence(qp.next, mtu),
            flow_size: qp.flow.size,
            marked: packet.marked(),
            round_trip: config.timestamps.then(|| now - packet.timestamp()),
            switch_hops: packet.hops() as u8,
            telemetry,
            receiver_flows: self.shared.int_on_acks.then(|| packet.receiver_flows()),
        };
        let mut limit = qp.controller.answer_ack(now, &ack);
        if lost {
            let kind = LossKind::Nack;
            qp.controller.on_loss(now, &Loss { kind, resume_at });
            limit = qp.controller.limit();
        }
        self.follow(slot, limit, now, context);
    }

    pub(super) fn on_cnp<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let Some(slot) = self.qps.slot_of(packet.flow) else {
            return;
        };
        let (rate, congestion_point) = packet.asked_rate().unzip();
        let cnp = Cnp {
            rate,
            congestion_point,
        };
        self.qps
            .get_mut(slot)
            .controller
            .on_cnp(context.now(), &cnp);
        self.refresh(slot, context.now(), context);
        self.send(context);
    }

    /// Asks the algorithm for its limit again, after telling it something.
    fn refresh<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let limit = self.qps.get_mut(slot).controller.limit();
        self.follow(slot, limit, now, context);
    }

    /// Does what the algorithm says from now on.
    #[inline(always)]
    fn follow<C: NetContext<WORDS>>(
        &mut self,
        slot: u32,
        limit: SendLimit,
        now: Time,
        context: &mut C,
    ) {
        let qp = self.qps.get_mut(slot);
        if limit.retimes_pending {
            qp.retime(limit.rate, self.clock);
        }
        qp.limit = limit;
        if self.scans && limit.retimes_pending {
            wake_early(qp.next_turn, context);
        }
        let turn = qp.turn(self.shared.mtu, now);
        if qp.wants_timer() {
            self.set_timer(slot, now, context);
        }
        self.scheduler.set_turn(slot, turn);
    }

    /// Tells the scheduler when a QP may send.
    #[inline(always)]
    fn update_turn(&mut self, slot: u32, now: Time) {
        let turn = self.qps.get_mut(slot).turn(self.shared.mtu, now);
        self.scheduler.set_turn(slot, turn);
    }

    /// The last byte is acknowledged.
    fn complete<C: NetContext<WORDS>>(&mut self, slot: u32, context: &mut C) {
        let qp = self.qps.remove(slot);
        self.scheduler.remove(slot);
        if self.qps.is_empty() {
            self.timers.clear();
            context.clear_alarm(TIMER);
        }
        let finish = context.now();
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
    }

    /// Enters the QP's next timer, unless an earlier one is set.
    fn set_timer<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let qp = self.qps.get_mut(slot);
        if !qp.wants_timer() {
            return;
        }
        let wanted = self.clock.round_up(qp.next_timer().max(now));
        qp.timer = wanted;
        self.timers.push(Reverse((wanted, slot, qp.flow.id)));
        if self.punctual::<C>() && context.alarm(TIMER).is_none_or(|set| wanted < set) {
            context.set_alarm(TIMER, wanted);
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
            Some(time) if self.punctual::<C>() && context.alarm(TIMER) != next => {
                context.set_alarm(TIMER, time);
            }
            _ => {}
        }
        self.send(context);
    }

    fn on_timer<C: NetContext<WORDS>>(&mut self, slot: u32, now: Time, context: &mut C) {
        let mtu = self.shared.mtu;
        let qp = self.qps.get_mut(slot);
        qp.timer = Time::MAX;
        if qp.controller.next_timer().is_some_and(|at| at <= now) {
            qp.controller.on_timer(now);
        }
        if qp.deadline <= now {
            // The next packet sets it anew. If none is in flight, none is missing.
            qp.deadline = Time::MAX;
            if qp.in_flight() {
                qp.time_out(now, mtu);
            }
        }
        self.refresh(slot, now, context);
    }
}

/// Lets a linear scan that sleeps wake for a QP whose turn comes earlier.
fn wake_early<C: incast_engine::Context>(turn: Time, context: &mut C) {
    if context.alarm(WAKE).is_some_and(|wake| turn < wake) {
        context.set_alarm(WAKE, turn.max(context.now()));
    }
}
