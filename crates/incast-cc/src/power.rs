//! The common part of PowerTCP and θ-PowerTCP: the rate computed from a smoothed power.
//!
//! ```text
//! Γ_s ← (Γ_s·(τ − Δt) + Γ·Δt) / τ             Δt at most τ          (1)
//! R ← γ·(R_c·η/Γ_s + R_AI) + (1 − γ)·R_c      on every ACK          (2)
//! R_c ← R                                     once per RTT          (3)
//! ```

use incast_units::{Bytes, Rate};

use crate::hpcc::averaged;
use crate::number::ns;
use crate::rate_window::FlowLine;
use crate::rtt_epoch::RttEpoch;
use crate::{Ack, FlowContext, RateWindow, SendLimit};

/// Constants of (2).
#[derive(Copy, Clone, Debug)]
pub(crate) struct PowerOptions {
    /// γ.
    pub(crate) gamma: f64,
    /// η.
    pub(crate) target: f64,
    /// R_AI.
    pub(crate) additive_increase: Rate,
    pub(crate) min_rate: Rate,
    pub(crate) window: RateWindow,
}

/// A power, and the time interval that it covers.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PowerSample {
    /// Γ, relative to the power of a link that is fully used without a queue.
    pub(crate) power: f64,
    /// Δt, in ns.
    pub(crate) elapsed_ns: f64,
}

/// The rate of one flow.
#[derive(Clone, Debug)]
pub(crate) struct PowerRate {
    options: PowerOptions,
    line: FlowLine,
    /// τ, in ns.
    base_rtt_ns: f64,
    /// Γ_s.
    smoothed: f64,
    /// R, in bit/s.
    rate: f64,
    /// R_c.
    reference: f64,
    rtt: RttEpoch,
}

impl PowerRate {
    /// At line rate.
    pub(crate) fn new(options: PowerOptions, context: &FlowContext) -> Self {
        let line_bps = context.line_rate.as_bps() as f64;
        Self {
            options,
            line: FlowLine::new(context, options.window),
            base_rtt_ns: ns(context.base_rtt),
            smoothed: 1.0,
            rate: line_bps,
            reference: line_bps,
            rtt: RttEpoch::default(),
        }
    }

    /// Handles the first ACK, which has no previous ACK for comparison.
    pub(crate) fn begin(&mut self, ack: &Ack<'_>) {
        self.rtt.begin(ack);
    }

    /// (1) to (3).
    pub(crate) fn react(&mut self, ack: &Ack<'_>, sample: PowerSample) {
        let PowerSample { power, elapsed_ns } = sample;
        self.smoothed = averaged(self.smoothed, power, elapsed_ns, self.base_rtt_ns);
        let PowerOptions { gamma, target, .. } = self.options;
        let increase = self.options.additive_increase.as_bps() as f64;
        let follows = self.reference * target / self.smoothed + increase;
        let rate = gamma * follows + (1.0 - gamma) * self.reference;
        let line_bps = self.line.rate.as_bps() as f64;
        // With a power of 0 the flow stays at line rate.
        self.rate = rate
            .max(self.options.min_rate.as_bps() as f64)
            .min(line_bps);
        if self.rtt.is_over(ack) {
            self.reference = self.rate;
            self.rtt.begin(ack);
        }
    }

    pub(crate) fn limit(&self) -> SendLimit {
        let rate = Rate::from_bps(self.rate as u64);
        SendLimit {
            window: self.line.window_at(rate).max(Bytes::new(1)),
            ..SendLimit::paced(rate)
        }
    }

    pub(crate) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("power", self.smoothed);
        record("reference_rate_bps", self.reference);
    }
}
