//! The first form of REPS: entropies of unmarked ACKs wait in a queue without limit.
//!
//! uet-htsim, `uec_mp.cpp`, class `UecMpRepsLegacy`. The first packets, as many as the window and
//! the entropies admit, take entropies in turn, from the second one on. Later packets take the
//! entropy that has waited longest, or draw one. There is no freezing as in [`reps`](super::reps).
//!
//! | parameter   | unit | default | source                            |
//! |-------------|------|---------|-----------------------------------|
//! | `entropies` | 1    | 64      | uet-htsim, `-paths` of `main_uec` |

use std::collections::VecDeque;

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draws::RawDraws;
use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathFeedback, PathReport,
    PathSelector, check_entropies,
};

/// Entropies of unmarked ACKs wait in a queue without limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LegacyReps {
    /// Number of entropies of a flow.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
}

impl Default for LegacyReps {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
        }
    }
}

impl BalanceOptions for LegacyReps {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_entropies(self.entropies)
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(LegacyRepsSelector::new(
            self,
            flow.first,
            flow.draws(),
        )))
    }
}

/// The queue of one flow.
#[derive(Clone, Debug)]
pub(super) struct LegacyRepsSelector<D> {
    first: u16,
    entropies: u32,
    draws: D,
    /// Entropies of unmarked ACKs, the oldest first.
    returned: VecDeque<u16>,
    /// The last entropy.
    last: u16,
}

impl<D: RawDraws> LegacyRepsSelector<D> {
    pub(super) fn new(options: &LegacyReps, first: u16, draws: D) -> Self {
        Self {
            first,
            entropies: options.entropies,
            draws,
            returned: VecDeque::new(),
            last: first,
        }
    }

    /// The entropy that follows the last one used.
    fn following(&self) -> u16 {
        let number = self.last.wrapping_sub(self.first);
        let number = (u32::from(number) + 1) % self.entropies;
        self.first.wrapping_add(number as u16)
    }

    fn drawn(&mut self) -> u16 {
        self.first.wrapping_add(self.draws.pick(self.entropies))
    }
}

impl<D: RawDraws> PathSelector for LegacyRepsSelector<D> {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        let is_early = packet.new_packets < packet.window.min(self.entropies);
        self.last = match is_early {
            true => self.following(),
            false => self.returned.pop_front().unwrap_or_else(|| self.drawn()),
        };
        self.last
    }

    fn on_feedback(&mut self, report: &PathReport) {
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
        for (recording, entropies) in [
            (
                include_str!("../../../tests/balancers/reps-legacy-plain.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/reps-legacy-smallq.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/reps-legacy-notrim.txt"),
                64,
            ),
            (
                include_str!("../../../tests/balancers/script-reps-legacy-16.txt"),
                16,
            ),
            (
                include_str!("../../../tests/balancers/script-reps-legacy-64.txt"),
                64,
            ),
        ] {
            let options = LegacyReps { entropies };
            let compared = replay(recording, None, |first, draws| {
                Box::new(LegacyRepsSelector::new(&options, first, draws))
            });
            assert!(compared > 600, "{compared}");
        }
    }

    /// Eight entropies, a window of 3: the first three packets take 1, 2 and 3. ACKs of 3 and 1
    /// return, and these are used in this order; then 14 mod 8 = 6 is drawn. With a window of 8 the
    /// next packet takes its entropy in turn again, after 6.
    #[test]
    fn a_window_in_turn_and_then_what_came_back() {
        let drawn = Drawn::new(&[14]);
        let mut reps = LegacyRepsSelector::new(&LegacyReps { entropies: 8 }, 100, drawn);
        let mut next = |heard: &[u16], new_packets, window| {
            for entropy in heard {
                reps.on_feedback(&report(*entropy, PathFeedback::Good));
            }
            reps.on_feedback(&report(102, PathFeedback::Marked));
            reps.next(&LeavingPacket {
                new_packets,
                window,
                ..LEAVING
            })
        };
        let first = [0, 1, 2].map(|new_packets| next(&[], new_packets, 3));
        assert_eq!(first, [101, 102, 103]);
        let then = [next(&[103, 101], 3, 3), next(&[], 4, 3), next(&[], 5, 3)];
        assert_eq!(then, [103, 101, 106]);
        assert_eq!([next(&[], 6, 8), next(&[], 7, 8)], [107, 100]);
    }
}
