//! Sampling Frequency: a flow decreases its reference rate once every SF ACKs.
//!
//! A fast flow gets more ACKs in a round trip than a slow flow, so it decreases more often, and the
//! rates converge sooner. Increases stay at one per round trip; otherwise fast flows would also
//! increase more often.
//!
//! | parameter  | symbol | unit | default     | source                   |
//! |------------|--------|------|-------------|--------------------------|
//! | `acks`     | SF     | ACK  | 30          | Snyder & Lebeck, §VI-A   |
//! | `decrease` | –      | –    | `net`       | §IV-A, our reading       |
//! | `restart`  | –      | –    | `decreases` | §V-B, our reading        |
//!
//! Readings: a rate "decreases overall" if it becomes smaller with its additive increase included;
//! under congestion a rate with many tokens may become larger. SF counts the ACKs "between
//! multiplicative decreases", so increases do not restart the count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RateChange;

/// Parameters of Sampling Frequency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SamplingFrequencyConfig {
    /// ACKs from one decrease of the reference rate to the next.
    #[schemars(range(min = 1))]
    pub acks: u32,
    /// The changes that count as decreases.
    pub decrease: CountedDecrease,
    /// What restarts the count of ACKs.
    pub restart: CountRestart,
}

/// The changes that count as decreases. Other changes update the reference rate once per round
/// trip.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountedDecrease {
    /// The new rate, with its additive increase, is below the reference rate.
    #[default]
    Net,
    /// Any change under congestion, even if the additive increase makes the rate larger.
    Congestion,
}

/// What restarts the count of ACKs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountRestart {
    /// A decrease of the reference rate.
    #[default]
    Decreases,
    /// Any update of the reference rate.
    Updates,
}

impl Default for SamplingFrequencyConfig {
    fn default() -> Self {
        Self {
            acks: 30,
            decrease: CountedDecrease::default(),
            restart: CountRestart::default(),
        }
    }
}

/// Sampling Frequency of one flow.
#[derive(Clone, Debug)]
pub(super) struct SamplingFrequency {
    config: SamplingFrequencyConfig,
    /// ACKs since the count was restarted.
    seen: u32,
}

impl SamplingFrequency {
    pub(super) fn new(config: &SamplingFrequencyConfig) -> Self {
        Self {
            config: config.clone(),
            seen: 0,
        }
    }

    /// An ACK came.
    pub(super) fn count(&mut self) {
        self.seen = self.seen.saturating_add(1);
    }

    /// Whether a change counts as a decrease.
    pub(super) fn is_decrease(&self, change: RateChange) -> bool {
        match self.config.decrease {
            CountedDecrease::Net => change.lower,
            CountedDecrease::Congestion => change.congested,
        }
    }

    /// Whether the reference rate may decrease.
    pub(super) fn is_due(&self) -> bool {
        self.seen >= self.config.acks
    }

    /// Restarts the count if this update of the reference rate does so.
    pub(super) fn restart(&mut self, decrease: bool) {
        if decrease || self.config.restart == CountRestart::Updates {
            self.seen = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(acks: u32, config: &SamplingFrequencyConfig) -> SamplingFrequency {
        let mut sf = SamplingFrequency::new(config);
        for _ in 0..acks {
            sf.count();
        }
        sf
    }

    /// A decrease is due at the 30th ACK, and at every ACK after it until the decrease.
    #[test]
    fn decreases_are_due_after_this_many_acks() {
        let config = SamplingFrequencyConfig::default();
        assert!(!after(29, &config).is_due());
        let mut sf = after(30, &config);
        assert!(sf.is_due());
        sf.count();
        assert!(sf.is_due());
        sf.restart(true);
        assert!(!sf.is_due());
    }

    #[test]
    fn increases_restart_the_count_in_one_reading() {
        for (restart, due) in [
            (CountRestart::Decreases, true),
            (CountRestart::Updates, false),
        ] {
            let config = SamplingFrequencyConfig {
                restart,
                ..SamplingFrequencyConfig::default()
            };
            let mut sf = after(30, &config);
            sf.restart(false);
            assert_eq!(sf.is_due(), due, "{restart:?}");
        }
    }

    /// Half the rate plus the same amount from tokens: congestion, but no net decrease.
    #[test]
    fn what_is_a_decrease_is_read_in_two_ways() {
        for (decrease, expected) in [
            (CountedDecrease::Net, [false, true, false]),
            (CountedDecrease::Congestion, [true, true, false]),
        ] {
            let sf = SamplingFrequency::new(&SamplingFrequencyConfig {
                decrease,
                ..SamplingFrequencyConfig::default()
            });
            let found = [(true, false), (true, true), (false, false)]
                .map(|(congested, lower)| sf.is_decrease(RateChange { congested, lower }));
            assert_eq!(found, expected, "{decrease:?}");
        }
    }
}
