//! The longest latency of a flow's packets, from sender to receiver.

use incast_units::{FlowId, Time};

/// The longest packet latency of a flow whose data have all arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketLatency {
    /// The flow.
    pub flow: FlowId,
    /// From the departure of the packet's first bit at the sender to the arrival of its last bit at
    /// the receiver.
    pub longest: Time,
}
