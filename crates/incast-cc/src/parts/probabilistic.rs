//! Probabilistic feedback: slow flows ignore some of the decreases that fast flows follow.
//!
//! ```text
//! u drawn uniformly from 0 … W_max − 1;  the decrease is ignored if W_cur < u
//! ```
//!
//! W_cur is the window of the reference rate, W_max the BDP, so a decrease is followed with
//! probability about W_cur/W_max. Increases are never ignored.
//!
//! | parameter | values                   | default     |
//! |-----------|--------------------------|-------------|
//! | `draws`   | `every-ack`, `every-rtt` | `every-ack` |
//!
//! The paper does not say how often u is drawn. By default an ignored ACK changes nothing, so the
//! next ACK draws again.
//!
//! Snyder & Lebeck (§III-D) compare their own parts with probabilistic feedback.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use incast_random::SplitMix64;

/// Parameters of probabilistic feedback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProbabilisticConfig {
    /// How often a flow draws whether to follow a decrease.
    pub draws: Draws,
}

/// How often a flow draws.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Draws {
    /// At every ACK that calls for a decrease, until a decrease is followed.
    #[default]
    EveryAck,
    /// Once per round trip.
    EveryRtt,
}

/// Probabilistic feedback of one flow.
#[derive(Clone, Debug)]
pub(super) struct Probabilistic {
    draws: Draws,
    random: SplitMix64,
}

impl Probabilistic {
    pub(super) fn new(config: &ProbabilisticConfig, seed: u64) -> Self {
        Self {
            draws: config.draws,
            random: SplitMix64::new(seed),
        }
    }

    /// Whether this decrease is ignored.
    pub(super) fn ignores(&mut self, window: f64, largest: f64) -> bool {
        window < self.random.below(largest as u64) as f64
    }

    pub(super) fn ignores_for_an_epoch(&self) -> bool {
        self.draws == Draws::EveryRtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of decreases followed, of 10 000, with this window and W_max = 52 000 bytes.
    fn followed(window: f64) -> u32 {
        let mut prob = Probabilistic::new(&ProbabilisticConfig::default(), 1);
        (0..10_000)
            .map(|_| u32::from(!prob.ignores(window, 52_000.0)))
            .sum()
    }

    /// u is at most 51 999, so a full window always follows. A window of 0 follows only if u = 0,
    /// once in 52 000.
    #[test]
    fn fast_flows_follow_and_standing_ones_do_not() {
        assert_eq!(followed(52_000.0), 10_000);
        assert!(followed(0.0) <= 2);
    }

    /// P = W/W_max is 1/2 and 1/16. Of 10 000 draws the standard deviations are 50 and 24.2; four
    /// standard deviations are allowed.
    #[test]
    fn others_follow_in_proportion() {
        assert!(followed(26_000.0).abs_diff(5_000) < 200);
        assert!(followed(3_250.0).abs_diff(625) < 97);
    }
}
