//! The three quantities and their arithmetic.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(u64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// The largest value, used as "unlimited" or "never".
            pub const MAX: Self = Self(u64::MAX);

            /// The difference, or zero if `other` is larger.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// The sum, or the largest value if it would not fit.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, factor: u64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity! {
    /// A time or a duration, in picoseconds.
    Time
}
quantity! {
    /// A rate, in bits per second.
    Rate
}
quantity! {
    /// A number of bytes.
    Bytes
}

impl Time {
    /// From picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// From nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// From microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// From milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// In picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// The time rounded to six digits, for messages.
    #[must_use]
    pub fn rounded(self) -> Self {
        const DIGITS: u32 = 6;
        let beyond = (self.0.checked_ilog10().unwrap_or(0) + 1).saturating_sub(DIGITS);
        let scale = 10_u64.pow(beyond);
        let below = self.0 % scale;
        match below.saturating_mul(2) >= scale && scale > 1 {
            true => Self((self.0 - below).saturating_add(scale)),
            false => Self(self.0 - below),
        }
    }

    /// The time in whole nanoseconds, rounded down.
    pub const fn as_ns(self) -> u64 {
        self.0 / 1_000
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Rate {
    /// A rate from bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// A rate from megabits per second.
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps * 1_000_000)
    }

    /// A rate from gigabits per second.
    pub const fn from_gbps(gbps: u64) -> Self {
        Self(gbps * 1_000_000_000)
    }

    /// The rate in bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// The time to send `size` at this rate, rounded up to the picosecond.
    ///
    /// # Panics
    /// If the rate is zero.
    pub fn transmission_time(self, size: Bytes) -> Time {
        const BIT_PS: u64 = 8_000_000_000_000;
        match size.0.checked_mul(BIT_PS) {
            Some(bit_ps) => Time(bit_ps.div_ceil(self.0)),
            None => Time(saturating(
                (u128::from(size.0) * u128::from(BIT_PS)).div_ceil(self.0.into()),
            )),
        }
    }

    /// The bytes sent in `duration` at this rate, rounded down. For a base RTT, this is the BDP.
    pub fn bytes_in(self, duration: Time) -> Bytes {
        let bit_ps = u128::from(self.0) * u128::from(duration.0);
        Bytes(saturating(bit_ps / 8_000_000_000_000))
    }
}

/// The value, or the largest one if 64 bits cannot hold it.
fn saturating(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

impl Bytes {
    /// From bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// In bytes.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}
