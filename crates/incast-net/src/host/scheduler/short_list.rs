//! Round robin among few QPs, the case of most hosts: next send times are in a short list, which is
//! searched from the QP served last.

use incast_units::Time;

/// Number of slots of the list.
pub(in crate::host) const SHORT_LIST_SLOTS: usize = u32::BITS as usize;

#[derive(Clone, Debug)]
pub(in crate::host) struct ShortList {
    /// By slot: next send time of its QP; [`Time::MAX`] if it waits for an ACK.
    times: [Time; SHORT_LIST_SLOTS],
    /// One bit per slot: whether it has a next send time.
    waiting: u32,
    /// The slot served last.
    last: u32,
}

impl Default for ShortList {
    fn default() -> Self {
        Self {
            times: [Time::MAX; SHORT_LIST_SLOTS],
            waiting: 0,
            last: 0,
        }
    }
}

impl ShortList {
    /// Sets the next send time of a QP; returns the earliest of all QPs.
    #[inline(always)]
    pub(super) fn set_next_send(&mut self, slot: u32, at: Time) -> Time {
        self.times[slot as usize % SHORT_LIST_SLOTS] = at;
        let bit = 1 << (slot % u32::BITS);
        let mut others = self.waiting & !bit;
        self.waiting = if at < Time::MAX { others | bit } else { others };
        let mut earliest = at;
        while others != 0 {
            earliest =
                earliest.min(self.times[others.trailing_zeros() as usize % SHORT_LIST_SLOTS]);
            others &= others - 1;
        }
        earliest
    }

    /// The next slot after the one served last whose QP may send now; at least one may. The caller
    /// must set its next send time again.
    #[inline(always)]
    pub(super) fn serve(&mut self, now: Time) -> u32 {
        self.last = if self.waiting.is_power_of_two() {
            self.waiting.trailing_zeros()
        } else {
            self.next_due(now)
        };
        self.last
    }

    #[inline(always)]
    fn next_due(&self, now: Time) -> u32 {
        let start = self.last + 1;
        let mut bits = self.waiting.rotate_right(start);
        loop {
            let slot = (start + bits.trailing_zeros()) % u32::BITS;
            bits &= bits.wrapping_sub(1);
            if bits == 0 || self.times[slot as usize] <= now {
                return slot;
            }
        }
    }

    /// Number of QPs that have a next send time.
    #[inline]
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.count_ones()
    }

    /// The slot served last, and all slots that have a next send time.
    pub(super) fn all(&self) -> (u32, impl Iterator<Item = (u32, Time)>) {
        let times = (0..).zip(&self.times).map(|(slot, &at)| (slot, at));
        (self.last, times.filter(|&(_, at)| at < Time::MAX))
    }
}
