//! When receivers send ACKs.

use incast_units::Bytes;

/// When a receiver acknowledges data. At once, in any case: the last packet of a flow, and one that
/// requests an ACK. Also one that fills a gap or, with selective repeat, comes early, unless ACKs
/// go by bytes and packets may overtake each other. A sender requests an ACK where it would wait
/// for one forever.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// One ACK for so many packets.
    Packets(u32),
    /// One ACK for so many bytes on the wire. At once also for a mark, the first packet of a flow,
    /// one that has come before, and the one that fills the last gap if any since then asked for an
    /// ACK (Ultra Ethernet).
    Bytes(Bytes),
}

impl AckPolicy {
    /// So many packets of `mtu` each are sure to be acknowledged.
    pub fn full_packets(self, mtu: Bytes) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => {
                let packets = bytes.as_u64().div_ceil(mtu.as_u64()).max(1);
                u32::try_from(packets).unwrap_or(u32::MAX)
            }
        }
    }
}
