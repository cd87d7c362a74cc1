//! What ends a run early: invariants of the model that do not hold, and deadlocks.

use thiserror::Error;

use crate::packet::Cycle;

/// Why a run had to stop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FabricViolation {
    /// An operation completed again, or was never issued.
    #[error(
        "operation {sequence} of endpoint {initiator} completed a second time in cycle {cycle}; \
         this is a defect of the simulator, please report it"
    )]
    CompletedTwice {
        /// The endpoint.
        initiator: u16,
        /// Number of the operation there.
        sequence: u32,
        /// When.
        cycle: Cycle,
    },
    /// Something is left in the network when all operations are complete, or credits are missing.
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
    /// Endpoints have sent and switches replicated another number of flits than arrived.
    #[error(
        "{sent} flits were sent to endpoints and {received} arrived; this is a defect of the \
         simulator, please report it"
    )]
    FlitsDiffer {
        /// Flits that the operations send to endpoints.
        sent: u64,
        /// Flits that arrived there.
        received: u64,
    },
    /// Nothing moves, and operations are not complete.
    #[error(
        "deadlock in cycle {cycle} with {unfinished} operations not complete: {}",
        waits.join("; ")
    )]
    Deadlock {
        /// Since when nothing moves.
        cycle: Cycle,
        /// Operations not complete.
        unfinished: u64,
        /// The waiting nodes and what each waits for, in a circle if there is one.
        waits: Vec<String>,
    },
}
