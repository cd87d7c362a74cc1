//! Operations, the packets that carry them, and what travels over a link.

use incast_engine::Message;

/// A cycle of the fabric's clock, counted from 0. In each cycle a link carries one flit.
pub type Cycle = u64;

/// Never.
pub const NEVER: Cycle = Cycle::MAX;

/// Bytes of a flit. A packet's header is one flit.
pub const FLIT_BYTES: u64 = 16;

/// Largest payload of a packet, in flits (128 bytes).
pub const MAX_PAYLOAD_FLITS: u8 = 8;

/// Largest packet in flits: header and payload.
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
    /// Whether the operation addresses a group.
    pub fn is_collective(self) -> bool {
        matches!(self, Self::ReadReduction | Self::WriteMulticast)
    }

    /// Whether the request carries the data.
    pub fn is_write(self) -> bool {
        matches!(self, Self::WriteMulticast | Self::Write)
    }

    /// Flits of the request of an operation on `data` flits of data.
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

    /// The kind's name in tables.
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

/// The leg of an operation that a packet belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// From the initiator.
    Request,
    /// To the initiator.
    Response,
}

/// Value of `entry` if no table entry waits for the response.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// A packet, with all its fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FabricPacket {
    /// At a switch, the cycle from which the first flit may leave. At an endpoint, the cycle in
    /// which the first flit arrives.
    pub(crate) ready: Cycle,
    /// The operation's number at its initiator.
    pub(crate) sequence: u32,
    /// Table entry that waits for the response, at the next switch on the response's path.
    pub(crate) entry: u32,
    pub(crate) initiator: u16,
    /// The group of a collective operation, else the destination endpoint.
    pub(crate) target: u16,
    /// The ToR uplink that the operation takes, which also determines the core.
    pub(crate) uplink: u16,
    pub(crate) kind: OperationKind,
    pub(crate) leg: Leg,
    /// Flits of data that the operation moves.
    pub(crate) data: u8,
}

impl FabricPacket {
    /// Length of the packet in flits.
    #[inline]
    pub(crate) fn flits(&self) -> u32 {
        match self.leg {
            Leg::Request => self.kind.request_flits(self.data),
            Leg::Response => self.kind.response_flits(self.data),
        }
    }

    /// The table entry that waits for this packet, if it is a response and one waits.
    #[inline]
    pub(crate) fn awaiting_entry(&self) -> Option<u32> {
        (self.leg == Leg::Response && self.entry != NO_ENTRY).then_some(self.entry)
    }

    /// The response to this request.
    pub(crate) fn response(&self) -> Self {
        Self {
            leg: Leg::Response,
            ..*self
        }
    }
}

/// The role of a packet in a queue of its node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TicketRole {
    /// A request.
    Request,
    /// A response that goes on towards its initiator, or to the next switch's table.
    Response,
    /// A response that a table entry waits for.
    Contribution,
    /// The last response that a table entry waits for. All responses of the entry have been
    /// counted, and their buffer room has been given back.
    LastContribution,
}

/// The part of a packet that queues hold. The rest is in its node's store.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// The packet's slot in the store.
    pub(crate) slot: u32,
    pub(crate) flits: u8,
    /// Flits of the response to this packet.
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

    /// The ticket of the response to this request.
    #[inline]
    pub(crate) fn response(self, role: TicketRole) -> Self {
        Self {
            flits: self.answer,
            role,
            ..self
        }
    }

    /// Length of the packet in flits.
    #[inline]
    pub(crate) fn flits(self) -> u32 {
        self.flits.into()
    }

    /// Whether the packet may have to wait at a switch, for room or for a table entry.
    #[inline]
    pub(crate) fn is_uncertain(self) -> bool {
        matches!(self.role, TicketRole::Request | TicketRole::Response)
    }

    /// The packet's channel between switches and on the way to an endpoint.
    #[inline]
    pub(crate) fn channel(self) -> Channel {
        match self.role {
            TicketRole::Request => REQUESTS,
            _ => RESPONSES,
        }
    }
}

/// A virtual channel. Requests and responses have a channel each on every link. On the link from an
/// endpoint to its ToR, writes have a third.
pub(crate) type Channel = usize;

/// Channel of requests; on injection links, of reads only.
pub(crate) const REQUESTS: Channel = 0;
/// Responses.
pub(crate) const RESPONSES: Channel = 1;
/// Channel of writes on injection links.
pub(crate) const INJECTED_WRITES: Channel = 2;
/// Channels of an injection link.
pub(crate) const CHANNELS: usize = 3;

/// Buffer room that a receiver gives back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferCredit {
    /// Cycle from which the credit counts.
    pub(crate) ready: Cycle,
    pub(crate) channel: u8,
    pub(crate) flits: u8,
}

/// A message on a link between switches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkMessage {
    Packet(FabricPacket),
    Credit(BufferCredit),
}

impl LinkMessage {
    /// Cycle from which the receiver may act on the message.
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

    /// 128 bytes are 8 flits, 9 with the header. Read requests and acknowledgements are 1 flit
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
