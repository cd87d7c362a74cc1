//! A port of a switch, its outgoing direction: queues, marking, and what it tells of itself.

use incast_signals::MarkingPoint;
use incast_units::{Rate, Time};

use crate::context::NetContext;
use crate::ecn::{Marker, MarkingRandomStream};
use crate::fifo::Fifo;
use crate::measure::PacketEvent;
use crate::packet::{Class, Packet};
use crate::programs::IntOnData;
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use incast_signals::int::{PortSnapshot, RateCode};

/// A port, its outgoing direction.
#[derive(Debug)]
pub(crate) struct Port<const WORDS: usize> {
    pub(crate) link: Transmitter,
    /// Packets in all three queues.
    pub(super) waiting: u32,
    pub(super) frames: Fifo<Packet<WORDS>>,
    pub(super) control: Fifo<Packet<WORDS>>,
    pub(super) data: Fifo<Packet<WORDS>>,
    /// Bytes in `data`.
    pub(super) data_bytes: u64,
    /// Bytes in all queues.
    pub(super) bytes: u64,
    /// Control packets that are on their way already although the link was not free when they
    /// came: when each begins to leave, and its size.
    booked: Fifo<(Time, u32)>,
    /// Bytes of them that had not begun to leave when somebody last looked.
    booked_bytes: u64,
    marker: Option<Marker>,
    rate: RateCode,
    /// Whether the switch knows that packets wait here.
    pub(super) listed: bool,
    /// Whether the switch knows that samples of it tell something.
    pub(super) stirred: bool,
    /// Whether every sample of its queue is kept.
    pub(super) recorded: bool,
}

impl<const WORDS: usize> Port<WORDS> {
    /// `number` is its own among all ports of all nodes.
    pub(super) fn new(
        link: Transmitter,
        rate: Rate,
        shared: &Shared,
        recorded: bool,
        number: u32,
    ) -> Self {
        let random = MarkingRandomStream::new(
            shared.config.seed,
            number,
            shared.ns3_marking_streams.as_ref(),
        );
        Self {
            link,
            waiting: 0,
            frames: Fifo::default(),
            control: Fifo::default(),
            data: Fifo::default(),
            data_bytes: 0,
            bytes: 0,
            booked: Fifo::default(),
            booked_bytes: 0,
            marker: Marker::new(shared, rate, random),
            rate: shared.layout.rate_code(rate),
            listed: false,
            stirred: recorded,
            recorded,
        }
    }

    /// Bytes that wait at `time`, before anything happens then.
    #[inline]
    pub(super) fn queue(&mut self, time: Time) -> u64 {
        self.forget_booked(time);
        self.bytes + self.booked_bytes
    }

    /// Bytes of data that wait.
    #[inline]
    pub(crate) fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    /// Data that wait, the first to leave first.
    pub(crate) fn waiting_data(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        self.data.iter()
    }

    /// What it tells of itself at `now`, while nothing in particular leaves.
    #[inline(always)]
    pub(crate) fn outgoing(&self, now: Time) -> PortSnapshot {
        PortSnapshot {
            now,
            sent: self.link.sent_by(now),
            queue: self.data_bytes,
            rate: self.rate,
        }
    }

    /// Whether a packet may pass at once, unless it is one that is paused.
    #[inline(always)]
    pub(super) fn is_idle<C: NetContext<WORDS>>(&self, context: &C) -> bool {
        self.waiting == 0 && !self.link.busy(context)
    }

    /// Whether a sample of this port tells nothing.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        let waits = self.waiting > 0 || self.listed;
        !waits && self.booked.is_empty() && !self.recorded && !self.link.paused
    }

    /// Whether a control packet may be booked: nothing should have left before it, nothing but a
    /// PFC frame will go before it, and it begins to leave in this window, in which it can be
    /// taken back.
    #[inline]
    pub(super) fn books<C: NetContext<WORDS>>(&self, context: &C) -> bool {
        let free_at = self.link.free_at();
        let late = free_at <= context.now() && self.waiting > 0 && !self.link.paused;
        !late && !self.holds_control() && free_at < context.window_end()
    }

    /// Sends a control packet that finds the link busy, or that data need not wait for, as soon
    /// as the link is free.
    #[inline(always)]
    pub(super) fn book<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let (now, size) = (context.now(), u64::from(packet.size));
        let at = self.link.free_at().max(now);
        if at > now {
            self.forget_booked(now + Time::from_ps(1));
            self.booked.push_back(&(at, packet.size.into()));
            self.booked_bytes += size;
            self.link.note_queue(self.bytes + self.booked_bytes);
        }
        self.link.start(number, packet, Class::Control, at, context);
    }

    /// From here on a sample of this port, which has this number in its switch, tells something.
    #[inline]
    pub(super) fn stir(&mut self, number: usize, stirred: &mut Vec<u16>) {
        if !self.stirred {
            self.stirred = true;
            stirred.push(number as u16);
        }
    }

    /// A packet that comes now has to wait for the link, and leaves before anybody sees that.
    #[inline(always)]
    pub(super) fn wait_unseen(&mut self, packet: &mut Packet<WORDS>, now: Time) {
        if packet.is_data() {
            self.mark_on_arrival(packet);
        }
        if !self.booked.is_empty() {
            self.forget_booked(now + Time::from_ps(1));
        }
        let size = u64::from(packet.size);
        self.link.note_queue(self.bytes + self.booked_bytes + size);
    }

    /// Sends a packet of this class, before all that waits, as soon as the link is free: at `at`.
    #[inline(always)]
    pub(super) fn send_in_turn<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        at: Time,
        int: &IntOnData,
        context: &mut C,
    ) {
        if class == Class::Data {
            let port = leaving(&self.link, self.rate, at, 0);
            int.on_departure(packet, &port, context);
        }
        self.link.start(number, packet, class, at, context);
    }

    /// Forgets booked packets that have begun to leave before `time`.
    #[inline(always)]
    fn forget_booked(&mut self, time: Time) {
        while let Some(&(at, size)) = self.booked.front()
            && at < time
        {
            self.booked.pop_front();
            self.booked_bytes -= u64::from(size);
        }
    }

    /// A PFC frame goes before booked packets that have not begun to leave: they wait again.
    #[cold]
    pub(super) fn take_back<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) {
        self.forget_booked(context.now() + Time::from_ps(1));
        while let Some((at, _)) = self.booked.pop_back() {
            let packet = context.revoke(number).expect("it was sent in this window");
            self.link.take_back(&packet, at);
            self.waiting += 1;
            self.bytes += u64::from(packet.size);
            self.control.push_front(packet);
            // It may be set for when they would have left.
            context.cancel_timer(number);
        }
        self.booked_bytes = 0;
    }

    /// Whether packets wait that begin to leave before `limit`, unless they are paused.
    #[inline]
    pub(super) fn is_late(&self, limit: Time) -> bool {
        self.waiting > 0 && self.link.free_at() < limit
    }

    #[inline]
    pub(super) fn holds_control(&self) -> bool {
        !self.control.is_empty() || !self.frames.is_empty()
    }

    /// Whether a packet that comes now must wait although the link is free.
    #[inline]
    pub(super) fn blocks(&self, data_class: bool) -> bool {
        self.holds_control() || data_class && (self.link.paused || !self.data.is_empty())
    }

    /// Whether anything that waits may leave.
    #[inline]
    pub(super) fn may_send(&self) -> bool {
        self.holds_control() || !self.data.is_empty() && !self.link.paused
    }

    #[inline(always)]
    pub(super) fn enqueue(&mut self, packet: &Packet<WORDS>, data_class: bool, now: Time) {
        let size = u64::from(packet.size);
        self.waiting += 1;
        self.bytes += size;
        if !self.booked.is_empty() {
            self.forget_booked(now + Time::from_ps(1));
        }
        self.link.note_queue(self.bytes + self.booked_bytes);
        if data_class {
            self.data_bytes += size;
            self.data.push_back(packet);
        } else {
            self.control.push_back(packet);
        }
    }

    /// Sends the first packet of the data queue, which has one, as soon as the link is free; it may
    /// have been `marked`, or not, already.
    #[inline(always)]
    pub(super) fn dequeue_data<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        marked: bool,
        int: &IntOnData,
        context: &mut C,
    ) {
        let packet = self.data.front_mut();
        let size = u64::from(packet.size);
        self.waiting -= 1;
        self.data_bytes -= size;
        self.bytes -= size;
        if !marked
            && let Some(marker) = &mut self.marker
            && marker.marks(MarkingPoint::Dequeue, self.data_bytes, packet)
        {
            packet.mark();
            self.link.count_mark();
        }
        let (at, queue) = (self.link.free_at(), self.bytes);
        let class = packet.class();
        if class == Class::Data {
            let port = leaving(&self.link, self.rate, at, queue);
            int.on_departure(packet, &port, context);
        }
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, class, at, context);
        self.data.pop_front();
    }

    /// The same for the queue of frames or, if it has none, that of control packets.
    #[inline(never)]
    pub(super) fn dequeue_control<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) {
        let packets = if self.frames.is_empty() {
            &mut self.control
        } else {
            &mut self.frames
        };
        let packet = packets.front_mut();
        self.waiting -= 1;
        self.bytes -= u64::from(packet.size);
        let (at, queue) = (self.link.free_at(), self.bytes);
        let class = packet.class();
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, class, at, context);
        packets.pop_front();
    }

    /// A packet of this class enters the link now; `queue` bytes wait behind it.
    #[inline(always)]
    pub(super) fn transmit<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        queue: u64,
        int: &IntOnData,
        context: &mut C,
    ) {
        let now = context.now();
        if class == Class::Data {
            let port = leaving(&self.link, self.rate, now, queue);
            int.on_departure(packet, &port, context);
        }
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, class, now, context);
    }

    #[inline]
    pub(super) fn mark_on_arrival(&mut self, packet: &mut Packet<WORDS>) {
        let queue = self.data_bytes + u64::from(packet.size);
        self.mark(MarkingPoint::Enqueue, queue, packet);
    }

    /// Marks the first packet of the data queue, or not, ahead of its departure.
    pub(super) fn mark_next(&mut self) {
        let packet = self.data.front_mut();
        let queue = self.data_bytes - u64::from(packet.size);
        if let Some(marker) = &mut self.marker
            && marker.marks(MarkingPoint::Dequeue, queue, packet)
        {
            packet.mark();
            self.link.count_mark();
        }
    }

    #[inline]
    pub(super) fn mark_on_departure(&mut self, packet: &mut Packet<WORDS>) {
        self.mark(MarkingPoint::Dequeue, self.data_bytes, packet);
    }

    #[inline]
    fn mark(&mut self, at: MarkingPoint, queue: u64, packet: &mut Packet<WORDS>) {
        if let Some(marker) = &mut self.marker
            && marker.marks(at, queue, packet)
        {
            packet.mark();
            self.link.count_mark();
        }
    }
}

/// What a port tells of itself as a packet begins to leave.
#[inline(always)]
fn leaving(link: &Transmitter, rate: RateCode, at: Time, queue: u64) -> PortSnapshot {
    PortSnapshot {
        now: at,
        sent: link.sent_bytes,
        queue,
        rate,
    }
}
