//! What one hop's two INT records say about it: Eq. (1).

use incast_units::{Bytes, Rate, Time};

use crate::telemetry::float;
use crate::{FlowContext, ReadRecord};

/// The NIC's line, as Eq. (1) needs it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Line {
    /// C in bit/s.
    rate: f64,
    /// W₀ in bytes.
    base_window: f64,
}

impl Line {
    pub(super) fn new(context: &FlowContext) -> Self {
        Self {
            rate: float(context.line_rate.as_bps()),
            base_window: float(context.base_window.as_u64()),
        }
    }

    /// Eq. (1) for one hop, and the time since its last record in ns.
    #[inline(always)]
    pub(super) fn measure<R: ReadRecord>(&self, reader: R, new: &[u64], old: &[u64]) -> (f64, f64) {
        let span = reader.elapsed_ns(new, old);
        let link = reader.link_bps(new);
        // Two records at the same instant say nothing about the rate.
        let throughput = if span > 0.0 {
            reader.sent_bits(new, old) / (span * 1e-9)
        } else {
            0.0
        };
        let queue = reader.queue(new).min(reader.queue(old));
        let standing = if queue == 0 {
            0.0
        } else {
            float(queue) * self.rate / link / self.base_window
        };
        (throughput / link + standing, span)
    }
}

/// `window` · `rate` / `line_rate`, rounded down.
pub(super) fn scaled(window: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let (window, rate, line_rate) = (window.as_u64(), rate.as_bps(), line_rate.as_bps());
    let scaled = match window.checked_mul(rate) {
        Some(product) => product / line_rate,
        None => (u128::from(window) * u128::from(rate) / u128::from(line_rate)) as u64,
    };
    Bytes::new(scaled)
}

/// Nanoseconds as the artifact counts them, so that sums round alike.
pub(super) fn ns(time: Time) -> f64 {
    float(time.as_ps()) / 1_000.0
}
