//! Records of traced packets.

use incast_units::{Bytes, FlowId, NodeId, Time};

use crate::wire::PacketKind;

/// An event of a packet at a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// The packet takes its place in the queue of the port, even if it leaves at once. A sender's
    /// data has no queue: each packet is made when its turn comes.
    Enqueue,
    /// Its first bit leaves.
    Send,
    /// Its last bit has come.
    Receive,
    /// The queue of the port has no room for it, a switch program drops it, or no way leads to its
    /// destination.
    Drop,
    /// The link by which it begins to leave loses it: it does not arrive.
    Lose,
    /// The queue of the port has no room for it: it loses its payload, and its header goes on.
    Trim,
}

/// One event of one packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// When.
    pub time: Time,
    /// Where.
    pub node: NodeId,
    /// Port of that node.
    pub port: u16,
    /// The event.
    pub event: PacketEvent,
    /// The kind of packet.
    pub kind: PacketKind,
    /// Its flow; `None` for PFC frames.
    pub flow: Option<FlowId>,
    /// Number of its first payload byte. An ACK or NACK has that of the byte expected next, a CNP
    /// that of the data packet that it answers.
    pub sequence: Bytes,
    /// Its payload.
    pub payload: Bytes,
    /// Its bytes on the wire.
    pub wire: Bytes,
    /// Bytes of data and control packets that wait at the port, this packet and the one in
    /// transmission excluded.
    pub queue: Bytes,
    /// Whether it carries a CE mark, or an ACK the echo of one.
    pub marked: bool,
    /// Its UDP source port, which its path follows from; `None` if it is that of its flow.
    pub entropy: Option<u16>,
}
