//! What an algorithm is told, one struct per event, and what it answers.
//!
//! A new signal is a new field here; no algorithm breaks.

use incast_signals::FairRateOptions;
use incast_signals::int::Telemetry;
use incast_units::{Bytes, Rate, Time};

use crate::Threshold;

/// What is known of a flow when its QP is created.
#[derive(Clone, Debug)]
pub struct FlowContext {
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
    /// Seed of this flow's own random stream.
    pub seed: u64,
}

/// What an algorithm needs from the network; checked before a run starts.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// Switches mark, receivers echo the mark in ACKs: like this, if a scenario gives no
    /// thresholds.
    pub ecn: Option<Marking>,
    /// INT, collected by these packets.
    pub int: Option<IntCarrier>,
    /// Switches compute fair rates and send them in CNPs: by these laws.
    pub fair_rate: Option<FairRateOptions>,
    /// Data packets carry the time at which they were sent, ACKs echo it.
    pub timestamp: bool,
    /// Receivers send CNPs: at most one per flow in this time, if a scenario gives none.
    pub cnp: Option<Time>,
    /// One ACK for every data packet.
    pub per_packet_ack: bool,
    /// The NIC calls [`on_sent`](crate::CongestionControl::on_sent) for every data packet.
    pub sent_packets: bool,
    /// The NIC asks for [`next_timer`](crate::CongestionControl::next_timer).
    pub timers: bool,
    /// A change of the rate reschedules the packet that is paced already; else it takes effect
    /// from the next packet on.
    pub reschedules_pending: bool,
}

/// Which packets collect INT.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntCarrier {
    /// Data packets; ACKs echo it.
    Data,
    /// ACKs, of the ports that their data packets left by; they also say how many flows their
    /// receiver has. They must retrace the path of their data.
    Acks,
}

/// How switches mark: none up to `k_min`, all above `k_max`, between them with a probability that
/// rises to `p_max`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Marking {
    /// No mark up to here.
    pub k_min: Threshold,
    /// Every packet is marked above this.
    pub k_max: Threshold,
    /// Marking probability at `k_max`.
    pub p_max: f64,
    /// The link rate that the thresholds are for; they scale with the rate of each port's link.
    /// `None`: they hold for every port.
    pub reference_rate: Option<Rate>,
    /// Which queue a packet is marked by.
    pub at: MarkingPoint,
}

/// When the queue is looked at that a packet is marked by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MarkingPoint {
    /// As it leaves, without it.
    Dequeue,
    /// As it arrives, with it.
    Enqueue,
}

impl Marking {
    /// What the HPCC artifact's `run.py` sets for DCQCN: 4 and 16 KB per Gb/s.
    pub const HPCC_ARTIFACT: Self = Self::red(400_000, 1_600_000, 0.2, Rate::from_gbps(100));

    /// What the HPCC artifact's `run.py` sets for DCTCP: a step at 3 KB per Gb/s.
    pub const DCTCP: Self = Self::red(300_000, 300_000, 1.0, Rate::from_gbps(100));

    /// DCQCN, SIGCOMM 2015, as "ECN or Delay" (CoNEXT 2016) restates it.
    pub const DCQCN_PAPER: Self = Self::red(5_000, 200_000, 0.01, Rate::from_gbps(40));

    /// LGC (LCN 2016): every packet that finds more than one waiting, itself among them, at any
    /// link rate.
    pub const ONE_PACKET: Self = Self {
        k_min: Threshold::Packets(1),
        k_max: Threshold::Packets(1),
        p_max: 1.0,
        reference_rate: None,
        at: MarkingPoint::Enqueue,
    };

    const fn red(k_min: u64, k_max: u64, p_max: f64, rate: Rate) -> Self {
        Self {
            k_min: Threshold::Size(Bytes::new(k_min)),
            k_max: Threshold::Size(Bytes::new(k_max)),
            p_max,
            reference_rate: Some(rate),
            at: MarkingPoint::Dequeue,
        }
    }
}

/// How packets are spaced when a rate limits them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pacing {
    /// Every gap is packet size over rate.
    #[default]
    Regular,
    /// Gaps are exponentially distributed with mean packet size over rate.
    Exponential,
}

/// What may be sent: window, pacing rate, or both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SendLimit {
    /// Payload bytes that may be in flight; [`Bytes::MAX`] if no window limits the flow.
    /// A packet may leave whenever fewer bytes than this are in flight.
    pub window: Bytes,
    /// Rate at which packets leave, headers included.
    pub rate: Rate,
    /// How they are spaced.
    pub pacing: Pacing,
}

impl SendLimit {
    /// No window: a rate alone limits the flow.
    pub fn paced(rate: Rate) -> Self {
        Self {
            window: Bytes::MAX,
            rate,
            pacing: Pacing::Regular,
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
    /// Whether it was sent before.
    pub retransmission: bool,
}

/// How a loss was noticed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The receiver asked for a sequence number again, or an ACK showed that what was sent
    /// earlier did not come.
    Nack,
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
}

/// A congestion notification packet.
#[derive(Copy, Clone, Debug, Default)]
pub struct Cnp {
    /// The rate that the switch asks for, if it came from a switch (RoCC).
    pub rate: Option<Rate>,
    /// The port that sent it, if it came from a switch (RoCC).
    pub congestion_point: Option<u32>,
}
