//! QPs: the sender's state of each flow.

use incast_cc::{Ack, FlowController, Loss, LossKind, Needs, SendLimit};
use incast_units::{Bytes, Rate, Time};

use crate::measure::{FlowSample, ProbeSample, Tick};
use crate::packet::Kind;
use crate::{Clock, Flow};

use super::flow_table::FlowTable;
use super::selective::{News, Selective};

/// One flow, at its sender.
pub(crate) struct Qp {
    pub(crate) flow: Flow,
    pub(crate) controller: Box<dyn FlowController>,
    /// What the controller allows.
    pub(crate) limit: SendLimit,
    /// Whether the controller needs neither calls for sent packets nor timers.
    pub(crate) is_ack_only: bool,
    /// Whether a change of the rate reschedules the packet that is paced already.
    pub(crate) reschedules_pending: bool,
    /// Whether the controller has heard an ACK.
    has_heard_ack: bool,
    /// Whether a new limit may wake the linear scan early. In the artifact the function that
    /// changes a rate does so, even if the rate stays as it is; it is called from a flow's second
    /// ACK on, because the INT of the first is only stored (`rdma-hw.cc`, `UpdateRateHp`).
    pub(crate) wakes_scan: bool,
    /// Packets of the flow.
    pub(crate) packets: u32,
    /// Number of the packet to send next.
    pub(crate) next: u32,
    /// Sequence number of its first byte.
    pub(crate) next_byte: u64,
    /// Packets before this one are acknowledged.
    pub(crate) acked: u32,
    /// Sequence number of its first byte.
    pub(crate) acked_byte: u64,
    /// Packets before this one had been sent when the flow went back last.
    sent: u32,
    /// Earliest time of the next packet.
    pub(crate) next_turn: Time,
    /// What the gap was worked out for last, the bytes of the last packet on the wire and a rate,
    /// and the result.
    gap_of: (u64, Rate),
    gap: Time,
    /// Packets from one ACK to the next, if none asks for one earlier.
    ack_every: u32,
    /// The last packet that asked for an ACK comes before this one.
    asked: u32,
    /// Without progress until then, the flow goes back; set while packets are in flight.
    pub(crate) deadline: Time,
    /// Timeouts in a row.
    pub(crate) timeouts: u32,
    /// Earliest entry of this QP among the timers.
    pub(crate) timer: Time,
    pub(crate) retransmitted: u32,
    /// With selective repeat: what is on its way, and what is to be sent again.
    pub(crate) selective: Option<Box<Selective>>,
    /// Bytes acknowledged at the last sample.
    sampled: u64,
}

impl Qp {
    pub(crate) fn new(
        flow: Flow,
        controller: Box<dyn FlowController>,
        needs: &Needs,
        packets: u32,
        ack_every: u32,
        now: Time,
    ) -> Self {
        Self {
            flow,
            limit: controller.limit(),
            is_ack_only: !needs.sent_packets && !needs.timers,
            reschedules_pending: needs.reschedules_pending,
            has_heard_ack: false,
            wakes_scan: false,
            controller,
            packets,
            next: 0,
            next_byte: 0,
            acked: 0,
            acked_byte: 0,
            sent: 0,
            next_turn: now,
            gap_of: (0, Rate::default()),
            gap: Time::ZERO,
            ack_every,
            asked: 0,
            deadline: Time::MAX,
            timeouts: 0,
            timer: Time::MAX,
            retransmitted: 0,
            selective: None,
            sampled: 0,
        }
    }

    /// The controller hears an ACK and sets the limit.
    #[inline(always)]
    pub(crate) fn answer_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.controller.answer_ack(now, ack, &mut self.limit);
        self.count_ack();
    }

    /// The controller hears an ACK, and is to hear more before it sets the limit.
    pub(crate) fn hear_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.controller.on_ack(now, ack);
        self.count_ack();
    }

    #[inline(always)]
    fn count_ack(&mut self) {
        self.wakes_scan = self.reschedules_pending && self.has_heard_ack;
        self.has_heard_ack = true;
    }

    /// Sequence number of the first byte of packet `number`.
    #[inline]
    pub(crate) fn sequence(&self, number: u32, mtu: u64) -> u64 {
        (u64::from(number) * mtu).min(self.flow.size.as_u64())
    }

    /// Whether everything has been sent (it may have to be sent again).
    #[inline]
    pub(crate) fn all_sent(&self) -> bool {
        self.next == self.packets && self.missing().is_none()
    }

    /// The packet to be sent again first, if any is.
    #[inline]
    fn missing(&self) -> Option<u32> {
        self.selective.as_ref()?.next_missing()
    }

    /// Whether packets are on their way.
    #[inline]
    pub(crate) fn in_flight(&self) -> bool {
        match &self.selective {
            None => self.next > self.acked,
            Some(selective) => !selective.is_idle(),
        }
    }

    #[inline]
    pub(crate) fn finished(&self) -> bool {
        self.acked == self.packets
    }

    /// Whether bytes are left and the window lets the next packet go, pacing aside. The window
    /// counts payload, and a packet may go while less than the window is in flight.
    ///
    /// It may also go if no ACK is to come that could open the window: receivers acknowledge
    /// every so many packets, and the window may have shrunk to fewer after they had left.
    #[inline(always)]
    pub(crate) fn window_open(&self) -> bool {
        match &self.selective {
            None => self.window_open_in_order(),
            Some(selective) => self.window_open_for_some(selective),
        }
    }

    #[inline(always)]
    fn window_open_in_order(&self) -> bool {
        self.next != self.packets && (!self.window_full() || self.awaits_none())
    }

    #[inline]
    fn window_full(&self) -> bool {
        self.next_byte - self.acked_byte >= self.limit.window.as_u64()
    }

    /// Whether no packet in flight is sure to be acknowledged before more are sent.
    #[inline]
    fn awaits_none(&self) -> bool {
        self.asked <= self.acked && self.next - self.acked < self.ack_every
    }

    #[inline(never)]
    fn window_open_for_some(&self, selective: &Selective) -> bool {
        let full = selective.in_flight() >= self.limit.window.as_u64();
        !self.all_sent() && (!full || !selective.awaits_ack(self.ack_every))
    }

    /// When the next packet may go; [`Time::MAX`] if not before something happens. With `IN_ORDER`
    /// nothing is repeated selectively.
    #[inline(always)]
    pub(super) fn turn<const IN_ORDER: bool>(&self) -> Time {
        let open = if IN_ORDER {
            self.window_open_in_order()
        } else {
            self.window_open()
        };
        if open { self.next_turn } else { Time::MAX }
    }

    /// How long the packet that leaves, which has so many bytes on the wire, takes at the rate of
    /// the flow.
    #[inline]
    pub(super) fn gap(&mut self, size: u64, clock: Clock) -> Time {
        self.gap_at(size, self.limit.rate, clock)
    }

    /// Most packets are of one size and most rates are asked for twice: by the packet that they
    /// pace, and when they change.
    #[inline]
    fn gap_at(&mut self, size: u64, rate: Rate, clock: Clock) -> Time {
        let gap_of = (size, rate);
        if self.gap_of != gap_of {
            self.gap_of = gap_of;
            self.gap = clock.transmission_time(Bytes::new(size), rate);
        }
        self.gap
    }

    /// Sends as the controller says from now on; `before` is the rate up to now. The gap after the
    /// last packet may be measured anew.
    #[inline(always)]
    pub(super) fn follow(&mut self, before: Rate, clock: Clock) {
        if self.reschedules_pending && self.limit.rate != before {
            let (last_size, _) = self.gap_of;
            let old = self.gap_at(last_size, before, clock);
            let turn = self.next_turn + self.gap_at(last_size, self.limit.rate, clock);
            self.next_turn = turn.saturating_sub(old);
        }
    }

    /// The next timer, its algorithm's or its own; `Time::MAX` if there is none.
    #[inline]
    pub(super) fn next_timer(&self) -> Time {
        if self.is_ack_only {
            return self.deadline;
        }
        let own = self.controller.next_timer().unwrap_or(Time::MAX);
        own.min(self.deadline)
    }

    /// Whether the next timer comes before its earliest entry among the timers.
    #[inline]
    pub(super) fn wants_timer(&self) -> bool {
        self.next_timer() < self.timer
    }

    /// Counts the next packet as sent, and says which one it is. With `ALL_ACKNOWLEDGED` none needs
    /// to ask for its ACK.
    #[inline(always)]
    pub(crate) fn count_sent<const ALL_ACKNOWLEDGED: bool>(&mut self, mtu: u64) -> Leaving {
        let number = self.next;
        let again = number < self.sent;
        let payload = mtu.min(self.flow.size.as_u64() - self.next_byte);
        self.next = number + 1;
        self.next_byte += payload;
        if again {
            self.retransmitted += 1;
        }
        let kind = if self.next == self.packets {
            Kind::LastData
        } else if !ALL_ACKNOWLEDGED && self.ack_every > 1 && self.window_full() {
            self.asked = self.next;
            Kind::AskingData
        } else {
            Kind::Data
        };
        Leaving {
            number,
            payload,
            kind,
            again,
            order: 0,
        }
    }

    /// All packets before `psn` have arrived; returns the payload bytes that this says for the
    /// first time.
    #[inline(always)]
    pub(crate) fn acknowledge(&mut self, psn: u32, mtu: u64) -> u64 {
        if psn <= self.acked {
            return 0;
        }
        let byte = self.sequence(psn, mtu);
        let newly = byte - self.acked_byte;
        (self.acked, self.acked_byte) = (psn, byte);
        if psn > self.next {
            // It came after the flow had gone back.
            (self.next, self.next_byte) = (psn, byte);
        }
        newly
    }

    /// The same with selective repeat.
    #[inline(never)]
    pub(crate) fn count_transmission(&mut self, mtu: u64) -> Leaving {
        let number = self.missing().unwrap_or(self.next);
        let payload = self.sequence(number + 1, mtu) - self.sequence(number, mtu);
        let again = number < self.next;
        self.retransmitted += u32::from(again);
        self.next = self.next.max(number + 1);
        self.next_byte = self.sequence(self.next, mtu);
        let window = self.limit.window.as_u64();
        let selective = self.selective.as_mut().expect("it repeats selectively");
        let full = selective.in_flight() + payload >= window;
        let asks = self.ack_every > 1 && (again || full);
        let order = selective.send(number, payload, asks);
        let kind = if number + 1 == self.packets {
            Kind::LastData
        } else if asks {
            Kind::AskingData
        } else {
            Kind::Data
        };
        Leaving {
            number,
            payload,
            kind,
            again,
            order,
        }
    }

    /// The same as [`Qp::acknowledge`] with selective repeat, where the ACK answers the
    /// transmission `order`; says also whether it shows a loss.
    pub(crate) fn acknowledge_one(&mut self, psn: u32, order: u64, mtu: u64) -> News {
        let advance = self.acknowledge(psn, mtu);
        let selective = self.selective.as_mut().expect("it repeats selectively");
        selective.acknowledge(order, self.acked, advance)
    }

    /// No ACK came in time.
    pub(crate) fn time_out(&mut self, now: Time) {
        match &mut self.selective {
            None => self.go_back(),
            Some(selective) => selective.time_out(),
        }
        self.timeouts += 1;
        let loss = Loss {
            kind: LossKind::Timeout,
            resume_at: self.acked_byte,
        };
        self.controller.on_loss(now, &loss);
    }

    /// Go-back-N: everything that is not acknowledged is sent again.
    pub(crate) fn go_back(&mut self) {
        self.sent = self.sent.max(self.next);
        (self.next, self.next_byte) = (self.acked, self.acked_byte);
        self.asked = self.acked;
    }
}

/// A packet that a QP sends now.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Leaving {
    pub(crate) number: u32,
    pub(crate) payload: u64,
    pub(crate) kind: Kind,
    /// Whether it was sent before.
    pub(crate) again: bool,
    /// With selective repeat: which transmission it is.
    pub(crate) order: u64,
}

/// The QPs of one host that have not finished.
#[derive(Default)]
pub(crate) struct QpTable {
    table: FlowTable<Qp>,
}

impl QpTable {
    pub(crate) fn insert(&mut self, qp: Qp) -> u32 {
        self.table.insert(qp.flow.id.0, qp)
    }

    /// Takes out a QP that has finished, and shows it; its slot may be used again at once.
    pub(crate) fn remove(&mut self, slot: u32) -> &Qp {
        let flow = self.table.get_mut(slot).flow.id.0;
        self.table.remove(flow).expect("it was there")
    }

    /// The QP of a flow, and its slot.
    #[inline(always)]
    pub(crate) fn find(&mut self, flow: u32) -> Option<(u32, &mut Qp)> {
        self.table.find(flow)
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&Qp> {
        self.table.get(slot).filter(|qp| !qp.finished())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Qp {
        self.table.get_mut(slot)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Qp> {
        self.table.slots().iter().filter(|qp| !qp.finished())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Keeps what every flow's algorithm shows of its state.
    pub(crate) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        for qp in self.iter() {
            let flow = qp.flow.id;
            qp.controller.probe(&mut |name, value| {
                keep.push(ProbeSample {
                    time,
                    flow,
                    name,
                    value,
                });
            });
        }
    }

    /// Adds every flow to the totals of a sampling time, and keeps its state if asked.
    pub(crate) fn sample(
        &mut self,
        time: Time,
        interval: Time,
        tick: &mut Tick,
        mut keep: Option<&mut Vec<FlowSample>>,
    ) {
        let qps = self.table.slots_mut().iter_mut();
        for qp in qps.filter(|qp| !qp.finished()) {
            let acked = qp.acked_byte;
            let newly = acked - std::mem::replace(&mut qp.sampled, acked);
            tick.alive += 1;
            if qp.flow.start + interval <= time {
                tick.whole += 1;
                tick.acked_sum += newly;
                tick.acked_square_sum += u128::from(newly) * u128::from(newly);
            }
            if let Some(samples) = keep.as_deref_mut() {
                samples.push(FlowSample {
                    time,
                    flow: qp.flow.id,
                    rate: qp.limit.rate,
                    window: qp.limit.window,
                    sent: Bytes::new(qp.next_byte),
                    acked: Bytes::new(acked),
                });
            }
        }
    }
}
