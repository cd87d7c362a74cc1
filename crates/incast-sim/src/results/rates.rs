//! Rates as figures.

use incast_units::{Bytes, Time};

/// The rate in bit/s; zero if `duration` is zero.
pub(super) fn bps(bytes: Bytes, duration: Time) -> f64 {
    const BIT_PS: f64 = 8e12;
    ratio(bytes.as_u64() as f64 * BIT_PS, duration.as_ps() as f64)
}

/// The ratio of a part to the whole; zero if the whole is zero.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// A running mean of rates.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct MeanRate {
    sum_bps: f64,
    count: u64,
}

impl MeanRate {
    pub(super) fn add(&mut self, rate_bps: f64) {
        self.sum_bps += rate_bps;
        self.count += 1;
    }

    /// The mean in bit/s; `None` without flows.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_bps / self.count as f64)
    }
}
