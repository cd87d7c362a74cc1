//! A window taken port by port.
//!
//! What one egress port does is nothing to another as long as nobody pauses, is paused or looks
//! across ports: each has its own queues, its own random numbers and its own link. So a window in
//! which none of that can happen, however its packets lie, is not taken packet by packet in the
//! order of arrival, but one egress port after the other, each in its own order. That leads to the
//! same state.

use incast_engine::{CheckedIndex, Message, PortBatch};
use incast_units::{NodeId, Time};

use crate::context::NetContext;
use crate::packet::{Class, Kind, Packet};
use crate::programs::IntOnData;
use crate::shared_buffer::Buffer;

use super::{Port, Switch, after};

/// Bits of an arrival that tell its place in a run, and its run.
const PLACE_BITS: u32 = 13;
const RUN_BITS: u32 = 11;

/// One packet that arrives: ps since the window began, its run, its place in it. The order of
/// numbers is the order of arrivals.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival(u64);

impl Arrival {
    /// The first of a run, at time 0, as seen from a window that begins at `start`: numbers wrap
    /// around.
    #[inline(always)]
    fn origin(start: Time, run: usize) -> Self {
        Self(((run as u64) << PLACE_BITS).wrapping_sub(Self::shifted(start)))
    }

    /// The same, that much later.
    #[inline(always)]
    fn later(self, time: Time) -> Self {
        Self(self.0.wrapping_add(Self::shifted(time)))
    }

    #[inline(always)]
    fn shifted(time: Time) -> u64 {
        time.as_ps() << (RUN_BITS + PLACE_BITS)
    }

    /// When it arrives, in a window that begins at `start`.
    #[inline(always)]
    fn time(self, start: Time) -> Time {
        start + Time::from_ps(self.0 >> (RUN_BITS + PLACE_BITS))
    }

    /// The next of its run, at the same time.
    #[inline(always)]
    fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
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

impl<const WORDS: usize> Switch<'_, WORDS> {
    /// Takes all packets that arrive in a window, if their order over all ports does not matter;
    /// `false` if it may.
    #[inline(never)]
    pub(crate) fn sweep<C: NetContext<WORDS>>(
        &mut self,
        inbox: &mut [PortBatch<Packet<WORDS>>],
        context: &mut C,
    ) -> bool {
        let start = context.now();
        self.sample(start, context);
        if !self.may_sweep(inbox, context) {
            return false;
        }
        self.deal_out(inbox, start);
        let mut common = Common {
            start,
            node: self.node,
            buffer: &mut self.buffer,
            int: self.programs.int_on_data,
            busy: &mut self.busy,
            stirred: &mut self.stirred,
        };
        for (number, list) in self.arrivals.iter_mut().enumerate() {
            if list.is_empty() {
                continue;
            }
            list.sort_unstable();
            let port = self.ports.at_mut(number);
            context.check_port(number);
            let mut left = &list[..];
            while let [arrival, others @ ..] = left {
                let run = inbox.at_mut(arrival.run());
                port.receive(number, run, arrival.place(), others, &mut common, context);
                left = others;
            }
            list.clear();
        }
        true
    }

    /// Whether nothing can happen in this window at one port that another would notice.
    #[inline(always)]
    fn may_sweep<C: NetContext<WORDS>>(
        &self,
        inbox: &[PortBatch<Packet<WORDS>>],
        context: &C,
    ) -> bool {
        let count: usize = inbox.iter().map(|run| run.messages().len()).sum();
        let bytes = |count: usize| count as u64 * self.largest;
        let arriving = inbox.iter();
        let arriving = arriving.map(|run| (run.port(), bytes(run.messages().len())));
        !C::PUNCTUAL
            && !self.inspects_control
            && !self.programs.tick_at_all()
            && self.shared.ns3_marking_streams.is_none()
            && self.next_look >= context.window_end()
            && inbox.len() <= 1 << RUN_BITS
            && count <= 1 << PLACE_BITS
            && self.buffer.has_easy_room_for_all(bytes(count), arriving)
    }

    /// Finds the way of every packet. A PFC frame is for the port that it came by.
    #[inline(always)]
    fn deal_out(&mut self, inbox: &[PortBatch<Packet<WORDS>>], start: Time) {
        let mut ways = self.forwarding.ways(&self.chooser);
        let arrivals = &mut self.arrivals[..];
        for (number, run) in inbox.iter().enumerate() {
            let mut origin = Arrival::origin(start, number);
            for packet in run.messages() {
                let egress = match ways.of(packet) {
                    Some(port) => port,
                    None => port_of(run),
                };
                let arrivals = arrivals.at_mut(egress);
                arrivals.push(origin.later(packet.arrival()));
                origin = origin.next();
            }
        }
    }
}

#[cold]
#[inline(never)]
fn port_of<M: Message>(run: &PortBatch<M>) -> usize {
    run.port()
}

/// What the ports of a switch have in common, while a window is taken port by port.
struct Common<'a> {
    /// When the window begins.
    start: Time,
    node: NodeId,
    buffer: &'a mut Buffer,
    int: IntOnData,
    busy: &'a mut Vec<u16>,
    stirred: &'a mut Vec<u16>,
}

impl<const WORDS: usize> Port<WORDS> {
    /// Sends on a packet, or lets it wait; `others` come after it.
    #[inline(always)]
    fn receive<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        run: &mut PortBatch<Packet<WORDS>>,
        place: usize,
        others: &[Arrival],
        common: &mut Common,
        context: &mut C,
    ) {
        let ingress = run.port();
        let packet = run.messages_mut().at_mut(place);
        let now = packet.arrival();
        if self.is_late(after(now)) {
            context.advance_to(now);
            self.send_late(number, common, context);
        }
        if self.waiting == 0 && !self.link.paused {
            if packet.is_data() {
                if let Some(at) = self.turn(packet, now, others, common, context) {
                    return self.send_in_turn(
                        number,
                        packet,
                        Class::Data,
                        at,
                        &common.int,
                        context,
                    );
                }
            } else if !packet.is_pfc()
                && let Some(at) = self.turn(packet, now, others, common, context)
            {
                return self.send_in_turn(number, packet, Class::Control, at, &common.int, context);
            }
        }
        context.advance_to(now);
        self.take_in(number, ingress, packet, others, common, context);
    }

    /// When a packet leaves that comes now, if it need not wait, or nobody will see it wait: if it
    /// leaves in this window, and nothing comes before.
    #[inline(always)]
    fn turn<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        now: Time,
        others: &[Arrival],
        common: &Common,
        context: &C,
    ) -> Option<Time> {
        let at = self.link.free_at();
        if at <= now {
            return Some(now);
        }
        let next = others.first().map(|other| other.time(common.start));
        if at >= context.window_end() || next.is_some_and(|next| next < at) {
            return None;
        }
        self.wait_unseen(packet, now);
        Some(at)
    }

    /// The same for a port where packets wait, or that is paused, or a packet that will be seen
    /// to wait, or a PFC frame.
    #[inline(never)]
    fn take_in<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        others: &[Arrival],
        common: &mut Common,
        context: &mut C,
    ) {
        if packet.is_data() {
            self.mark_on_arrival(packet);
            common.buffer.take(ingress, packet.size.into());
            packet.set_ingress(ingress);
            self.enqueue(packet, true, context.now());
            self.list(number, common.busy, common.stirred);
        } else if packet.is_pfc() {
            self.receive_frame(number, packet.kind(), common, context);
        } else if !self.books(context) {
            self.enqueue(packet, false, context.now());
            self.list(number, common.busy, common.stirred);
        } else if let Some(at) = self.turn(packet, context.now(), others, common, context) {
            self.send_in_turn(number, packet, Class::Control, at, &common.int, context);
        } else {
            self.stir(number, common.stirred);
            self.book(number, packet, context);
        }
    }

    #[inline(never)]
    fn receive_frame<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        kind: Kind,
        common: &mut Common,
        context: &mut C,
    ) {
        let (now, paused) = (context.now(), kind == Kind::Pause);
        let event = self
            .link
            .set_paused(paused, now, common.node, number as u32);
        context.local().pause(event);
        if paused {
            self.stir(number, common.stirred);
        } else if !self.link.busy(context) {
            // What waited for this could not leave before.
            self.link.idle_until(now);
            self.send_late(number, common, context);
        }
    }

    /// Lets packets leave that should have left by now, while no peer is paused.
    #[inline(never)]
    fn send_late<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        common: &mut Common,
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
            let (ingress, size) = (packet.ingress(), packet.size.into());
            common.buffer.release(ingress, size);
            self.dequeue_data(number, false, &common.int, context);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Late in a long run, in the longest window, by the last of many ports: time decides, then the
    /// run, then the place.
    #[test]
    fn arrivals_come_in_order_and_keep_their_parts() {
        let start = Time::from_ms(9_000_000);
        let at = |ps| start + Time::from_ps(ps);
        let last_run = (1 << RUN_BITS) - 1;
        let long = (1 << 28) - 1;
        let first = Arrival::origin(start, 0);
        let last = Arrival::origin(start, last_run).next().next();
        let arrivals = [
            first.later(at(0)),
            first.next().later(at(0)),
            last.later(at(0)),
            first.later(at(1)),
            last.later(at(long)),
        ];
        assert!(arrivals.is_sorted());
        let [.., latest] = arrivals;
        assert_eq!((latest.run(), latest.place()), (last_run, 2));
        assert_eq!(latest.time(start), at(long));
        assert_eq!(arrivals[1].time(start), start);
    }
}
