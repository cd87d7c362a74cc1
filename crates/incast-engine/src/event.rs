//! One number that tells when in its window an event of a node happens, and where it comes from,
//! so that the order of numbers is the order of events.

/// Bits of a source.
const SOURCE_BITS: u32 = 20;

/// Sources that one node may have.
pub(crate) const MOST_SOURCES: usize = 1 << SOURCE_BITS;
/// Longest window, in ps: about 17 seconds.
pub(crate) const LONGEST_WINDOW: u64 = 1 << (64 - SOURCE_BITS - 1);

/// An event: first the time since its window began, then the source.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

/// Later than every event.
pub(crate) const NO_EVENT: Event = Event(u64::MAX);

impl Event {
    /// The event of a node's `source`, `offset` ps after the window began.
    #[inline]
    pub(crate) fn new(offset: u64, source: u32) -> Self {
        Self(offset << SOURCE_BITS | u64::from(source))
    }

    #[inline]
    pub(crate) fn offset(self) -> u64 {
        self.0 >> SOURCE_BITS
    }

    #[inline]
    pub(crate) fn source(self) -> u32 {
        (self.0 % MOST_SOURCES as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_decides_then_the_source() {
        let last = MOST_SOURCES as u32 - 1;
        let longest = LONGEST_WINDOW - 1;
        let events = [(0, 1), (0, last), (1, 0), (longest, 0), (longest, last)];
        let events = events.map(|(offset, source)| Event::new(offset, source));
        assert!(events.is_sorted());
        assert!(events[4] < NO_EVENT);
        assert_eq!((events[3].offset(), events[3].source()), (longest, 0));
        assert_eq!((events[4].offset(), events[4].source()), (longest, last));
    }
}
