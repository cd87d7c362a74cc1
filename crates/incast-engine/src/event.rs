//! One number that tells when in its window an event of a node happens, and where it comes from,
//! so that the order of numbers is the order of events.

/// Bits that tell where an event comes from.
const ORIGIN_BITS: u32 = 24;
/// Of these, the one that messages have and alarms have not: alarms go first.
const MESSAGE: u64 = 1 << (ORIGIN_BITS - 1);

/// Alarms and ports that one node may have, and messages that may arrive at it in one window.
pub(crate) const MOST_EVENTS: usize = MESSAGE as usize;
/// Longest window, in ps: about half a second.
pub(crate) const LONGEST_WINDOW: u64 = 1 << (64 - ORIGIN_BITS - 1);

/// An event: first the time since its window began, then where it comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

/// Later than every event.
pub(crate) const NO_EVENT: Event = Event(u64::MAX);

impl Event {
    /// A node's alarm, `offset` ps after the window began.
    #[inline]
    pub(crate) fn alarm(offset: u64, number: u32) -> Self {
        Self(offset << ORIGIN_BITS | u64::from(number))
    }

    /// The arrival of a message in run `number`.
    #[inline]
    pub(crate) fn message(offset: u64, number: usize) -> Self {
        Self(offset << ORIGIN_BITS | MESSAGE | number as u64)
    }

    #[inline]
    pub(crate) fn offset(self) -> u64 {
        self.0 >> ORIGIN_BITS
    }

    /// 1 for [`NO_EVENT`], 0 for all others.
    #[inline(always)]
    pub(crate) fn is_none(self) -> u32 {
        (self.0 >> (u64::BITS - 1)) as u32
    }

    /// Which alarm, or which run.
    #[inline]
    pub(crate) fn number(self) -> usize {
        (self.0 % MESSAGE) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_decides_then_the_origin() {
        let last = MOST_EVENTS - 1;
        let longest = LONGEST_WINDOW - 1;
        let events = [
            Event::alarm(0, 1),
            Event::alarm(0, last as u32),
            Event::message(0, 0),
            Event::message(0, last),
            Event::alarm(1, 0),
            Event::message(longest, last),
        ];
        assert!(events.is_sorted());
        assert!(events[5] < NO_EVENT);
        assert_eq!((events[5].offset(), events[5].number()), (longest, last));
        assert_eq!(events[1].number(), last);
    }
}
