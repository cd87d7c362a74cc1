//! How a sender with numbered transmissions finds lost packets: a policy of the scoreboard.
//!
//! | file          | transmissions that count as lost                            |
//! |---------------|-------------------------------------------------------------|
//! | `in_order`    | all earlier ones that the receiver does not have            |
//! | `reordering`  | those overtaken by a number of later ones, or for a time    |
//! | `early_count` | all missing ones, after many early packets                  |
//! | `explicit`    | none without a NACK or a timeout                            |
//!
//! Whatever the policy, a NACK that names a transmission and the retransmission timeout show
//! losses, too.

mod early_count;
mod explicit;
mod in_order;
mod reordering;

use std::collections::VecDeque;
use std::fmt::Debug;

use dyn_clone::DynClone;
use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};
use incast_units::Time;

pub use self::early_count::EarlyCount;
pub use self::explicit::Explicit;
pub use self::in_order::InOrder;
pub use self::reordering::Reordering;
use super::probes::Probes;
use super::timeout::TimeoutOf;
use super::transmission::{Newest, Transmission};

registry! {
    /// The loss detection of a sender: which earlier transmissions an arrival shows to be lost.
    #[derive(Clone, Debug, PartialEq)]
    pub enum LossDetection: LossPolicy as "loss detection", tagged "kind", without defaults {
        "in-order" => InOrder(InOrder), "every earlier one has arrived or is lost";
        "reordering" => Reordering(Reordering), "those that were overtaken too far are lost";
        "early-count" => EarlyCount(EarlyCount), "what is missing when many came early is lost";
        "explicit" => Explicit(Explicit), "nothing: losses are told by NACKs, or by the timeout";
    }

    impl {
        /// Whether the policy counts overtaken packets as lost even if they take another path.
        pub(crate) fn needs_order(&self) -> bool;

        /// The default scope of a timeout: the whole flow, or single packets.
        pub fn timeout_of(&self) -> TimeoutOf;

        /// When senders probe; `None`: never.
        pub(super) fn probes(&self) -> Option<Probes>;

        /// Checks the options.
        ///
        /// # Errors
        /// The option that is out of range.
        pub fn check(&self) -> Result<(), Diagnostic>;

        /// The rule of one flow; `None` if the flow keeps order, which needs no state.
        pub(super) fn rule(&self) -> Option<Box<dyn LossRule>>;
    }
}

impl Default for LossDetection {
    fn default() -> Self {
        Self::InOrder(InOrder::default())
    }
}

/// Options of loss detection.
pub(crate) trait LossPolicy: Sized + 'static {
    /// Named sets of options.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Whether the policy counts overtaken packets as lost even if they take another path.
    fn needs_order(&self) -> bool {
        false
    }

    /// The default scope of a timeout: the whole flow, or single packets.
    fn timeout_of(&self) -> TimeoutOf {
        TimeoutOf::Flow
    }

    /// When senders probe; `None`: never.
    fn probes(&self) -> Option<Probes> {
        None
    }

    /// Checks the options.
    ///
    /// # Errors
    /// The option that is out of range.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// The rule of one flow; `None` if the flow keeps order, which needs no state.
    fn rule(&self) -> Option<Box<dyn LossRule>>;
}

/// Finds lost packets among the open transmissions of one flow.
pub(super) trait LossRule: Send + Debug + DynClone {
    /// Calls `lose` once with the number of each transmission that counts as lost. Called after
    /// each ACK, and at the returned time: the first time at which more transmissions count as lost
    /// without another ACK, or [`Time::MAX`].
    fn find(&mut self, evidence: &Evidence<'_>, lose: &mut dyn FnMut(u64)) -> Time;

    /// Whether this rule ever finds losses. If not, it is never called.
    fn finds_losses(&self) -> bool {
        true
    }
}

dyn_clone::clone_trait_object!(LossRule);

/// The facts that the sender of a flow knows.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    pub(super) now: Time,
    /// All packets before this one have arrived.
    pub(super) expected: u32,
    /// The first packet that has never been sent.
    pub(super) next_new: u32,
    /// Packets from `expected` on that have arrived.
    pub(super) early: u32,
    /// Packets that wait to be sent again.
    pub(super) lost: u32,
    /// Payload bytes that may be in flight, as of the last packet that was sent.
    pub(super) window: u64,
    /// Payload of a full packet.
    pub(super) mtu: u64,
    /// Whether a probe has just shown losses.
    pub(super) is_probed: bool,
    /// The latest transmission that is known to have arrived.
    pub(super) newest: Option<Newest>,
    /// Transmissions by number, from `first` on; some are closed.
    pub(super) sent: &'a VecDeque<Transmission>,
    pub(super) first: u64,
}

impl Evidence<'_> {
    /// The open transmissions by number, the earliest first.
    pub(super) fn open(&self) -> impl Iterator<Item = (u64, &Transmission)> {
        let numbered = (self.first..).zip(self.sent);
        numbered.filter(|(_, transmission)| transmission.is_open)
    }
}

#[cfg(test)]
mod tests;
