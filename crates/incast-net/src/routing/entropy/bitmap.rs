//! Path-aware spraying: passes over all entropies that skip those with bad feedback.
//!
//! UE specification 1.0, 3.6.16.4; uet-htsim, `uec_mp.cpp`, class `UecMpBitmap`. The two sources
//! differ in the record for an entropy, and in the cost of a skip (`skips`):
//!
//! | | `once` (specification) | `penalties` (uet-htsim) |
//! |---|---|---|
//! | noted | a bit | a sum, at most 15 |
//! | by a mark; a trimmed; a lost or late packet | 1; 1; 1 | 1; 4; 15 |
//! | a skip | clears the bit | takes 1 off, but only the first for a packet does |
//! | nothing is skipped | if more than half are noted | after N + 1 skips for a packet |
//!
//! For a packet that timed out, the specification blames the packet's entropy. uet-htsim keeps no
//! record of it and blames the flow's first entropy (`timeout_blames`). For a packet that other
//! packets showed to be lost, both blame the packet's own entropy.
//!
//! | parameter        | unit | default    | source                                             |
//! |------------------|------|------------|----------------------------------------------------|
//! | `entropies`      | 1    | 64         | uet-htsim, `-paths` of `main_uec`                  |
//! | `order`          |      | `shuffled` | specification, 3.6.16.3; `xor`: uet-htsim          |
//! | `skips`          |      | `once`     | specification, 3.6.16.4; `penalties`: uet-htsim    |
//! | `timeout_blames` |      | `packet`   | specification, 3.6.12.3; `first`: uet-htsim        |

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draws::RawDraws;
use super::passes::{EntropyPass, PassOrder};
use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathFeedback, PathReport,
    PathSelector,
};

/// Passes over all entropies that skip those with bad feedback.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BitmapPaths {
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

/// The record of bad feedback on an entropy, and the cost of a skip.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntropySkips {
    /// A bit: the entropy is skipped once. If more than half of all entropies have it, none is
    /// skipped.
    #[default]
    Once,
    /// A sum of penalties: the entropy is skipped until the sum is zero. Only the first skip for a
    /// packet takes one off.
    Penalties,
}

/// The entropy that a timeout blames.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutBlame {
    /// The entropy of the packet that timed out.
    #[default]
    Packet,
    /// The first entropy of the flow, whichever packet timed out.
    First,
}

impl Default for BitmapPaths {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
            order: PassOrder::default(),
            skips: EntropySkips::default(),
            timeout_blames: TimeoutBlame::default(),
        }
    }
}

impl BalanceOptions for BitmapPaths {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.order.check(self.entropies)
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(BitmapSelector::new(
            self,
            flow.first,
            flow.draws(),
        )))
    }
}

/// The largest penalty, also given for a packet that did not arrive.
const MAX_PENALTY: u8 = 15;

/// The passes of one flow, and the penalties of its entropies.
#[derive(Clone, Debug)]
pub(super) struct BitmapSelector<D> {
    options: BitmapPaths,
    first: u16,
    pass: EntropyPass<D>,
    /// Penalties by number of the entropy; 0 or 1 under [`EntropySkips::Once`].
    penalties: Vec<u8>,
    /// Number of entropies with a penalty.
    penalised: u32,
}

impl<D: RawDraws> BitmapSelector<D> {
    pub(super) fn new(options: &BitmapPaths, first: u16, draws: D) -> Self {
        Self {
            options: *options,
            first,
            pass: EntropyPass::new(options.order, options.entropies, draws),
            penalties: vec![0; options.entropies as usize],
            penalised: 0,
        }
    }

    fn set(&mut self, number: u16, penalty: u8) {
        let place = &mut self.penalties[usize::from(number)];
        match (*place, penalty) {
            (0, 1..) => self.penalised += 1,
            (1.., 0) => self.penalised -= 1,
            _ => {}
        }
        *place = penalty;
    }

    fn is_skipped(&self, number: u16, skips: u32) -> bool {
        let is_open = match self.options.skips {
            EntropySkips::Once => self.penalised * 2 > self.options.entropies,
            EntropySkips::Penalties => skips > self.options.entropies,
        };
        !is_open && self.penalties[usize::from(number)] > 0
    }
}

impl<D: RawDraws> PathSelector for BitmapSelector<D> {
    fn next(&mut self, _packet: &LeavingPacket) -> u16 {
        let mut skips = 0;
        while self.is_skipped(self.pass.current(), skips) {
            let number = self.pass.current();
            if self.options.skips == EntropySkips::Once || skips == 0 {
                self.set(number, self.penalties[usize::from(number)] - 1);
            }
            skips += 1;
            if skips <= self.options.entropies {
                self.pass.step();
            }
        }
        self.first.wrapping_add(self.pass.take())
    }

    fn on_feedback(&mut self, report: &PathReport) {
        let penalty = match report.feedback {
            PathFeedback::Good => return,
            PathFeedback::Marked => 1,
            PathFeedback::Trimmed => 4,
            PathFeedback::Lost | PathFeedback::TimedOut => MAX_PENALTY,
        };
        let number = match (report.feedback, self.options.timeout_blames) {
            (PathFeedback::TimedOut, TimeoutBlame::First) => 0,
            _ => report.entropy.wrapping_sub(self.first),
        };
        let noted = match self.options.skips {
            EntropySkips::Once => 1,
            EntropySkips::Penalties => {
                let known = self.penalties[usize::from(number)];
                MAX_PENALTY.min(known + penalty)
            }
        };
        self.set(number, noted);
    }
}

#[cfg(test)]
mod tests {
    use super::super::recordings::{Drawn, LEAVING, replay, report};
    use super::*;
    use PathFeedback::{Lost, Marked, TimedOut, Trimmed};

    const REFERENCE: BitmapPaths = BitmapPaths {
        entropies: 64,
        order: PassOrder::Xor,
        skips: EntropySkips::Penalties,
        timeout_blames: TimeoutBlame::First,
    };

    /// Four entropies from 100 on, in ascending order in each pass, since every draw is 0.
    fn ascending(options: BitmapPaths) -> BitmapSelector<Drawn> {
        let options = BitmapPaths {
            entropies: 4,
            order: PassOrder::Xor,
            ..options
        };
        BitmapSelector::new(&options, 100, Drawn::new(&[0; 50]))
    }

    fn next<const COUNT: usize>(selector: &mut BitmapSelector<Drawn>) -> [u16; COUNT] {
        [(); COUNT].map(|()| selector.next(&LEAVING) - 100)
    }

    /// Given the recorded draws and feedback of the reference simulator, entropies equal the
    /// recorded ones.
    #[test]
    fn recorded_entropies_are_met() {
        for (recording, entropies) in [
            (
                include_str!("../../../tests/balancers/bitmap-plain.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/bitmap-smallq.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/bitmap-notrim.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/script-bitmap-16.txt"),
                16,
            ),
            (
                include_str!("../../../tests/balancers/script-bitmap-64.txt"),
                64,
            ),
        ] {
            let options = BitmapPaths {
                entropies,
                ..REFERENCE
            };
            let compared = replay(recording, Some(entropies), |first, draws| {
                Box::new(BitmapSelector::new(&options, first, draws))
            });
            assert!(compared > 600, "{compared}");
        }
    }

    /// 1 and 3 have a bit, half of all: 0 2 0 1 2 3. Then 0, 1 and 3 have one: none is skipped.
    /// With the bit of 1 alone, 1 is skipped.
    #[test]
    fn a_bit_is_one_skip_unless_most_have_one() {
        let mut selector = ascending(BitmapPaths::default());
        for number in [101, 103, 103] {
            selector.on_feedback(&report(number, Marked));
        }
        assert_eq!(next(&mut selector), [0, 2, 0, 1, 2, 3]);
        for (number, heard) in [(100, Trimmed), (101, Lost), (103, TimedOut)] {
            selector.on_feedback(&report(number, heard));
        }
        assert_eq!(next(&mut selector), [0, 1, 2, 3]);
        selector.set(0, 0);
        assert_eq!(next(&mut selector), [0, 2, 0, 1]);
    }

    /// Number 2 was trimmed once, a penalty of 4; number 3 was marked once, a penalty of 1. In four
    /// passes the third packet skips 2, at a cost of 1, and 3, at no cost: 0 1, 0 1, 0 1, 0 1. In
    /// the fifth pass 2 is used, and the fourth packet skips 3, at a cost of 1: 0 1 2, 0 1 2 3.
    #[test]
    fn penalties_are_used_up_by_first_skips() {
        let mut selector = ascending(REFERENCE);
        selector.on_feedback(&report(102, Trimmed));
        selector.on_feedback(&report(103, Marked));
        assert_eq!(
            next(&mut selector),
            [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 0, 1, 2, 3]
        );
    }

    /// All four have a penalty of 15. The first packet skips 0, which has 14 left, then 1, 2 and 3.
    /// The fifth skip is one too many, so 0 is used. The second packet starts with 1.
    #[test]
    fn after_a_whole_pass_of_skips_one_is_used() {
        let mut selector = ascending(REFERENCE);
        for number in 100..104 {
            selector.on_feedback(&report(number, Lost));
            selector.on_feedback(&report(number, Marked));
        }
        assert_eq!(next(&mut selector), [0]);
        assert_eq!(selector.penalties, [14, 15, 15, 15]);
        assert_eq!(next(&mut selector), [1]);
        assert_eq!(selector.penalties, [14, 14, 15, 15]);
    }

    #[test]
    fn a_timeout_blames_the_packet_or_the_first() {
        for (timeout_blames, blamed) in [(TimeoutBlame::Packet, 2), (TimeoutBlame::First, 0)] {
            let options = BitmapPaths {
                timeout_blames,
                ..BitmapPaths::default()
            };
            let mut selector = ascending(options);
            selector.on_feedback(&report(102, TimedOut));
            let expected: Vec<u16> = (0..4).filter(|number| *number != blamed).collect();
            assert_eq!(next::<3>(&mut selector).to_vec(), expected);
        }
    }
}
