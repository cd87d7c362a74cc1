//! Which packets collect INT: what an algorithm needs, a scenario says and a switch does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where INT comes from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntSource {
    /// Nowhere.
    #[default]
    Off,
    /// Switches write into data packets as they leave; ACKs echo.
    Data,
    /// Switches write into ACKs, each the state of the port that the data packet left by. ACKs
    /// must take the path of their data back, and also say how many flows their receiver has.
    Acks,
}
