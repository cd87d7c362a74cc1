//! The direct path of the event-queue engine, whose events keep their times and order.
//!
//! A packet that need not wait leaves at once. It is not accounted in the buffer, which it would
//! enter and leave at the same time. All other packets take the [pipeline](super::pipeline). The
//! end of a transmission is an event only if a packet waits for it. This event gets the
//! [place](incast_engine::EventPlace) that was reserved at the start of the transmission, even if
//! the packet arrives at the same time.

use incast_engine::CheckedIndex;

use crate::context::NetContext;
use crate::wire::Packet;

use super::Switch;

/// A switch that forwards packets directly where possible, with the results of a [`Switch`].
#[derive(Clone, Debug)]
pub(crate) struct DirectSwitch<const WORDS: usize> {
    plain: Switch<WORDS>,
    /// Whether a program sees ACKs, or rate requests and replies.
    programs_see_control: bool,
    /// Whether a program may drop speculative data.
    inspects_speculation: bool,
}

impl<const WORDS: usize> From<Switch<WORDS>> for DirectSwitch<WORDS> {
    fn from(mut plain: Switch<WORDS>) -> Self {
        plain.ends_are_events = false;
        Self {
            programs_see_control: plain.programs.see_control(),
            inspects_speculation: plain.programs.see_speculation,
            plain,
        }
    }
}

impl<const WORDS: usize> AsRef<Switch<WORDS>> for DirectSwitch<WORDS> {
    fn as_ref(&self) -> &Switch<WORDS> {
        &self.plain
    }
}

impl<const WORDS: usize> AsMut<Switch<WORDS>> for DirectSwitch<WORDS> {
    fn as_mut(&mut self) -> &mut Switch<WORDS> {
        &mut self.plain
    }
}

impl<const WORDS: usize> DirectSwitch<WORDS> {
    /// A packet arrives by port `ingress`.
    #[inline(always)]
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let is_inspected = match packet.is_data() {
            true => self.inspects_speculation && packet.is_speculative(),
            false => self.programs_see_control || packet.is_pfc(),
        };
        if is_inspected || context.now() > self.plain.next_observation {
            return self.plain.on_arrival(ingress, packet, context);
        }
        let class = self.plain.queue_class(packet);
        let egress = self.plain.lookup(packet);
        let Switch {
            ports,
            buffer,
            programs,
            ..
        } = &mut self.plain;
        let port = ports.at_mut(egress);
        if !port.passes(class, ingress, packet, buffer, context) {
            return self
                .plain
                .forward_and_schedule(ingress, egress, packet, context);
        }
        let (now, int) = (context.now(), &programs.int_on_data);
        port.egress.start(egress, packet, now, 0, int, context);
    }
}
