//! Conversions between numbers, in one instruction each.

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
