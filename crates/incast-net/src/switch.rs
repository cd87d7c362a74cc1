//! A switch: shared memory, one egress queue per port and class, store and forward, no delay of
//! its own.
//!
//! PFC frames go first, then the control class, then data. Each class is one FIFO over all
//! ingress ports.

mod port;

use incast_engine::{Purpose, RandomStream};
use incast_units::{FlowId, NodeId, Time};

use crate::buffer::{DropBuffer, PfcBuffer};
use crate::context::NetContext;
use crate::ecmp::Chooser;
use crate::forwarding::ForwardingTable;
use crate::int::IntWriter;
use crate::packet::{Kind, Packet};
use crate::record::{Bin, PacketEvent, QueueSample};
use crate::recorder::{Recorder, Sampling};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::{AckClass, Fault, IntCollection};

pub(crate) use self::port::Port;
use self::port::Queue;

/// A switch.
#[derive(Debug)]
pub(crate) struct Switch<'a, const WORDS: usize> {
    pub(crate) node: NodeId,
    /// Number of its first port, counted over all nodes.
    first_port: u32,
    shared: &'a Shared,
    forwarding: ForwardingTable,
    /// Of the configuration, at hand: ACKs travel in the data class.
    acks_among_data: bool,
    int: IntWriter,
    chooser: Chooser,
    buffer: Buffer,
    pub(crate) ports: Vec<Port<WORDS>>,
    marking: RandomStream,
    sampling: Sampling,
}

#[derive(Debug)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

impl Buffer {
    /// Whether a packet that finds an empty queue and leaves at once changes no account.
    #[inline]
    fn passes(&self, ingress: usize, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.passes(ingress, size),
            Self::Drop(buffer) => buffer.has_room(0, size),
        }
    }
}

/// By what numbers a switch goes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) node: NodeId,
    /// Its number in the file that the topology was read from.
    pub(crate) original: u32,
    /// Number of its first port, counted over all nodes.
    pub(crate) first_port: u32,
}

impl<'a, const WORDS: usize> Switch<'a, WORDS> {
    pub(crate) fn new(
        identity: Identity,
        links: Vec<(Transmitter, incast_units::Rate)>,
        buffer: Buffer,
        shared: &'a Shared,
        forwarding: ForwardingTable,
        recorder: &Recorder,
    ) -> Self {
        let Identity {
            node, first_port, ..
        } = identity;
        let measure = &recorder.measure;
        let ports = links
            .into_iter()
            .enumerate()
            .map(|(index, (link, rate))| {
                let recorded = measure.queue_ports.contains(&(first_port + index as u32));
                Port::new(link, rate, shared, recorded)
            })
            .collect();
        Self {
            node,
            first_port,
            shared,
            forwarding,
            acks_among_data: shared.config.model.ack_class == AckClass::Data,
            int: match shared.config.int {
                IntCollection::Data => shared.codec.writer(shared.words_for_int::<WORDS>()),
                IntCollection::Off => IntWriter::Off,
            },
            chooser: Chooser::new(shared.config.model.ecmp, identity.original),
            buffer,
            ports,
            marking: RandomStream::new(shared.config.seed, node.0.into(), Purpose::Marking),
            sampling: Sampling::new(measure.queue_interval, measure.until),
        }
    }

    #[inline]
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        // In one global queue a sampler comes after the arrivals of its instant, which were
        // scheduled before it, a link's delay ahead, and before what leaves then.
        let unseen = Time::from_ps(u64::from(C::INSERTION_ORDER));
        self.sample(context.now().saturating_sub(unseen), context);
        if packet.is_pfc() {
            self.on_pfc(port, packet.kind(), context);
        } else {
            self.forward(port, packet, context);
        }
    }

    #[inline]
    pub(crate) fn on_alarm<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.sample(context.now(), context);
        self.ports[port].link.complete();
        self.serve(port, context);
    }

    #[cold]
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

    /// Takes a packet in and sends it on, at once if its port is idle.
    #[inline]
    fn forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let egress = self.egress(packet);
        let data_class = self.in_data_class(packet);
        let port = &mut self.ports[egress];
        let idle = port.waiting == 0 && !port.link.busy(context);
        let size = packet.size.into();
        if !idle || data_class && (port.link.paused || !self.buffer.passes(ingress, size)) {
            self.take_in(ingress, egress, packet, context);
            return;
        }
        if data_class {
            port.mark_on_arrival(packet, &mut self.marking);
        }
        context.note(PacketEvent::Enqueue, egress, packet, || 0);
        port.transmit(egress, packet, 0, &self.int, context);
    }

    #[inline(always)]
    fn egress(&self, packet: &Packet<WORDS>) -> usize {
        let choose = |choices| self.chooser.choose(packet, choices);
        self.forwarding.port(packet.destination, choose)
    }

    #[inline]
    fn in_data_class(&self, packet: &Packet<WORDS>) -> bool {
        packet.is_data() || self.acks_among_data && !packet.is_pfc()
    }

    /// Takes in a packet that waits, or that changes the buffer's accounts.
    #[inline(never)]
    fn take_in<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        packet.set_ingress(ingress);
        let data_class = self.in_data_class(packet);
        if data_class {
            if !self.admit(ingress, egress, packet, context) {
                return;
            }
            self.ports[egress].mark_on_arrival(packet, &mut self.marking);
        }
        let port = &mut self.ports[egress];
        context.note(PacketEvent::Enqueue, egress, packet, || port.queue());
        if port.link.busy(context) || port.blocks(data_class) {
            port.enqueue(packet, data_class);
            self.arm(egress, context);
            return;
        }
        if data_class {
            self.leave_buffer(ingress, packet.size.into(), context);
        }
        let port = &mut self.ports[egress];
        if data_class {
            port.mark_on_departure(packet, &mut self.marking);
        }
        port.transmit(egress, packet, port.queue(), &self.int, context);
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
                    self.lose(ingress, packet, context);
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
                if !admitted {
                    port.link.count_drop();
                    context.note(PacketEvent::Drop, egress, packet, || port.queue());
                }
                admitted
            }
        }
    }

    /// A lossless network loses a packet; says whose fault it is.
    #[cold]
    fn lose<C: NetContext<WORDS>>(&self, ingress: usize, packet: &Packet<WORDS>, context: &mut C) {
        let Buffer::Pfc(buffer) = &self.buffer else {
            return;
        };
        let (headroom, worst_case) = buffer.headroom(ingress);
        let (node, port) = (self.node, ingress as u32);
        let (flow, time) = (FlowId(packet.flow), context.now());
        let model = &self.shared.config.model;
        let fault = if self.acks_among_data && !model.ack_pausable_at_host {
            Fault::AcksNotPaused {
                node,
                port,
                flow,
                time,
            }
        } else if headroom < worst_case {
            Fault::HeadroomTooSmall {
                node,
                port,
                flow,
                time,
                headroom,
                worst_case,
            }
        } else {
            Fault::PacketLost {
                node,
                port,
                flow,
                time,
            }
        };
        context.local().fail(time, node, fault);
    }

    #[cold]
    fn send_pfc<C: NetContext<WORDS>>(&mut self, port: usize, kind: Kind, context: &mut C) {
        let mut frame = Packet::new(kind, self.shared.pfc_size);
        let out = &mut self.ports[port];
        context.note(PacketEvent::Enqueue, port, &frame, || out.queue());
        if out.link.busy(context) || !out.frames.is_empty() {
            out.waiting += 1;
            out.other_bytes += u64::from(frame.size);
            out.frames.push_back(frame);
            self.arm(port, context);
        } else {
            context.note(PacketEvent::Send, port, &frame, || out.queue());
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
    fn serve<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) {
        let Some(queue) = self.ports[number].next_queue() else {
            return;
        };
        if queue == Queue::Data
            && let Some(packet) = self.ports[number].data.front()
        {
            let (ingress, size) = (packet.ingress(), u64::from(packet.size));
            self.leave_buffer(ingress, size, context);
        }
        let port = &mut self.ports[number];
        port.dequeue(queue, number, &mut self.marking, &self.int, context);
        if port.waiting > 0 {
            self.arm(number, context);
        }
    }

    /// Buffer accounting of a packet of the data class that leaves.
    #[inline]
    fn leave_buffer<C: NetContext<WORDS>>(&mut self, ingress: usize, size: u64, context: &mut C) {
        match &mut self.buffer {
            Buffer::Pfc(buffer) => {
                buffer.release(ingress, size);
                if buffer.resumes(ingress) {
                    self.send_pfc(ingress, Kind::Resume, context);
                }
            }
            Buffer::Drop(buffer) => buffer.release(size),
        }
    }

    #[inline]
    fn sample<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        if self.sampling.due(until) {
            self.catch_up(until, context.local());
        }
    }

    /// Takes all samples up to `now`, at which nothing has happened yet.
    #[cold]
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        let recorded = self.ports.iter().any(|port| port.recorded);
        let paused = self.ports.iter().any(|port| port.link.paused);
        if self.waiting() == 0 && !recorded && !paused {
            let count = self.sampling.skip(now);
            recorder.queue_histogram[0] += count * self.ports.len() as u64;
            return;
        }
        while let Some((index, time, interval)) = self.sampling.take(now) {
            let tick = Recorder::tick(&mut recorder.queue_ticks, index, interval);
            for (number, port) in self.ports.iter().enumerate() {
                let bytes = port.queue();
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

    /// Packets in all queues.
    fn waiting(&self) -> u32 {
        self.ports.iter().map(|port| port.waiting).sum()
    }

    /// What is left in an empty network, if anything.
    pub(crate) fn left_over(&self) -> Option<String> {
        let (bytes, paused) = match &self.buffer {
            Buffer::Pfc(buffer) => buffer.left_over(),
            Buffer::Drop(buffer) => (buffer.used(), 0),
        };
        let held = self.ports.iter().filter(|port| port.link.paused).count();
        let waiting = self.waiting();
        if waiting > 0 || bytes > 0 {
            return Some(format!(
                "{waiting} packets in queues and {bytes} bytes in the buffer are"
            ));
        }
        (paused + held > 0).then(|| format!("{} paused ports are", paused + held))
    }
}
