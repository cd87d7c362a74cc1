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
