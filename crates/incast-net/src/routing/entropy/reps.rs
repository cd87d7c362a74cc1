//! REPS: the entropies of packets that arrived unmarked are used again.
//!
//! Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure
//! Mitigation", EuroSys 2026 (arXiv 2407.21625), §3; its artifact; uet-htsim, `uec_mp.cpp` and
//! `buffer_reps.cpp`.
//!
//! ```text
//! unmarked ACK   its entropy is written at the head of the ring, and is fresh
//! marked ACK     nothing
//! a packet       the oldest fresh entropy, which is used up; if there is none, one at random
//! ```
//!
//! Packets over a failed link get no answer: after a timeout the ring *freezes*. While the ring is
//! frozen, packets take its entropies in turn, fresh or not, and ACKs still fill it. The first
//! report after `frozen_for` thaws and empties the ring, and the next `exploring` packets draw at
//! random. Until these packets have left, no loss freezes the ring.
//!
//! | parameter   | unit    | default    | source                                                 |
//! |-------------|---------|------------|--------------------------------------------------------|
//! | `entropies` | 1       | 64         | uet-htsim, `-paths` of `main_uec`                      |
//! | `ring`      | 1       | 8          | paper, Table 1                                         |
//! | `freezes_on`|         | `timeout`  | artifact, uet-htsim; the paper names losses as well    |
//! | `frozen_for`| time    | 10 ms      | artifact, uet-htsim                                    |
//! | `exploring` | packets | the window | paper; uet-htsim: 16                                   |

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draws::RawDraws;
use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathFeedback, PathReport,
    PathSelector, check_entropies,
};

/// The entropies of packets that arrived unmarked are used again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reps {
    /// Number of entropies of a flow.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
    /// Number of entropies in the ring.
    #[schemars(range(min = 1, max = 1024))]
    pub ring: u32,
    /// The event that freezes the ring.
    pub freezes_on: FreezeSign,
    /// Time for which the ring is frozen.
    pub frozen_for: Time,
    /// Number of packets that draw their entropies at random after a freeze. Default: the window in
    /// packets, at most the number of entropies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploring: Option<u32>,
}

/// The event that freezes the ring.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FreezeSign {
    /// A timeout.
    #[default]
    Timeout,
    /// Any loss of a packet that was not trimmed.
    Loss,
}

impl Default for Reps {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
            ring: 8,
            freezes_on: FreezeSign::default(),
            frozen_for: Time::from_ms(10),
            exploring: None,
        }
    }
}

/// The largest ring.
const MAX_RING: u32 = 1024;

impl BalanceOptions for Reps {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_entropies(self.entropies)?;
        match (1..=MAX_RING).contains(&self.ring) {
            true => Ok(()),
            false => {
                let what = format!("`{}` is out of range", self.ring);
                let wrong = Diagnostic::new(what, format!("write 1 to {MAX_RING}"));
                Err(wrong).at("ring")
            }
        }
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(RepsSelector::new(self, flow.first, flow.draws())))
    }
}

/// The recycled entropies of one flow.
#[derive(Clone, Debug)]
pub(super) struct RepsSelector<D> {
    options: Reps,
    first: u16,
    draws: D,
    ring: EntropyRing,
    /// End of the freeze; `None` if the ring is not frozen.
    frozen_until: Option<Time>,
    /// Number of further packets that draw at random.
    exploring: u32,
    /// The window of the last packet, in packets.
    window: u32,
}

impl<D: RawDraws> RepsSelector<D> {
    pub(super) fn new(options: &Reps, first: u16, draws: D) -> Self {
        Self {
            options: *options,
            first,
            draws,
            ring: EntropyRing::new(options.ring),
            frozen_until: None,
            exploring: 0,
            window: 0,
        }
    }

    fn freezes(&self, feedback: PathFeedback) -> bool {
        match feedback {
            PathFeedback::TimedOut => true,
            PathFeedback::Lost => self.options.freezes_on == FreezeSign::Loss,
            _ => false,
        }
    }
}

impl<D: RawDraws> PathSelector for RepsSelector<D> {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        self.window = packet.window;
        let explores = self.exploring > 0;
        self.exploring -= u32::from(explores);
        let again = match self.frozen_until {
            _ if explores => None,
            Some(_) => self.ring.in_turn(),
            None => self.ring.oldest_fresh(),
        };
        again.unwrap_or_else(|| {
            let number = self.draws.pick(self.options.entropies);
            self.first.wrapping_add(number)
        })
    }

    fn on_feedback(&mut self, report: &PathReport) {
        let thaws = |until: Time| report.now > until;
        match self.frozen_until {
            None if self.freezes(report.feedback) && self.exploring == 0 => {
                self.frozen_until = Some(report.now + self.options.frozen_for);
            }
            Some(until) if thaws(until) => {
                self.frozen_until = None;
                self.ring = EntropyRing::new(self.options.ring);
                let window = self.window.min(self.options.entropies);
                self.exploring = self.options.exploring.unwrap_or(window);
            }
            _ => {}
        }
        if report.feedback == PathFeedback::Good {
            self.ring.put(report.entropy);
        }
    }
}

/// Recycled entropies, in places that are written in turn.
#[derive(Clone, Debug)]
struct EntropyRing {
    places: Vec<Recycled>,
    /// The place that is written next.
    head: usize,
    /// Number of places that have been written.
    written: usize,
    /// Number of fresh entropies.
    fresh: usize,
    /// The place that is used next in a freeze.
    frozen_head: usize,
}

/// A recycled entropy.
#[derive(Copy, Clone, Debug, Default)]
struct Recycled {
    entropy: u16,
    /// Whether the entropy has not been used since it was written.
    is_fresh: bool,
}

impl EntropyRing {
    fn new(places: u32) -> Self {
        Self {
            places: vec![Recycled::default(); places as usize],
            head: 0,
            written: 0,
            fresh: 0,
            frozen_head: 0,
        }
    }

    fn put(&mut self, entropy: u16) {
        let count = self.places.len();
        let place = &mut self.places[self.head];
        self.fresh += usize::from(!place.is_fresh);
        *place = Recycled {
            entropy,
            is_fresh: true,
        };
        self.head = (self.head + 1) % count;
        self.written = count.min(self.written + 1);
    }

    /// Uses the oldest fresh entropy, if there is one.
    fn oldest_fresh(&mut self) -> Option<u16> {
        let count = self.places.len();
        let fresh = (self.fresh > 0).then_some(self.fresh)?;
        Some(self.take((self.head + count - fresh) % count))
    }

    /// Uses the next entropy in turn, fresh or not, if any was ever written.
    fn in_turn(&mut self) -> Option<u16> {
        let place = (self.written > 0).then_some(self.frozen_head)?;
        self.frozen_head = (place + 1) % self.written;
        Some(self.take(place))
    }

    fn take(&mut self, place: usize) -> u16 {
        let place = &mut self.places[place];
        self.fresh -= usize::from(place.is_fresh);
        place.is_fresh = false;
        place.entropy
    }
}

#[cfg(test)]
mod tests;
