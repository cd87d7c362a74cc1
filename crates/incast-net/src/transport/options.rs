//! Options of recovery from losses: which packets are sent again, and when.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The packets that are sent again after a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Everything from the first lost packet on; receivers discard packets that come too early.
    GoBackN,
    /// Lost packets only; receivers keep packets that come too early.
    Selective,
}

/// Recovery from losses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryConfig {
    /// The packets that are sent again.
    pub kind: RecoveryKind,
    /// At most one NACK for the same sequence number in this time.
    pub nack_interval: Time,
    /// Retransmission timeout; `None` where nothing is ever lost.
    pub timeout: Option<Time>,
}
