//! Options of the shared buffer: its size, and who may use it where packets may be dropped.

use incast_units::Bytes;

/// The switches' packet buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferConfig {
    /// All of it, shared by the ports of one switch.
    pub size: Bytes,
    /// Kept for every ingress port, outside the shared part.
    pub reserve: Bytes,
}

/// Admission to the shared buffer when packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct DropConfig {
    /// An egress queue may hold this fraction of the free buffer (dynamic threshold α).
    pub alpha: f64,
    /// And never more than this.
    pub queue_limit: Bytes,
}
