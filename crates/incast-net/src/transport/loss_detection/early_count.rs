//! Loss detection by the number of early packets, in proportion to the window.
//!
//! Where a flow takes many paths, some packets are always overtaken. After more than a window of
//! early packets, missing packets are assumed lost. This is the recovery of SLEEK, which Ultra
//! Ethernet takes from STrack (arXiv 2407.15266).
//!
//! ```text
//! begin  if  early ≥ max(⌊min(window · W, W_m)/mtu⌋, packets)                               (1)
//!            and no packet waits to be sent again; or if a probe shows losses
//! lost       every open transmission of a packet before min(end, expected + W/mtu),         (2)
//!            each packet once
//! end        expected ≥ the first packet that was new at the beginning                      (3)
//! ```
//!
//! W is the window under which the last packet left, W_m the largest such window. `early` is the
//! number of received packets beyond the `expected` one. With `probes` a sender without ACKs asks
//! for one: see `transport/probes.rs`. Otherwise the timeout finds a lost tail.
//!
//! | parameter | unit          | default | source                 |
//! |-----------|---------------|---------|------------------------|
//! | `window`  | of the window | 1.5     | uet-htsim, `uec.cpp`   |
//! | `packets` | 1             | 5       | uet-htsim, `uec.cpp`   |
//! | `probes`  | –             | none    | uet-htsim, `-sleek`    |
//!
//! Deviations: in the source, W_m is the largest window that the controller could have at present,
//! and a timeout during (2) loses nothing.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Evidence, LossPolicy, LossRule, Probes, TimeoutOf};

/// Missing packets count as lost after many early packets.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EarlyCount {
    /// Number of early packets that show a loss, as a multiple of the window.
    #[schemars(range(min = 0.01, max = 100))]
    pub window: f64,
    /// Smallest number of early packets that show a loss, whatever the window.
    #[schemars(range(min = 1))]
    pub packets: u32,
    /// When senders without ACKs ask for one. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probes: Option<Probes>,
}

impl Default for EarlyCount {
    fn default() -> Self {
        Self {
            window: 1.5,
            packets: 5,
            probes: None,
        }
    }
}

impl LossPolicy for EarlyCount {
    fn timeout_of(&self) -> TimeoutOf {
        TimeoutOf::Packet
    }

    fn check(&self) -> Result<(), Diagnostic> {
        if !(0.01..=100.0).contains(&self.window) {
            let what = format!("`{}` is out of range", self.window);
            return Err(Diagnostic::new(what, "write 0.01 to 100")).at("window");
        }
        if self.packets == 0 {
            return Err(Diagnostic::new("`0` is out of range", "write 1 or more")).at("packets");
        }
        self.probes
            .map_or(Ok(()), |probes| probes.check())
            .at("probes")
    }

    fn probes(&self) -> Option<Probes> {
        self.probes
    }

    fn rule(&self) -> Option<Box<dyn LossRule>> {
        Some(Box::new(EarlyCountRule {
            options: *self,
            recovery: None,
            largest: 0,
        }))
    }
}

/// The state of one flow.
#[derive(Clone, Debug)]
struct EarlyCountRule {
    options: EarlyCount,
    recovery: Option<Repair>,
    /// W_m.
    largest: u64,
}

/// The repair of a flow after losses.
#[derive(Copy, Clone, Debug)]
struct Repair {
    /// The first packet that had never been sent when the repair began.
    end: u32,
    /// Packets before this one have been examined.
    judged: u32,
}

impl EarlyCountRule {
    /// Equation (1).
    fn begins(&self, evidence: &Evidence<'_>) -> bool {
        let window = self.options.window * evidence.window as f64;
        let packets = window.min(self.largest as f64) / evidence.mtu as f64;
        let needed = (packets as u32).max(self.options.packets);
        evidence.early >= needed && evidence.lost == 0
    }
}

impl LossRule for EarlyCountRule {
    fn find(&mut self, evidence: &Evidence<'_>, lose: &mut dyn FnMut(u64)) -> Time {
        let expected = evidence.expected;
        self.largest = self.largest.max(evidence.window);
        let probed = evidence.is_probed;
        let goes_on = |repair: &Repair| expected < repair.end && !probed;
        self.recovery = self.recovery.filter(goes_on);
        if self.recovery.is_none() && (probed || self.begins(evidence)) {
            self.recovery = Some(Repair {
                end: evidence.next_new,
                judged: expected,
            });
        }
        if let Some(repair) = &mut self.recovery {
            let packets = evidence.window.div_ceil(evidence.mtu);
            let reach = u64::from(expected)
                .saturating_add(packets)
                .min(repair.end.into()) as u32;
            let missing = repair.judged..reach;
            for (number, transmission) in evidence.open() {
                if missing.contains(&transmission.psn) {
                    lose(number);
                }
            }
            repair.judged = repair.judged.max(reach);
        }
        Time::MAX
    }
}
