//! Credits of one channel of a link: the flits for which the receiver has room.

use std::collections::VecDeque;

use crate::packet::{BufferCredit, Cycle, NEVER};
use crate::touch::touch;

/// Low bits of a queued credit, which hold its flits. The bits above hold the cycle from which the
/// credit counts.
const FLIT_BITS: u32 = 8;

/// The credits that the sender has, and the credits on their way to it.
#[derive(Debug)]
pub(crate) struct ChannelCredits {
    /// Flits that may be sent now.
    here: u32,
    /// In order.
    coming: VecDeque<u64>,
}

impl ChannelCredits {
    /// The credits for an empty buffer of `depth` flits.
    pub(crate) fn new(depth: u32) -> Self {
        Self {
            here: depth,
            coming: VecDeque::new(),
        }
    }

    /// A credit is on its way.
    #[inline]
    pub(crate) fn expect(&mut self, credit: BufferCredit) {
        let flits = u64::from(credit.flits);
        self.coming.push_back(credit.ready << FLIT_BITS | flits);
    }

    /// Whether a packet of `flits` flits may be sent now.
    #[inline]
    pub(crate) fn suffice(&mut self, now: Cycle, flits: u32) -> bool {
        while let Some(&credit) = self.coming.front()
            && credit >> FLIT_BITS <= now
        {
            self.coming.pop_front();
            self.here += flits_of(credit);
        }
        flits <= self.here
    }

    /// Uses up credits for a packet that is sent.
    #[inline]
    pub(crate) fn take(&mut self, flits: u32) {
        self.here -= flits;
    }

    /// Cycle from which the next credit counts; [`NEVER`] if none is on its way.
    pub(crate) fn next(&self) -> Cycle {
        let first = self.coming.front();
        first.map_or(NEVER, |credit| credit >> FLIT_BITS)
    }

    /// Prefetches the first queued credit.
    #[inline]
    pub(crate) fn touch(&self, sum: &mut u64) {
        touch(&self.coming, sum, |&credit| credit);
    }

    /// All credits, including those on their way.
    pub(crate) fn total(&self) -> u32 {
        self.here + self.coming.iter().copied().map(flits_of).sum::<u32>()
    }
}

fn flits_of(credit: u64) -> u32 {
    credit as u32 % (1 << FLIT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 10 flits of room 9 are taken and 1 is left. 9 credits come back in cycle 7, 2 in cycle 8.
    #[test]
    fn credits_count_when_they_have_come() {
        let mut credits = ChannelCredits::new(10);
        assert!(credits.suffice(0, 9));
        credits.take(9);
        let credit = |ready, flits| BufferCredit {
            ready,
            channel: 0,
            flits,
        };
        credits.expect(credit(7, 9));
        credits.expect(credit(8, 2));
        assert_eq!((credits.next(), credits.total()), (7, 12));
        assert!(!credits.suffice(6, 2) && credits.suffice(6, 1));
        assert!(credits.suffice(7, 10) && !credits.suffice(7, 11));
        assert_eq!(credits.next(), 8);
        assert!(credits.suffice(9, 12));
        assert_eq!((credits.next(), credits.total()), (NEVER, 12));
    }
}
