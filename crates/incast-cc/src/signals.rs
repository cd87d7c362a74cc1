//! The signals of an algorithm, one struct per event, and its answers.
//!
//! A new signal is a new field here; no algorithm breaks.

use incast_signals::int::{IntSource, Telemetry};
use incast_signals::{EcnOptions, ProgramRequest};
use incast_units::{Bytes, FlowId, Rate, Time};

/// A flow, as it is known when its QP is created.
#[derive(Clone, Debug)]
pub struct FlowContext {
    /// Its number; of flows that share one controller, the first's.
    pub flow: FlowId,
    /// Rate of the NIC's link.
    pub line_rate: Rate,
    /// Base RTT, T: of this path, or the largest of the network, as the scenario says.
    pub base_rtt: Time,
    /// Bytes in flight at line rate over one base RTT, W₀ (the BDP).
    pub base_window: Bytes,
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// Bytes of a full data packet on the wire, headers included.
    pub wire_mtu: Bytes,
    /// Payload of the flow.
    pub size: Bytes,
    /// Switches trim a data packet that finds no room, and receivers ask for it again at once.
    pub trims: bool,
    /// Seed of this flow's own random stream.
    pub seed: u64,
}

/// The needs of an algorithm; checked before a run starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// Switches mark, receivers echo the mark in ACKs: with these thresholds, if a scenario gives
    /// none.
    pub ecn: Option<&'static EcnOptions>,
    /// INT, collected by these packets.
    pub int: IntSource,
    /// Switches run these programs, in this order.
    pub programs: Vec<ProgramRequest>,
    /// Hosts run these programs, in this order.
    pub host_programs: Vec<ProgramRequest>,
    /// Data packets carry the time at which they were sent, ACKs echo it.
    pub timestamp: bool,
    /// Receivers send CNPs: at most one per flow in this time, if a scenario gives none.
    pub cnp: Option<Time>,
    /// One ACK for every data packet.
    pub per_packet_ack: bool,
    /// One ACK for this many bytes on the wire, if a scenario does not say how many.
    pub ack_every: Option<Bytes>,
    /// ACKs say how many bytes have arrived: [`AckNews::newly_received`].
    pub received_bytes: bool,
    /// Lost packets alone are sent again, so that the sender knows the fate of each.
    pub selective_repeat: bool,
    /// The NIC calls [`on_sent`](crate::CongestionControl::on_sent) for every data packet.
    pub sent_packets: bool,
    /// The NIC asks for [`next_timer`](crate::CongestionControl::next_timer).
    pub timers: bool,
    /// Limits may name a sequence number ([`SendLimit::until`]). NICs heed it only then.
    pub sequence_limit: bool,
    /// Limits say how many bytes may leave ([`SendLimit::room`]). NICs heed it only then, and no
    /// window beside it.
    pub room: bool,
    /// Losses are found before the retransmission timeout: since switches trim packets, or by what
    /// ACKs and NACKs show.
    pub finds_losses: bool,
    /// A change of the rate reschedules the packet that is paced already; else it takes effect
    /// from the next packet on.
    pub reschedules_pending: bool,
    /// Which flows one controller can serve, where NICs let several share one.
    pub serves: Serves,
}

impl Needs {
    /// Of an algorithm that sets a rate by INT on data, an ACK's compared with that of the one
    /// before.
    pub(crate) fn int_of_successive_acks() -> Self {
        Self {
            int: IntSource::Data,
            per_packet_ack: true,
            reschedules_pending: true,
            serves: Serves::OnePath("it compares the INT of successive ACKs hop by hop"),
            ..Self::default()
        }
    }
}

/// Which flows one controller can serve, where NICs let several share one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Serves {
    /// Any flows of one source: nothing that it is told belongs to one path.
    #[default]
    AnyFlows,
    /// Flows along one path, for this reason.
    OnePath(&'static str),
    /// A single flow, for this reason.
    OneFlow(&'static str),
}

/// How a flow starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The flow starts with data, and has no control packets.
    AtOnce,
    /// The flow starts with a control packet; data wait until it is back.
    AfterControl,
    /// The flow starts with a control packet, and speculative data behind it until it is back.
    Speculatively,
}

/// A control packet that came back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ControlReply {
    /// The rate that was found for the flow, its weight included.
    pub rate: Rate,
    /// The port that asks for it, if it is that of a port's controller (RoCC).
    pub congestion_point: Option<u32>,
}

/// How packets are spaced when a rate limits them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pacing {
    /// Every gap is packet size over rate.
    #[default]
    Regular,
    /// Every gap is packet size over rate, and starts when the packet before was to leave: a link
    /// that is busy then does not lower the rate.
    OnSchedule,
    /// Between the end of a packet and the start of the next an exponentially distributed delay
    /// passes, such that packets leave at the rate on average.
    Exponential,
    /// Packets are due at the moments of a Poisson process of the rate; what is due while the link
    /// is busy leaves afterwards.
    Poisson,
}

/// The limit of a sender: window, pacing rate, or both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SendLimit {
    /// Payload bytes that may be in flight; [`Bytes::MAX`] if no window limits the flow.
    /// A packet may leave whenever fewer bytes than this are in flight. Of an algorithm that
    /// answers by `room` it is there to be seen, and limits nothing.
    pub window: Bytes,
    /// Rate at which packets leave, headers included.
    pub rate: Rate,
    /// How they are spaced.
    pub pacing: Pacing,
    /// A packet may leave if it begins before this sequence number, be it new or sent again;
    /// [`u64::MAX`] if none limits the flow. Asked for in [`Needs::sequence_limit`].
    pub until: u64,
    /// Bytes on the wire that may leave now: a packet leaves if it fits. [`Bytes::MAX`] if nothing
    /// limits them. Asked for in [`Needs::room`], in place of the window: the algorithm keeps its
    /// own account of what is in flight, or of credit. The last packet that fits asks for an ACK.
    pub room: Bytes,
}

impl SendLimit {
    /// No window: a rate alone limits the flow.
    pub fn paced(rate: Rate) -> Self {
        Self {
            window: Bytes::MAX,
            rate,
            pacing: Pacing::Regular,
            until: u64::MAX,
            room: Bytes::MAX,
        }
    }
}

/// An ACK, as the NIC understands it.
#[derive(Clone, Debug)]
pub struct Ack<'a> {
    /// Payload bytes that this ACK acknowledges for the first time, in place or too early.
    pub newly_acked: Bytes,
    /// Sequence number that the receiver expects next: all bytes before it have arrived.
    pub next_expected: u64,
    /// Sequence number that the sender will send next.
    pub next_to_send: u64,
    /// Payload size of the flow.
    pub flow_size: Bytes,
    /// The acknowledged data packet carried a CE mark.
    pub marked: bool,
    /// From the first bit of the data packet leaving this NIC to now, if packets carry
    /// timestamps.
    pub round_trip: Option<Time>,
    /// Switches that the data packet passed.
    pub switch_hops: u8,
    /// INT that the ACK brought, first hop first; empty if the network collects none.
    pub telemetry: Telemetry<'a>,
    /// Flows that share the receiver (FNCC's N), if the receiver says so.
    pub receiver_flows: Option<u16>,
    /// What it says of single transmissions.
    pub news: AckNews,
}

/// What an ACK says of single transmissions, in networks with selective repeat.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AckNews {
    /// Bytes on the wire by which the receiver's count of what has arrived has grown since the last
    /// ACK, packets that came twice counted once; 0 if receivers do not count. Asked for in
    /// [`Needs::received_bytes`].
    pub newly_received: Bytes,
    /// Bytes on the wire of packets that had counted as lost, and wait to be sent again: they have
    /// arrived after all.
    pub restored: Bytes,
    /// Whether the packet that it answers was still awaited. Else its round trip says nothing new:
    /// the packet is known to have arrived, or counts as lost.
    pub was_awaited: bool,
    /// Whether it answers a probe, which has no payload: its round trip may be below the base RTT.
    pub answers_probe: bool,
}

impl Default for AckNews {
    /// The news of an ACK that says nothing of the kind.
    fn default() -> Self {
        Self {
            newly_received: Bytes::ZERO,
            restored: Bytes::ZERO,
            was_awaited: true,
            answers_probe: false,
        }
    }
}

/// A data packet that begins to leave the NIC.
#[derive(Copy, Clone, Debug)]
pub struct Sent {
    /// Its payload.
    pub payload: Bytes,
    /// Its bytes on the wire.
    pub wire: Bytes,
    /// Sequence number that follows it.
    pub next_to_send: u64,
    /// Whether the packet was sent before.
    pub retransmission: bool,
}

/// How a loss was noticed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The receiver asked for a sequence number again, or an ACK showed that what was sent
    /// earlier did not come.
    Nack,
    /// A switch trimmed a packet, and the receiver said so.
    Trimmed {
        /// Whether it was trimmed at the port that leads to the receiver.
        last_hop: bool,
        /// Whether the packet had a CE mark.
        marked: bool,
        /// Its payload.
        bytes: Bytes,
    },
    /// No ACK came in time.
    Timeout,
}

/// Lost packets; the NIC sends them again by itself.
#[derive(Copy, Clone, Debug)]
pub struct Loss {
    /// How it was noticed.
    pub kind: LossKind,
    /// First sequence number that will be sent again.
    pub resume_at: u64,
    /// Bytes on the wire of the packets that are known to be lost since the last time, with
    /// selective repeat.
    pub wire: Bytes,
    /// The time of a trimmed packet from its first bit leaving this NIC to now, if packets carry
    /// timestamps.
    pub round_trip: Option<Time>,
}

impl Loss {
    /// A loss of which no more is known than how it was noticed, and what will be sent again first.
    pub fn new(kind: LossKind, resume_at: u64) -> Self {
        Self {
            kind,
            resume_at,
            wire: Bytes::ZERO,
            round_trip: None,
        }
    }
}

/// A congestion notification packet.
#[derive(Copy, Clone, Debug, Default)]
pub struct Cnp {
    /// The rate that the switch asks for, if it came from a switch (RoCC).
    pub rate: Option<Rate>,
    /// The port that sent it, if it came from a switch (RoCC).
    pub congestion_point: Option<u32>,
}

/// Credit that a receiver grants a flow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Credit {
    /// Payload bytes that may leave beyond those of earlier credit, where a receiver counts what it
    /// grants (NDP).
    pub more: Bytes,
    /// All bytes on the wire that were granted since the flow began, where a receiver names the sum
    /// (RCCC).
    pub in_all: Option<Bytes>,
    /// Sequence number up to which data may leave, where a receiver grants by place (Homa).
    pub until: Option<u64>,
}

/// What a flow waits to send, just after a packet of it has left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Bytes on the wire that it has yet to send, those to be sent again included.
    pub left: Bytes,
    /// Flows of its NIC that could send now, itself included.
    pub flows: u32,
}
