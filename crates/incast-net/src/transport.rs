//! Transport at both ends of a flow: what is sent, acknowledged, lost and sent again.
//!
//! Go-back-N needs no state beside a QP's sequence numbers: `Transfer::go_back`. Selective
//! repeat has state at both ends. A NACK, or the ACK of a later transmission, shows a loss; the
//! timeout finds the losses that no packet shows.

mod nack;
mod options;
mod reorder_buffer;
mod selective_repeat;
mod timeout;
mod transfer;

pub(crate) use self::nack::NackLimiter;
pub use self::options::{RecoveryConfig, RecoveryKind};
pub(crate) use self::reorder_buffer::{Released, ReorderBuffer};
pub(crate) use self::selective_repeat::AckOutcome;
pub(crate) use self::timeout::RetransmissionTimer;
pub(crate) use self::transfer::{NextSegment, SequenceNumbers, Tally, Transfer};
