//! Updates of the timelines of a host's flows.

use incast_units::Time;

use super::{Host, PORT};
use crate::context::NetContext;
use crate::wire::{Class, Packet};

impl<const WORDS: usize> Host<'_, WORDS> {
    /// Updates the timelines of the flows of a slot after an event, if timelines are kept.
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

    /// Like [`note_state`](Self::note_state), for a QP with a limit of its own whose `next_send`
    /// has just been set and none of whose timers has expired.
    #[inline(always)]
    pub(super) fn note_next_send(&mut self, slot: u32, next_send: Time, now: Time) {
        if self.nic.log.is_some() {
            self.tell_timeline(slot, next_send, now);
        }
    }

    #[inline(never)]
    fn tell_timeline(&mut self, slot: u32, next_send: Time, now: Time) {
        if let Some(log) = &self.nic.log {
            let qp = self.sender.own.qps.get_mut(slot);
            qp.note_next_send(next_send, now, log);
        }
    }

    /// Starts the transmission of a packet of this class at `at`.
    #[inline(always)]
    pub(super) fn start_on_link<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        class: Class,
        at: Time,
        context: &mut C,
    ) {
        if let Some(log) = &mut self.nic.log {
            match class == Class::Data || log.listens() {
                true => self.tell_start(packet, at),
                false => log.note_start(packet.size(), at),
            }
        }
        self.nic.link.start(PORT, packet, class, at, context);
    }

    /// A data packet of a QP with a limit of its own starts to leave at `at`; the next one may
    /// leave from `next_send` on.
    #[inline(always)]
    pub(super) fn note_sent(
        &mut self,
        slot: u32,
        packet: &Packet<WORDS>,
        at: Time,
        next_send: Time,
    ) {
        if self.nic.log.is_some() {
            self.tell_sent(slot, packet, at, next_send);
        }
    }

    #[inline(never)]
    fn tell_sent(&mut self, slot: u32, packet: &Packet<WORDS>, at: Time, next_send: Time) {
        let time = self.begin(Some(packet.flow()), packet.size(), at);
        if let Some(log) = &self.nic.log {
            let qp = self.sender.own.qps.get_mut(slot);
            qp.transfer.note_sent(at, packet.psn(), time, log);
            qp.note_next_send(next_send, at, log);
        }
    }

    #[inline(never)]
    fn tell_start(&mut self, packet: &Packet<WORDS>, at: Time) {
        let flow = packet.has_payload().then(|| packet.flow());
        let time = self.begin(flow, packet.size(), at);
        if let (Some(log), Some(flow)) = (&self.nic.log, flow)
            && let Some(transfer) = self.sender.transfer_of_mut(flow)
        {
            transfer.note_sent(at, packet.psn(), time, log);
        }
    }

    /// Notes that a packet of this flow, or of no flow, starts to leave, also for the flow of the
    /// packet before. Returns the packet's transmission time.
    #[inline]
    fn begin(&mut self, flow: Option<u32>, size: u16, at: Time) -> Time {
        let Some(log) = &mut self.nic.log else {
            return Time::ZERO;
        };
        log.note_start(size, at);
        let before = std::mem::replace(&mut log.flow, flow);
        let time = log.time_of(size);
        if before != flow
            && let Some(before) = before.and_then(|flow| self.sender.transfer_of_mut(flow))
        {
            before.note_follower(at);
        }
        time
    }
}
