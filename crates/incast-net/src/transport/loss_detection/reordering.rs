//! Loss detection where packets may overtake each other a little (RFC 9002, section 6.1).
//!
//! ```text
//! lost if  newest − number ≥ packets                 (1)  packet threshold, section 6.1.1
//!      or  now ≥ sent + RTT of newest + time         (2)  time threshold; RFC 8985, section 6.2
//! ```
//!
//! `newest` is the latest transmission that is known to have arrived. Only earlier transmissions
//! can be lost.
//!
//! | parameter | unit | default | source                  |
//! |-----------|------|---------|-------------------------|
//! | `packets` | 1    | 3       | RFC 9002, section 6.1.1 |
//! | `time`    | time | none    |                         |

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Evidence, LossPolicy, LossRule};

/// Packets may overtake each other a little.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reordering {
    /// Packet threshold: a transmission is lost if a transmission with a number larger by this has
    /// arrived.
    #[serde(default = "three")]
    #[schemars(range(min = 1))]
    pub packets: u32,
    /// Time for which a packet may be later than a packet sent after it.
    pub time: Time,
}

fn three() -> u32 {
    3
}

impl LossPolicy for Reordering {
    fn check(&self) -> Result<(), Diagnostic> {
        match self.packets {
            0 => Err(Diagnostic::new("`0` is out of range", "write 1 or more")).at("packets"),
            _ => Ok(()),
        }
    }

    fn rule(&self) -> Option<Box<dyn LossRule>> {
        Some(Box::new(*self))
    }
}

impl LossRule for Reordering {
    fn find(&mut self, evidence: &Evidence<'_>, lose: &mut dyn FnMut(u64)) -> Time {
        let mut deadline = Time::MAX;
        let Some(newest) = evidence.newest else {
            return deadline;
        };
        let overtaken = evidence
            .open()
            .take_while(|(number, _)| *number < newest.number);
        for (number, transmission) in overtaken {
            let until = transmission.sent + newest.round_trip + self.time;
            if newest.number - number >= u64::from(self.packets) || evidence.now >= until {
                lose(number);
            } else {
                deadline = deadline.min(until);
            }
        }
        deadline
    }
}
