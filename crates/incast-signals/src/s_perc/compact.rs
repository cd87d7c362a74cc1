//! Rates in 32 bits.

use incast_units::Rate;

/// Bits of the mantissa; the remaining bits are the exponent.
const MANTISSA_BITS: u32 = 26;
/// bit/s per unit.
const UNIT: u64 = 1_000;

/// A rate in units of 1 kb/s: 26 bits of mantissa, 6 bits of exponent. Rates up to 67 Gb/s are
/// exact; larger rates are rounded down, by less than 2⁻²⁵ of the rate. A rate that is read from a
/// packet can be written back unchanged. So a link can compute its booking for a flow from the
/// packet, to the last bit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CompactRate(u32);

impl CompactRate {
    /// No limit.
    pub const UNLIMITED: Self = Self(u32::MAX);
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The largest representable rate of at most `kbps` kb/s.
    pub fn at_most(kbps: u64) -> Self {
        let bits = u64::BITS - kbps.leading_zeros();
        let exponent = bits.saturating_sub(MANTISSA_BITS);
        Self(exponent << MANTISSA_BITS | (kbps >> exponent) as u32)
    }

    /// In kb/s.
    pub fn kbps(self) -> u64 {
        if self == Self::UNLIMITED {
            return u64::MAX;
        }
        let exponent = self.0 >> MANTISSA_BITS;
        u64::from(self.0 & ((1 << MANTISSA_BITS) - 1)) << exponent
    }

    /// The 32 bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Of these bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// `kbps` kb/s as a rate.
    pub fn rate_of(kbps: u64) -> Rate {
        Rate::from_bps(kbps.saturating_mul(UNIT))
    }

    /// A rate in kb/s, rounded down.
    pub fn kbps_of(rate: Rate) -> u64 {
        rate.as_bps() / UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2²⁶ − 1 kb/s is 67 Gb/s. 100 Gb/s is 10⁸ units, an even number of 27 bits, so exact. One
    /// unit more is rounded down by one. 6.4 Tb/s · 7 is 4.48·10¹⁰ units, 36 bits, so rounded to
    /// multiples of 2¹⁰.
    #[test]
    fn rates_are_rounded_down_to_26_bits() {
        let stored = |kbps: u64| CompactRate::at_most(kbps).kbps();
        for exact in [
            0,
            1,
            100,
            67_108_863,
            100_000_000,
            44_800_000_000 / 1024 * 1024,
        ] {
            assert_eq!(stored(exact), exact);
        }
        assert_eq!(stored(100_000_001), 100_000_000);
        assert_eq!(stored(44_800_001_023), 44_800_000_000);
        assert_eq!(CompactRate::UNLIMITED.kbps(), u64::MAX);
    }

    #[test]
    fn what_was_read_is_written_without_a_change() {
        let mut rate = 1_u64;
        for _ in 0..40 {
            rate = rate * 3 + 1;
            let once = CompactRate::at_most(rate).kbps();
            assert_eq!(CompactRate::at_most(once).kbps(), once);
            assert!(once <= rate && (rate - once) as f64 <= rate as f64 / f64::from(1 << 25));
        }
    }
}
