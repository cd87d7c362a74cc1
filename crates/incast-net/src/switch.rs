//! A switch: shared memory, one egress queue per port and class, store and forward, no delay of
//! its own.
//!
//! PFC frames go first, then the control class, then data. Each class is one FIFO over all
//! ingress ports.
//!
//! When a waiting packet leaves is settled once the one before it has begun to; so packets
//! that wait *depart* not by a timer each, but when somebody looks: an arrival at their port, a
//! sample, a buffer whose thresholds matter, the end of the window. Only while a switch pauses a
//! peer, and has to say at the right moment that it may go on, does it keep a timer for every
//! departure; and where the order of simultaneous events counts.

mod acting;
mod looks;
mod pauses;
mod port;
mod sweep;
mod waiting;

use incast_engine::CheckedIndex;
use incast_units::{NodeId, Time};

use crate::context::NetContext;
use crate::ecmp::Chooser;
use crate::forwarding::ForwardingTable;
use crate::measure::PacketEvent;
use crate::measure::Sampling;
use crate::packet::{Class, Kind, Packet};
use crate::programs::Programs;
use crate::shared::Shared;
use crate::shared_buffer::Buffer;
use crate::transmitter::Transmitter;
use crate::{AckClass, MeasureConfig};

use self::sweep::Arrival;

pub(crate) use self::port::Port;

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
    /// Whether packets that are not data need a second look: for their class, or by a program.
    inspects_control: bool,
    programs: Programs<WORDS>,
    chooser: Chooser,
    buffer: Buffer,
    pub(crate) ports: Vec<Port<WORDS>>,
    /// Ports at which packets wait, and perhaps some at which they no longer do; empty where
    /// the order of simultaneous events counts.
    busy: Vec<u16>,
    /// Ports of which a sample tells something, and perhaps some of which it no longer does.
    stirred: Vec<u16>,
    sampling: Sampling,
    /// When somebody looks at the ports next, to sample them or to remember them.
    next_look: Time,
    /// Bytes of the largest packet.
    largest: u64,
    /// Room for what arrives in one window, by egress port.
    arrivals: Vec<Vec<Arrival>>,
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
        measure: &MeasureConfig,
    ) -> Self {
        let Identity {
            node, first_port, ..
        } = identity;
        let rates: Vec<_> = links.iter().map(|(_, rate)| *rate).collect();
        let programs = Programs::new(shared, &rates, first_port);
        let acks_among_data = shared.config.model.ack_class == AckClass::Data;
        let sampling = Sampling::new(measure.queue_interval, measure.until);
        let ports: Vec<_> = links
            .into_iter()
            .enumerate()
            .map(|(index, (link, rate))| {
                let recorded = measure.queue_ports.contains(&(first_port + index as u32));
                Port::new(link, rate, shared, recorded, first_port + index as u32)
            })
            .collect();
        let arrivals = vec![Vec::new(); ports.len()];
        let stirred = (0..ports.len()).filter(|&index| ports[index].stirred);
        let stirred = stirred.map(|index| index as u16).collect();
        Self {
            node,
            first_port,
            shared,
            forwarding,
            acks_among_data,
            inspects_control: acks_among_data || programs.see_acks(),
            chooser: Chooser::new(shared.config.path_choice(), identity.original),
            buffer,
            ports,
            busy: Vec::new(),
            stirred,
            next_look: sampling.next().min(programs.next_look()),
            sampling,
            programs,
            largest: shared.largest(),
            arrivals,
        }
    }

    // What follows is the path of every packet-hop. Whatever is seldom needed on it is a call of
    // its own that does all the rest, so that nothing has to be kept in registers across it.

    #[inline(always)]
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if self.look_due(context) {
            return self.look_and_forward(port, packet, context);
        }
        if packet.is_data() {
            self.forward_data(port, packet, context);
        } else if self.inspects_control || packet.is_pfc() {
            self.inspect(port, packet, context);
        } else {
            self.forward_control(packet, context);
        }
    }

    #[inline(never)]
    fn look_and_forward<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.take_samples(Self::seen(context), context);
        if packet.is_data() {
            let egress = self.egress(packet);
            self.queue_data(port, egress, packet, Class::Data, context);
        } else {
            self.inspect(port, packet, context);
        }
    }

    /// Until when somebody who looks at the ports during an arrival sees what happened. In one
    /// global queue a sampler comes after the arrivals of its instant, which were scheduled before
    /// it, a link's delay ahead, and before what leaves then.
    #[inline(always)]
    fn seen<C: NetContext<WORDS>>(context: &C) -> Time {
        let unseen = Time::from_ps(u64::from(C::INSERTION_ORDER));
        context.now().saturating_sub(unseen)
    }

    #[inline(always)]
    fn look_due<C: NetContext<WORDS>>(&self, context: &C) -> bool {
        Self::seen(context) >= self.next_look
    }

    #[inline]
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.sample(context.now(), context);
        if port == self.ports.len() {
            return self.tick(context);
        }
        self.ports[port].link.complete();
        self.depart(port, after(context.now()), context);
        if self.punctual::<C>() {
            self.arm(port, context);
        }
    }

    /// All events before `end` have happened.
    pub(crate) fn end_window<C: NetContext<WORDS>>(&mut self, end: Time, context: &mut C) {
        self.sample(end - Time::from_ps(1), context);
        let mut kept = 0;
        for place in 0..self.busy.len() {
            let port = self.busy[place];
            self.depart(port.into(), end, context);
            if self.ports[usize::from(port)].waiting == 0 {
                self.ports[usize::from(port)].listed = false;
            } else {
                self.arm(port.into(), context);
                self.busy[kept] = port;
                kept += 1;
            }
        }
        self.busy.truncate(kept);
    }

    /// Whether every departure needs a timer.
    #[inline]
    fn punctual<C: NetContext<WORDS>>(&self) -> bool {
        C::PUNCTUAL || self.buffer.pauses_peers()
    }

    /// Lets packets leave a port that begin to do so before `limit`.
    #[inline]
    fn depart<C: NetContext<WORDS>>(&mut self, number: usize, limit: Time, context: &mut C) {
        if self.ports[number].is_late(limit) {
            self.serve(number, limit, context);
        }
    }

    /// Lets packets leave a port that is free, as long as they begin to do so before `limit`.
    #[inline(never)]
    fn serve<C: NetContext<WORDS>>(&mut self, number: usize, limit: Time, context: &mut C) {
        while self.send_next(number, context) && self.ports.at(number).is_late(limit) {}
    }

    /// Sends the packet of a port that goes first, if any may.
    #[inline(always)]
    fn send_next<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) -> bool {
        let port = self.ports.at_mut(number);
        if port.holds_control() {
            port.dequeue_control(number, context);
            return true;
        }
        if port.link.paused {
            return false;
        }
        let Some(packet) = port.data.front() else {
            return false;
        };
        let ingress = packet.ingress();
        if self.buffer.release(ingress, packet.size.into()) {
            self.resume_and_send(ingress, number, context);
        } else {
            port.dequeue_data(number, false, &self.programs.int_on_data, context);
        }
        true
    }

    /// Lets the peer at `ingress` go on, and a packet that came from there leave.
    #[cold]
    fn resume_and_send<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        number: usize,
        context: &mut C,
    ) {
        // Both draw random numbers, where there is one stream for all.
        self.ports[number].mark_next();
        self.send_pfc(ingress, Kind::Resume, context);
        self.ports[number].dequeue_data(number, true, &self.programs.int_on_data, context);
    }

    /// The same for all ports.
    fn depart_all<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        for place in 0..self.busy.len() {
            self.depart(self.busy[place].into(), limit, context);
        }
    }

    #[inline(always)]
    fn egress(&mut self, packet: &Packet<WORDS>) -> usize {
        self.forwarding.port(packet, &self.chooser)
    }

    /// Takes a data packet in and sends it on, at once if its port is idle.
    #[inline(always)]
    fn forward_data<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let egress = self.egress(packet);
        let port = self.ports.at_mut(egress);
        let passes = port.is_idle(context) && !port.link.paused;
        if !passes || !self.buffer.has_easy_room(ingress, 0, packet.size.into()) {
            return self.queue_data(ingress, egress, packet, Class::Data, context);
        }
        context.note(PacketEvent::Enqueue, egress, packet, || 0);
        let int = &self.programs.int_on_data;
        port.transmit(egress, packet, Class::Data, 0, int, context);
    }

    /// The same for a packet that goes ahead of data.
    #[inline(always)]
    fn forward_control<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let egress = self.egress(packet);
        let port = self.ports.at_mut(egress);
        if !port.is_idle(context) {
            return self.queue_control(egress, packet, context);
        }
        context.note(PacketEvent::Enqueue, egress, packet, || 0);
        let int = &self.programs.int_on_data;
        port.transmit(egress, packet, Class::Control, 0, int, context);
    }

    /// Takes in a packet that counts as data, whatever there is to do first: it is of the data
    /// class, or travels in it.
    #[inline(never)]
    fn queue_data<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        context: &mut C,
    ) {
        self.send_late(egress, context);
        let port = self.ports.at_mut(egress);
        let idle = port.is_idle(context);
        // Whoever has not departed yet can only make the buffer seem fuller than it is.
        let size = packet.size.into();
        if C::PUNCTUAL && !idle || !self.buffer.has_easy_room(ingress, port.data_bytes, size) {
            return self.take_in(ingress, egress, packet, context);
        }
        if idle && !port.link.paused {
            context.note(PacketEvent::Enqueue, egress, packet, || 0);
            let int = &self.programs.int_on_data;
            return port.transmit(egress, packet, class, 0, int, context);
        }
        port.mark_on_arrival(packet);
        context.note(PacketEvent::Enqueue, egress, packet, || port.bytes);
        self.buffer.take(ingress, size);
        packet.set_ingress(ingress);
        port.enqueue(packet, true, context.now());
        if !port.listed || self.buffer.pauses_peers() {
            self.note_waiting(egress, context);
        }
    }

    /// The same for a packet that goes ahead of data.
    #[inline(never)]
    fn queue_control<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let port = self.ports.at_mut(egress);
        if C::PUNCTUAL || self.buffer.pauses_peers() || !port.books(context) {
            return self.queue_control_among_others(egress, packet, context);
        }
        port.stir(egress, &mut self.stirred);
        port.book(egress, packet, context);
    }

    /// The same where packets should have left before, or have to be waited for.
    #[inline(never)]
    fn queue_control_among_others<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.send_late(egress, context);
        let port = self.ports.at_mut(egress);
        if !C::PUNCTUAL && !self.buffer.pauses_peers() && port.books(context) {
            port.stir(egress, &mut self.stirred);
            port.book(egress, packet, context);
        } else {
            self.enter(egress, packet, false, context);
        }
    }

    /// Lets packets leave a port that should have left before now.
    #[inline(always)]
    fn send_late<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) {
        let limit = after(context.now());
        if !C::PUNCTUAL
            && self.ports.at(number).is_late(limit)
            && self.send_next(number, context)
            && self.ports.at(number).is_late(limit)
        {
            self.serve(number, limit, context);
        }
    }

    /// Takes in a packet of the data class that waits, or that changes the buffer's accounts.
    #[inline(never)]
    fn take_in<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        packet.set_ingress(ingress);
        if self.admit(ingress, egress, packet, context) {
            self.enter(egress, packet, true, context);
        }
    }

    /// Lets a packet wait, or leave at once if it may.
    #[inline(never)]
    fn enter<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &mut Packet<WORDS>,
        data_class: bool,
        context: &mut C,
    ) {
        let port = &mut self.ports[egress];
        let waits = port.link.busy(context) || port.blocks(data_class);
        if data_class && waits {
            port.mark_on_arrival(packet);
        }
        context.note(PacketEvent::Enqueue, egress, packet, || port.bytes);
        if waits {
            port.enqueue(packet, data_class, context.now());
            self.note_waiting(egress, context);
            return;
        }
        if data_class {
            let ingress = packet.ingress();
            port.mark_on_departure(packet);
            if self.buffer.release(ingress, packet.size.into()) {
                self.send_pfc(ingress, Kind::Resume, context);
            }
        }
        let port = &mut self.ports[egress];
        let (queue, class) = (port.bytes, packet.class());
        let int = &self.programs.int_on_data;
        port.transmit(egress, packet, class, queue, int, context);
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
        self.depart_all(after(context.now()), context);
        let size = u64::from(packet.size);
        match &mut self.buffer {
            Buffer::Pfc(buffer) => {
                if !buffer.admit(ingress, size) {
                    self.lose(ingress, packet, context);
                    return false;
                }
                if buffer.pauses(ingress) {
                    self.pause(ingress, context);
                }
                true
            }
            Buffer::Drop(buffer) => {
                let port = &mut self.ports[egress];
                let admitted = buffer.admit(port.data_bytes, size);
                if !admitted {
                    port.link.count_drop();
                    context.note(PacketEvent::Drop, egress, packet, || port.bytes);
                }
                admitted
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
        let waiting = self.waiting();
        if waiting > 0 || bytes > 0 {
            return Some(format!(
                "{waiting} packets in queues and {bytes} bytes in the buffer are"
            ));
        }
        (paused + held > 0).then(|| format!("{} paused ports are", paused + held))
    }
}

/// The limit for what begins at `now` or before.
#[inline]
fn after(now: Time) -> Time {
    now + Time::from_ps(1)
}

impl<'a, const WORDS: usize> AsRef<Switch<'a, WORDS>> for Switch<'a, WORDS> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<'a, const WORDS: usize> AsMut<Switch<'a, WORDS>> for Switch<'a, WORDS> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
