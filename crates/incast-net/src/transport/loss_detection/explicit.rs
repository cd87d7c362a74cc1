//! Loss detection without conclusions from other packets.
//!
//! A NACK names a lost transmission, for example where switches trim packets, or the timeout finds
//! the loss.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Evidence, LossPolicy, LossRule, TimeoutOf};

/// The arrival of one packet shows nothing about other packets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Explicit {}

impl LossPolicy for Explicit {
    fn timeout_of(&self) -> TimeoutOf {
        TimeoutOf::Packet
    }

    fn rule(&self) -> Option<Box<dyn LossRule>> {
        Some(Box::new(*self))
    }
}

impl LossRule for Explicit {
    fn find(&mut self, _evidence: &Evidence<'_>, _lose: &mut dyn FnMut(u64)) -> Time {
        Time::MAX
    }

    fn finds_losses(&self) -> bool {
        false
    }
}
