//! One number that tells when in its window an event of a node happens, and where it comes from,
//! so that the order of numbers is the order of events.

/// Bits that tell which timer or port an event comes from.
const NUMBER_BITS: u32 = 19;
/// The bit that messages have and timers have not: timers go first.
const MESSAGE: u64 = 1 << NUMBER_BITS;
/// Above that, bits that only [`NO_EVENT`] has: one for each of as many events that are looked
/// at together.
pub(crate) const MARK_BITS: u32 = 16;
const FIRST_MARK: u32 = NUMBER_BITS + 1;
/// The rest is the time.
const TIME: u32 = FIRST_MARK + MARK_BITS;

/// Timers and ports that one node may have.
pub(crate) const MOST_SOURCES: usize = MESSAGE as usize;
/// Longest window, in ps: a quarter of a millisecond.
pub(crate) const LONGEST_WINDOW: u64 = (1 << (u64::BITS - TIME)) - 1;

/// An event: first the time since its window began, then where it comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

/// Later than every event.
pub(crate) const NO_EVENT: Event = Event(u64::MAX);

impl Event {
    /// A node's timer, `offset` ps after the window began.
    #[inline]
    pub(crate) fn timer(offset: u64, number: u32) -> Self {
        Self(offset << TIME | u64::from(number))
    }

    /// The arrival of a message in run `number`.
    #[inline]
    pub(crate) fn message(offset: u64, number: usize) -> Self {
        Self(offset << TIME | MESSAGE | number as u64)
    }

    /// The same `time` ps earlier, which may be before the window: numbers wrap around.
    #[inline(always)]
    pub(crate) fn earlier(self, time: u64) -> Self {
        Self(self.0.wrapping_sub(time << TIME))
    }

    /// The same `time` ps later; takes back what is [earlier](Self::earlier).
    #[inline(always)]
    pub(crate) fn later(self, time: u64) -> Self {
        Self(self.0.wrapping_add(time << TIME))
    }

    #[inline]
    pub(crate) fn offset(self) -> u64 {
        self.0 >> TIME
    }

    /// Bit `index` for [`NO_EVENT`], nothing for all others; see [`Event::unmarked`].
    #[inline(always)]
    pub(crate) fn mark(self, index: u32) -> u64 {
        self.0 & 1 << (FIRST_MARK + index)
    }

    /// Of `marks` put together: one bit for each index that has none.
    #[inline(always)]
    pub(crate) fn unmarked(marks: u64) -> u64 {
        !marks >> FIRST_MARK & ((1 << MARK_BITS) - 1)
    }

    /// What [`Event::cell`] takes for a window of `length` ps with so many cells.
    pub(crate) fn scale(cells: usize, length: u64) -> u64 {
        ((cells as u64) << (u64::BITS - TIME)) / length
    }

    /// Which cell of its window an event falls into.
    #[inline(always)]
    pub(crate) fn cell(self, scale: u64) -> usize {
        ((u128::from(self.0) * u128::from(scale)) >> u64::BITS) as usize
    }

    /// Which timer, or which run.
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
        let last = MOST_SOURCES - 1;
        let longest = LONGEST_WINDOW - 1;
        let events = [
            Event::timer(0, 1),
            Event::timer(0, last as u32),
            Event::message(0, 0),
            Event::message(0, last),
            Event::timer(1, 0),
            Event::message(longest, last),
        ];
        assert!(events.is_sorted());
        assert!(events[5] < NO_EVENT);
        assert_eq!((events[5].offset(), events[5].number()), (longest, last));
        assert_eq!(events[1].number(), last);
        let (start, number) = (7 * longest, 5);
        let event = Event::message(0, number).earlier(start).later(start + 9);
        assert_eq!(event, Event::message(9, number));
    }

    #[test]
    fn no_event_is_marked_as_what_it_is() {
        let events = [
            NO_EVENT,
            Event::message(LONGEST_WINDOW - 1, MOST_SOURCES - 1),
        ];
        let marks = |index| events[0].mark(index) | events[1].mark(index + 1);
        assert_eq!(Event::unmarked(marks(0)), 0xfffe);
        assert_eq!(Event::unmarked(marks(MARK_BITS - 2)), 0xbfff);
    }

    /// 1,000 cells: the cell of a time is its thousandth of the window.
    #[test]
    fn cells_divide_the_window() {
        for length in [1_000, 1_000_000, LONGEST_WINDOW] {
            let scale = Event::scale(1_000, length);
            let cell = |offset| Event::message(offset, MOST_SOURCES - 1).cell(scale);
            assert_eq!(cell(0), 0);
            assert!((498..=500).contains(&cell(length / 2)));
            assert!((997..=999).contains(&cell(length - 1)));
        }
    }
}
