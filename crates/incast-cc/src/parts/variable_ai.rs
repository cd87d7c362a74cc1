//! Variable AI: congestion, as new flows cause it, is turned into tokens. Tokens raise the additive
//! increase for a while, so that old and new flows converge sooner.
//!
//! ```text
//! on each ACK:  MC ← max(MC, congestion)
//! when a round trip ends (Algorithm 1):
//!     if MC > Token_Thresh:   Bank ← min(Bank + MC/AI_DIV, Bank_Cap)
//!                             Dampener ← Dampener + MC/Token_Thresh
//!     else if Bank = 0:       Dampener ← 0 if nothing was congested, else max(Dampener − 1, 0)
//!     MC ← 0
//! when a rate is set (Algorithm 2):
//!     tokens ← min(AI_Cap, Bank)
//!     if the rate becomes the reference:  Bank ← Bank − tokens
//!     AI ← max(tokens / (Dampener/Dampener_Constant + 1), 1) · base_AI
//! ```
//!
//! | parameter           | symbol            | HPCC  | Swift                 |
//! |---------------------|-------------------|-------|-----------------------|
//! | `token_threshold`   | Token_Thresh      | 50 KB | 4 us above the target |
//! | `ai_divisor`        | AI_DIV            | 1 KB  | 30 ns                 |
//! | `ai_cap`            | AI_Cap            | 100   | 100                   |
//! | `bank_cap`          | Bank_Cap          | 1000  | 1000                  |
//! | `dampener_constant` | Dampener_Constant | 8     | 8                     |
//!
//! Sources: Snyder & Lebeck, §VI-A, and Table 4.1 of Snyder's dissertation.
//!
//! Readings: the whole congestion is divided, as in Algorithm 1, not its part above the threshold,
//! as in the text. The tokens taken from the bank are those before the dampener.

use std::fmt::Debug;

use incast_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasuredCongestion;
use crate::Ack;
use crate::rtt_epoch::RttEpoch;

/// Parameters of Variable AI. `Q` is the algorithm's measure of congestion: bytes or time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VariableAiConfig<Q: Congestion> {
    /// Token_Thresh: congestion up to this value makes no tokens.
    pub token_threshold: Q,
    /// AI_DIV: congestion per token.
    pub ai_divisor: Q,
    /// AI_Cap: most tokens used at a time.
    #[schemars(range(min = 1.0))]
    pub ai_cap: f64,
    /// Bank_Cap: most tokens in the bank.
    #[schemars(range(min = 0.0))]
    pub bank_cap: f64,
    /// Dampener_Constant: the dampener value at which tokens count half.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub dampener_constant: f64,
}

/// The unit of congestion.
pub trait Congestion: Copy + Debug + PartialEq {
    /// Token_Thresh.
    const TOKEN_THRESHOLD: Self;
    /// AI_DIV.
    const AI_DIVISOR: Self;

    /// The amount of congestion, in bytes or picoseconds.
    fn amount(self) -> f64;
}

impl Congestion for Bytes {
    const TOKEN_THRESHOLD: Self = Self::new(50_000);
    const AI_DIVISOR: Self = Self::new(1_000);

    fn amount(self) -> f64 {
        self.as_u64() as f64
    }
}

impl Congestion for Time {
    const TOKEN_THRESHOLD: Self = Self::from_us(4);
    const AI_DIVISOR: Self = Self::from_ns(30);

    fn amount(self) -> f64 {
        self.as_ps() as f64
    }
}

impl<Q: Congestion> Default for VariableAiConfig<Q> {
    fn default() -> Self {
        Self {
            token_threshold: Q::TOKEN_THRESHOLD,
            ai_divisor: Q::AI_DIVISOR,
            ai_cap: 100.0,
            bank_cap: 1_000.0,
            dampener_constant: 8.0,
        }
    }
}

/// Variable AI of one flow.
#[derive(Clone, Debug)]
pub(super) struct VariableAi {
    /// Token_Thresh.
    threshold: f64,
    /// AI_DIV.
    divisor: f64,
    ai_cap: f64,
    bank_cap: f64,
    dampener_constant: f64,
    /// AI_Bank, in tokens.
    bank: f64,
    dampener: f64,
    /// MC, the largest congestion in this round trip.
    worst: MeasuredCongestion,
    /// The round trip.
    epoch: RttEpoch,
}

impl VariableAi {
    pub(super) fn new<Q: Congestion>(config: &VariableAiConfig<Q>) -> Self {
        Self {
            threshold: config.token_threshold.amount(),
            divisor: config.ai_divisor.amount(),
            ai_cap: config.ai_cap,
            bank_cap: config.bank_cap,
            dampener_constant: config.dampener_constant,
            bank: 0.0,
            dampener: 0.0,
            worst: MeasuredCongestion::default(),
            epoch: RttEpoch::default(),
        }
    }

    /// Starts the first round trip.
    pub(super) fn begin(&mut self, ack: &Ack<'_>) {
        self.epoch.begin(ack);
    }

    pub(super) fn observe(&mut self, ack: &Ack<'_>, measured: MeasuredCongestion) {
        self.worst = MeasuredCongestion {
            amount: self.worst.amount.max(measured.amount),
            baseline: measured.baseline,
            congested: self.worst.congested || measured.congested,
        };
        if self.epoch.is_over(ack) {
            self.end_epoch();
            self.epoch.begin(ack);
        }
    }

    /// Algorithm 1, with its two comparisons of MC to the threshold as one.
    fn end_epoch(&mut self) {
        let MeasuredCongestion {
            amount,
            baseline,
            congested,
        } = std::mem::take(&mut self.worst);
        let threshold = self.threshold + baseline;
        if amount > threshold {
            self.bank = (self.bank + amount / self.divisor).min(self.bank_cap);
            self.dampener += amount / threshold;
        } else if self.bank == 0.0 {
            self.dampener = if congested {
                (self.dampener - 1.0).max(0.0)
            } else {
                0.0
            };
        }
    }

    /// Algorithm 2, in multiples of the base AI.
    pub(super) fn tokens(&self) -> f64 {
        let tokens = self.bank.min(self.ai_cap);
        (tokens / (self.dampener / self.dampener_constant + 1.0)).max(1.0)
    }

    /// RateAdjustment of Algorithm 2: the reference has been updated.
    pub(super) fn spend_tokens(&mut self) {
        self.bank -= self.bank.min(self.ai_cap);
    }

    pub(super) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ai_bank_tokens", self.bank);
        record("ai_dampener", self.dampener);
    }
}

#[cfg(test)]
mod tests;
