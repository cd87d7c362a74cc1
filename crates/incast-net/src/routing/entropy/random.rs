//! Oblivious packet spraying: each packet has an entropy drawn at random.
//!
//! Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013, with
//! switches that hash in place of drawing. Nothing is heard of the paths.
//!
//! | parameter   | unit | default | source                          |
//! |-------------|------|---------|---------------------------------|
//! | `entropies` | 1    | 64      | htsim, `-paths` of `main_uec`   |

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_random::{NetworkPurpose, RandomStream};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BalanceOptions, FlowEntropy, PathSelector, entropy_of};

/// More entropies reach no more paths: those of a flow are known one by one.
const MAX_ENTROPIES: u16 = 1024;

/// Each packet takes a path of its own, at random.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomPaths {
    /// From how many entropies each packet of a flow draws its own.
    #[schemars(range(min = 1, max = 1024))]
    pub entropies: u16,
}

impl Default for RandomPaths {
    fn default() -> Self {
        Self { entropies: 64 }
    }
}

impl BalanceOptions for RandomPaths {
    fn entropies(&self) -> u16 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        match (1..=MAX_ENTROPIES).contains(&self.entropies) {
            true => Ok(()),
            false => {
                let what = format!("`{}` is out of range", self.entropies);
                let wrong = Diagnostic::new(what, format!("write 1 to {MAX_ENTROPIES}"));
                Err(wrong).at("entropies")
            }
        }
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        let number = flow.flow.0.into();
        Some(Box::new(RandomSelector {
            first: flow.first,
            entropies: self.entropies,
            random: RandomStream::of_network(flow.seed, number, NetworkPurpose::Entropy),
        }))
    }
}

/// The draws of one flow.
#[derive(Clone, Debug)]
struct RandomSelector {
    first: u16,
    entropies: u16,
    random: RandomStream,
}

impl PathSelector for RandomSelector {
    fn next(&mut self, _psn: u32, _now: Time) -> u16 {
        let number = self.random.below(self.entropies.into());
        entropy_of(self.first, number as u16)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::FlowId;

    use super::*;

    fn drawn(flow: u32, seed: u64, options: RandomPaths) -> Vec<u16> {
        let start = FlowEntropy {
            flow: FlowId(flow),
            first: 65_534,
            seed,
        };
        let mut selector = options.selector(&start).expect("it draws");
        let draws = (0..8_000).map(|psn| selector.next(psn, Time::ZERO));
        draws.collect()
    }

    /// 8000 draws among 4 entropies, 65534, 65535, 0 and 1: each comes 2000 times, with a
    /// deviation of √(8000·¼·¾) = 39; five of them are 194.
    #[test]
    fn packets_spread_evenly() {
        let draws = drawn(3, 1, RandomPaths { entropies: 4 });
        for entropy in [65_534, 65_535, 0, 1] {
            let count = draws.iter().filter(|drawn| **drawn == entropy).count();
            assert!(count.abs_diff(2_000) < 194, "{entropy}: {count}");
        }
    }

    #[test]
    fn every_flow_has_draws_of_its_own() {
        let options = RandomPaths::default();
        assert_eq!(drawn(3, 1, options), drawn(3, 1, options));
        assert_ne!(drawn(3, 1, options), drawn(4, 1, options));
        assert_ne!(drawn(3, 1, options), drawn(3, 2, options));
    }

    #[test]
    fn one_entropy_is_that_of_the_flow() {
        let draws = drawn(3, 1, RandomPaths { entropies: 1 });
        assert!(draws.iter().all(|entropy| *entropy == 65_534));
    }

    #[test]
    fn as_many_entropies_as_are_known_one_by_one() {
        for (entropies, is_right) in [(0, false), (1, true), (1024, true), (1025, false)] {
            assert_eq!(RandomPaths { entropies }.check().is_ok(), is_right);
        }
    }
}
