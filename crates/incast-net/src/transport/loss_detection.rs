//! How a sender finds lost packets whose transmissions are numbered: a policy of the scoreboard.
//!
//! | file          | what counts as lost                                         |
//! |---------------|-------------------------------------------------------------|
//! | `in_order`    | every earlier transmission that the receiver does not have  |
//! | `reordering`  | what was overtaken by so many transmissions, or for so long |
//! | `early_count` | what is missing once many others came early                 |
//! | `explicit`    | nothing by itself                                           |
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
    /// What the arrival of one transmission says about earlier ones.
    #[derive(Clone, Debug, PartialEq)]
    pub enum LossDetection: LossPolicy as "loss detection", tagged "kind", without defaults {
        "in-order" => InOrder(InOrder), "every earlier one has arrived or is lost";
        "reordering" => Reordering(Reordering), "those that were overtaken too far are lost";
        "early-count" => EarlyCount(EarlyCount), "what is missing when many came early is lost";
        "explicit" => Explicit(Explicit), "nothing: losses are told by NACKs, or by the timeout";
    }

    impl {
        /// Whether it takes packets that overtake others, on another path, for losses before them.
        pub(crate) fn needs_order(&self) -> bool;

        /// What counts as lost when the timeout expires, unless a configuration says otherwise.
        pub fn timeout_of(&self) -> TimeoutOf;

        /// When senders probe, if they do.
        pub(super) fn probes(&self) -> Option<Probes>;

        /// Checks the options.
        ///
        /// # Errors
        /// What is impossible.
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
    /// Sets of options that go by a name.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Whether it takes packets that overtake others, on another path, for losses before them.
    fn needs_order(&self) -> bool {
        false
    }

    /// What counts as lost when the timeout expires, unless a configuration says otherwise.
    fn timeout_of(&self) -> TimeoutOf {
        TimeoutOf::Flow
    }

    /// When senders probe, if they do.
    fn probes(&self) -> Option<Probes> {
        None
    }

    /// Checks the options.
    ///
    /// # Errors
    /// What is impossible.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// The rule of one flow; `None` if the flow keeps order, which needs no state.
    fn rule(&self) -> Option<Box<dyn LossRule>>;
}

/// Finds what is lost among the open transmissions of one flow.
pub(super) trait LossRule: Send + Debug + DynClone {
    /// Hands each transmission that counts as lost to `lose`, once, by its number. It is asked
    /// after each ACK has been taken in, and at the time that it returns: the first at which more
    /// will be lost if nothing else is heard, or [`Time::MAX`].
    fn find(&mut self, evidence: &Evidence<'_>, lose: &mut dyn FnMut(u64)) -> Time;

    /// Whether it ever finds a loss. If not, it is not asked.
    fn finds_losses(&self) -> bool {
        true
    }
}

dyn_clone::clone_trait_object!(LossRule);

/// What the sender of a flow knows.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    pub(super) now: Time,
    /// All packets before this one have arrived.
    pub(super) expected: u32,
    /// The first packet that was never sent.
    pub(super) next_new: u32,
    /// Packets from `expected` on that have arrived.
    pub(super) early: u32,
    /// Packets that wait to be sent again.
    pub(super) lost: u32,
    /// Payload bytes that may be in flight, as of the last packet that was sent.
    pub(super) window: u64,
    /// Payload of a full packet.
    pub(super) mtu: u64,
    /// A probe has just shown losses.
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
