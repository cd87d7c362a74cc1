//! Transport at both ends of a flow: sending, acknowledgement, loss and retransmission of packets.
//!
//! Go-back-N needs no state except a QP's sequence numbers. Selective repeat has state at both
//! ends: a scoreboard with the fate of each transmission at the sender, and early packets at the
//! receiver. A policy decides which ACKs show a loss; the timeout finds all other losses.

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
