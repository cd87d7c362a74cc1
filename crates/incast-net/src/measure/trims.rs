//! Quantities of trimming, in runs whose switches trim packets.

use super::quantity::quantities;

quantities! {
    /// What one port has trimmed.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct TrimCounters {
        /// Data packets that lost their payload here.
        trimmed: u64 => "trimmed",
        /// The payload that they lost.
        trimmed_bytes: u64 => "trimmed_bytes",
        /// Trimmed packets whose headers were dropped; the dropped packets count them, too.
        headers_dropped: u64 => "headers_dropped",
    }
}

impl TrimCounters {
    /// Adds those of another port.
    pub fn add(&mut self, other: &Self) {
        self.trimmed += other.trimmed;
        self.trimmed_bytes += other.trimmed_bytes;
        self.headers_dropped += other.headers_dropped;
    }
}
