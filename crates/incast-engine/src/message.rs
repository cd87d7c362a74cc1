//! Messages from node to node.

use incast_units::Time;

/// Bits of the arrival time, in ps, that a message keeps: the time is known modulo 4.7 minutes.
pub const TIME_BITS: u32 = 48;

/// A value that travels from node to node.
pub trait Message: Copy {
    /// Time of arrival in ps; only the lowest [`TIME_BITS`] are valid.
    fn time_bits(&self) -> u64;

    /// Time of arrival, which is between `since` and 4.7 minutes later.
    #[inline(always)]
    fn time(&self, since: Time) -> Time {
        const OTHERS: u32 = u64::BITS - TIME_BITS;
        let later = self.time_bits().wrapping_sub(since.as_ps()) << OTHERS >> OTHERS;
        since + Time::from_ps(later)
    }
}
