//! Recovery from losses: what is sent again, and when.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is sent again after a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Everything from the first lost packet on; receivers discard what comes too early.
    GoBackN,
    /// What was lost; receivers keep what comes too early.
    Selective,
}

/// Recovery from losses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryConfig {
    /// What is sent again.
    pub kind: RecoveryKind,
    /// At most one NACK for the same sequence number in this time.
    pub nack_interval: Time,
    /// Retransmission timeout; `None` where nothing is ever lost.
    pub timeout: Option<Time>,
}
