//! Buffers of egress ports, each for itself, as NDP, htsim and Ultra Ethernet have them.
//!
//! No port's queue matters to another one. So a drop concerns one port alone, and windows in which
//! packets are dropped can be processed [port by port](crate::switch), too.

use super::Admission;
use super::options::PortBufferConfig;

/// Whom an egress port lets into its data queue, by that queue alone.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortRule {
    limit: u64,
}

impl PortRule {
    pub(crate) fn new(config: &PortBufferConfig) -> Self {
        Self {
            limit: config.queue_limit.as_u64(),
        }
    }

    /// Decides about a packet for a queue of `queue` bytes.
    #[inline(always)]
    pub(crate) fn admit(self, queue: u64, size: u64) -> Admission {
        match queue + size <= self.limit {
            true => Admission::Stored,
            false => Admission::Dropped,
        }
    }
}
