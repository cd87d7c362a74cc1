//! Weights: the flows of a host share what one flow would get.
//!
//! ```text
//! w = 1/n, n: the connections of the host that are open, each until its last ACK
//! ```
//!
//! | parameter    | values                      | default       | source             |
//! |--------------|-----------------------------|---------------|--------------------|
//! | `divided_by` | `epoch-start`, `flow-start` | `epoch-start` | dissertation, 5.4  |
//!
//! Under `1rc` a window is divided by n, too: by that before the epoch began, since the flows that
//! begin in it share a sequence of packets already.

use incast_signals::WindowDivisor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WeightsConfig {
    /// Under `1rc`: the connections by which a window is divided.
    pub divided_by: WindowDivisor,
}
