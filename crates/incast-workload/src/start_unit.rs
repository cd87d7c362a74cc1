//! The unit of times in connection matrices, which do not state it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit of `start` in a connection matrix.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartUnit {
    /// Picoseconds.
    Ps,
    /// Microseconds.
    Us,
}
