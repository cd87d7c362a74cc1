//! Reasons to stop a run early: violated invariants of the model, and deadlocks.

use thiserror::Error;

use crate::packet::Cycle;

/// Why a run had to stop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FabricViolation {
    /// An operation completed twice, or was never issued.
    #[error(
        "operation {sequence} of endpoint {initiator} completed a second time in cycle {cycle}; \
         this is a defect of the simulator, please report it"
    )]
    CompletedTwice {
        /// The endpoint.
        initiator: u16,
        /// The operation's number at its initiator.
        sequence: u32,
        /// When.
        cycle: Cycle,
    },
    /// When all operations are complete, something is left in the network, or credits are missing.
    #[error(
        "{packets} packets, {entries} table entries and {debts} links without all their credits \
         are left in cycle {cycle}, when all operations are complete; this is a defect of the \
         simulator, please report it"
    )]
    LeftOver {
        /// Packets in buffers and queues.
        packets: u64,
        /// Table entries in use.
        entries: u32,
        /// Links without all their credits.
        debts: u32,
        /// When.
        cycle: Cycle,
    },
    /// The number of flits sent by endpoints and replicated by switches differs from the number
    /// that arrived.
    #[error(
        "{sent} flits were sent to endpoints and {received} arrived; this is a defect of the \
         simulator, please report it"
    )]
    FlitsDiffer {
        /// Flits sent to endpoints by all operations.
        sent: u64,
        /// Flits that arrived at endpoints.
        received: u64,
    },
    /// Nothing moves, and operations are not complete.
    #[error(
        "deadlock in cycle {cycle} with {unfinished} operations not complete: {}",
        waits.join("; ")
    )]
    Deadlock {
        /// Cycle since which nothing has moved.
        cycle: Cycle,
        /// Operations not complete.
        unfinished: u64,
        /// The waiting nodes and what each waits for; a circle if there is one.
        waits: Vec<String>,
    },
}
