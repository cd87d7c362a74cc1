//! Recovery from losses: which packets are sent again, and when.
//!
//! Go-back-N needs no state beside a QP's sequence numbers: [`Qp::go_back`](crate::host). Selective
//! repeat has state at both ends. A NACK, or the ACK of a later transmission, shows a loss; the
//! timeout finds the losses that no packet shows.

mod nack;
mod reorder_buffer;
mod selective_repeat;
mod timeout;

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::nack::NackLimiter;
pub(crate) use self::reorder_buffer::{Released, ReorderBuffer};
pub(crate) use self::selective_repeat::{AckOutcome, SelectiveRepeat};
pub(crate) use self::timeout::RetransmissionTimer;

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
