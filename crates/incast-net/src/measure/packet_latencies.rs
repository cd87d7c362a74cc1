//! How long the slowest packet of a flow took to its receiver.

use incast_units::{FlowId, Time};

/// The slowest data packet of a flow whose data have all arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketLatency {
    /// The flow.
    pub flow: FlowId,
    /// From the first bit of the packet leaving its host to the arrival of its last bit at the
    /// receiver.
    pub longest: Time,
}
