//! Transport at both ends of a flow: what is sent, acknowledged, lost and sent again.
//!
//! Go-back-N needs no state beside a QP's sequence numbers. A scoreboard has state at both ends:
//! the fate of each transmission at the sender, packets that came early at the receiver. What
//! shows a loss is a policy; the timeout finds the losses that no packet shows.

mod ack_policy;
mod acknowledgement;
mod loss_detection;
mod nack_limiter;
mod probes;
mod psn_set;
mod reassembly;
mod recovery;
mod scoreboard;
mod sequence;
mod timeout;
mod transfer;
mod transmission;

pub use self::ack_policy::AckPolicy;
pub(crate) use self::acknowledgement::{AckOutcome, Acknowledgement, Sack, Trim};
pub use self::loss_detection::{EarlyCount, Explicit, InOrder, LossDetection, Reordering};
pub(crate) use self::nack_limiter::NackLimiter;
pub use self::probes::Probes;
pub(crate) use self::reassembly::{Arrivals, Reassembly, Released};
pub use self::recovery::{RecoveryConfig, RecoveryKind};
pub(crate) use self::sequence::NextSegment;
pub use self::timeout::{Backoff, TimeoutOf};
pub(crate) use self::transfer::{ProbeSegment, SequenceNumbers, Tally, Transfer, TransferFacts};
