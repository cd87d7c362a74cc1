//! The unit of times in connection matrices, which do not tell it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the starts of a connection matrix count.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartUnit {
    /// Picoseconds.
    Ps,
    /// Microseconds.
    Us,
}
