//! Mixed: entropies of unmarked ACKs are used again; if there are none, path-aware passes continue.
//!
//! uet-htsim, `uec_mp.cpp`, class `UecMpMixed`, its default: the queue of
//! [`reps-legacy`](super::reps_legacy) before the passes of [`bitmap`](super::bitmap), with the
//! options of `bitmap`.
//!
//! | parameter        | unit | default    | source                                             |
//! |------------------|------|------------|----------------------------------------------------|
//! | `entropies`      | 1    | 64         | uet-htsim, `-paths` of `main_uec`                  |
//! | `order`          |      | `shuffled` | specification, 3.6.16.3; `xor`: uet-htsim          |
//! | `skips`          |      | `once`     | specification, 3.6.16.4; `penalties`: uet-htsim    |
//! | `timeout_blames` |      | `packet`   | specification, 3.6.12.3; `first`: uet-htsim        |

use std::collections::VecDeque;

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bitmap::{BitmapPaths, BitmapSelector, EntropySkips, TimeoutBlame};
use super::draws::RawDraws;
use super::passes::PassOrder;
use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathFeedback, PathReport,
    PathSelector,
};

/// Entropies of unmarked ACKs are used again; if there are none, path-aware passes continue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixedPaths {
    /// Number of entropies of a flow.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
    /// The order of a pass.
    pub order: PassOrder,
    /// The record of bad feedback on an entropy, and the cost of a skip.
    pub skips: EntropySkips,
    /// The entropy that a timeout blames.
    pub timeout_blames: TimeoutBlame,
}

impl MixedPaths {
    fn passes(&self) -> BitmapPaths {
        BitmapPaths {
            entropies: self.entropies,
            order: self.order,
            skips: self.skips,
            timeout_blames: self.timeout_blames,
        }
    }
}

impl Default for MixedPaths {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
            order: PassOrder::default(),
            skips: EntropySkips::default(),
            timeout_blames: TimeoutBlame::default(),
        }
    }
}

impl BalanceOptions for MixedPaths {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.passes().check()
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(MixedSelector::new(self, flow.first, flow.draws())))
    }
}

/// The queue and the passes of one flow.
#[derive(Clone, Debug)]
pub(super) struct MixedSelector<D> {
    /// Entropies of unmarked ACKs, the oldest first.
    returned: VecDeque<u16>,
    passes: BitmapSelector<D>,
}

impl<D: RawDraws> MixedSelector<D> {
    pub(super) fn new(options: &MixedPaths, first: u16, draws: D) -> Self {
        Self {
            returned: VecDeque::new(),
            passes: BitmapSelector::new(&options.passes(), first, draws),
        }
    }
}

impl<D: RawDraws> PathSelector for MixedSelector<D> {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        let returned = self.returned.pop_front();
        returned.unwrap_or_else(|| self.passes.next(packet))
    }

    fn on_feedback(&mut self, report: &PathReport) {
        self.passes.on_feedback(report);
        if report.feedback == PathFeedback::Good {
            self.returned.push_back(report.entropy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::recordings::{Drawn, LEAVING, replay, report};
    use super::*;

    /// Given the recorded draws and feedback of the reference simulator, entropies equal the
    /// recorded ones.
    #[test]
    fn recorded_entropies_are_met() {
        for (recording, entropies, least) in [
            (
                include_str!("../../../tests/balancers/mixed-plain.txt"),
                64,
                600,
            ),
            (
                include_str!("../../../tests/balancers/mixed-smallq.txt"),
                64,
                600,
            ),
            (
                include_str!("../../../tests/balancers/mixed-notrim.txt"),
                64,
                600,
            ),
            (
                include_str!("../../../tests/balancers/script-mixed-16.txt"),
                16,
                600,
            ),
            (
                include_str!("../../../tests/balancers/script-mixed-64.txt"),
                64,
                600,
            ),
            (
                include_str!("../../../tests/balancers/trace-one-100g-nscc.txt"),
                64,
                1200,
            ),
            (
                include_str!("../../../tests/balancers/trace-smallq-11to1-100g-both.txt"),
                64,
                400,
            ),
        ] {
            let options = MixedPaths {
                entropies,
                order: PassOrder::Xor,
                skips: EntropySkips::Penalties,
                timeout_blames: TimeoutBlame::First,
            };
            let compared = replay(recording, Some(entropies), |first, draws| {
                Box::new(MixedSelector::new(&options, first, draws))
            });
            assert!(compared >= least, "{compared}");
        }
    }

    /// A pass of four in ascending order: 0 and 1 leave. 1 returns unmarked, and 2 was marked. 1 is
    /// used again, then the pass continues with 3.
    #[test]
    fn what_came_back_goes_first() {
        let options = MixedPaths {
            entropies: 4,
            order: PassOrder::Xor,
            ..MixedPaths::default()
        };
        let mut mixed = MixedSelector::new(&options, 100, Drawn::new(&[0, 0]));
        assert_eq!([(); 2].map(|()| mixed.next(&LEAVING)), [100, 101]);
        mixed.on_feedback(&report(101, PathFeedback::Good));
        mixed.on_feedback(&report(102, PathFeedback::Marked));
        assert_eq!([(); 3].map(|()| mixed.next(&LEAVING)), [101, 103, 100]);
    }
}
