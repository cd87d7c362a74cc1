//! When receivers send ACKs.

use incast_units::Bytes;

/// The policy by which a receiver acknowledges data. A receiver always acknowledges at once the
/// last packet of a flow, and a packet that requests an ACK. The same holds for a packet that fills
/// a gap or, with selective repeat, is early, unless ACKs go by bytes and packets may overtake each
/// other. A sender requests an ACK where it would otherwise wait forever.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// One ACK for this many packets.
    Packets(u32),
    /// One ACK for this many bytes on the wire. A mark, the first packet of a flow and a duplicate
    /// are acknowledged at once. So is the packet that fills the last gap, if a packet requested an
    /// ACK since the gap arose (Ultra Ethernet).
    Bytes(Bytes),
}

impl AckPolicy {
    /// Number of packets with `mtu` each for which an ACK is certain.
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
