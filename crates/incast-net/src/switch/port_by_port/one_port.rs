//! One egress port in a window that is processed port by port: arrivals in order, and departures
//! between them.

use incast_engine::{CheckedIndex, PortBatch};
use incast_units::Time;

use crate::buffer::{Admission, Buffer, PortRule};
use crate::context::NetContext;
use crate::programs::IntOnData;
use crate::switch::arrival::Arrival;
use crate::switch::port::Refusal;
use crate::switch::queue_sample::{MOST_SAMPLES, WindowSamples};
use crate::switch::{EgressPort, after};
use crate::wire::{Class, Packet};

/// State that the ports of a switch share while a window is processed port by port.
pub(super) struct Common<'a> {
    /// When the window begins.
    pub(super) start: Time,
    /// The times of the samples in this part of the window, followed by its end.
    pub(super) times: [Time; MOST_SAMPLES + 1],
    /// The time of the current port's next sample, or the end of the part.
    pub(super) until: Time,
    /// Number of the current port.
    pub(super) number: usize,
    /// Index of the next sample in this part.
    pub(super) sample: usize,
    /// The rule of admission to data queues, if packets may be dropped.
    pub(super) rule: Option<PortRule>,
    pub(super) buffer: &'a mut Buffer,
    pub(super) int: IntOnData,
    pub(super) backlogged: &'a mut Vec<u16>,
    pub(super) sampled: &'a mut Vec<u16>,
    pub(super) samples: &'a mut WindowSamples,
}

impl Common<'_> {
    /// Makes the port with this number the current one.
    #[inline(always)]
    pub(super) fn begin(&mut self, number: usize) {
        self.number = number;
        self.expect_sample(0);
    }

    /// Makes the sample with this index the next one.
    #[inline(always)]
    fn expect_sample(&mut self, place: usize) {
        self.sample = place;
        self.until = *self.times.at(place);
    }
}

impl<const WORDS: usize> EgressPort<WORDS> {
    /// Passes the samples that are due before `limit`, adding waiting bytes if there may be any.
    #[inline(always)]
    fn pass_samples<C: NetContext<WORDS>>(
        &mut self,
        limit: Time,
        common: &mut Common,
        context: &mut C,
    ) {
        if self.may_wait() {
            return self.add_to_samples(limit, common, context);
        }
        while common.until < limit {
            common.expect_sample(common.sample + 1);
        }
    }

    /// Adds the port's waiting bytes to the samples that are due before `limit`, each before any
    /// event at its time.
    #[inline(never)]
    pub(super) fn add_to_samples<C: NetContext<WORDS>>(
        &mut self,
        limit: Time,
        common: &mut Common,
        context: &mut C,
    ) {
        let number = common.number;
        while common.until < limit {
            let time = common.until;
            if self.has_departures(time) {
                self.depart(number, time, common.buffer, &common.int, context);
            }
            let waiting = self.sample(number as u16, time);
            if waiting.bytes > 0 {
                common.samples.add(common.sample, waiting);
            }
            common.expect_sample(common.sample + 1);
        }
    }

    /// Queues all data that arrive, while a lane is paused.
    #[inline(never)]
    pub(super) fn queue_all<const LOSSES: bool, C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        batches: &mut [PortBatch<Packet<WORDS>>],
        arrivals: &[Arrival],
        common: &mut Common,
        context: &mut C,
    ) {
        for arrival in arrivals {
            let batch = batches.at_mut(arrival.batch());
            let ingress = batch.port();
            let packet = batch.messages_mut().at_mut(arrival.place());
            let now = arrival.time(common.start);
            if now >= common.until {
                self.pass_samples(after(now), common, context);
            }
            if self.has_departures(after(now)) {
                self.depart(number, after(now), common.buffer, &common.int, context);
            }
            context.advance_to(now);
            self.queue::<LOSSES, C>(number, ingress, packet, common, context);
        }
    }

    /// Forwards or queues the packets that arrive. Data are not paused.
    #[inline(always)]
    pub(super) fn receive_all<const SAMPLES: bool, const LOSSES: bool, C: NetContext<WORDS>>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        arrivals: &[Arrival],
        common: &mut Common,
        context: &mut C,
    ) {
        let number = common.number;
        let mut left = arrivals;
        while let [arrival, others @ ..] = left {
            let now = arrival.time(common.start);
            if SAMPLES && now >= common.until {
                self.pass_samples(after(now), common, context);
            }
            let batch = batches.at_mut(arrival.batch());
            let packet = batch.messages_mut().at_mut(arrival.place());
            if self.queue.is_empty()
                && let Some(at) = self.unobserved_start(packet, now, others, common)
            {
                let egress = &mut self.egress;
                match packet.is_data() {
                    true => egress.start_data(number, packet, at, 0, &common.int, context),
                    false => {
                        egress.start_other(number, Class::Control, packet, at, 0, context);
                    }
                }
                left = others;
            } else {
                left = self.serve_backlog::<SAMPLES, LOSSES, C>(batches, left, common, context);
            }
        }
    }

    /// Queues arriving packets, and sends waiting ones, until the queue is empty; returns the
    /// remaining arrivals. At the start packets wait, or the first arrival has to wait.
    #[inline(never)]
    fn serve_backlog<'a, const SAMPLES: bool, const LOSSES: bool, C: NetContext<WORDS>>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        arrivals: &'a [Arrival],
        common: &mut Common,
        context: &mut C,
    ) -> &'a [Arrival] {
        let number = common.number;
        let mut has_to_wait = self.queue.is_empty();
        let mut left = arrivals;
        while let [arrival, others @ ..] = left {
            let now = arrival.time(common.start);
            if SAMPLES && now >= common.until {
                self.pass_samples(after(now), common, context);
            }
            if self.has_departures(after(now)) {
                self.depart_here(number, after(now), common.buffer, &common.int, context);
            }
            if self.queue.is_empty() && !has_to_wait {
                return left;
            }
            has_to_wait = false;
            let batch = batches.at_mut(arrival.batch());
            let ingress = batch.port();
            let packet = batch.messages_mut().at_mut(arrival.place());
            context.advance_to(now);
            self.queue::<LOSSES, C>(number, ingress, packet, common, context);
            left = others;
        }
        left
    }

    /// Start of an arriving packet's transmission if no later packet can find it in the queue: the
    /// packet leaves at once, or in this part of the window before the next arrival.
    #[inline(always)]
    fn unobserved_start(
        &mut self,
        packet: &mut Packet<WORDS>,
        now: Time,
        others: &[Arrival],
        common: &Common,
    ) -> Option<Time> {
        let at = self.egress.link.free_at();
        if at <= now {
            return Some(now);
        }
        let next = others.first().map(|other| other.time(common.start));
        if at >= common.until || next.is_some_and(|next| next < at) {
            return None;
        }
        if packet.is_data() {
            self.mark_on_enqueue(packet);
        }
        self.record_length(self.queue.bytes() + u64::from(packet.size()), now);
        Some(at)
    }

    /// Queues a packet that later ones may find in the queue. `LOSSES`: only if there is room;
    /// otherwise trims or drops one. (A packet that none may find waits alone, for which there
    /// always is room.)
    #[inline(always)]
    fn queue<const LOSSES: bool, C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        common: &mut Common,
        context: &mut C,
    ) {
        let mut class = packet.class();
        if LOSSES
            && let Some(rule) = common.rule
            && class.is_buffered()
        {
            let queue = self.counted_bytes(packet.lane());
            if rule.admit(queue, packet.size().into()) == Admission::Refused {
                packet.set_ingress(ingress);
                if self.refuse(number, packet, common.buffer, context) == Refusal::Dropped {
                    return;
                }
                class = Class::Control;
            }
        }
        if class.is_buffered() {
            common.buffer.charge(ingress, packet);
            packet.set_ingress(ingress);
            self.enqueue(number, Class::Data, packet, context);
        } else if self.can_commit(context) {
            self.start_sampling(number, common.sampled);
            return self.commit(number, packet, context);
        } else {
            self.enqueue(number, Class::Control, packet, context);
        }
        if !self.is_backlogged {
            self.is_backlogged = true;
            common.backlogged.push(number as u16);
            self.start_sampling(number, common.sampled);
        }
    }
}
