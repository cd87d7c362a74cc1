//! Weights: all flows of a host together get the share of one flow.
//!
//! ```text
//! w = 1/n, n: the connections of the host that are open, each until its last ACK
//! ```
//!
//! | parameter    | values                      | default       | source             |
//! |--------------|-----------------------------|---------------|--------------------|
//! | `divided_by` | `epoch-start`, `flow-start` | `epoch-start` | dissertation, 5.4  |
//!
//! Under `1rc` a window is also divided by n, by default by n just before the epoch. Flows that
//! start within the epoch already share one sequence of packets.

use incast_signals::WindowDivisor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WeightsConfig {
    /// Under `1rc`: the count of connections that divides a window.
    pub divided_by: WindowDivisor,
}
