//! PFC: what a switch tells its peers, and what it does when they tell it.

use incast_units::FlowId;

use crate::Fault;
use crate::context::NetContext;
use crate::measure::PacketEvent;
use crate::packet::{Class, Kind, NOWHERE, Packet};
use crate::shared_buffer::Buffer;

use super::{Switch, after};

impl<const WORDS: usize> Switch<'_, WORDS> {
    #[cold]
    pub(super) fn on_pfc<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        kind: Kind,
        context: &mut C,
    ) {
        if !C::PUNCTUAL {
            self.depart(port, after(context.now()), context);
        }
        let paused = kind == Kind::Pause;
        let link = &mut self.ports[port].link;
        let event = link.set_paused(paused, context.now(), self.node, port as u32);
        context.local().pause(event);
        if paused {
            self.ports[port].stir(port, &mut self.stirred);
            return;
        }
        if !self.ports[port].link.busy(context) {
            // What waited for this could not leave before.
            self.ports[port].link.idle_until(context.now());
            self.serve(port, after(context.now()), context);
        }
        if self.punctual::<C>() {
            self.arm(port, context);
        }
    }

    /// Tells the peer at `ingress` to pause; from now on departures are timed.
    #[cold]
    pub(super) fn pause<C: NetContext<WORDS>>(&mut self, ingress: usize, context: &mut C) {
        self.send_pfc(ingress, Kind::Pause, context);
        for place in 0..self.busy.len() {
            self.arm(self.busy[place].into(), context);
        }
    }

    #[cold]
    pub(super) fn send_pfc<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        kind: Kind,
        context: &mut C,
    ) {
        let mut frame = Packet::new(kind, self.shared.pfc_size);
        frame.destination = NOWHERE;
        if let Some(draws) = &self.shared.ns3_marking_streams {
            draws.skip();
        }
        self.ports[port].take_back(port, context);
        let out = &mut self.ports[port];
        context.note(PacketEvent::Enqueue, port, &frame, || out.bytes);
        if out.link.busy(context) || !out.frames.is_empty() {
            out.waiting += 1;
            out.bytes += u64::from(frame.size);
            out.frames.push_back(&frame);
            self.note_waiting(port, context);
        } else {
            context.note(PacketEvent::Send, port, &frame, || out.bytes);
            out.link
                .start(port, &mut frame, Class::Frame, context.now(), context);
        }
    }

    /// A lossless network loses a packet; says whose fault it is.
    #[cold]
    pub(super) fn lose<C: NetContext<WORDS>>(
        &self,
        ingress: usize,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) {
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
}
