//! Round robin: the entropies of the flow in ascending order, again and again.
//!
//! Flows that start together with the same first entropy use equal entropies at the same time.
//! [`oblivious`](super::oblivious) changes the order from pass to pass.
//!
//! | parameter   | unit | default | source                            |
//! |-------------|------|---------|-----------------------------------|
//! | `entropies` | 1    | 64      | uet-htsim, `-paths` of `main_uec` |

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathSelector, check_entropies,
};

/// The entropies in ascending order, again and again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoundRobinPaths {
    /// Number of entropies of a flow.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
}

impl Default for RoundRobinPaths {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
        }
    }
}

impl BalanceOptions for RoundRobinPaths {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_entropies(self.entropies)
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(RoundRobinSelector {
            first: flow.first,
            last: (self.entropies - 1) as u16,
            number: 0,
        }))
    }
}

/// The place of one flow in its round.
#[derive(Copy, Clone, Debug)]
struct RoundRobinSelector {
    first: u16,
    /// Number of the flow's last entropy, in order.
    last: u16,
    /// Number of the next entropy.
    number: u16,
}

impl PathSelector for RoundRobinSelector {
    fn next(&mut self, _packet: &LeavingPacket) -> u16 {
        let entropy = self.first.wrapping_add(self.number);
        self.number = match self.number == self.last {
            true => 0,
            false => self.number + 1,
        };
        entropy
    }
}

#[cfg(test)]
mod tests {
    use super::super::recordings::taken;
    use super::*;

    #[test]
    fn each_has_its_turn() {
        let options = RoundRobinPaths { entropies: 3 };
        assert_eq!(
            taken(&options, 65_534, 5),
            [65_534, 65_535, 0, 65_534, 65_535]
        );
    }

    /// Each of the 65,536 entropies is used once before the first one is used again.
    #[test]
    fn all_entropies_have_their_turn() {
        let options = RoundRobinPaths { entropies: 1 << 16 };
        let taken = taken(&options, 0, (1 << 16) + 2);
        assert_eq!(taken[..2], taken[1 << 16..]);
        assert!(taken[..1 << 16].iter().copied().eq(0..=u16::MAX));
    }
}
