//! What a switch does, event by event. The meaning of a switch is in this file alone.
//!
//! ```text
//! arrival ─┬─ PFC frame: pause or resume the port
//!          └─ ACK: programs ─┐
//!             data ──────────┴─ lookup ─ admission ─ link busy? ─┬─ mark, enqueue
//!                                            │                   │
//!                                       pause frame              └─ start transmission
//!
//! end of a transmission ─ dequeue ─ mark ─ release ─ start transmission
//!                                            │
//!                                       resume frame
//! ```
//!
//! A switch stores and forwards, and has no delay of its own. Each port has three queues: PFC
//! frames leave first, then the control class, then data. Only data are marked, paused, and
//! counted in the shared buffer. Whether ACKs belong to the control class or to data is an option
//! of the model ([`AckClass`](crate::AckClass)).
//!
//! The fast paths ([`lazy`](super::lazy), [`port_by_port`](super::port_by_port)) compute the same
//! sooner or later than it happens, and call this pipeline where the moment itself matters.

use incast_units::{FlowId, Time};

use crate::context::NetContext;
use crate::measure::PacketEvent;
use crate::packet::{Class, Kind, Packet};
use crate::pfc::{self, LostPacket};
use crate::shared_buffer::Buffer;

use super::Switch;
use super::port::EgressPort;

impl<const WORDS: usize> Switch<'_, WORDS> {
    /// A packet arrives by port `ingress`.
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.observe(last_observation_before_arrival(context), context.local());
        if packet.is_pfc() {
            self.on_pfc_frame(ingress, packet.kind(), context);
            return self.schedule_dequeue(ingress, context);
        }
        self.show_to_programs(ingress, packet, context);
        let egress = self.lookup(packet);
        self.forward(ingress, egress, packet, context);
        self.schedule_dequeue(egress, context);
    }

    /// A port's transmission ends, or the programs' time has come.
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        self.observe(context.now(), context.local());
        if timer == self.program_timer() {
            self.on_program_timer(context);
        } else {
            self.on_transmission_end(timer, context);
        }
    }

    /// The transmission of a port ends. Another port's end at the same instant may have started a
    /// PFC frame here: then the next packet waits for that.
    pub(super) fn on_transmission_end<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        context: &mut C,
    ) {
        let link = &mut self.ports[port].egress.link;
        link.complete();
        if !link.busy(context) {
            self.dequeue(port, context);
        }
        self.schedule_dequeue(port, context);
    }

    // Admission and queueing

    /// Takes a packet from port `ingress` to port `egress`, unless it is dropped.
    pub(super) fn forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let class = self.queue_class(packet);
        if class == Class::Data {
            packet.set_ingress(ingress);
            if !self.check_admission(ingress, egress, packet, context) {
                return;
            }
            self.update_pause(ingress, context);
        }
        self.send_or_enqueue(egress, class, packet, context);
    }

    /// Whether the shared buffer has room for a packet of the data class, which is then accounted.
    fn check_admission<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) -> bool {
        let port = &mut self.ports[egress];
        let queue = port.queue.data_bytes();
        if self.buffer.admit(ingress, queue, packet.size.into()) {
            return true;
        }
        match &self.buffer {
            Buffer::Drop(_) => {
                port.egress.link.count_drop();
                context.note(PacketEvent::Drop, egress, packet, || port.queue.bytes());
            }
            Buffer::Pfc(buffer) => {
                let lost = LostPacket {
                    node: self.node,
                    port: ingress as u32,
                    flow: FlowId(packet.flow),
                    time: context.now(),
                };
                let fault = buffer.cause_of_loss(lost, self.shared.acks_ignore_pauses());
                context.local().fail(lost.time, lost.node, fault);
            }
        }
        false
    }

    /// Starts to send a packet of this class if the link is free for it, or enqueues it.
    fn send_or_enqueue<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        class: Class,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let port = &mut self.ports[egress];
        let link = &port.egress.link;
        // While the link is free nothing waits but paused data.
        if link.busy(context) || class == Class::Data && link.paused {
            port.enqueue(egress, class, packet, context);
            return self.note_backlog(egress, context);
        }
        context.note(PacketEvent::Enqueue, egress, packet, || port.queue.bytes());
        self.start_transmission(egress, class, packet, context);
    }

    // Dequeueing

    /// Sends the packet of a port that goes first, if any may.
    pub(super) fn dequeue<C: NetContext<WORDS>>(&mut self, egress: usize, context: &mut C) {
        let port = &mut self.ports[egress];
        if let Some((class, mut packet)) = port.queue.dequeue(port.egress.link.paused) {
            self.start_transmission(egress, class, &mut packet, context);
        }
    }

    /// A packet that was in the queue of this class, or would have been, enters the link.
    fn start_transmission<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        class: Class,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if class == Class::Data {
            let port = &mut self.ports[egress];
            port.mark_on_dequeue(packet);
            let ingress = packet.ingress();
            self.buffer.release(ingress, packet.size.into());
            self.update_resume(ingress, context);
        }
        let port = &mut self.ports[egress];
        let (now, queue) = (context.now(), port.queue.bytes());
        let int = &self.programs.int_on_data;
        port.egress.start(egress, packet, now, queue, int, context);
    }

    /// Sets the port's timer for the end of its transmission, if a packet waits for that. (With
    /// one global event queue, the end of every transmission is an event anyway.)
    pub(super) fn schedule_dequeue<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let EgressPort { queue, egress, .. } = &self.ports[port];
        let waits = queue.may_send(egress.link.paused) && egress.link.busy(context);
        if waits && context.timer_deadline(port).is_none() {
            context.set_timer(port, egress.link.free_at());
        }
    }

    // PFC

    /// The peer at `port` pauses data, or lets them go on.
    pub(super) fn on_pfc_frame<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        kind: Kind,
        context: &mut C,
    ) {
        let link = &mut self.ports[port].egress.link;
        let paused = kind == Kind::Pause;
        let event = link.set_paused(paused, context.now(), self.node, port as u32);
        context.local().pause(event);
        if paused {
            self.sample_port(port);
        } else if !self.ports[port].egress.link.busy(context) {
            self.dequeue(port, context);
        }
    }

    /// Pauses the peer at `ingress` if it has come to its threshold.
    fn update_pause<C: NetContext<WORDS>>(&mut self, ingress: usize, context: &mut C) {
        if self.buffer.update_pause(ingress) {
            self.send_pfc_frame(ingress, Kind::Pause, context);
        }
    }

    /// Lets the peer at `ingress` go on if it was paused and is far enough below its threshold.
    fn update_resume<C: NetContext<WORDS>>(&mut self, ingress: usize, context: &mut C) {
        if self.buffer.update_resume(ingress) {
            self.send_pfc_frame(ingress, Kind::Resume, context);
        }
    }

    /// Sends a frame to the peer at `port`, before all other packets.
    fn send_pfc_frame<C: NetContext<WORDS>>(&mut self, port: usize, kind: Kind, context: &mut C) {
        if let Some(streams) = &self.shared.ns3_marking_streams {
            streams.skip();
        }
        let mut frame = pfc::frame(kind, self.shared.pfc_size);
        self.send_or_enqueue(port, Class::Frame, &mut frame, context);
        self.schedule_dequeue(port, context);
    }

    // Programs

    /// The programs act by themselves, as they do while packets wait.
    pub(super) fn on_program_timer<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let mut packets = Vec::new();
        self.programs
            .on_timer(context.now(), &self.ports, &mut packets);
        for packet in &mut packets {
            let egress = self.lookup(packet);
            self.send_or_enqueue(egress, Class::Control, packet, context);
            self.schedule_dequeue(egress, context);
        }
        self.forget_empty_queues();
        if !self.backlogged.is_empty() {
            self.schedule_programs(context);
        }
    }

    /// Sets the programs' timer, if they act by themselves and it is not set.
    pub(super) fn schedule_programs<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let timer = self.program_timer();
        if self.programs.have_timer() && context.timer_deadline(timer).is_none() {
            let next = self.programs.next_timer(context.now());
            context.set_timer(timer, next.expect("a program acts by itself"));
        }
    }
}

/// The time of the last observation that comes before an arrival at this moment. A simulator with
/// one global event queue takes a sample after the arrivals of the same instant, which were
/// scheduled a link's delay ahead, and before the departures.
fn last_observation_before_arrival<const WORDS: usize, C: NetContext<WORDS>>(context: &C) -> Time {
    let later = Time::from_ps(u64::from(C::INSERTION_ORDER));
    context.now().saturating_sub(later)
}
