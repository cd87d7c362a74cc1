//! The choice of a NIC's scheduler.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The order in which a NIC serves its QPs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NicScheduler {
    /// Round robin among the QPs that may send.
    RoundRobin,
    /// The ns-3 artifact's linear scan.
    // Finished QPs are removed while scanning. No wake-up is set while the QP with the earliest
    // send time waits for its window.
    LinearScan,
}
