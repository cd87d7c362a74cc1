//! Handling of facts in a file that this simulator does not use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether to check a fact in a file that this simulator does not use.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Refuse the file if the fact is not as expected.
    #[default]
    Check,
    /// Read over it.
    Ignore,
}

/// How many flows of a file are read, if the file's head states a number.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowCount {
    /// All flows are read; the number must be right.
    #[default]
    Check,
    /// All flows are read, whatever the number says.
    Ignore,
    /// The stated number of flows is read from the beginning, as in ns-3; the rest of the file is
    /// not read.
    First,
}
