//! The timers of one node that go off in the current window, the first one ready.
//!
//! Most timers are the ends of transmissions: each is later than nearly all that are set, so a
//! list that is filled from its end needs few comparisons.

use crate::event::{Event, NO_EVENT};

/// Places that are compared one by one, before the rest is halved.
const NEAR: usize = 8;

/// Events in order.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The first event, which is asked for at every arrival; [`NO_EVENT`] if there is none.
    first: Event,
    events: Vec<Event>,
    /// Events at the front that have been taken.
    taken: usize,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            first: NO_EVENT,
            events: Vec::new(),
            taken: 0,
        }
    }
}

impl Pending {
    /// The first event; [`NO_EVENT`] if there is none.
    #[inline]
    pub(crate) fn first(&self) -> Event {
        self.first
    }

    /// Takes the first event, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.taken += 1;
        if let Some(&next) = self.events.get(self.taken) {
            self.first = next;
        } else {
            self.events.clear();
            self.taken = 0;
            self.first = NO_EVENT;
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        let place = self.events.len();
        self.events.push(event);
        if place > self.taken && self.events[place - 1] > event {
            self.settle(place);
        }
        self.first = self.first.min(event);
    }

    /// Moves the last event, at `place`, to where it belongs.
    fn settle(&mut self, mut place: usize) {
        let event = self.events[place];
        let nearest = place.saturating_sub(NEAR).max(self.taken);
        while place > nearest && self.events[place - 1] > event {
            self.events[place] = self.events[place - 1];
            place -= 1;
        }
        if place > self.taken && self.events[place - 1] > event {
            let before = &self.events[self.taken..place];
            let found = self.taken + before.partition_point(|&other| other <= event);
            self.events.copy_within(found..place, found + 1);
            place = found;
        }
        self.events[place] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a sorted list, under pushes near the end, anywhere, and pops.
    #[test]
    fn the_first_event_is_first() {
        let (mut pending, mut model) = (Pending::default(), Vec::new());
        let mut state = 1_u64;
        for round in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let spread = if round % 3 == 0 { 4_000 } else { 40 };
            if state >> 62 != 0 && model.len() < 100 {
                let event = Event::timer(round + (state >> 33) % spread, (state >> 50) as u32);
                pending.push(event);
                model.push(event);
                model.sort();
            } else if !model.is_empty() {
                pending.pop();
                model.remove(0);
            }
            assert_eq!(pending.first(), model.first().copied().unwrap_or(NO_EVENT));
        }
    }
}
