//! `[run]`: name, seed and end of the run.

use incast_net::OnDeadlock;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The settings of the run that do not concern the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Run")]
pub(crate) struct RunSection {
    /// The name of the run in results. Default: the file's name without its ending.
    pub(crate) name: Option<String>,
    /// Seed of all random streams. The same seed gives the same results on any number of threads.
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub(crate) seed: u64,
    /// The latest simulated time at which the run ends. Default: when the last flow has completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<Time>,
    /// What happens at a deadlock of PFC: the run ends (`stop`), or goes on to its stop time and
    /// results report the deadlock (`report`). Default: `report` with a stop time, `stop` without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_deadlock: Option<OnDeadlock>,
    /// End the run when a flow had no byte acknowledged for this long. Default: never. Without a
    /// stop time the run ends when no flow had a byte acknowledged for 10 s, 100 of the largest
    /// base RTT, or four retransmission timeouts, whichever is longest. Flows that are only slow do
    /// not end it: nothing is sent twice, and packets move or flows wait for their own pace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stall_after: Option<Time>,
}

impl Default for RunSection {
    fn default() -> Self {
        Self {
            name: None,
            seed: 1,
            stop: None,
            on_deadlock: None,
            stall_after: None,
        }
    }
}
