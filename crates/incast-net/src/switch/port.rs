//! A port of a switch, its outgoing direction: queues, marking, INT.

use std::collections::VecDeque;

use incast_engine::RandomStream;
use incast_units::{NodeId, Rate};

use crate::context::NetContext;
use crate::int::{IntWriter, Outgoing, RateCode};
use crate::packet::Packet;
use crate::record::PacketEvent;
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::{EcnConfig, Fault, MarkingPoint};

/// A port, its outgoing direction.
#[derive(Debug)]
pub(crate) struct Port<const WORDS: usize> {
    pub(crate) link: Transmitter,
    /// Packets in all three queues.
    pub(super) waiting: u32,
    pub(super) frames: VecDeque<Packet<WORDS>>,
    pub(super) control: VecDeque<Packet<WORDS>>,
    pub(super) data: VecDeque<Packet<WORDS>>,
    /// Bytes in `data`.
    pub(super) data_bytes: u64,
    /// Bytes in `frames` and `control`.
    pub(super) other_bytes: u64,
    marker: Option<Marker>,
    rate: RateCode,
    /// Whether every sample of its queue is kept.
    pub(super) recorded: bool,
}

/// Which queue of a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Queue {
    Frames,
    Control,
    Data,
}

/// RED on the instantaneous queue; a step if both thresholds are equal.
#[derive(Copy, Clone, Debug)]
struct Marker {
    k_min: u64,
    k_max: u64,
    p_max: f64,
    at: MarkingPoint,
}

impl<const WORDS: usize> Port<WORDS> {
    pub(super) fn new(link: Transmitter, rate: Rate, shared: &Shared, recorded: bool) -> Self {
        Self {
            link,
            waiting: 0,
            frames: VecDeque::new(),
            control: VecDeque::new(),
            data: VecDeque::new(),
            data_bytes: 0,
            other_bytes: 0,
            marker: Marker::of(rate, &shared.config.ecn),
            rate: shared.codec.rate_code(rate),
            recorded,
        }
    }

    /// Bytes that wait.
    #[inline]
    pub(super) fn queue(&self) -> u64 {
        self.data_bytes + self.other_bytes
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

    #[inline]
    pub(super) fn enqueue(&mut self, packet: &Packet<WORDS>, data_class: bool) {
        self.waiting += 1;
        if data_class {
            self.data_bytes += u64::from(packet.size);
            self.data.push_back(*packet);
        } else {
            self.other_bytes += u64::from(packet.size);
            self.control.push_back(*packet);
        }
        self.link.note_queue(self.queue());
    }

    /// The queue whose first packet goes first, if any may.
    #[inline]
    pub(super) fn next_queue(&self) -> Option<Queue> {
        if !self.frames.is_empty() {
            Some(Queue::Frames)
        } else if !self.control.is_empty() {
            Some(Queue::Control)
        } else if !self.data.is_empty() && !self.link.paused {
            Some(Queue::Data)
        } else {
            None
        }
    }

    /// Sends the first packet of a queue, which has one.
    #[inline]
    pub(super) fn dequeue<C: NetContext<WORDS>>(
        &mut self,
        queue: Queue,
        number: usize,
        marking: &mut RandomStream,
        int: &IntWriter,
        context: &mut C,
    ) {
        let packets = match queue {
            Queue::Frames => &mut self.frames,
            Queue::Control => &mut self.control,
            Queue::Data => &mut self.data,
        };
        let mut packet = packets.pop_front().expect("a packet waits");
        self.waiting -= 1;
        if queue == Queue::Data {
            self.data_bytes -= u64::from(packet.size);
            self.mark_on_departure(&mut packet, marking);
        } else {
            self.other_bytes -= u64::from(packet.size);
        }
        self.transmit(number, &mut packet, self.queue(), int, context);
    }

    /// A packet enters the link, with INT if it is data; `queue` bytes wait behind it.
    #[inline(always)]
    pub(super) fn transmit<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        queue: u64,
        int: &IntWriter,
        context: &mut C,
    ) {
        if packet.is_data() {
            let record = Outgoing {
                now: context.now(),
                sent: self.link.sent_bytes,
                queue,
                rate: self.rate,
            };
            let hop = packet.hops();
            if !int.write(&mut packet.words, hop, &record) {
                let (now, hops, most) = (context.now(), hop + 1, hop);
                let fault = Fault::TooManyHops { hops, most };
                context.local().fail(now, NodeId(u32::MAX), fault);
            }
            packet.count_hop();
        }
        context.note(PacketEvent::Send, number, packet, || queue);
        self.link.start(number, packet, context);
    }

    #[inline]
    pub(super) fn mark_on_arrival(
        &mut self,
        packet: &mut Packet<WORDS>,
        random: &mut RandomStream,
    ) {
        if let Some(marker) = self.marker
            && marker.at == MarkingPoint::Enqueue
        {
            self.mark(
                marker,
                self.data_bytes + u64::from(packet.size),
                packet,
                random,
            );
        }
    }

    #[inline]
    pub(super) fn mark_on_departure(
        &mut self,
        packet: &mut Packet<WORDS>,
        random: &mut RandomStream,
    ) {
        if let Some(marker) = self.marker
            && marker.at == MarkingPoint::Dequeue
        {
            self.mark(marker, self.data_bytes, packet, random);
        }
    }

    #[inline]
    fn mark(
        &mut self,
        marker: Marker,
        queue: u64,
        packet: &mut Packet<WORDS>,
        random: &mut RandomStream,
    ) {
        // An ACK's mark is the echo of its data packet's, and says nothing of the way back.
        if queue > marker.k_min && packet.is_data() && marker.marks(queue, random) {
            packet.mark();
            self.link.count_mark();
        }
    }
}

impl Marker {
    fn of(rate: Rate, configs: &[EcnConfig]) -> Option<Self> {
        let config = configs
            .iter()
            .find(|config| config.link_rate.is_none_or(|own| own == rate))?;
        Some(Self {
            k_min: config.k_min.as_u64(),
            k_max: config.k_max.as_u64(),
            p_max: config.p_max,
            at: config.at,
        })
    }

    /// Whether a queue above `k_min` marks.
    fn marks(&self, queue: u64, random: &mut RandomStream) -> bool {
        if queue > self.k_max {
            return true;
        }
        let span = (self.k_max - self.k_min) as f64;
        random.uniform() < self.p_max * (queue - self.k_min) as f64 / span
    }
}
