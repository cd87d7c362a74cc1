//! Sampling Frequency: a flow decreases its reference rate once every SF ACKs.
//!
//! A fast flow gets more ACKs in a round trip than a slow one, so it decreases more often, and the
//! two meet sooner. Increases stay at one per round trip, else fast flows would also increase more
//! often.
//!
//! | parameter | symbol | unit | default | source                   |
//! |-----------|--------|------|---------|--------------------------|
//! | `acks`    | SF     | ACK  | 30      | Snyder & Lebeck, §VI-A   |
//!
//! The count begins anew at every reference update, be it a decrease or an increase.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Sampling Frequency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SamplingFrequencyConfig {
    /// ACKs from one update of the reference rate to the next decrease of it.
    #[schemars(range(min = 1))]
    pub acks: u32,
}

impl Default for SamplingFrequencyConfig {
    fn default() -> Self {
        Self { acks: 30 }
    }
}

/// Sampling Frequency of one flow.
#[derive(Clone, Debug)]
pub(super) struct SamplingFrequency {
    /// SF.
    acks: u32,
    /// ACKs since the last reference update.
    seen: u32,
}

impl SamplingFrequency {
    pub(super) fn new(config: &SamplingFrequencyConfig) -> Self {
        Self {
            acks: config.acks,
            seen: 0,
        }
    }

    /// An ACK came.
    pub(super) fn count(&mut self) {
        self.seen = self.seen.saturating_add(1);
    }

    /// Whether the reference rate may decrease.
    pub(super) fn is_due(&self) -> bool {
        self.seen >= self.acks
    }

    /// The reference rate has changed.
    pub(super) fn restart(&mut self) {
        self.seen = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Due with the 30th ACK, and then with every one until a reference update.
    #[test]
    fn decreases_are_due_after_so_many_acks() {
        let mut sf = SamplingFrequency::new(&SamplingFrequencyConfig::default());
        for _ in 0..29 {
            sf.count();
        }
        assert!(!sf.is_due());
        sf.count();
        assert!(sf.is_due());
        sf.count();
        assert!(sf.is_due());
        sf.restart();
        assert!(!sf.is_due());
    }
}
