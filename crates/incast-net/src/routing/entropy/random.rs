//! Oblivious packet spraying: each packet has an entropy drawn at random.
//!
//! Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013, where
//! switches draw the path. Here switches hash an entropy that the sender draws. Feedback on paths
//! is not used.
//!
//! | parameter   | unit | default | source                          |
//! |-------------|------|---------|---------------------------------|
//! | `entropies` | 1    | 64      | htsim, `-paths` of `main_uec`   |

use incast_diagnostic::Diagnostic;
use incast_random::RandomStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathSelector, check_entropies,
    entropy_of,
};

/// Each packet takes a path of its own, at random.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomPaths {
    /// Number of entropies from which each packet of a flow draws its own.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
}

impl Default for RandomPaths {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
        }
    }
}

impl BalanceOptions for RandomPaths {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_entropies(self.entropies)
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(RandomSelector {
            first: flow.first,
            entropies: self.entropies,
            random: flow.draws(),
        }))
    }
}

/// The draws of one flow.
#[derive(Clone, Debug)]
struct RandomSelector {
    first: u16,
    entropies: u32,
    random: RandomStream,
}

impl PathSelector for RandomSelector {
    fn next(&mut self, _packet: &LeavingPacket) -> u16 {
        let number = self.random.below(self.entropies.into());
        entropy_of(self.first, number as u16)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::FlowId;

    use super::super::recordings::LEAVING;
    use super::*;

    fn drawn(flow: u32, seed: u64, options: RandomPaths) -> Vec<u16> {
        let start = FlowEntropy {
            flow: FlowId(flow),
            first: 65_534,
            seed,
        };
        let mut selector = options.selector(&start).expect("it draws");
        (0..8_000).map(|_| selector.next(&LEAVING)).collect()
    }

    /// 8000 draws among 4 entropies, 65534, 65535, 0 and 1: each is drawn 2000 times, give or take
    /// five standard deviations of √(8000·¼·¾) = 39, 194.
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

    /// 8000 draws of 65,536 are mostly different. Two draws are equal with probability 1/65,536, so
    /// about 488 pairs are, with a standard deviation of 22.
    #[test]
    fn all_entropies_are_drawn_from() {
        let mut draws = drawn(3, 1, RandomPaths { entropies: 1 << 16 });
        draws.sort_unstable();
        draws.dedup();
        assert!((8_000 - draws.len()).abs_diff(488) < 110, "{}", draws.len());
    }

    #[test]
    fn entropies_have_16_bits() {
        for (entropies, is_right) in [(0, false), (1, true), (65_536, true), (65_537, false)] {
            assert_eq!(RandomPaths { entropies }.check().is_ok(), is_right);
        }
    }
}
