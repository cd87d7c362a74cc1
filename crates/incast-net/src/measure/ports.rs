//! Quantities of ports: counters, queues, pauses.

use incast_units::{NodeId, Time};

use super::quantity::quantities;

quantities! {
    /// Counters of one port, of its outgoing direction unless stated otherwise.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct PortCounters {
        /// Data packets sent.
        data_packets: u64 => "data_packets",
        /// Bytes on the wire of data packets sent.
        data_bytes: u64 => "data_bytes",
        /// ACKs, NACKs and CNPs sent.
        control_packets: u64 => "control_packets",
        /// Bytes on the wire of control packets sent.
        control_bytes: u64 => "control_bytes",
        /// CE marks given.
        marked: u64 => "marked",
        /// Packets dropped whose egress port would have been this port.
        dropped: u64 => "dropped",
        /// Largest egress queue, in bytes, the packet in transmission excluded.
        queue_max: u64 => "queue_max_bytes",
        /// Pause frames sent by this port to its peer.
        pauses_sent: u64 => "pauses_sent",
        /// Time for which pauses by the peer stopped data at this port.
        paused: Time => "paused_ps",
    }
}

impl PortCounters {
    /// Packets sent, except PFC frames.
    pub(crate) fn packet_hops(&self) -> u64 {
        self.data_packets + self.control_packets
    }
}

/// The queue of one port at one time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueSample {
    /// When.
    pub time: Time,
    /// Global port index.
    pub port: u32,
    /// Bytes waiting, the packet in transmission excluded.
    pub bytes: u64,
}

/// A PFC frame, where it was received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PauseEvent {
    /// When.
    pub time: Time,
    /// The node that received it.
    pub node: NodeId,
    /// Port of that node.
    pub port: u32,
    /// Pause, or resume.
    pub paused: bool,
}
