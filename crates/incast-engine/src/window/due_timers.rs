//! The timers of one node that expire in the current window, in order.
//!
//! Most timers are ends of transmissions. Such a timer expires later than nearly all other timers,
//! so insertion from the end of a sorted list needs few comparisons.

use super::event_key::{EventKey, NO_EVENT};

/// Deadline of a timer that is not set.
pub(super) const NOT_SET: u64 = u64::MAX;

/// Number of entries that insertion compares one by one before it bisects the others.
const LINEAR_STEPS: usize = 8;

/// Expiries in order.
#[derive(Clone, Debug)]
pub(super) struct DueTimers {
    /// The first expiry, read at every arrival; [`NO_EVENT`] if there is none.
    first: EventKey,
    events: Vec<EventKey>,
    /// Number of entries at the front that have already been taken.
    taken: usize,
}

impl Default for DueTimers {
    fn default() -> Self {
        Self {
            first: NO_EVENT,
            events: Vec::new(),
            taken: 0,
        }
    }
}

impl DueTimers {
    /// The first expiry; [`NO_EVENT`] if there is none.
    #[inline]
    pub(super) fn first(&self) -> EventKey {
        self.first
    }

    /// Removes the first expiry, if there is one.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.taken += 1;
        if let Some(&next) = self.events.get(self.taken) {
            self.first = next;
        } else {
            self.events.clear();
            self.taken = 0;
            self.first = NO_EVENT;
        }
    }

    /// Adds an expiry.
    #[inline]
    pub(super) fn push(&mut self, event: EventKey) {
        let last = self.events.len();
        self.events.push(event);
        if last > self.taken && self.events[last - 1] > event {
            self.insert_last(last);
        }
        self.first = self.first.min(event);
    }

    /// Moves the last entry, at `index`, to its position in the order.
    fn insert_last(&mut self, mut index: usize) {
        let event = self.events[index];
        let limit = index.saturating_sub(LINEAR_STEPS).max(self.taken);
        while index > limit && self.events[index - 1] > event {
            self.events[index] = self.events[index - 1];
            index -= 1;
        }
        if index > self.taken && self.events[index - 1] > event {
            let before = &self.events[self.taken..index];
            let found = self.taken + before.partition_point(|&other| other <= event);
            self.events.copy_within(found..index, found + 1);
            index = found;
        }
        self.events[index] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a sorted list: pushes near the end and anywhere, and pops.
    #[test]
    fn the_first_expiry_comes_first() {
        let (mut timers, mut model) = (DueTimers::default(), Vec::new());
        let mut state = 1_u64;
        for round in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let spread = if round % 3 == 0 { 4_000 } else { 40 };
            if state >> 62 != 0 && model.len() < 100 {
                let event = EventKey::timer(round + (state >> 33) % spread, (state >> 50) as u32);
                timers.push(event);
                model.push(event);
                model.sort();
            } else if !model.is_empty() {
                timers.pop();
                model.remove(0);
            }
            assert_eq!(timers.first(), model.first().copied().unwrap_or(NO_EVENT));
        }
    }
}
