//! Records of traced packets.

use incast_units::{Bytes, FlowId, NodeId, Time};

use crate::wire::PacketKind;

/// An event of a packet at a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// The packet joins the queue of the port, even if it leaves at once. Data of a sender have no
    /// queue: a packet is made when it leaves.
    Enqueue,
    /// The first bit of the packet leaves.
    Send,
    /// The last bit of the packet has arrived.
    Receive,
    /// The queue of the port has no room for the packet, a switch program drops it, or it has no
    /// path to its destination.
    Drop,
    /// The link on which the packet starts to leave loses it: it does not arrive.
    Lose,
    /// The queue of the port has no room for the packet: its payload is dropped, and its header
    /// goes on.
    Trim,
}

/// One event of one packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// When.
    pub time: Time,
    /// Where.
    pub node: NodeId,
    /// Number of the port at the node.
    pub port: u16,
    /// The event.
    pub event: PacketEvent,
    /// The kind of packet.
    pub kind: PacketKind,
    /// The packet's flow; `None` for PFC frames.
    pub flow: Option<FlowId>,
    /// Number of the first payload byte. For an ACK or NACK, the byte expected next; for a CNP, the
    /// first byte of the data packet that it answers.
    pub sequence: Bytes,
    /// Its payload.
    pub payload: Bytes,
    /// The packet's bytes on the wire.
    pub wire: Bytes,
    /// Bytes of data and control packets that wait at the port, this packet and the one in
    /// transmission excluded.
    pub queue: Bytes,
    /// Whether the packet carries a CE mark or, for an ACK, the echo of one.
    pub marked: bool,
    /// The packet's UDP source port, which determines its path; `None` if it is the source port of
    /// its flow.
    pub entropy: Option<u16>,
}
