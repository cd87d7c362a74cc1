//! The events of a switch, one by one, in their reference order. Thresholds, marking and INT are in
//! [`pfc`], [`shared_buffer`](crate::buffer), [`marker`](crate::marker) and
//! [`programs`](crate::programs).
//!
//! ```text
//! arrival ─┬─ PFC frame: pause, or resume and dequeue
//!          ├─ ACK, NACK: programs ─┐
//!          └─ others ──────────────┴─ lookup ─ programs ─ admission ─┬─ link busy, data paused:
//!                                             (requests, (data only) │  mark (at enqueue), enqueue
//!                                             speculative)    │      │
//!                                                        pause frame └─ else: start transmission
//!
//! no room: the packet or the last of its queue ─┬─ dropped
//!                                               └─ trimmed: on as a header, of the control class
//!
//! end of a transmission ─ dequeue ─ start transmission
//!
//! start transmission: mark (at dequeue) ─ release ─ write INT ─ transmit
//!                                            │
//!                                       resume frame
//! ```
//!
//! A switch stores and forwards, with zero processing latency. Each port has three queues: PFC
//! frames leave first, then the control class, then data (ordered by [`arbiter`](super::arbiter)).
//! Only the data class is paused and counted in the shared buffer; within it only data packets are
//! marked. [`AckClass`](crate::AckClass) is the option whether ACKs and NACKs belong to the data
//! class. [`Contention`](crate::Contention) is the choice of the dropped packet if there is no
//! room: the arriving packet may take the place of the last one. The control class has no buffer
//! limit, except for headers where packets are [trimmed](crate::TrimmingConfig): only these are
//! dropped, never ACKs or CNPs.
//!
//! As in the `switch-mmu` of HPCC's ns-3 artifact, a packet is admitted and charged whether or not
//! the egress link is idle. Each admission may pause only its ingress port, each departure resume
//! only that of the leaving packet, whose buffer is freed as its first bit leaves.
//!
//! The fast paths ([`lazy`](super::lazy), [`port_by_port`](super::port_by_port)) produce the same
//! results by computing events early or late. They call this pipeline wherever the exact time of an
//! event matters. [`direct`](super::direct) skips steps that change nothing.

use incast_units::{FlowId, Time};

use crate::buffer::{Admission, Buffer, pfc};
use crate::context::NetContext;
use crate::measure::{Log as _, PacketEvent, PauseCause};
use crate::programs::PortView as _;
use crate::violation::Violation;
use crate::wire::{Class, Kind, Lane, Packet};

use super::Switch;
use super::port::{EgressPort, Refusal};

impl<const WORDS: usize> Switch<WORDS> {
    /// A packet arrives on port `ingress`.
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.observe(last_observation_before_arrival(context), context.local());
        if packet.is_pfc() {
            self.on_pfc_frame(ingress, packet.lane(), packet.kind(), context);
            return self.schedule_dequeue(ingress, context);
        }
        self.pass_ack_to_programs(ingress, packet, context);
        let egress = self.lookup(packet);
        self.pass_request_to_programs(ingress, egress, packet, context);
        if self.drop_speculative(egress, packet, context) {
            return;
        }
        self.forward_and_schedule(ingress, egress, packet, context);
    }

    /// Forwards a packet from port `ingress` to port `egress`, and sets the timers that this needs.
    #[inline]
    pub(super) fn forward_and_schedule<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.forward(ingress, egress, packet, context);
        self.schedule_dequeue(egress, context);
    }

    /// A port's transmission ends, or the timer of the programs expires. The end of a transmission
    /// has no effect if no packet can leave.
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        if self.ports.get(timer).is_some_and(|port| !port.may_send()) {
            return;
        }
        self.observe(context.now(), context.local());
        if timer == self.program_timer() {
            self.on_program_timer(context);
        } else {
            self.on_transmission_end(timer, context);
        }
    }

    /// The transmission of a port ends. The simultaneous end of another port's transmission may
    /// have started a PFC frame here; then the next packet waits for this frame.
    pub(super) fn on_transmission_end<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        context: &mut C,
    ) {
        if !self.ports[port].egress.link.busy(context) {
            self.dequeue(port, context);
        }
        self.schedule_dequeue(port, context);
    }

    // Admission and queueing

    /// Forwards a packet from port `ingress` to port `egress`, if the buffer admits it.
    pub(super) fn forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let mut class = self.queue_class(packet);
        if class.is_buffered() {
            packet.set_ingress(ingress);
            let queue = self.ports[egress].counted_bytes(packet.lane());
            if self.buffer.admit(ingress, queue, packet) == Admission::Stored {
                self.update_pause(ingress, packet.lane(), context);
            } else if self.lose(ingress, egress, packet, context) == Refusal::Trimmed {
                class = Class::Control;
            } else {
                return;
            }
        }
        self.send_or_enqueue(egress, class, packet, context);
    }

    /// Handles a packet without room: this packet or the last of its queue is trimmed or dropped.
    /// Under PFC the run fails.
    fn lose<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) -> Refusal {
        let Buffer::Pfc(buffer) = &self.buffer else {
            return self.ports[egress].refuse(egress, packet, &mut self.buffer, context);
        };
        let size = u64::from(packet.size());
        let acks_ignore_pauses = self.shared.acks_ignore_pauses();
        let link = &self.ports[ingress].egress.link;
        let account = buffer.account(ingress, packet.lane());
        let cause = buffer.cause_of_loss(account, acks_ignore_pauses, |bytes| {
            link.takes_no_time(bytes.min(size))
        });
        let time = context.now();
        let violation = Violation::PacketLost {
            node: self.node,
            port: ingress as u32,
            flow: FlowId(packet.flow()),
            time,
            cause,
        };
        context.local().fail(time, self.node, violation);
        Refusal::Dropped
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
        // An idle link implies empty queues, except for paused data: transmission ends precede
        // arrivals at the same time. But another port's simultaneous transmission end may send a
        // PFC frame here before this port's own end is handled. The frame then waits behind frames
        // queued here. At marking point `enqueue`, only packets that wait can be marked.
        let waits_for_pfc = class == Class::Pfc && port.queue.holds_pfc();
        let is_paused = class.is_pausable() && link.paused().contains(packet.lane());
        if link.busy(context) || waits_for_pfc || is_paused {
            port.enqueue(egress, class, packet, context);
            return self.note_backlog(egress, context);
        }
        // As in ns-3, a trace shows every packet as enqueued and sent.
        context.note(PacketEvent::Enqueue, egress, packet, || {
            port.queue.bytes_without_pfc()
        });
        self.start_transmission(egress, class, packet, context);
    }

    // Dequeueing

    /// Starts to transmit the port's packet of highest priority that is not paused, if any.
    pub(super) fn dequeue<C: NetContext<WORDS>>(&mut self, egress: usize, context: &mut C) {
        let port = &mut self.ports[egress];
        if let Some((class, mut packet)) = port.queue.dequeue(port.egress.link.paused()) {
            self.start_transmission(egress, class, &mut packet, context);
        }
    }

    /// Starts to transmit a packet that was just dequeued, or that bypasses the empty queue of its
    /// class.
    fn start_transmission<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        class: Class,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if class.is_buffered() {
            let port = &mut self.ports[egress];
            port.mark_on_dequeue(packet);
            self.buffer.release(packet);
            self.update_resume(packet.ingress(), packet.lane(), context);
        }
        let port = &mut self.ports[egress];
        let (now, queue) = (context.now(), port.queue.bytes_without_pfc());
        let int = &self.programs.int_on_data;
        port.egress.start(egress, packet, now, queue, int, context);
    }

    /// Sets the port's timer for the end of the current transmission, if a queued packet may leave
    /// then, or if every end is an event.
    pub(super) fn schedule_dequeue<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let EgressPort { egress, .. } = &self.ports[port];
        let matters = self.ends_are_events || self.ports[port].may_send();
        let ends = matters && egress.link.busy(context);
        if ends && context.timer_deadline(port).is_none() {
            egress.link.set_end_timer(port, context);
        }
    }

    // PFC

    /// A pause or resume frame arrives from the peer on `port`. It takes effect at once, except on
    /// the packet in transmission; a pause lasts until its resume (quanta are not modelled).
    pub(super) fn on_pfc_frame<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        lane: Lane,
        kind: Kind,
        context: &mut C,
    ) {
        let link = &mut self.ports[port].egress.link;
        let paused = kind == Kind::Pause;
        let event = link.set_paused(lane, paused, context.now(), self.node, port as u32);
        context.local().pause(event);
        if paused {
            self.sample_port(port);
        } else if !self.ports[port].egress.link.busy(context) {
            self.dequeue(port, context);
        }
    }

    /// Pauses a lane of the peer of port `ingress` if it has reached its threshold or uses
    /// headroom.
    fn update_pause<C: NetContext<WORDS>>(&mut self, ingress: usize, lane: Lane, context: &mut C) {
        if self.buffer.update_pause(ingress, lane, context.now()) {
            self.send_pfc_frame(ingress, lane, Kind::Pause, context);
        }
    }

    /// Resumes a paused lane of the peer of port `ingress` if it uses no headroom, and either
    /// nothing of the shared buffer or at least the resume offset less than its threshold.
    fn update_resume<C: NetContext<WORDS>>(&mut self, ingress: usize, lane: Lane, context: &mut C) {
        if self.buffer.update_resume(ingress, lane) {
            self.send_pfc_frame(ingress, lane, Kind::Resume, context);
        }
    }

    /// Sends a frame about a lane to the peer of `port`, before all other packets.
    pub(super) fn send_pfc_frame<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        lane: Lane,
        kind: Kind,
        context: &mut C,
    ) {
        if C::Local::TRACES && kind == Kind::Pause {
            let cause = self.pause_cause(port, lane, context.now());
            context.local().note_pause_cause(cause);
        }
        // In ns-3 every frame takes a new random stream, for a field that no code reads.
        if let Some(streams) = &self.shared.ns3_marking_streams {
            streams.skip();
        }
        if let Buffer::Pfc(buffer) = &mut self.buffer
            && kind == Kind::Pause
            && self.ports[port].queue.holds_several_pfc()
        {
            buffer.note_waiting_pause(buffer.account(port, lane));
        }
        let mut frame = pfc::frame(kind, lane, self.shared.pfc_size);
        self.send_or_enqueue(port, Class::Pfc, &mut frame, context);
        self.schedule_dequeue(port, context);
    }

    /// The cause of a pause of the peer of `port`: the waiting data that arrived by this port.
    fn pause_cause(&self, port: usize, lane: Lane, now: Time) -> Option<PauseCause> {
        let mut waiting = Vec::new();
        for (number, queue) in (0..).zip(&self.ports) {
            queue.each_waiting(&mut |packet| {
                if packet.ingress() == port && packet.lane() == lane {
                    let flow = FlowId(packet.flow());
                    waiting.push((number, flow, u64::from(packet.size())));
                }
            });
        }
        PauseCause::of((now, self.node, port as u16), waiting.into_iter())
    }

    // Programs

    /// The timer of the programs expires: programs send their packets. The timer is set again only
    /// while some port is backlogged.
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

    /// Sets the timer of the programs, if any program is periodic and the timer is not set.
    pub(super) fn schedule_programs<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let timer = self.program_timer();
        if self.programs.have_timer() && context.timer_deadline(timer).is_none() {
            let next = self.programs.next_timer(context.now());
            context.set_timer(timer, next.expect("a program is periodic"));
        }
    }
}

/// The last sample time before an arrival at `now`. Under the event-queue engine samples at `now`
/// follow the arrival, which was scheduled earlier, by a link delay.
fn last_observation_before_arrival<const WORDS: usize, C: NetContext<WORDS>>(context: &C) -> Time {
    let later = Time::from_ps(u64::from(C::INSERTION_ORDER));
    context.now().saturating_sub(later)
}
