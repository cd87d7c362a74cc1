//! An egress port of a switch: its queues, and the sending end of its link.

use incast_signals::int::{PortSnapshot, RateCode};
use incast_signals::{EcnOptions, MarkingPoint};
use incast_units::{Rate, Time};

use crate::buffer::{Buffer, DropConfig, EgressFacts, PlaceDraws, PortRule, Trimmer};
use crate::config::FlowControl;
use crate::context::NetContext;
use crate::marker::{Marker, MarkingRandomStream};
use crate::measure::PacketEvent;
use crate::programs::{IntOnData, PortView};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::wire::{Class, Lane, Packet};

use super::after;
use super::committed_sends::CommittedSends;
use super::header_turns::HeaderTurns;
use super::port_queue::PortQueue;

/// An egress port.
#[derive(Clone, Debug)]
pub(crate) struct EgressPort<const WORDS: usize> {
    pub(super) queue: PortQueue<WORDS>,
    pub(crate) egress: Egress,
    /// Sends that a fast path has committed; always empty on the plain path.
    pub(super) committed: CommittedSends,
    /// Whether the port is in the switch's list of backlogged ports.
    pub(super) is_backlogged: bool,
    /// Whether the port is in the switch's list of ports to sample.
    pub(super) is_sampled: bool,
    /// Whether samples of the port's queue are kept one by one.
    pub(super) is_recorded: bool,
    /// Draws for the last place of a full queue.
    places: PlaceDraws,
    /// Bytes that count as occupied in the empty data queue: the switch's largest queue limit less
    /// the limit of this queue.
    taken: u64,
    /// Trims data packets without room; `None`: they are dropped.
    pub(crate) trimmer: Option<Box<Trimmer>>,
}

/// The step that follows the refusal of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// None: this packet, or the packet whose place it took, was dropped.
    Dropped,
    /// The header of this packet, or of the packet that it replaced, is to be sent as a control
    /// packet.
    Trimmed,
}

/// The sending end of a port's link: marks packets, writes INT, transmits.
#[derive(Clone, Debug)]
pub(crate) struct Egress {
    pub(crate) link: Transmitter,
    rate: RateCode,
    marker: Option<Marker>,
}

impl<const WORDS: usize> EgressPort<WORDS> {
    /// `marking` belongs to the switch; `number` is the port's, counted over all nodes.
    pub(super) fn new(
        link: Transmitter,
        rate: Rate,
        queue: PortQueue<WORDS>,
        shared: &Shared,
        marking: Option<&EcnOptions>,
        is_recorded: bool,
        number: u32,
    ) -> Self {
        let config = &shared.config;
        let random =
            MarkingRandomStream::new(config.seed, number, shared.ns3_marking_streams.as_ref());
        Self {
            queue,
            egress: Egress {
                link,
                rate: shared.layout.rate_code(rate),
                marker: marking
                    .and_then(|ecn| Marker::new(ecn, rate, shared.full_packet(), random)),
            },
            committed: CommittedSends::default(),
            is_backlogged: false,
            is_sampled: false,
            is_recorded,
            places: PlaceDraws::new(config.contention, config.seed, number),
            taken: 0,
            trimmer: None,
        }
    }

    /// Gives the port a buffer of its own, by this rule of the switch.
    pub(super) fn with_buffer_of_its_own(
        self,
        rule: PortRule,
        facts: EgressFacts,
        shared: &Shared,
    ) -> Self {
        let FlowControl::Drop(DropConfig::PerPort(config)) = &shared.config.flow_control else {
            return self;
        };
        let trimming = config.trimming.as_ref();
        let turns =
            trimming.and_then(|trimming| HeaderTurns::new(trimming.service, facts.full_packet));
        let trimmer = |trimming| Box::new(Trimmer::new(trimming, facts, shared.data_overhead));
        Self {
            queue: self.queue.with_turns(turns),
            taken: rule.taken_of(config, facts),
            trimmer: trimming.map(trimmer),
            ..self
        }
    }

    /// Bytes of a lane's data queue for the admission of another packet, `taken` included.
    #[inline(always)]
    pub(super) fn counted_bytes(&self, lane: Lane) -> u64 {
        self.queue.lane_bytes(lane) + self.taken
    }

    /// Bytes of control and data packets that wait for the link at `time`, before any event then.
    #[inline(always)]
    pub(super) fn waiting_bytes(&mut self, time: Time) -> u64 {
        self.queue.bytes_without_pfc() + self.committed.bytes_at(time)
    }

    /// Whether packets may wait; `false`: none does.
    #[inline(always)]
    pub(super) fn may_wait(&self) -> bool {
        !self.queue.is_empty() || !self.committed.is_empty()
    }

    /// The port's INT record at `now`; transmissions that start at `limit` or later have not
    /// started.
    ///
    /// Of a packet in transmission the bytes that have left count. A committed send has not
    /// started: its rounded transmission time must not enter this count.
    #[inline(always)]
    fn snapshot_with(&self, now: Time, limit: Time) -> PortSnapshot {
        let link = &self.egress.link;
        let sent = if link.free_at() <= now {
            link.sent_bytes
        } else if let Some((start, bytes)) = self.committed.unstarted_at(limit) {
            link.sent_before(bytes, start, now)
        } else {
            link.sent_before(0, link.free_at(), now)
        };
        PortSnapshot {
            now,
            sent,
            queue: self.queue.data_bytes(),
            rate: self.egress.rate,
        }
    }

    /// Whether no packet waits, and none is in transmission.
    #[inline(always)]
    pub(super) fn is_idle<C: NetContext<WORDS>>(&self, context: &C) -> bool {
        self.queue.is_empty() && !self.egress.link.busy(context)
    }

    /// Whether a packet from port `ingress` leaves at once, without pausing its peer and without
    /// being dropped. Then `buffer` stays the same.
    #[inline(always)]
    pub(super) fn passes<C: NetContext<WORDS>>(
        &self,
        class: Class,
        ingress: usize,
        packet: &Packet<WORDS>,
        buffer: &Buffer,
        context: &C,
    ) -> bool {
        self.is_idle(context)
            && (!class.is_buffered()
                || !self.egress.link.paused().contains(packet.lane())
                    && buffer.fits_below_threshold(ingress, 0, packet))
    }

    /// Whether a waiting packet may leave when the link is free.
    #[inline]
    pub(super) fn may_send(&self) -> bool {
        self.queue.may_send(self.egress.link.paused())
    }

    /// Whether packets wait.
    pub(crate) fn holds_packets(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Time of the next departure of a waiting packet that is not paused, if any.
    pub(super) fn next_departure(&self) -> Option<Time> {
        self.may_send().then(|| self.egress.link.free_at())
    }

    /// Whether all samples of the port are zero until its next event.
    pub(super) fn has_zero_samples(&self) -> bool {
        !self.may_wait() && self.egress.link.paused().is_empty()
    }

    /// Adds a packet to the queue of its class, after marking at enqueue.
    #[inline(always)]
    pub(super) fn enqueue<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        class: Class,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if class.is_buffered() {
            self.mark_on_enqueue(packet);
        }
        context.note(PacketEvent::Enqueue, number, packet, || {
            self.queue.bytes_without_pfc()
        });
        self.queue.enqueue(class, packet.lane(), packet);
        if class.is_measured() {
            self.record_length(self.queue.bytes_without_pfc(), context.now());
        }
    }

    /// Handles a data-class packet without room: either this packet, or the last one of its queue,
    /// whose place it then takes, is trimmed or dropped.
    #[inline(never)]
    pub(super) fn refuse<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        buffer: &mut Buffer,
        context: &mut C,
    ) -> Refusal {
        let lane = packet.lane();
        if !self.gets_last_place(packet, buffer) {
            return self.trim_or_drop(number, packet, context);
        }
        let refused = self.queue.refused(lane);
        let Some(mut last) = self.queue.take_last_data(lane) else {
            return Refusal::Dropped;
        };
        buffer.release(&last);
        let refusal = self.trim_or_drop(number, &mut last, context);
        buffer.charge(packet.ingress(), packet);
        self.enqueue(number, Class::Data, packet, context);
        self.queue.set_refused(lane, refused);
        *packet = last;
        refusal
    }

    /// Whether a packet without room gets the place of the last packet of its queue. It competes
    /// only if it fits there, or sizes do not matter.
    fn gets_last_place(&mut self, packet: &Packet<WORDS>, buffer: &Buffer) -> bool {
        let lane = packet.lane();
        let queue = self.counted_bytes(lane);
        let last = self.queue.last_data(lane);
        let any = self.places.ignore_sizes();
        self.places.are_made()
            && last.is_some_and(|last| buffer.has_room_in_place(queue, last, packet, any))
            && self.places.give_place(self.queue.count_refused(lane))
    }

    /// Trims a packet of the data class, or drops it if that fails.
    fn trim_or_drop<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) -> Refusal {
        let Some(trimmer) = &mut self.trimmer else {
            self.drop(number, packet, context);
            return Refusal::Dropped;
        };
        context.note(PacketEvent::Trim, number, packet, || {
            self.queue.bytes_without_pfc()
        });
        // Packets that have started to leave by now do not wait.
        let committed = self.committed.bytes_at(after(context.now()));
        if trimmer.trim(packet, self.queue.header_bytes() + committed) {
            return Refusal::Trimmed;
        }
        self.drop(number, packet, context);
        Refusal::Dropped
    }

    /// Drops a packet of the data class, or its header.
    fn drop<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) {
        self.egress.link.count_drop();
        context.note(PacketEvent::Drop, number, packet, || {
            self.queue.bytes_without_pfc()
        });
    }

    /// Applies marking at enqueue; the queue length includes this packet.
    #[inline]
    pub(super) fn mark_on_enqueue(&mut self, packet: &mut Packet<WORDS>) {
        let queue = self.queue.lane_bytes(packet.lane()) + u64::from(packet.size());
        self.egress.mark(MarkingPoint::Enqueue, queue, packet);
    }

    /// Applies marking at dequeue; the queue length excludes this packet.
    #[inline(always)]
    pub(super) fn mark_on_dequeue(&mut self, packet: &mut Packet<WORDS>) {
        let queue = self.queue.lane_bytes(packet.lane());
        self.egress.mark(MarkingPoint::Dequeue, queue, packet);
    }

    /// Updates the longest queue: `bytes` and the committed sends wait at `now`.
    #[inline(always)]
    pub(super) fn record_length(&mut self, bytes: u64, now: Time) {
        let committed = match self.committed.is_empty() {
            true => 0,
            false => self.committed.bytes_at(now + Time::from_ps(1)),
        };
        self.egress.link.note_queue(bytes + committed);
    }
}

impl<const WORDS: usize> PortView<WORDS> for EgressPort<WORDS> {
    fn data_bytes(&self) -> u64 {
        self.queue.data_bytes()
    }

    fn each_waiting(&self, act: &mut dyn FnMut(&Packet<WORDS>)) {
        self.queue.data().for_each(act);
    }

    #[inline(always)]
    fn snapshot(&self, now: Time) -> PortSnapshot {
        self.snapshot_with(now, after(now))
    }

    fn snapshot_before(&self, now: Time) -> PortSnapshot {
        self.snapshot_with(now, now)
    }
}

impl Egress {
    /// Sets the rate of the link from its next transmission on. INT reports the new rate; marking
    /// does not change.
    pub(super) fn set_rate(&mut self, shared: &Shared, rate: Rate) {
        self.link.set_rate(&shared.config.model, rate);
        self.rate = shared.layout.rate_code(rate);
    }

    /// Marks a packet by a queue of this many bytes: that of the packet's lane.
    #[inline(always)]
    pub(super) fn mark<const WORDS: usize>(
        &mut self,
        at: MarkingPoint,
        queue: u64,
        packet: &mut Packet<WORDS>,
    ) {
        if let Some(marker) = &mut self.marker
            && marker.marks(at, queue, packet)
        {
            packet.mark();
            self.link.count_mark();
        }
    }

    /// Starts to transmit a packet at `at`; `queue` bytes wait behind it.
    #[inline(always)]
    pub(super) fn start<const WORDS: usize, C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        at: Time,
        queue: u64,
        int: &IntOnData,
        context: &mut C,
    ) {
        match packet.is_data() {
            true => self.start_data(number, packet, at, queue, int, context),
            false => self.start_other(number, packet.class(), packet, at, queue, context),
        }
    }

    /// Starts to transmit a data packet, as every data packet that leaves a switch.
    #[inline(always)]
    pub(super) fn start_data<const WORDS: usize, C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        at: Time,
        queue: u64,
        int: &IntOnData,
        context: &mut C,
    ) {
        let port = PortSnapshot {
            now: at,
            sent: self.link.sent_bytes,
            queue,
            rate: self.rate,
        };
        int.on_departure(packet, &port, context);
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, Class::Data, at, context);
    }

    /// Starts to transmit a packet of another class than data.
    #[inline(always)]
    pub(super) fn start_other<const WORDS: usize, C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        class: Class,
        packet: &mut Packet<WORDS>,
        at: Time,
        queue: u64,
        context: &mut C,
    ) {
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, class, at, context);
    }
}
