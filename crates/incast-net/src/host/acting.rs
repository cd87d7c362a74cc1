//! What a host does by itself before its next event: sends, takes samples, lets timers go off.

use incast_units::Time;

use crate::context::NetContext;

use super::Host;

impl<const WORDS: usize> Host<'_, WORDS> {
    /// A message is here now; first comes what was to happen before. That is one packet at most,
    /// most of the time: it goes without a call.
    #[inline(always)]
    pub(super) fn begin<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        let limit = now + Time::from_ps(1);
        if self.chores < limit {
            self.live_and_do_chores(limit, context);
        } else if self.sends_before::<C>(limit) {
            self.send_next(context);
            if self.link.free_at() < limit || self.chores < limit {
                self.live(limit, context);
            }
        }
        self.changed = now;
    }

    /// Takes samples, sends, and lets timers go off, as long as that comes before `limit`.
    #[inline(never)]
    pub(super) fn live<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        while self.chores >= limit && self.sends_before::<C>(limit) {
            self.send_next(context);
        }
        if self.chores < limit {
            self.live_and_do_chores(limit, context);
        }
    }

    /// Whether data go before `limit`, if no chore does.
    #[inline(always)]
    pub(super) fn sends_before<C: NetContext<WORDS>>(&self, limit: Time) -> bool {
        !C::PUNCTUAL && self.scheduler.earliest() < limit && self.link.free_at() < limit
    }

    /// Sends the next packet, which is one of data, where no chore comes before it.
    #[inline(always)]
    fn send_next<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let turn = self.scheduler.earliest();
        let chance = turn.max(self.link.free_at()).max(self.changed);
        let slot = self.scheduler.serve(chance);
        self.send_packet_of(slot, chance, context);
    }

    #[inline(never)]
    fn live_and_do_chores<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        self.sample(limit - Time::from_ps(1), context);
        if !self.punctual::<C>() {
            self.act(limit, context);
        }
        self.chores = if self.acks.is_empty() && !self.link.paused {
            self.sampling.next().min(self.next_timer())
        } else {
            Time::ZERO
        };
    }

    /// When the host does something by itself; [`Time::MAX`] if it does not.
    #[inline]
    pub(super) fn next_act(&self) -> Time {
        self.next_chance().min(self.next_timer())
    }

    /// When the first of the timers goes off; [`Time::MAX`] if none is set.
    #[inline]
    fn next_timer(&self) -> Time {
        self.timers.peek().map_or(Time::MAX, |timer| timer.0.0)
    }

    /// When it may send the next packet; [`Time::MAX`] if never.
    #[inline(always)]
    fn next_chance(&self) -> Time {
        self.next_chance_from(self.changed)
    }

    /// The same, but not before `from`.
    #[inline(always)]
    pub(super) fn next_chance_from(&self, from: Time) -> Time {
        let turn = if self.acks_may_go() {
            Time::ZERO
        } else if self.link.paused {
            return Time::MAX;
        } else {
            self.scheduler.earliest()
        };
        turn.max(self.link.free_at()).max(from)
    }

    #[inline(always)]
    fn act<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        loop {
            let chance = self.next_chance();
            let timer = self.next_timer();
            if timer < chance.min(limit) {
                self.on_timers(timer, context);
                self.changed = self.changed.max(timer);
                continue;
            }
            if chance >= limit {
                return;
            }
            let sent = self.acks_may_go() && self.send_ack(chance, context);
            if !sent && !self.send_data(chance, context) {
                // A QP whose turn seemed to have come has none; it is not asked again.
                debug_assert!(self.next_chance() > chance, "a turn that nobody takes");
                return;
            }
        }
    }
}
