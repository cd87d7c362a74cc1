//! `[run]`: what is not about the network.

use incast_net::OnDeadlock;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The run as such.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Run")]
pub(crate) struct RunSection {
    /// What the run is called in results. Default: the file's name without its ending.
    pub(crate) name: Option<String>,
    /// Seed of all random streams. The same seed gives the same results on any number of threads.
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub(crate) seed: u64,
    /// When to stop at the latest. Default: when the last flow has completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<Time>,
    /// Whether a deadlock of PFC ends the run (`stop`), or is told in the results of a run that
    /// goes on to its stop time (`report`). Default: `report` with a stop time, `stop` without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_deadlock: Option<OnDeadlock>,
    /// End the run when a flow had no byte acknowledged for this long. Default: never. A run
    /// without a stop time ends when no flow had one for 10 s, 100 of the largest base RTT, or four
    /// retransmission timeouts, whichever is longest. Flows that are only slow do not end it:
    /// nothing is sent twice, and packets move or flows wait for their own pace.
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
