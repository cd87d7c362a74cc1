//! Invariants of the model that do not hold: they end a run with a report.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, FlowId, NodeId, Time};
use thiserror::Error;

/// Why a run could not begin, or had to stop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// The network or a flow is impossible.
    #[error(transparent)]
    Input(Box<Diagnostic>),
    /// An invariant of the model does not hold.
    #[error(transparent)]
    Violation(#[from] Violation),
}

impl From<Diagnostic> for NetworkError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(Box::new(diagnostic))
    }
}

/// An invariant of the model that does not hold: a defect of the scenario or of the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// A lossless network lost a packet: a defect of the model.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: a network \
         with PFC must not lose packets; this is a defect of the simulator, please report it",
        time.as_ps()
    )]
    PacketLost {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
    },
    /// A lossless network lost a packet, and the headroom was too small to promise that it
    /// would not.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: its headroom \
         of {} bytes is less than the {} bytes that can arrive after a pause; use the worst-case \
         headroom",
        time.as_ps(), headroom.as_u64(), worst_case.as_u64()
    )]
    HeadroomTooSmall {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
        /// The port's headroom.
        headroom: Bytes,
        /// What would have been enough.
        worst_case: Bytes,
    },
    /// A lossless network lost a packet, and hosts send ACKs among the data even while data are
    /// paused, which no headroom can hold.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: ACKs travel \
         among the data, but hosts do not pause them; pause them, too, or give them a class of \
         their own",
        time.as_ps()
    )]
    AcksNotPaused {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
    },
    /// s-PERC gave away all of a link, or more, to flows that are limited elsewhere.
    #[error(
        "node {node} port {port}: the flows that s-PERC takes to be limited elsewhere have all of \
         the link; this is a defect of the simulator, please report it"
    )]
    OverAllocated {
        /// The switch or host.
        node: NodeId,
        /// The port.
        port: u32,
    },
    /// Speculative packets that were to be dropped have been acknowledged.
    #[error(
        "flow {flow} is to resume at packet {resumed}, but {acked} packets are acknowledged: this \
         is a defect of the simulator, please report it"
    )]
    NoPrefix {
        /// The flow.
        flow: FlowId,
        /// The first packet that was dropped.
        resumed: u32,
        /// Packets acknowledged.
        acked: u32,
    },
    /// Nothing happens any more, but flows are alive.
    #[error(
        "nothing happens after {} ps, but {alive} flows have not completed, among them flow \
         {flow}: the network is deadlocked, or packets were lost and there is no retransmission \
         timeout",
        time.as_ps()
    )]
    Stalled {
        /// Flows alive.
        alive: u64,
        /// One of them.
        flow: FlowId,
        /// Time of the last event.
        time: Time,
    },
    /// Something is left in an empty network: a defect of the model.
    #[error(
        "all flows have completed, but {what} left over at node {node}; this is a defect of the \
         simulator, please report it"
    )]
    LeftOver {
        /// What, and how much of it.
        what: String,
        /// Where.
        node: NodeId,
    },
}

#[cfg(test)]
mod tests;
