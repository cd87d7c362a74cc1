//! Faults of links: links that fail and come back, are slower for a time, or corrupt packets.
//!
//! All faults are known before the run ([`FaultPlan`]), so nodes do not tell each other about them:
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
//! **ECMP around failed links.** Flows keep their next hop while it is valid. All other flows are
//! spread over the remaining next hops, as by switches with resilient hashing
//! ([`ForwardingTable::around`](crate::routing::ForwardingTable::around)). A switch without a next
//! hop drops the packet. A packet that is under way while routes change takes the new routes.
//! Packets of a flow may then overtake each other, and paths may be longer.
//!
//! **PFC.** A pause ends when its link fails. When the link is back, or faster again, a port holds
//! its data until a frame says whether the switch at the other end pauses. So the headroom of that
//! switch suffices for all data that arrive. (A host never pauses, so a port towards a host does
//! not wait.)
//!
//! Nodes of such runs wrap the nodes of the plain path: `switch/faulty.rs`, `host/faulty.rs`. Their
//! packets pass a [`LossyWire`].

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

/// Faults of links, for a node. A node of a network without faults has none.
pub(crate) trait FaultSide {
    /// Number of timers in addition to those of the plain node.
    fn fault_timers(&self) -> usize {
        0
    }

    /// Announces the changes of links before this time. Returns the timer for them and when to set
    /// it first, if any.
    fn announce_changes(&mut self, _before: Time) -> Option<(usize, Time)> {
        None
    }

    /// Appends pairs of a fault and a flow that has not recovered from it.
    fn append_recovering(&self, _all: &mut FxHashSet<(u32, u32)>) {}
}
