//! Invariants of the model that do not hold: they end a run with a report.

use std::error::Error;
use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, FlowId, NodeId, Time};

/// Why a run could not start, or had to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The network or a flow is impossible.
    #[error(transparent)]
    Input(Box<Diagnostic>),
    /// An invariant of the model does not hold.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// An algorithm cannot go on, for this reason.
    #[error("{0}")]
    Algorithm(String),
}

impl From<Diagnostic> for NetworkError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(Box::new(diagnostic))
    }
}

/// An invariant of the model that does not hold: a defect of the scenario or of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A lossless network lost a packet.
    PacketLost {
        /// The switch.
        node: NodeId,
        /// The port by which the packet arrived.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
        /// Why.
        cause: OverflowCause,
    },
    /// s-PERC allocated all of a link, or more, to flows that are limited elsewhere.
    OverAllocated {
        /// The switch or host.
        node: NodeId,
        /// The port.
        port: u32,
    },
    /// Speculative packets were acknowledged although switches reported them as dropped.
    NoPrefix {
        /// The flow.
        flow: FlowId,
        /// The first dropped packet.
        resumed: u32,
        /// Packets acknowledged.
        acked: u32,
    },
    /// Contents are left in a network that should be empty: a defect of the model.
    LeftOver {
        /// The contents, and their amount.
        what: String,
        /// Where.
        node: NodeId,
    },
}

/// Why a lossless network lost a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverflowCause {
    /// The port's headroom is too small to guarantee that no packet is lost.
    HeadroomTooSmall {
        /// The port's headroom.
        headroom: Bytes,
        /// Headroom that would suffice.
        worst_case: Bytes,
    },
    /// Hosts send ACKs in the data class even while data are paused; no headroom suffices for this.
    AcksNotPaused,
    /// The clock rounds the transmission time of some packets on the port's link to zero. Any
    /// number of them may arrive before a pause does.
    NoTimeOnLink,
    /// Pauses had waited behind several other PFC frames; headrooms do not include this wait.
    PausesWaited,
    /// No cause is known: a defect of the model.
    Unknown,
}

impl OverflowCause {
    /// The cause in words, with a remedy.
    fn describe(&self) -> String {
        let told = match self {
            Self::HeadroomTooSmall {
                headroom,
                worst_case,
            } => return headroom_text(*headroom, *worst_case),
            Self::AcksNotPaused => {
                "ACKs travel among the data, but hosts do not pause them; pause them, too, or give \
                 them a class of their own"
            }
            Self::NoTimeOnLink => {
                "small packets take no time on its link, by a clock of whole nanoseconds, \
                 so that no headroom holds what arrives before a pause does; write larger packets, \
                 a lower rate, or network.model.clock = \"picoseconds\" with ties = \"port\""
            }
            Self::PausesWaited => {
                "pauses waited there behind several other PFC frames, as nearly every packet takes \
                 the port over its threshold or back; write a larger network.pfc.threshold and \
                 network.pfc.resume_offset, a larger network.pfc.headroom, or a smaller \
                 network.packets.pfc_frame"
            }
            Self::Unknown => return format!("a network with PFC must not lose packets; {DEFECT}"),
        };
        told.to_owned()
    }
}

impl Violation {
    /// The violation as a message, with the names of nodes.
    pub fn describe(&self, name: impl Fn(NodeId) -> String) -> String {
        match self {
            Self::PacketLost {
                node,
                port,
                flow,
                time,
                cause,
            } => format!(
                "{} port {port} had no room for a packet of flow {flow} at {}: {}",
                name(*node),
                time.rounded(),
                cause.describe()
            ),
            Self::OverAllocated { node, port } => format!(
                "{} port {port}: the flows that s-PERC takes to be limited elsewhere have all of \
                 the link; {DEFECT}",
                name(*node)
            ),
            Self::NoPrefix {
                flow,
                resumed,
                acked,
            } => format!(
                "flow {flow} is to resume at packet {resumed}, but {acked} packets are \
                 acknowledged: {DEFECT}"
            ),
            Self::LeftOver { what, node } => format!(
                "all flows have completed, but {what} left over at {}; {DEFECT}",
                name(*node)
            ),
        }
    }
}

const DEFECT: &str = "this is a defect of the simulator, please report it";

fn headroom_text(headroom: Bytes, worst_case: Bytes) -> String {
    format!(
        "its headroom of {} bytes is less than the {} bytes that can arrive after a pause; use the \
         worst-case headroom",
        headroom.as_u64(),
        worst_case.as_u64()
    )
}

/// The violation in words, with the numbers of nodes.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|node| format!("node {node}")))
    }
}

impl Error for Violation {}

#[cfg(test)]
mod tests;
