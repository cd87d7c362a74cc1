//! How to take what this simulator has no use for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do with something that a file says and this simulator has no use for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Refuse the file if it says something else than expected.
    #[default]
    Check,
    /// Read over it.
    Ignore,
}

/// How many flows of a file are read, where the file says at its top how many it has.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowCount {
    /// All flows are read; the number must be right.
    #[default]
    Check,
    /// All flows are read, whatever the number says.
    Ignore,
    /// So many from the first on, as ns-3 does: what follows them is not read.
    First,
}
