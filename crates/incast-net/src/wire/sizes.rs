//! Sizes of packets and headers on the wire.

use incast_units::Bytes;

use incast_signals::int::IntSource;

/// Sizes of packets and headers, on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketSizes {
    /// Largest payload of a data packet.
    pub mtu: Bytes,
    /// Headers of a data packet, INT and timestamp excluded.
    pub data_header: Bytes,
    /// An ACK or NACK, INT and timestamp excluded.
    pub ack: Bytes,
    /// Smallest packet.
    pub minimum: Bytes,
    /// INT in data packets and ACKs, always this much, however many hops.
    pub int: Bytes,
    /// Timestamp in data packets and ACKs.
    pub timestamp: Bytes,
    /// How many flows the receiver has, in ACKs that collect INT themselves.
    pub receiver_flows: Bytes,
    /// A congestion notification packet.
    pub cnp: Bytes,
    /// A PFC frame.
    pub pfc_frame: Bytes,
}

impl PacketSizes {
    /// The largest packet there can be.
    pub(crate) fn largest(&self) -> Bytes {
        let echoed = self.int + self.timestamp;
        let (data, ack) = (self.mtu + self.data_header, self.ack + self.receiver_flows);
        (data.max(ack) + echoed).max(self.minimum).max(self.cnp)
    }

    /// What leaves a port before a pause has, at most: a packet that has just begun, a resume
    /// frame, and the pause.
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
    /// preamble, gap and FCS; but for PFC frames, which are as long as Ethernet has them.
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

/// INT and timestamps, in bytes of each packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// In data packets.
    pub data: Bytes,
    /// What ACKs carry: they echo what data packets carry; INT may be in them alone.
    pub ack: Bytes,
}

impl Carried {
    /// What is carried with packets of these sizes.
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
