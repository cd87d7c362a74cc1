//! What a switch does for its programs: shows them packets and ports, sends what they send.

use crate::Fault;
use crate::context::NetContext;
use crate::packet::{Class, Packet};

use super::{Switch, after};

impl<const WORDS: usize> Switch<'_, WORDS> {
    /// Takes in a packet that is not data, and shows it to the programs.
    #[inline(never)]
    pub(super) fn inspect<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if packet.is_pfc() {
            return self.on_pfc(ingress, packet.kind(), context);
        }
        if packet.is_ack() {
            if self.programs.see_acks() {
                self.show_ack(ingress, packet, context);
            }
            // CNPs never do.
            if self.acks_among_data {
                let egress = self.egress(packet);
                return self.queue_data(ingress, egress, packet, Class::Control, context);
            }
        }
        self.forward_control(packet, context);
    }

    #[inline(always)]
    fn show_ack<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let now = context.now();
        if !C::PUNCTUAL {
            self.depart(ingress, after(now), context);
        }
        if !self.programs.on_ack(packet, ingress, now, &self.ports) {
            let hops = packet.hops();
            let most = hops - 1;
            let fault = Fault::TooManyHops { hops, most };
            context.local().fail(now, self.node, fault);
        }
    }

    /// Number of the timer at which programs act by themselves.
    fn ticker(&self) -> usize {
        self.ports.len()
    }

    /// How many timers it has: one for each port, and one for the programs if they act by
    /// themselves.
    pub(crate) fn timers(&self) -> usize {
        self.ports.len() + usize::from(self.programs.tick_at_all())
    }

    /// Packets wait: programs may have something to do.
    #[inline]
    pub(super) fn arm_tick<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if self.programs.tick_at_all() && context.timer_deadline(self.ticker()).is_none() {
            let next = self.programs.next_tick(context.now());
            context.set_timer(self.ticker(), next.expect("a program acts by itself"));
        }
    }

    /// Programs act by themselves, as long as packets wait.
    #[cold]
    pub(super) fn tick<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        self.depart_all(after(now), context);
        let mut packets = Vec::new();
        self.programs.tick(now, &self.ports, &mut packets);
        for packet in &mut packets {
            let egress = self.egress(packet);
            self.queue_control(egress, packet, context);
        }
        // Nobody arms it when packets come to a port that is listed still.
        if self.waiting() > 0 || !self.busy.is_empty() {
            self.arm_tick(context);
        }
    }
}
