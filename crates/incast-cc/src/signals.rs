//! The signals of an algorithm, one struct per event, and its answers.
//!
//! A new signal is a new field here. Existing algorithms do not change.

use incast_signals::int::{IntSource, Telemetry};
use incast_signals::{EcnOptions, ProgramRequest};
use incast_units::{Bytes, FlowId, Rate, Time};

/// A flow, as known when its QP is created.
#[derive(Clone, Debug)]
pub struct FlowContext {
    /// Number of the flow. If flows share a controller: number of the first flow.
    pub flow: FlowId,
    /// Rate of the NIC's link.
    pub line_rate: Rate,
    /// Base RTT, T: of this path, or the largest of the network, by the scenario's choice.
    pub base_rtt: Time,
    /// Bytes in flight at line rate over one base RTT, W₀ (the BDP).
    pub base_window: Bytes,
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// Bytes of a full data packet on the wire, headers included.
    pub wire_mtu: Bytes,
    /// Payload of the flow.
    pub size: Bytes,
    /// Whether switches trim data packets that find no room, so that receivers request them again
    /// at once.
    pub trims: bool,
    /// Seed of the flow's own random stream.
    pub seed: u64,
}

/// The needs of an algorithm. They are checked before a run starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// Switches mark packets and receivers echo marks in ACKs. These thresholds are the scenario's
    /// default.
    pub ecn: Option<&'static EcnOptions>,
    /// The packets that collect INT.
    pub int: IntSource,
    /// Programs that every switch runs, in this order.
    pub programs: Vec<ProgramRequest>,
    /// Programs that every host runs, in this order.
    pub host_programs: Vec<ProgramRequest>,
    /// Data packets carry their sending time; ACKs echo it.
    pub timestamp: bool,
    /// Receivers send CNPs. This smallest time between two CNPs of a flow is the scenario's
    /// default.
    pub cnp: Option<Time>,
    /// One ACK for every data packet.
    pub per_packet_ack: bool,
    /// Bytes on the wire per ACK; the scenario's default.
    pub ack_every: Option<Bytes>,
    /// ACKs carry the count of received bytes: [`AckNews::newly_received`].
    pub received_bytes: bool,
    /// Only lost packets are retransmitted, so the sender knows the fate of each packet.
    pub selective_repeat: bool,
    /// The NIC calls [`on_sent`](crate::CongestionControl::on_sent) for every data packet.
    pub sent_packets: bool,
    /// The NIC serves the timers of [`next_timer`](crate::CongestionControl::next_timer).
    pub timers: bool,
    /// Limits may contain a sequence number ([`SendLimit::until`]), which NICs otherwise ignore.
    pub sequence_limit: bool,
    /// Limits contain the number of bytes that may leave ([`SendLimit::room`]), in place of a
    /// window. NICs otherwise ignore it.
    pub room: bool,
    /// Losses are found before the retransmission timeout: by trimmed packets, or from ACKs and
    /// NACKs.
    pub finds_losses: bool,
    /// A change of the rate reschedules a packet that is already paced. Otherwise the new rate
    /// takes effect with the next packet.
    pub reschedules_pending: bool,
    /// The flows that one controller can serve, if NICs let flows share a controller.
    pub serves: Serves,
}

impl Needs {
    /// The needs of an algorithm that sets a rate by comparing the INT on data of successive ACKs.
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

/// The flows that one controller can serve, if NICs let flows share a controller.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Serves {
    /// Any flows of one source: no signal depends on the path.
    #[default]
    AnyFlows,
    /// Flows along one path, for the given reason.
    OnePath(&'static str),
    /// A single flow, for the given reason.
    OneFlow(&'static str),
}

/// How a flow starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// With data; the flow has no control packets.
    AtOnce,
    /// With a control packet; data wait until it is back.
    AfterControl,
    /// With a control packet, followed by speculative data until the control packet is back.
    Speculatively,
}

/// A control packet that has come back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ControlReply {
    /// The rate found for the flow, with its weight included.
    pub rate: Rate,
    /// The port that requests the rate, if the rate comes from a port's controller (RoCC).
    pub congestion_point: Option<u32>,
}

/// How packets are spaced when a rate limits them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pacing {
    /// Every gap is the packet size over the rate.
    #[default]
    Regular,
    /// Every gap is the packet size over the rate, and starts at the previous packet's scheduled
    /// time. A busy link then does not lower the rate.
    OnSchedule,
    /// An exponentially distributed delay between the end of a packet and the start of the next. On
    /// average packets leave at the rate.
    Exponential,
    /// Packets are due at the times of a Poisson process with this rate. A packet that is due while
    /// the link is busy leaves afterwards.
    Poisson,
}

/// The limit of a sender: window, pacing rate, or both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SendLimit {
    /// Payload bytes that may be in flight: a packet may leave whenever fewer bytes are in flight.
    /// [`Bytes::MAX`] if no window limits the flow. If the algorithm answers by `room`, the window
    /// is for display and limits nothing.
    pub window: Bytes,
    /// Rate at which packets leave, headers included.
    pub rate: Rate,
    /// How packets are spaced.
    pub pacing: Pacing,
    /// A packet, new or retransmitted, may leave if it begins before this sequence number.
    /// [`u64::MAX`] if there is no such limit. Requires [`Needs::sequence_limit`].
    pub until: u64,
    /// Bytes on the wire that may leave now: a packet leaves if it fits. [`Bytes::MAX`] if there is
    /// no such limit. Requires [`Needs::room`] and replaces the window: the algorithm keeps its own
    /// count of bytes in flight, or of credit. The last packet that fits asks for an ACK.
    pub room: Bytes,
}

impl SendLimit {
    /// A limit by rate alone, without a window.
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
    /// Payload bytes that this ACK acknowledges for the first time, in or out of order.
    pub newly_acked: Bytes,
    /// Sequence number that the receiver expects next: all bytes before it have arrived.
    pub next_expected: u64,
    /// Sequence number that the sender will send next.
    pub next_to_send: u64,
    /// Payload size of the flow.
    pub flow_size: Bytes,
    /// Whether the acknowledged data packet carried a CE mark.
    pub marked: bool,
    /// Time from the first bit of the data packet leaving this NIC to now. `None` if packets carry
    /// no timestamps.
    pub round_trip: Option<Time>,
    /// Number of switches that the data packet passed.
    pub switch_hops: u8,
    /// INT in the ACK, first hop first; empty if the network collects none.
    pub telemetry: Telemetry<'a>,
    /// Number of flows at the receiver (FNCC's N), if the receiver reports it.
    pub receiver_flows: Option<u16>,
    /// Report on single transmissions.
    pub news: AckNews,
}

/// An ACK's report on single transmissions, in networks with selective repeat.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AckNews {
    /// Growth of the receiver's count of bytes on the wire since the last ACK; packets received
    /// twice count once. 0 if receivers do not count. Requires [`Needs::received_bytes`].
    pub newly_received: Bytes,
    /// Bytes on the wire of packets that counted as lost and waited for retransmission, but have
    /// arrived.
    pub restored: Bytes,
    /// Whether the acknowledged packet was still awaited. If not, its round trip is not new
    /// information: the packet is known to have arrived, or counts as lost.
    pub was_awaited: bool,
    /// Whether the ACK is for a probe, which has no payload. Its round trip may be below the base
    /// RTT.
    pub answers_probe: bool,
}

impl Default for AckNews {
    /// The report of an ACK without information on single transmissions.
    fn default() -> Self {
        Self {
            newly_received: Bytes::ZERO,
            restored: Bytes::ZERO,
            was_awaited: true,
            answers_probe: false,
        }
    }
}

/// A data packet that starts to leave the NIC.
#[derive(Copy, Clone, Debug)]
pub struct Sent {
    /// Its payload.
    pub payload: Bytes,
    /// Size of the packet on the wire.
    pub wire: Bytes,
    /// Sequence number after the packet.
    pub next_to_send: u64,
    /// Whether the packet is a retransmission.
    pub retransmission: bool,
}

/// How a loss was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The receiver requested a sequence number again, or an ACK showed a gap in earlier data.
    Nack,
    /// A switch trimmed a packet, and the receiver reported it.
    Trimmed {
        /// Whether the packet was trimmed at the port to the receiver.
        last_hop: bool,
        /// Whether the packet had a CE mark.
        marked: bool,
        /// Its payload.
        bytes: Bytes,
    },
    /// No ACK came in time.
    Timeout,
}

/// Lost packets. The NIC retransmits them without the algorithm.
#[derive(Copy, Clone, Debug)]
pub struct Loss {
    /// How the loss was found.
    pub kind: LossKind,
    /// First sequence number that will be sent again.
    pub resume_at: u64,
    /// Bytes on the wire of packets found lost since the last report, with selective repeat.
    pub wire: Bytes,
    /// Time of a trimmed packet from its first bit leaving this NIC to now. `None` if packets carry
    /// no timestamps.
    pub round_trip: Option<Time>,
}

impl Loss {
    /// A loss of which only its kind and the first sequence number of the retransmission are known.
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
    /// The requested rate, if the CNP is from a switch (RoCC).
    pub rate: Option<Rate>,
    /// The port that sent the CNP, if it is from a switch (RoCC).
    pub congestion_point: Option<u32>,
}

/// Credit that a receiver grants a flow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Credit {
    /// Payload bytes that may leave in addition to earlier credit, if the receiver grants
    /// increments (NDP).
    pub more: Bytes,
    /// Total bytes on the wire granted since the flow began, if the receiver grants sums (RCCC).
    pub in_all: Option<Bytes>,
    /// Sequence number up to which data may leave, if the receiver grants positions (Homa).
    pub until: Option<u64>,
}

/// The data that a flow has yet to send, just after one of its packets has left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Bytes on the wire left to send, retransmissions included.
    pub left: Bytes,
    /// Number of flows of the NIC that could send now, this flow included.
    pub flows: u32,
}
