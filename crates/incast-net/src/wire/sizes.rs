//! Sizes of packets and headers on the wire.

use incast_units::Bytes;

use incast_signals::int::IntSource;

/// Sizes of packets and headers, on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketSizes {
    /// Largest payload of a data packet.
    pub mtu: Bytes,
    /// Headers of a data packet, without INT and timestamp.
    pub data_header: Bytes,
    /// An ACK or NACK, without INT and timestamp.
    pub ack: Bytes,
    /// Smallest packet.
    pub minimum: Bytes,
    /// INT in data packets and ACKs; the same for any number of hops.
    pub int: Bytes,
    /// Timestamp in data packets and ACKs.
    pub timestamp: Bytes,
    /// The number of the receiver's flows, in ACKs that collect INT themselves.
    pub receiver_flows: Bytes,
    /// A congestion notification packet.
    pub cnp: Bytes,
    /// A PFC frame.
    pub pfc_frame: Bytes,
}

impl PacketSizes {
    /// The largest possible packet.
    pub(crate) fn largest(&self) -> Bytes {
        let echoed = self.int + self.timestamp;
        let (data, ack) = (self.mtu + self.data_header, self.ack + self.receiver_flows);
        (data.max(ack) + echoed).max(self.minimum).max(self.cnp)
    }

    /// Upper bound of the bytes that leave a port up to the end of a pause frame: a packet that has
    /// just begun, a resume frame, and the pause frame.
    pub(crate) fn before_pause(&self) -> Bytes {
        self.largest() + self.pfc_frame * 2
    }

    /// The smallest packet that a pause can stop: data of one byte, or an ACK.
    pub(crate) fn smallest(&self) -> Bytes {
        (self.data_header + Bytes::new(1)).min(self.ack.max(self.minimum))
    }
}

impl PacketSizes {
    /// The artifact's accounting (Ethernet 14, IPv4 20, UDP 8, sequence and group 6), without
    /// preamble, gap and FCS. PFC frames have Ethernet's minimum length.
    pub const HPCC_ARTIFACT: Self = Self {
        mtu: Bytes::new(1000),
        data_header: Bytes::new(48),
        ack: Bytes::new(46),
        minimum: Bytes::new(60),
        int: Bytes::new(42),
        timestamp: Bytes::new(8),
        receiver_flows: Bytes::new(2),
        cnp: Bytes::new(60),
        pfc_frame: Bytes::new(64),
    };
}

impl Default for PacketSizes {
    fn default() -> Self {
        Self::HPCC_ARTIFACT
    }
}

/// Bytes of INT and timestamps in each packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// In data packets.
    pub data: Bytes,
    /// Bytes carried by ACKs: an echo of the data packets' bytes, or INT of their own.
    pub ack: Bytes,
}

impl Carried {
    /// Bytes carried by packets of these sizes.
    pub fn new(sizes: &PacketSizes, int: IntSource, timestamps: bool) -> Self {
        let timestamp = match timestamps {
            true => sizes.timestamp,
            false => Bytes::ZERO,
        };
        let (data, ack) = match int {
            IntSource::Off => (Bytes::ZERO, Bytes::ZERO),
            IntSource::Data => (sizes.int, sizes.int),
            IntSource::Acks => (Bytes::ZERO, sizes.int + sizes.receiver_flows),
        };
        Self {
            data: data + timestamp,
            ack: ack + timestamp,
        }
    }
}
