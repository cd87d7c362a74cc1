//! TCP's congestion window: slow start, additive increase, at most one decrease per window of data.
//! Algorithms decide by which factor the window decreases.
//!
//! RFC 5681 (slow start, congestion avoidance), RFC 3168 (one reaction per window of data to
//! marks), RFC 7661 (a window that does not limit its flow does not grow).
//!
//! ```text
//! W ← W + n                 slow start: W < W_ss, n bytes newly acknowledged   (1)
//! W ← W + a·n/W             congestion avoidance: a bytes per round trip       (2)
//! W ← W_ss ← max(W_min, f·W)            decrease to a fraction f               (3)
//! W_ss ← max(W_min, W/2);  W ← MSS      retransmission timeout                 (4)
//! ```

use incast_units::{Bytes, Rate};

use crate::{Ack, FlowContext, Loss, LossKind, SendLimit, Sent, Window};

/// Initial value, bounds and growth of a window.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) initial: Window,
    pub(crate) min: Window,
    /// The largest window; unbounded if `None`.
    pub(crate) max: Option<Window>,
    pub(crate) per_round_trip: Window,
    pub(crate) slow_start: bool,
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub(crate) struct CongestionWindow {
    line_rate: Rate,
    mss: f64,
    min: f64,
    max: f64,
    /// a, in bytes.
    increase: f64,
    /// W, in bytes.
    window: f64,
    /// W_ss.
    slow_start_until: f64,
    /// End of the data sent so far, as a sequence number.
    sent: u64,
    /// Until an ACK passes this sequence number, the window neither decreases again nor grows.
    decrease_end: Option<u64>,
}

impl CongestionWindow {
    pub(crate) fn new(growth: &Growth, context: &FlowContext) -> Self {
        let mss = context.mtu.as_u64() as f64;
        let max = growth
            .max
            .map_or(f64::INFINITY, |max| max.in_bytes(context));
        let max = max.max(mss);
        let min = growth.min.in_bytes(context).max(1.0).min(max);
        Self {
            line_rate: context.line_rate,
            mss,
            min,
            max,
            increase: growth.per_round_trip.in_bytes(context),
            window: growth.initial.in_bytes(context).clamp(min, max),
            slow_start_until: if growth.slow_start {
                f64::INFINITY
            } else {
                0.0
            },
            sent: 0,
            decrease_end: None,
        }
    }

    pub(crate) fn on_sent(&mut self, sent: &Sent) {
        self.sent = self.sent.max(sent.next_to_send);
    }

    /// Ends the last decrease's window of data if this ACK is for data sent later.
    pub(crate) fn advance(&mut self, ack: &Ack<'_>) {
        if self.decrease_end.is_some_and(|end| ack.next_expected > end) {
            self.decrease_end = None;
        }
    }

    /// Whether the window has already decreased for the data in flight.
    pub(crate) fn has_decreased(&self) -> bool {
        self.decrease_end.is_some()
    }

    /// Eq. (3).
    pub(crate) fn decrease(&mut self, fraction: f64) {
        self.window = (self.window * fraction).max(self.min);
        self.slow_start_until = self.window;
        self.decrease_end = Some(self.sent);
    }

    /// Eqs. (1) and (2).
    pub(crate) fn grow(&mut self, ack: &Ack<'_>) {
        let acked = ack.newly_acked.as_u64() as f64;
        let in_flight = self.sent.saturating_sub(ack.next_expected) as f64 + acked;
        let slow_start = self.window < self.slow_start_until;
        let limits = match slow_start {
            true => 2.0 * in_flight > self.window,
            false => in_flight + self.mss > self.window,
        };
        if !limits {
            return;
        }
        self.window += match slow_start {
            true => acked,
            false => self.increase * acked / self.window,
        };
        self.window = self.window.min(self.max);
    }

    /// Eq. (3) with f = 1/2 for losses reported by a NACK; Eq. (4) for other losses.
    pub(crate) fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::Nack | LossKind::Trimmed { .. } if self.has_decreased() => {}
            LossKind::Nack | LossKind::Trimmed { .. } => self.decrease(0.5),
            LossKind::Timeout => {
                self.decrease(0.5);
                // The network may be idle now, so the window may grow at once.
                self.decrease_end = None;
                self.window = self.mss.min(self.max);
            }
        }
    }

    /// W, in bytes.
    pub(crate) fn bytes(&self) -> f64 {
        self.window
    }

    /// The whole packets within the window, at least one, sent back to back. A NIC sends while the
    /// bytes in flight are below its limit. So the limit is the largest number of bytes in flight
    /// at which one more packet fits, plus one.
    pub(crate) fn limit(&self) -> SendLimit {
        let room = self.window.max(self.mss) - self.mss;
        SendLimit {
            window: Bytes::new((room as u64).saturating_add(1)),
            ..SendLimit::paced(self.line_rate)
        }
    }
}

#[cfg(test)]
mod tests;
