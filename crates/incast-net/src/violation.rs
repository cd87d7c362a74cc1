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
    /// Ports wait for each other in a circle, for good: a deadlock of PFC.
    #[error(
        "deadlock of PFC since {} ps: {}; packets of {} wait there, and none can leave; use \
         routes without circles (up, then down), or larger buffers",
        closed.as_ps(), circle_text(circle), flows_text(flows)
    )]
    Deadlock {
        /// When the last of its ports was paused.
        closed: Time,
        /// Switches and their egress ports, each paused by the next.
        circle: Vec<(NodeId, u32)>,
        /// Flows whose packets are the first from their links in those queues.
        flows: Vec<FlowId>,
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

/// Ports of a circle, each with the one that it waits for.
fn circle_text(circle: &[(NodeId, u32)]) -> String {
    let names = circle
        .iter()
        .map(|(node, port)| format!("switch {node} port {port}"));
    let mut names: Vec<_> = names.collect();
    names.rotate_left(1);
    match names.last() {
        Some(first) => format!("{first} waits for {}", names.join(", which waits for ")),
        None => String::new(),
    }
}

/// The first few flows, and how many there are.
fn flows_text(flows: &[FlowId]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<_> = flows.iter().take(SHOWN).map(FlowId::to_string).collect();
    let (noun, names) = match flows.len() {
        1 => ("flow", names.join(", ")),
        _ => ("flows", names.join(", ")),
    };
    match flows.len() - flows.len().min(SHOWN) {
        0 => format!("{noun} {names}"),
        more => format!("{noun} {names} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
