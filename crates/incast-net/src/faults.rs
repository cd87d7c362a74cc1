//! Faults of links: links that fail and come back, are slower for a time, or corrupt packets.
//!
//! All of it is known before the run ([`FaultPlan`]), so nodes need not tell each other:
//!
//! ```text
//! down      [from, until): a packet is lost if the link is down at any moment from its first bit's
//!           leaving to its last bit's arrival. Senders do not know: they send into the dead link.
//! detection a change of a link that has lasted for so long is known to all switches at once; then
//!           routes avoid the link, or use it again.
//! degraded  a transmission that starts in [from, until) takes this rate.
//! loss      a packet that starts in [from, until) takes the wire and arrives corrupted, with this
//!           probability: the port that receives it drops it. PFC frames are spared.
//! ```
//!
//! **ECMP around failed links.** Flows whose next hop is still a next hop keep it; the others are
//! spread over those that are left, as switches with resilient hashing do
//! ([`ForwardingTable::around`](crate::routing::ForwardingTable::around)). A switch without any
//! way drops. A packet that is under way while routes change goes on by the new ones, so packets of
//! a flow may overtake each other then, and paths may be longer.
//!
//! **PFC.** What a link that failed was told is void: a pause ends when it fails. When the link is
//! back, or faster again, a port holds its data until a frame has said whether the switch at the
//! other end pauses. So no more data come than that switch has headroom for. (A host pauses no one,
//! so nothing waits for it.)
//!
//! Nodes of such runs wrap those of the plain path: `switch/faulty.rs`, `host/faulty.rs`; what they
//! send passes a [`LossyWire`].

mod options;
mod plan;
mod record;
mod schedule;
#[cfg(test)]
mod tests;
mod wire;

use incast_units::Time;
use rustc_hash::FxHashSet;

pub use self::options::{FaultKind, LinkFault};
pub use self::plan::FaultPlan;
pub(crate) use self::plan::{Affected, GlobalChange, PortChange};
pub(crate) use self::wire::{LossyWire, WireEnds};

/// What nodes of networks with faults have beside others.
pub(crate) trait FaultSide {
    /// Timers beside those of the plain node.
    fn fault_timers(&self) -> usize {
        0
    }

    /// Changes of links before this time may set a timer: gives its number, and when to set it
    /// first.
    fn announce_changes(&mut self, _before: Time) -> Option<(usize, Time)> {
        None
    }

    /// Adds faults, and flows that have not recovered from them.
    fn append_recovering(&self, _all: &mut FxHashSet<(u32, u32)>) {}
}
