//! Options of the buffer: its size, and who may use it where packets may be dropped.

use incast_units::Bytes;

/// The switches' packet buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferConfig {
    /// All of it, shared by the ports of one switch.
    pub size: Bytes,
    /// Kept for every ingress port, outside the shared part.
    pub reserve: Bytes,
}

/// Admission to the buffer when packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum DropConfig {
    /// The ports of a switch share its buffer.
    Shared {
        /// An egress queue may hold this fraction of the free buffer (dynamic threshold α).
        alpha: f64,
        /// And never more than this.
        queue_limit: Bytes,
    },
    /// Every egress port has a buffer of its own; the switch's size of buffer does not matter.
    PerPort(PortBufferConfig),
}

/// The buffer of every egress port, where ports share none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortBufferConfig {
    /// A data queue may hold this.
    pub queue_limit: Bytes,
}
