//! Arrivals as numbers whose order is the order of arrival, for the port-by-port path.

use incast_units::Time;

/// Bits of an arrival that tell its place in a batch, and its batch.
const PLACE_BITS: u32 = 13;
const BATCH_BITS: u32 = 11;

/// Batches of a window that arrivals can tell apart.
pub(super) const MAX_BATCHES: usize = 1 << BATCH_BITS;
/// Packets of a batch that arrivals can tell apart.
pub(super) const MAX_PLACES: usize = 1 << PLACE_BITS;

/// One packet that arrives: ps since the window began, its batch, its place in the batch. The order
/// of numbers is the order of arrivals.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival(u64);

impl Arrival {
    /// The first of a batch, at time 0, relative to a window that begins at `start`: numbers wrap
    /// around.
    #[inline(always)]
    pub(super) fn origin(start: Time, batch: usize) -> Self {
        Self(((batch as u64) << PLACE_BITS).wrapping_sub(Self::shifted(start)))
    }

    /// This arrival, that much later.
    #[inline(always)]
    pub(super) fn later(self, time: Time) -> Self {
        Self(self.0.wrapping_add(Self::shifted(time)))
    }

    #[inline(always)]
    fn shifted(time: Time) -> u64 {
        time.as_ps() << (BATCH_BITS + PLACE_BITS)
    }

    /// When it arrives, in a window that begins at `start`.
    #[inline(always)]
    pub(super) fn time(self, start: Time) -> Time {
        start + Time::from_ps(self.0 >> (BATCH_BITS + PLACE_BITS))
    }

    /// The one that many places behind in its batch, at the same time.
    #[inline(always)]
    pub(super) fn plus(self, places: usize) -> Self {
        Self(self.0.wrapping_add(places as u64))
    }

    #[inline(always)]
    pub(super) fn batch(self) -> usize {
        (self.0 >> PLACE_BITS) as usize % (1 << BATCH_BITS)
    }

    #[inline(always)]
    pub(super) fn place(self) -> usize {
        self.0 as usize % (1 << PLACE_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Late in a long run, in the longest window, by the last of many ports: time decides, then the
    /// batch, then the place.
    #[test]
    fn arrivals_come_in_order_and_keep_their_parts() {
        let start = Time::from_ms(9_000_000);
        let at = |ps| start + Time::from_ps(ps);
        let last_batch = (1 << BATCH_BITS) - 1;
        let long = (1 << 28) - 1;
        let first = Arrival::origin(start, 0);
        let last = Arrival::origin(start, last_batch).plus(2);
        let arrivals = [
            first.later(at(0)),
            first.plus(1).later(at(0)),
            last.later(at(0)),
            first.later(at(1)),
            last.later(at(long)),
        ];
        assert!(arrivals.is_sorted());
        let [.., latest] = arrivals;
        assert_eq!((latest.batch(), latest.place()), (last_batch, 2));
        assert_eq!(latest.time(start), at(long));
        assert_eq!(arrivals[1].time(start), start);
    }
}
