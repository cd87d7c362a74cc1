//! DCTCP's rate form: the HPCC artifact's CC_MODE 8.

use incast_units::{Bytes, Rate, Time};

use super::DctcpConfig;
use crate::rate_window::{Line, scaled};
use crate::{Ack, CongestionControl, FlowContext, Pacing, SendLimit};

#[cfg(test)]
mod tests;

/// One flow under DCTCP.
#[derive(Clone, Debug)]
pub(super) struct Dctcp {
    config: DctcpConfig,
    line: Line,
    mtu: u64,
    /// R_AI.
    increase: Rate,
    /// R.
    rate: Rate,
    /// W.
    window: Bytes,
    /// α.
    alpha: f64,
    /// The round trip ends with the first ACK beyond this; `None` before the first ACK.
    round_end: Option<u64>,
    /// Packets of this round trip, and of these marked.
    packets: u64,
    marked: u64,
    /// No further cut before an ACK beyond this.
    cut_at: Option<u64>,
}

impl Dctcp {
    /// A flow starts at line rate.
    pub(super) fn new(config: &DctcpConfig, context: &FlowContext) -> Self {
        let line = Line::new(context, config.window);
        Self {
            config: config.clone(),
            mtu: context.mtu.as_u64(),
            increase: config.additive_increase.as_rate(context),
            rate: line.rate,
            window: line.window_at(line.rate),
            line,
            alpha: config.initial_alpha,
            round_end: None,
            packets: 0,
            marked: 0,
            cut_at: None,
        }
    }

    /// Eq. (1), at the end of a round trip; says whether it is one.
    fn estimate(&mut self, ack: &Ack<'_>) -> bool {
        self.marked += u64::from(ack.marked);
        match self.round_end {
            Some(end) if ack.next_expected <= end => return false,
            // The first ACK's mark stays for the next round trip, in which it counts.
            None => self.packets = ack.next_to_send / self.mtu + 1,
            Some(_) => {
                let share = (self.marked as f64 / self.packets as f64).min(1.0);
                let gain = self.config.gain;
                self.alpha = (1.0 - gain) * self.alpha + gain * share;
                self.marked = 0;
                let in_flight = ack.next_to_send.saturating_sub(ack.next_expected);
                self.packets = in_flight / self.mtu + 1;
            }
        }
        self.round_end = Some(ack.next_to_send);
        true
    }

    fn set_rate(&mut self, rate: Rate) {
        self.rate = self.line.clamp(rate, self.config.min_rate);
        self.window = self.line.window_at(self.rate);
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let new_round = self.estimate(ack);
        if self.cut_at.is_some_and(|end| ack.next_expected > end) {
            self.cut_at = None;
        }
        if self.cut_at.is_none() && ack.marked {
            self.set_rate(scaled(self.rate, 1.0 - self.alpha / 2.0));
            self.cut_at = Some(ack.next_to_send);
        }
        if self.cut_at.is_none() && new_round {
            self.set_rate(self.rate.saturating_add(self.increase));
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            rate: self.rate,
            pacing: Pacing::Regular,
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
    }
}
