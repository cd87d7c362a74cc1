//! Departures of an egress port on the fast paths, computed late or ahead of time.

use incast_signals::MarkingPoint;
use incast_units::Time;

use crate::buffer::Buffer;
use crate::context::NetContext;
use crate::programs::IntOnData;
use crate::wire::{Class, Packet};

use super::port_queue::Departing;
use super::{EgressPort, after};

impl<const WORDS: usize> EgressPort<WORDS> {
    /// Whether waiting packets start to leave before `limit`, unless they are paused.
    #[inline(always)]
    pub(super) fn has_departures(&self, limit: Time) -> bool {
        !self.queue.is_empty() && self.egress.link.free_at() < limit
    }

    /// Computes the departures that start before `limit`, while no peer is paused.
    #[inline(never)]
    pub(super) fn depart<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        limit: Time,
        buffer: &mut Buffer,
        int: &IntOnData,
        context: &mut C,
    ) {
        self.depart_here(number, limit, buffer, int, context);
    }

    /// [`depart`](Self::depart), inlined.
    #[inline(always)]
    pub(super) fn depart_here<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        limit: Time,
        buffer: &mut Buffer,
        int: &IntOnData,
        context: &mut C,
    ) {
        if !self.queue.puts_control_first() {
            return self.depart_in_turns(number, limit, buffer, int, context);
        }
        while self.has_departures(limit) {
            if self.queue.holds_control() {
                self.depart_control(number, int, context);
                continue;
            }
            let Some(lane) = self.queue.next_lane(self.egress.link.paused()) else {
                return;
            };
            let Departing {
                packet,
                data_behind,
                behind,
            } = self.queue.discount_data(lane);
            let egress = &mut self.egress;
            egress.mark(MarkingPoint::Dequeue, data_behind, packet);
            buffer.release(packet);
            let at = egress.link.free_at();
            egress.start(number, packet, at, behind, int, context);
            self.queue.remove_data(lane);
        }
    }

    /// Computes the departures that start before `limit`, where headers and data take turns.
    #[inline(never)]
    fn depart_in_turns<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        limit: Time,
        buffer: &mut Buffer,
        int: &IntOnData,
        context: &mut C,
    ) {
        while self.has_departures(limit)
            && let Some((class, mut packet)) = self.queue.dequeue(self.egress.link.paused())
        {
            if class.is_buffered() {
                self.mark_on_dequeue(&mut packet);
                buffer.release(&packet);
            }
            let (at, queue) = (self.egress.link.free_at(), self.queue.bytes());
            let egress = &mut self.egress;
            egress.start(number, &mut packet, at, queue, int, context);
        }
    }

    #[inline(never)]
    fn depart_control<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        int: &IntOnData,
        context: &mut C,
    ) {
        if let Some((_, mut packet)) = self.queue.dequeue(self.egress.link.paused()) {
            let (at, queue) = (self.egress.link.free_at(), self.queue.bytes());
            let egress = &mut self.egress;
            egress.start(number, &mut packet, at, queue, int, context);
        }
    }

    /// Whether a control packet can be committed ahead of time. It has to be next on the link
    /// unless a PFC frame preempts it, take no turns with data, and start within this window, so
    /// that the send can still be revoked.
    #[inline(always)]
    pub(super) fn can_commit<C: NetContext<WORDS>>(&self, context: &C) -> bool {
        !self.queue.holds_control()
            && self.egress.link.free_at() < context.window_end()
            && self.queue.puts_control_first()
    }

    /// Commits a control packet, which starts as soon as the link is free.
    #[inline(always)]
    pub(super) fn commit<C: NetContext<WORDS>>(
        &mut self,
        number: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let now = context.now();
        let at = self.egress.link.free_at().max(now);
        if at > now {
            self.committed.bytes_at(after(now));
            self.committed.push(at, packet.size());
            self.record_length(self.queue.bytes(), now);
        }
        // Control packets carry no INT of this switch.
        self.egress
            .link
            .start(number, packet, Class::Control, at, context);
    }

    /// Revokes committed sends that have not started; `false` if there are none.
    pub(super) fn revoke<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) -> bool {
        let mut revoked = false;
        while let Some(at) = self.committed.pop_unstarted(after(context.now())) {
            let mut packet = context.revoke(number).expect("it was sent in this window");
            self.egress.link.take_back(&mut packet, at);
            self.queue.return_control(packet);
            revoked = true;
        }
        if revoked {
            // The timer may be set for a time after these sends.
            context.cancel_timer(number);
        }
        revoked
    }

    /// Notes that samples of this port may be above zero from now on.
    #[inline(always)]
    pub(super) fn start_sampling(&mut self, number: usize, sampled: &mut Vec<u16>) {
        if !self.is_sampled {
            self.is_sampled = true;
            sampled.push(number as u16);
        }
    }
}
