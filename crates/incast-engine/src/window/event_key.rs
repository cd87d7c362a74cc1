//! An event of a node as one number: its time in the window, and its timer or batch. Keys sort in
//! the order of events.
//!
//! ```text
//! time since the start of the window (28 bits) | marks (16) | is a message (1) | number (19)
//! ```

/// Bits for the number of a timer or a batch.
const NUMBER_BITS: u32 = 19;
/// Bit of messages. Timers do not have it, so they come first.
const MESSAGE: u64 = 1 << NUMBER_BITS;
/// Number of bits that only [`NO_EVENT`] has set: one for each of the keys that are examined
/// together.
pub(super) const MARK_BITS: u32 = 16;
const FIRST_MARK: u32 = NUMBER_BITS + 1;
/// First bit of the time.
const TIME: u32 = FIRST_MARK + MARK_BITS;

/// Largest number of timers and ports of one node.
pub(super) const MAX_SOURCES: usize = MESSAGE as usize;
/// Longest window, in ps: a quarter of a millisecond.
pub(super) const MAX_WINDOW: u64 = (1 << (u64::BITS - TIME)) - 1;

/// An event of a node: time since the start of its window, then source.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey(u64);

/// Later than every event.
pub(super) const NO_EVENT: EventKey = EventKey(u64::MAX);

impl EventKey {
    /// The expiry of a node's timer, `offset` ps after the window began.
    #[inline]
    pub(super) fn timer(offset: u64, number: u32) -> Self {
        Self(offset << TIME | u64::from(number))
    }

    /// The arrival of a message of batch `number`, `offset` ps after the window began.
    #[inline]
    pub(super) fn message(offset: u64, number: usize) -> Self {
        Self(offset << TIME | MESSAGE | number as u64)
    }

    /// The key for a time `time` ps earlier. It may lie before the window: numbers wrap around.
    #[inline(always)]
    pub(super) fn earlier(self, time: u64) -> Self {
        Self(self.0.wrapping_sub(time << TIME))
    }

    /// The key for a time `time` ps later; undoes [`earlier`](Self::earlier). Only the low bits of
    /// both times matter.
    #[inline(always)]
    pub(super) fn later(self, time: u64) -> Self {
        Self(self.0.wrapping_add(time << TIME))
    }

    /// Time since the window began, in ps.
    #[inline]
    pub(super) fn offset(self) -> u64 {
        self.0 >> TIME
    }

    /// Bit `index` for [`NO_EVENT`], zero for other keys; see [`unmarked`](Self::unmarked).
    #[inline(always)]
    pub(super) fn mark(self, index: u32) -> u64 {
        self.0 & 1 << (FIRST_MARK + index)
    }

    /// One bit for each index whose bit is not in `marks`, the marks of several keys combined by
    /// or.
    #[inline(always)]
    pub(super) fn unmarked(marks: u64) -> u64 {
        !marks >> FIRST_MARK & ((1 << MARK_BITS) - 1)
    }

    /// The factor for [`cell`](Self::cell), for a window of `length` ps and this number of cells.
    pub(super) fn scale(cells: usize, length: u64) -> u64 {
        ((cells as u64) << (u64::BITS - TIME)) / length
    }

    /// The cell of the sorting table for this event, by its time in the window.
    #[inline(always)]
    pub(super) fn cell(self, scale: u64) -> usize {
        ((u128::from(self.0) * u128::from(scale)) >> u64::BITS) as usize
    }

    /// Number of the timer or the batch.
    #[inline]
    pub(super) fn number(self) -> usize {
        (self.0 % MESSAGE) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_decides_then_the_source() {
        let last = MAX_SOURCES - 1;
        let longest = MAX_WINDOW - 1;
        let events = [
            EventKey::timer(0, 1),
            EventKey::timer(0, last as u32),
            EventKey::message(0, 0),
            EventKey::message(0, last),
            EventKey::timer(1, 0),
            EventKey::message(longest, last),
        ];
        assert!(events.is_sorted());
        assert!(events[5] < NO_EVENT);
        assert_eq!((events[5].offset(), events[5].number()), (longest, last));
        assert_eq!(events[1].number(), last);
        let (start, number) = (7 * longest, 5);
        let event = EventKey::message(0, number).earlier(start).later(start + 9);
        assert_eq!(event, EventKey::message(9, number));
    }

    #[test]
    fn only_no_event_is_marked() {
        let events = [NO_EVENT, EventKey::message(MAX_WINDOW - 1, MAX_SOURCES - 1)];
        let marks = |index| events[0].mark(index) | events[1].mark(index + 1);
        assert_eq!(EventKey::unmarked(marks(0)), 0xfffe);
        assert_eq!(EventKey::unmarked(marks(MARK_BITS - 2)), 0xbfff);
    }

    /// 1,000 cells: a time falls into the cell of its thousandth of the window.
    #[test]
    fn cells_divide_the_window() {
        for length in [1_000, 1_000_000, MAX_WINDOW] {
            let scale = EventKey::scale(1_000, length);
            let cell = |offset| EventKey::message(offset, MAX_SOURCES - 1).cell(scale);
            assert_eq!(cell(0), 0);
            assert!((498..=500).contains(&cell(length / 2)));
            assert!((997..=999).contains(&cell(length - 1)));
        }
    }
}
