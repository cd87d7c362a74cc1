//! DCTCP's window form: RFC 8257 on the window of RFC 5681.

use incast_units::Time;

use super::DctcpConfig;
use crate::aimd::{CongestionWindow, Growth};
use crate::{Ack, CongestionControl, FlowContext, Loss, SendLimit, Sent};

#[cfg(test)]
mod tests;

/// One flow under DCTCP.
#[derive(Clone, Debug)]
pub(super) struct Dctcp {
    gain: f64,
    /// α.
    alpha: f64,
    window: CongestionWindow,
    /// Bytes acknowledged, and of these marked, in this window of data.
    acked: u64,
    marked: u64,
    /// The window of data ends with the first ACK beyond this (DCTCP.WindowEnd).
    window_end: u64,
}

impl Dctcp {
    pub(super) fn new(config: &DctcpConfig, context: &FlowContext) -> Self {
        let growth = Growth {
            initial: config.initial_window,
            min: config.min_window,
            max: config.max_window,
            per_round_trip: config.additive_increase,
            slow_start: config.slow_start,
        };
        Self {
            gain: config.gain,
            alpha: config.initial_alpha,
            window: CongestionWindow::new(&growth, context),
            acked: 0,
            marked: 0,
            window_end: 0,
        }
    }

    /// Eq. (1), at the end of a window of data (RFC 8257 §3.3, steps 1 to 7).
    fn estimate(&mut self, ack: &Ack<'_>) {
        let newly_acked = ack.newly_acked.as_u64();
        self.acked += newly_acked;
        if ack.marked {
            self.marked += newly_acked;
        }
        if ack.next_expected <= self.window_end || self.acked == 0 {
            return;
        }
        let marked = self.marked as f64 / self.acked as f64;
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * marked;
        self.window_end = ack.next_to_send;
        self.acked = 0;
        self.marked = 0;
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.estimate(ack);
        self.window.advance(ack);
        if self.window.is_cut() {
            return;
        }
        match ack.marked {
            true => self.window.cut(1.0 - self.alpha / 2.0),
            false => self.window.grow(ack),
        }
    }

    fn limit(&self) -> SendLimit {
        self.window.limit()
    }

    fn on_sent(&mut self, _now: Time, sent: &Sent) {
        self.window.on_sent(sent);
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        self.window.on_loss(loss);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("congestion_window_bytes", self.window.bytes());
    }
}
