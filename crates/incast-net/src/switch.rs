//! A switch: shared memory, one egress queue per port and class, store and forward, no delay of
//! its own.
//!
//! PFC frames go first, then the control class, then data. Each class is one FIFO over all
//! ingress ports.

use std::collections::VecDeque;

use incast_engine::{Purpose, RandomStream};
use incast_topology::Routes;
use incast_units::{HostId, NodeId};

use crate::buffer::{DropBuffer, PfcBuffer};
use crate::context::NetContext;
use crate::ecmp::Chooser;
use crate::int::{IntWriter, Outgoing};
use crate::packet::{Kind, Packet};
use crate::record::{Bin, QueueSample};
use crate::recorder::{Recorder, Sampling};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::{AckClass, EcnConfig, IntCollection, MarkingPoint};

/// A switch.
#[derive(Debug)]
pub(crate) struct Switch<'a, const WORDS: usize> {
    pub(crate) node: NodeId,
    /// Number of its first port, counted over all nodes.
    first_port: u32,
    shared: &'a Shared,
    routes: &'a Routes,
    /// Of the configuration, at hand: ACKs travel in the data class.
    acks_among_data: bool,
    /// Data packets collect INT.
    collects_int: bool,
    codec: IntWriter,
    chooser: Chooser,
    buffer: Buffer,
    pub(crate) ports: Vec<Port<WORDS>>,
    marking: RandomStream,
    sampling: Sampling,
    /// Packets in all queues.
    waiting: u64,
}

#[derive(Debug)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

/// A port, its outgoing direction.
#[derive(Debug)]
pub(crate) struct Port<const WORDS: usize> {
    pub(crate) link: Transmitter,
    frames: VecDeque<Packet<WORDS>>,
    control: VecDeque<Packet<WORDS>>,
    data: VecDeque<Packet<WORDS>>,
    /// Bytes in `data`.
    data_bytes: u64,
    /// Bytes in `frames` and `control`.
    other_bytes: u64,
    marker: Option<Marker>,
    rate_code: u64,
    /// Whether every sample of its queue is kept.
    recorded: bool,
}

/// RED on the instantaneous queue; a step if both thresholds are equal.
#[derive(Copy, Clone, Debug)]
struct Marker {
    k_min: u64,
    k_max: u64,
    p_max: f64,
    at: MarkingPoint,
}

impl<'a, const WORDS: usize> Switch<'a, WORDS> {
    pub(crate) fn new(
        node: NodeId,
        first_port: u32,
        original_id: u32,
        links: Vec<(Transmitter, incast_units::Rate)>,
        buffer: Buffer,
        shared: &'a Shared,
        routes: &'a Routes,
        recorder: &Recorder,
    ) -> Self {
        let measure = &recorder.measure;
        let ports = links
            .into_iter()
            .enumerate()
            .map(|(index, (link, rate))| Port {
                link,
                frames: VecDeque::new(),
                control: VecDeque::new(),
                data: VecDeque::new(),
                data_bytes: 0,
                other_bytes: 0,
                marker: Marker::of(rate, &shared.config.ecn),
                rate_code: shared.codec.rate_code(rate),
                recorded: measure.queue_ports.contains(&(first_port + index as u32)),
            })
            .collect();
        Self {
            node,
            first_port,
            shared,
            routes,
            acks_among_data: shared.config.model.ack_class == AckClass::Data,
            collects_int: shared.config.int == IntCollection::Data,
            codec: shared.codec.writer(),
            chooser: Chooser::new(shared.config.model.ecmp, original_id),
            buffer,
            ports,
            marking: RandomStream::new(shared.config.seed, node.0.into(), Purpose::Marking),
            sampling: Sampling::new(measure.queue_interval, measure.until),
            waiting: 0,
        }
    }

    #[inline]
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.sample(context);
        match packet.kind() {
            Kind::Pause | Kind::Resume => self.on_pfc(port, packet.kind(), context),
            _ => self.forward(port, packet, context),
        }
    }

    #[inline]
    pub(crate) fn on_alarm<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.sample(context);
        self.ports[port].link.complete();
        self.serve(port, context);
    }

    fn on_pfc<C: NetContext<WORDS>>(&mut self, port: usize, kind: Kind, context: &mut C) {
        let paused = kind == Kind::Pause;
        let link = &mut self.ports[port].link;
        let event = link.set_paused(paused, context.now(), self.node, port as u32);
        context.local().pause(event);
        if paused {
            return;
        }
        if self.ports[port].link.busy(context) {
            self.arm(port, context);
        } else {
            self.serve(port, context);
        }
    }

    /// Takes a packet in and sends it on, at once if its port is free.
    #[inline]
    fn forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let hops = self
            .routes
            .next_hops(self.node, HostId(packet.destination.into()));
        let egress = match hops {
            [only] => *only,
            _ => hops[self.chooser.choose(packet, hops.len())],
        } as usize;
        packet.set_ingress(ingress);
        let data_class = self.in_data_class(packet);
        if data_class {
            if !self.admit(ingress, egress, packet, context) {
                return;
            }
            let port = &mut self.ports[egress];
            port.mark_on_arrival(packet, &mut self.marking);
            if port.link.busy(context) || port.link.paused || port.holds_any() {
                self.enqueue(egress, packet, true, context);
                return;
            }
        } else {
            let port = &self.ports[egress];
            if port.link.busy(context) || port.holds_control() {
                self.enqueue(egress, packet, false, context);
                return;
            }
        }
        self.depart(egress, packet, context);
    }

    #[inline]
    fn in_data_class(&self, packet: &Packet<WORDS>) -> bool {
        packet.is_data() || self.acks_among_data && !packet.is_pfc()
    }

    /// Finds room for a packet; pauses its ingress port if need be. `false`: dropped.
    #[inline]
    fn admit<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) -> bool {
        let size = u64::from(packet.size);
        match &mut self.buffer {
            Buffer::Pfc(buffer) => {
                if !buffer.admit(ingress, size) {
                    let now = context.now();
                    context.local().lost(self.node, ingress, packet.flow, now);
                    return false;
                }
                if buffer.pauses(ingress) {
                    self.send_pfc(ingress, Kind::Pause, context);
                }
                true
            }
            Buffer::Drop(buffer) => {
                let port = &mut self.ports[egress];
                let admitted = buffer.admit(port.data_bytes, size);
                port.link.counters.dropped += u64::from(!admitted);
                admitted
            }
        }
    }

    #[inline]
    fn enqueue<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &Packet<WORDS>,
        data: bool,
        context: &mut C,
    ) {
        self.waiting += 1;
        let port = &mut self.ports[egress];
        if data {
            port.data_bytes += u64::from(packet.size);
            port.data.push_back(*packet);
        } else {
            port.other_bytes += u64::from(packet.size);
            port.control.push_back(*packet);
        }
        let counters = &mut port.link.counters;
        counters.queue_max = counters.queue_max.max(port.data_bytes + port.other_bytes);
        self.arm(egress, context);
    }

    fn send_pfc<C: NetContext<WORDS>>(&mut self, port: usize, kind: Kind, context: &mut C) {
        let mut frame = Packet::new(kind, self.shared.pfc_size);
        frame.set_ingress(port);
        let out = &mut self.ports[port];
        if out.link.busy(context) || !out.frames.is_empty() {
            self.waiting += 1;
            out.other_bytes += u64::from(frame.size);
            out.frames.push_back(frame);
            self.arm(port, context);
        } else {
            out.link.start(port, &mut frame, context);
        }
    }

    /// Sets the port's alarm, unless it is set or nothing that waits may leave.
    #[inline]
    fn arm<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let out = &self.ports[port];
        if out.may_send() && context.alarm(port).is_none() && out.link.busy(context) {
            context.set_alarm(port, out.link.free_at());
        }
    }

    /// The port is free: sends what goes first, and comes back if more waits.
    #[inline]
    fn serve<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let Some(mut packet) = self.ports[port].take_next() else {
            return;
        };
        self.waiting -= 1;
        self.depart(port, &mut packet, context);
        if self.ports[port].may_send() {
            self.arm(port, context);
        }
    }

    /// A packet leaves the buffer and enters the link.
    #[inline]
    fn depart<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if self.in_data_class(packet) {
            self.leave_buffer(egress, packet, context);
        }
        let port = &mut self.ports[egress];
        if packet.is_data() {
            if self.collects_int {
                let record = Outgoing {
                    now: context.now(),
                    sent: port.link.sent_bytes,
                    queue: port.data_bytes + port.other_bytes,
                    rate_code: port.rate_code,
                };
                let hop = packet.hops();
                if !self.codec.write(&mut packet.words, hop, &record) {
                    let (hops, most) = (hop + 1, self.shared.max_int_hops);
                    context.local().too_many_hops(hops, most);
                }
            }
            packet.count_hop();
        }
        port.link.start(egress, packet, context);
    }

    /// Buffer accounting and marking of a packet of the data class, in the artifact's order:
    /// accounts, mark, resume.
    #[inline]
    fn leave_buffer<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let (ingress, size) = (packet.ingress(), u64::from(packet.size));
        match &mut self.buffer {
            Buffer::Pfc(buffer) => buffer.release(ingress, size),
            Buffer::Drop(buffer) => buffer.release(size),
        }
        self.ports[egress].mark_on_departure(packet, &mut self.marking);
        if let Buffer::Pfc(buffer) = &mut self.buffer
            && buffer.resumes(ingress)
        {
            self.send_pfc(ingress, Kind::Resume, context);
        }
    }

    #[inline]
    fn sample<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        if self.sampling.due(now) {
            self.catch_up(now, context.local());
        }
    }

    /// Takes all samples up to `now`, at which nothing has happened yet.
    #[cold]
    pub(crate) fn catch_up(&mut self, now: incast_units::Time, recorder: &mut Recorder) {
        let recorded = self.ports.iter().any(|port| port.recorded);
        let paused = self.ports.iter().any(|port| port.link.paused);
        if self.waiting == 0 && !recorded && !paused {
            let count = self.sampling.skip(now);
            recorder.queue_histogram[0] += count * self.ports.len() as u64;
            return;
        }
        while let Some((index, time, interval)) = self.sampling.take(now) {
            let tick = Recorder::tick(&mut recorder.queue_ticks, index, interval);
            for (number, port) in self.ports.iter().enumerate() {
                let bytes = port.data_bytes + port.other_bytes;
                tick.queue_max = tick.queue_max.max(bytes);
                tick.queue_sum += bytes;
                tick.paused_ports += u64::from(port.link.paused);
                recorder.queue_histogram[Bin::of(bytes)] += 1;
                if port.recorded {
                    let port = self.first_port + number as u32;
                    recorder.queues.push(QueueSample { time, port, bytes });
                }
            }
        }
    }

    /// What is left in an empty network, if anything.
    pub(crate) fn left_over(&self) -> Option<String> {
        let (bytes, paused) = match &self.buffer {
            Buffer::Pfc(buffer) => buffer.left_over(),
            Buffer::Drop(buffer) => (buffer.used(), 0),
        };
        let held = self.ports.iter().filter(|port| port.link.paused).count();
        if self.waiting > 0 || bytes > 0 {
            return Some(format!(
                "{} packets in queues and {bytes} bytes in the buffer are",
                self.waiting
            ));
        }
        (paused + held > 0).then(|| format!("{} paused ports are", paused + held))
    }
}

impl<const WORDS: usize> Port<WORDS> {
    #[inline]
    fn holds_any(&self) -> bool {
        !self.data.is_empty() || self.holds_control()
    }

    #[inline]
    fn holds_control(&self) -> bool {
        !self.control.is_empty() || !self.frames.is_empty()
    }

    /// Whether anything that waits may leave.
    #[inline]
    fn may_send(&self) -> bool {
        self.holds_control() || !self.data.is_empty() && !self.link.paused
    }

    #[inline]
    fn take_next(&mut self) -> Option<Packet<WORDS>> {
        if self.holds_control() {
            let packet = self
                .frames
                .pop_front()
                .or_else(|| self.control.pop_front())?;
            self.other_bytes -= u64::from(packet.size);
            return Some(packet);
        }
        if self.link.paused {
            return None;
        }
        let packet = self.data.pop_front()?;
        self.data_bytes -= u64::from(packet.size);
        Some(packet)
    }

    #[inline]
    fn mark_on_arrival(&mut self, packet: &mut Packet<WORDS>, random: &mut RandomStream) {
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
    fn mark_on_departure(&mut self, packet: &mut Packet<WORDS>, random: &mut RandomStream) {
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
        if queue > marker.k_min && marker.marks(queue, random) {
            packet.mark();
            self.link.counters.marked += 1;
        }
    }
}

impl Marker {
    fn of(rate: incast_units::Rate, configs: &[EcnConfig]) -> Option<Self> {
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
