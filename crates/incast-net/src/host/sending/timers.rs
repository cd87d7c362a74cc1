//! Timers of the flows of a host, in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_units::Time;

/// A heap of timers. An owner that sets an earlier timer leaves the later entry in place; an entry
/// is stale unless its owner still has this time.
#[derive(Clone, Debug)]
pub(super) struct Timers<T>(BinaryHeap<Reverse<(Time, T)>>);

impl<T: Ord> Default for Timers<T> {
    fn default() -> Self {
        Self(BinaryHeap::new())
    }
}

impl<T: Ord + Copy> Timers<T> {
    /// Time of the first timer; [`Time::MAX`] if there is none.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.0.peek().map_or(Time::MAX, |timer| timer.0.0)
    }

    pub(super) fn set(&mut self, at: Time, owner: T) {
        self.0.push(Reverse((at, owner)));
    }

    /// Takes the first timer that is due by `now`; among timers of one time, that of the first
    /// owner.
    pub(super) fn take_due(&mut self, now: Time) -> Option<(Time, T)> {
        if self.next() > now {
            return None;
        }
        self.0.pop().map(|timer| timer.0)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_taken_in_order_and_not_before_their_time() {
        let mut timers = Timers::default();
        assert_eq!(timers.next(), Time::MAX);
        for (us, owner) in [(5, 1), (3, 2), (3, 0)] {
            timers.set(Time::from_us(us), owner);
        }
        assert_eq!(timers.next(), Time::from_us(3));
        assert_eq!(timers.take_due(Time::from_us(2)), None);
        let due = Time::from_us(4);
        let taken = [(); 3].map(|()| timers.take_due(due).map(|timer| timer.1));
        assert_eq!(taken, [Some(0), Some(2), None]);
        timers.clear();
        assert_eq!(timers.take_due(Time::MAX), None);
    }
}
