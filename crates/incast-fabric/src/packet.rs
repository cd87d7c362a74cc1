//! Operations, the packets that carry them, and what travels over a link.

use incast_engine::Message;

/// A cycle of the fabric's clock, counted from 0: a link carries one flit in each.
pub type Cycle = u64;

/// Never.
pub const NEVER: Cycle = Cycle::MAX;

/// Bytes of a flit, and of a packet's header.
pub const FLIT_BYTES: u64 = 16;

/// Largest payload of a packet, in flits (128 bytes).
pub const MAX_PAYLOAD_FLITS: u8 = 8;

/// Largest packet, in flits: header and payload.
pub const MAX_PACKET_FLITS: u32 = 1 + MAX_PAYLOAD_FLITS as u32;

/// The kind of an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// A read of every member of a group; switches reduce the responses to one.
    ReadReduction,
    /// A write to every member of a group; switches combine the acknowledgements to one.
    WriteMulticast,
    /// A read of one endpoint.
    Read,
    /// A write to one endpoint.
    Write,
    /// A read of no data, to measure the round trip.
    Probe,
}

impl OperationKind {
    /// Whether a group takes part.
    pub fn is_collective(self) -> bool {
        matches!(self, Self::ReadReduction | Self::WriteMulticast)
    }

    /// Whether data travel with the request.
    pub fn is_write(self) -> bool {
        matches!(self, Self::WriteMulticast | Self::Write)
    }

    /// Flits of a request for this many flits of data.
    pub fn request_flits(self, data: u8) -> u32 {
        if self.is_write() {
            1 + u32::from(data)
        } else {
            1
        }
    }

    /// Flits of the response.
    pub fn response_flits(self, data: u8) -> u32 {
        match self {
            Self::ReadReduction | Self::Read => 1 + u32::from(data),
            _ => 1,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadReduction => "read-reduction",
            Self::WriteMulticast => "write-multicast",
            Self::Read => "read",
            Self::Write => "write",
            Self::Probe => "probe",
        }
    }
}

/// Which way a packet goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// From the initiator.
    Request,
    /// To the initiator.
    Response,
}

/// No table entry waits for the response.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// A packet, by value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FabricPacket {
    /// From when its first flit may leave the switch that it arrives at, or the cycle in which
    /// that flit arrives at an endpoint.
    pub(crate) ready: Cycle,
    /// Number of the operation at its initiator.
    pub(crate) sequence: u32,
    /// The entry that waits for the response, at the next switch on the response's way.
    pub(crate) entry: u32,
    pub(crate) initiator: u16,
    /// The group of a collective operation, the endpoint of another.
    pub(crate) target: u16,
    /// The ToR uplink that the operation takes, and with it the core.
    pub(crate) uplink: u16,
    pub(crate) kind: OperationKind,
    pub(crate) leg: Leg,
    /// Flits of data that the operation moves.
    pub(crate) data: u8,
}

impl FabricPacket {
    /// Flits on the wire.
    #[inline]
    pub(crate) fn flits(&self) -> u32 {
        match self.leg {
            Leg::Request => self.kind.request_flits(self.data),
            Leg::Response => self.kind.response_flits(self.data),
        }
    }

    /// The entry that waits for the response, if this is one.
    #[inline]
    pub(crate) fn awaiting_entry(&self) -> Option<u32> {
        (self.leg == Leg::Response && self.entry != NO_ENTRY).then_some(self.entry)
    }

    /// The packet that answers a request.
    pub(crate) fn response(&self) -> Self {
        Self {
            leg: Leg::Response,
            ..*self
        }
    }
}

/// What a packet in a queue of its node is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TicketRole {
    /// A request.
    Request,
    /// A response that goes on to its initiator, or to the next table.
    Response,
    /// A response that a table entry waits for.
    Contribution,
    /// The last response that a table entry waits for; all of them have been counted, and their
    /// room has been given back.
    LastContribution,
}

/// What queues hold of a packet: the rest is in its node's store.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Its slot in the store.
    pub(crate) slot: u32,
    pub(crate) flits: u8,
    /// Flits of the response to it.
    pub(crate) answer: u8,
    pub(crate) role: TicketRole,
    pub(crate) kind: OperationKind,
}

impl Ticket {
    pub(crate) fn new(slot: u32, packet: &FabricPacket, role: TicketRole) -> Self {
        Self {
            slot,
            flits: packet.flits() as u8,
            answer: packet.kind.response_flits(packet.data) as u8,
            role,
            kind: packet.kind,
        }
    }

    /// The response to a request.
    #[inline]
    pub(crate) fn response(self, role: TicketRole) -> Self {
        Self {
            flits: self.answer,
            role,
            ..self
        }
    }

    /// Flits on the wire.
    #[inline]
    pub(crate) fn flits(self) -> u32 {
        self.flits.into()
    }

    /// Whether it may have to wait at a switch, for room or for a table entry.
    #[inline]
    pub(crate) fn is_uncertain(self) -> bool {
        matches!(self.role, TicketRole::Request | TicketRole::Response)
    }

    /// The channel between switches and on the way to an endpoint.
    #[inline]
    pub(crate) fn channel(self) -> Channel {
        match self.role {
            TicketRole::Request => REQUESTS,
            _ => RESPONSES,
        }
    }
}

/// A virtual channel. Requests and responses have one each on every link; on the link from an
/// endpoint to its ToR, writes have one of their own.
pub(crate) type Channel = usize;

/// Requests; on injection links, reads.
pub(crate) const REQUESTS: Channel = 0;
/// Responses.
pub(crate) const RESPONSES: Channel = 1;
/// Writes on injection links.
pub(crate) const INJECTED_WRITES: Channel = 2;
/// Channels of an injection link.
pub(crate) const CHANNELS: usize = 3;

/// Room that a receiver gives back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferCredit {
    /// From when it counts.
    pub(crate) ready: Cycle,
    pub(crate) channel: u8,
    pub(crate) flits: u8,
}

/// A message of a link between switches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkMessage {
    Packet(FabricPacket),
    Credit(BufferCredit),
}

impl LinkMessage {
    /// From when the receiver may act on it.
    #[inline]
    pub(crate) fn ready(&self) -> Cycle {
        match self {
            Self::Packet(packet) => packet.ready,
            Self::Credit(credit) => credit.ready,
        }
    }
}

impl Message for LinkMessage {
    /// One cycle is one tick of the engine's clock.
    #[inline]
    fn time_bits(&self) -> u64 {
        self.ready()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 128 bytes are 8 flits, 9 with the header; read requests and acknowledgements are 1 flit
    /// (§6.1.4).
    #[test]
    fn packets_have_the_papers_sizes() {
        let flits = |kind: OperationKind| (kind.request_flits(8), kind.response_flits(8));
        assert_eq!(flits(OperationKind::WriteMulticast), (9, 1));
        assert_eq!(flits(OperationKind::ReadReduction), (1, 9));
        assert_eq!(flits(OperationKind::Write), (9, 1));
        assert_eq!(flits(OperationKind::Read), (1, 9));
        assert_eq!(OperationKind::Probe.request_flits(0), 1);
        assert_eq!(OperationKind::Probe.response_flits(0), 1);
    }

    #[test]
    fn a_message_is_half_a_cache_line_and_a_place_in_a_queue_a_quarter() {
        assert_eq!(size_of::<LinkMessage>(), 32);
        assert_eq!(size_of::<(Cycle, Ticket)>(), 16);
    }
}
