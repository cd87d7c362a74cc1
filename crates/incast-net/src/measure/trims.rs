//! Quantities of trimming, in runs whose switches trim packets.

use super::quantity::quantities;

quantities! {
    /// Counters of trimming at one port.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct TrimCounters {
        /// Data packets trimmed at this port.
        trimmed: u64 => "trimmed",
        /// Payload bytes dropped by trimming.
        trimmed_bytes: u64 => "trimmed_bytes",
        /// Trimmed packets whose headers were dropped; [`PortCounters`](super::PortCounters) count
        /// them as dropped, too.
        headers_dropped: u64 => "headers_dropped",
    }
}

impl TrimCounters {
    /// Adds the counters of another port.
    pub fn add(&mut self, other: &Self) {
        self.trimmed += other.trimmed;
        self.trimmed_bytes += other.trimmed_bytes;
        self.headers_dropped += other.headers_dropped;
    }
}
