//! What a host tells the timelines of its flows.

use incast_units::Time;

use super::{Host, PORT};
use crate::context::NetContext;
use crate::wire::{Class, Packet};

impl<const WORDS: usize> Host<'_, WORDS> {
    /// Tells the timelines of flows, if there are any, that this slot may have changed.
    #[inline(always)]
    pub(super) fn note_state(&mut self, slot: u32, now: Time) {
        if self.nic.log.is_some() {
            self.tell_timelines(slot, now);
        }
    }

    #[inline(never)]
    fn tell_timelines(&mut self, slot: u32, now: Time) {
        if let Some(log) = &self.nic.log {
            self.sender.note_state(slot, now, log);
        }
    }

    /// Begins to send a packet, of this class, at `at`.
    #[inline(always)]
    pub(super) fn start_on_link<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        class: Class,
        at: Time,
        context: &mut C,
    ) {
        if self.nic.log.is_some() {
            self.note_start(packet, at);
        }
        self.nic.link.start(PORT, packet, class, at, context);
    }

    #[inline(never)]
    fn note_start(&mut self, packet: &Packet<WORDS>, at: Time) {
        let Some(log) = &mut self.nic.log else {
            return;
        };
        let time = log.note_start(packet.size(), at);
        let flow = packet.has_payload().then(|| packet.flow());
        let before = std::mem::replace(&mut log.flow, flow);
        if before != flow
            && let Some(timeline) = before.and_then(|flow| self.sender.timeline_of(flow))
        {
            timeline.note_follower(at);
        }
        if let Some(timeline) = flow.and_then(|flow| self.sender.timeline_of(flow)) {
            timeline.note_sent(at, packet.psn(), time, log);
        }
    }
}
