//! A window taken port by port.
//!
//! What one egress port does is nothing to another as long as nobody pauses, is paused or looks
//! across ports: each has its own queues, its own random numbers and its own link. So a window in
//! which none of that can happen, however its packets lie, is not taken packet by packet in the
//! order of arrival, but one egress port after the other, each in its own order. That leads to the
//! same state.

use incast_engine::{Places, Run};
use incast_units::Time;

use crate::buffer::Buffer;
use crate::context::NetContext;
use crate::packet::{Class, Kind, Packet};
use crate::programs::IntOnData;

use super::{Port, Switch, after};

/// Bits of an arrival that tell its place in a run, and its run.
const PLACE_BITS: u32 = 13;
const RUN_BITS: u32 = 11;

/// One packet that arrives: ps since the window began, its run, its place in it. The order of
/// numbers is the order of arrivals.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival(u64);

impl Arrival {
    #[inline(always)]
    fn new(offset: u64, run: usize, place: usize) -> Self {
        Self((offset << RUN_BITS | run as u64) << PLACE_BITS | place as u64)
    }

    #[inline(always)]
    fn offset(self) -> Time {
        Time::from_ps(self.0 >> (RUN_BITS + PLACE_BITS))
    }

    #[inline(always)]
    fn run(self) -> usize {
        (self.0 >> PLACE_BITS) as usize % (1 << RUN_BITS)
    }

    #[inline(always)]
    fn place(self) -> usize {
        self.0 as usize % (1 << PLACE_BITS)
    }
}

/// What arrives in one window, by egress port.
#[derive(Debug)]
pub(super) struct Lists {
    by_port: Vec<Vec<Arrival>>,
    /// Ports with any.
    used: Vec<u16>,
}

impl Lists {
    pub(super) fn new(ports: usize) -> Self {
        Self {
            by_port: vec![Vec::new(); ports],
            used: Vec::new(),
        }
    }

    #[inline(always)]
    fn add(&mut self, port: usize, arrival: Arrival) {
        let list = self.by_port.at_mut(port);
        if list.is_empty() {
            self.used.push(port as u16);
        }
        list.push(arrival);
    }
}

impl<const WORDS: usize> Switch<'_, WORDS> {
    /// Takes all packets that arrive in a window, if their order over all ports does not matter;
    /// `false` if it may.
    #[inline(never)]
    pub(crate) fn sweep<C: NetContext<WORDS>>(
        &mut self,
        mail: &mut [Run<Packet<WORDS>>],
        context: &mut C,
    ) -> bool {
        let start = context.now();
        self.sample(start, context);
        if !self.may_sweep(mail, context) {
            return false;
        }
        self.deal_out(mail, start);
        let ports = std::mem::take(&mut self.lists.used);
        for &port in &ports {
            let number = usize::from(port);
            let mut list = std::mem::take(self.lists.by_port.at_mut(number));
            list.sort_unstable();
            self.sweep_port(number, &list, mail, start, context);
            list.clear();
            *self.lists.by_port.at_mut(number) = list;
        }
        self.lists.used = ports;
        self.lists.used.clear();
        true
    }

    /// Whether nothing can happen in this window at one port that another would notice.
    #[inline(always)]
    fn may_sweep<C: NetContext<WORDS>>(&self, mail: &[Run<Packet<WORDS>>], context: &C) -> bool {
        let most = 1 << PLACE_BITS;
        let bytes = |run: &Run<_>| run.messages().len() as u64 * self.largest;
        let arriving = mail.iter().map(|run| (run.port(), bytes(run)));
        !C::PUNCTUAL
            && !self.inspects_control
            && !self.programs.tick_at_all()
            && self.shared.ns3_draws.is_none()
            && self.next_look >= context.window_end()
            && mail.len() <= 1 << RUN_BITS
            && mail.iter().all(|run| run.messages().len() <= most)
            && self.buffer.has_easy_room_for_all(arriving)
    }

    /// Finds the way of every packet. A PFC frame is for the port that it came by.
    #[inline(always)]
    fn deal_out(&mut self, mail: &[Run<Packet<WORDS>>], start: Time) {
        for (number, run) in mail.iter().enumerate() {
            for (place, packet) in run.messages().iter().enumerate() {
                let egress = if packet.is_pfc() {
                    run.port()
                } else {
                    self.forwarding.port(packet, &self.chooser)
                };
                let offset = packet.arrival() - start;
                let arrival = Arrival::new(offset.as_ps(), number, place);
                self.lists.add(egress, arrival);
            }
        }
    }

    /// Sends on what arrives for one port.
    #[inline(always)]
    fn sweep_port<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        arrivals: &[Arrival],
        mail: &mut [Run<Packet<WORDS>>],
        start: Time,
        context: &mut C,
    ) {
        let port = self.ports.at_mut(number);
        let int = &self.programs.int_on_data;
        for arrival in arrivals {
            context.go_to(start + arrival.offset());
            let run = mail.at_mut(arrival.run());
            let ingress = run.port();
            let packet = run.messages_mut().at_mut(arrival.place());
            port.send_late(number, &mut self.buffer, int, context);
            let idle = port.is_idle(context);
            if packet.is_data() {
                if idle && !port.link.paused {
                    port.transmit(number, packet, Class::Data, 0, int, context);
                    continue;
                }
                port.mark_on_arrival(packet);
                self.buffer.take(ingress, packet.size.into());
                packet.set_ingress(ingress);
                port.enqueue(packet, true, context.now());
                port.list(number, &mut self.busy, &mut self.stirred);
            } else if packet.is_pfc() {
                let now = context.now();
                let paused = packet.kind() == Kind::Pause;
                let event = port.link.set_paused(paused, now, self.node, number as u32);
                context.local().pause(event);
                if paused {
                    port.stir(number, &mut self.stirred);
                } else if !port.link.busy(context) {
                    // What waited for this could not leave before.
                    port.link.idle_until(now);
                    port.send_late(number, &mut self.buffer, int, context);
                }
            } else if idle {
                port.transmit(number, packet, Class::Control, 0, int, context);
            } else if port.books(context) {
                port.stir(number, &mut self.stirred);
                port.book(number, packet, context);
            } else {
                port.enqueue(packet, false, context.now());
                port.list(number, &mut self.busy, &mut self.stirred);
            }
        }
    }
}

impl<const WORDS: usize> Port<WORDS> {
    /// Lets packets leave that should have left by now, while no peer is paused.
    #[inline(always)]
    fn send_late<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        buffer: &mut Buffer,
        int: &IntOnData,
        context: &mut C,
    ) {
        while self.is_late(after(context.now())) {
            if self.holds_control() {
                self.dequeue_control(number, context);
                continue;
            }
            let Some(packet) = self.data.front().filter(|_| !self.link.paused) else {
                return;
            };
            buffer.release(packet.ingress(), packet.size.into());
            self.dequeue_data(number, int, context);
        }
    }

    /// Remembers that packets wait here.
    #[inline(always)]
    fn list(&mut self, number: usize, busy: &mut Vec<u16>, stirred: &mut Vec<u16>) {
        if !self.listed {
            self.listed = true;
            busy.push(number as u16);
            self.stir(number, stirred);
        }
    }
}
