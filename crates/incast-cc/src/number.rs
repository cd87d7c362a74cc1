//! Conversions between numbers, in one or two instructions each.

use incast_units::Time;

/// A number below 2^63 as a float. The conversion takes one instruction from a signed integer,
/// eight from an unsigned one.
#[inline(always)]
pub(crate) fn float(number: u64) -> f64 {
    debug_assert!(number < 1 << 63);
    number as i64 as f64
}

/// The whole part of a non-negative number, at most 2^63 − 1: conversion to a signed integer is
/// faster.
#[inline(always)]
pub(crate) fn rounded_down(number: f64) -> u64 {
    number as i64 as u64
}

/// A time in ns.
#[inline]
pub(crate) fn ns(time: Time) -> f64 {
    time.as_ps() as f64 / 1_000.0
}
