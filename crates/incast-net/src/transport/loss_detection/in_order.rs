//! Loss detection where packets of a flow take one path and do not overtake each other.
//!
//! The ACK of a transmission shows that every earlier one has arrived or is lost. A scoreboard
//! applies this by itself, without a rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LossPolicy, LossRule};

/// Packets of a flow do not overtake each other.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InOrder {}

impl LossPolicy for InOrder {
    fn needs_order(&self) -> bool {
        true
    }

    fn rule(&self) -> Option<Box<dyn LossRule>> {
        None
    }
}
