//! Oblivious spraying: passes over all entropies, without regard to feedback on paths.
//!
//! Each entropy comes once in a pass, so packets spread more evenly than at random. UE
//! specification 1.0, 3.6.16.3 (64 to 256 entropies); uet-htsim, `uec_mp.cpp`, class
//! `UecMpOblivious`.
//!
//! | parameter   | unit | default    | source                                                |
//! |-------------|------|------------|-------------------------------------------------------|
//! | `entropies` | 1    | 64         | uet-htsim, `-paths` of `main_uec`                     |
//! | `order`     |      | `shuffled` | specification, 3.6.16.3; `xor`: uet-htsim             |

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draws::RawDraws;
use super::passes::{EntropyPass, PassOrder};
use super::{BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathSelector};

/// Passes over all entropies, without regard to feedback on paths.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ObliviousPaths {
    /// Number of entropies of a flow.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
    /// The order of a pass.
    pub order: PassOrder,
}

impl Default for ObliviousPaths {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
            order: PassOrder::default(),
        }
    }
}

impl BalanceOptions for ObliviousPaths {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.order.check(self.entropies)
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(ObliviousSelector::new(
            self,
            flow.first,
            flow.draws(),
        )))
    }
}

/// The passes of one flow.
#[derive(Clone, Debug)]
pub(super) struct ObliviousSelector<D> {
    first: u16,
    pass: EntropyPass<D>,
}

impl<D: RawDraws> ObliviousSelector<D> {
    pub(super) fn new(options: &ObliviousPaths, first: u16, draws: D) -> Self {
        Self {
            first,
            pass: EntropyPass::new(options.order, options.entropies, draws),
        }
    }
}

impl<D: RawDraws> PathSelector for ObliviousSelector<D> {
    fn next(&mut self, _packet: &LeavingPacket) -> u16 {
        self.first.wrapping_add(self.pass.take())
    }
}

#[cfg(test)]
mod tests {
    use super::super::recordings::replay;
    use super::*;

    /// Given the recorded draws of the reference simulator, entropies equal the recorded ones.
    #[test]
    fn recorded_entropies_are_met() {
        for (recording, entropies) in [
            (
                include_str!("../../../tests/balancers/oblivious-plain.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/oblivious-smallq.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/oblivious-notrim.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/script-oblivious-16.txt"),
                16,
            ),
            (
                include_str!("../../../tests/balancers/script-oblivious-64.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/trace-slow-core-400g-nscc.txt"),
                64,
            ),
        ] {
            let options = ObliviousPaths {
                entropies,
                order: PassOrder::Xor,
            };
            let compared = replay(recording, Some(entropies), |first, draws| {
                Box::new(ObliviousSelector::new(&options, first, draws))
            });
            assert!(compared > 600, "{compared}");
        }
    }
}
