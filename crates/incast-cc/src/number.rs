//! Conversions between numbers, in an instruction or two each.

use incast_units::Time;

/// A number below 2^63: a signed one becomes a float in one instruction, an unsigned in eight.
#[inline(always)]
pub(crate) fn float(number: u64) -> f64 {
    debug_assert!(number < 1 << 63);
    number as i64 as f64
}

/// The whole part of a number that is not negative; at most 2^63 − 1, for the same reason.
#[inline(always)]
pub(crate) fn rounded_down(number: f64) -> u64 {
    number as i64 as u64
}

/// A time in ns.
#[inline]
pub(crate) fn ns(time: Time) -> f64 {
    time.as_ps() as f64 / 1_000.0
}
