//! Sampling Frequency: a flow decreases its reference rate once every SF ACKs.
//!
//! A fast flow gets more ACKs in a round trip than a slow one, so it decreases more often, and the
//! two meet sooner. Increases stay at one per round trip, else fast flows would also increase more
//! often.
//!
//! | parameter  | symbol | unit | default     | source                   |
//! |------------|--------|------|-------------|--------------------------|
//! | `acks`     | SF     | ACK  | 30          | Snyder & Lebeck, §VI-A   |
//! | `decrease` | –      | –    | `net`       | §IV-A, our reading       |
//! | `restart`  | –      | –    | `decreases` | §V-B, our reading        |
//!
//! Readings: a rate that "decreases overall" is one that becomes smaller with its additive
//! increase; under congestion a rate with many tokens may become larger. SF counts the ACKs
//! "between multiplicative decreases", so increases do not restart the count.

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
    /// What is a decrease.
    pub decrease: CountedDecrease,
    /// What restarts the count of ACKs.
    pub restart: CountRestart,
}

/// What Sampling Frequency takes for a decrease; anything else updates the reference rate once per
/// round trip.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountedDecrease {
    /// A rate that is below the reference rate, with its additive increase.
    #[default]
    Net,
    /// Any rate under congestion, even where its additive increase makes it larger.
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

    /// Whether a change is a decrease.
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

    /// The reference rate has been updated.
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

    /// Due with the 30th ACK, and then with every one until a decrease.
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

    /// Half the rate and as much again from tokens: under congestion, but no net decrease.
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
