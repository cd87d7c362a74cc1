//! What a network is made of, in numbers, and the choices its model leaves open.
//!
//! A *profile* is a named value of [`Model`]: [`Model::standard`] is what a careful model of
//! today's hardware does, [`Model::hpcc_ns3`] what the published HPCC artifact does.

use incast_cc::{FairRates, IntFormat};
use incast_units::{Bytes, Rate, Time};

/// Everything about a network but its graph and its traffic.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// The model's open choices.
    pub model: Model,
    /// Sizes of packets and headers.
    pub packets: PacketSizes,
    /// What happens when a buffer fills.
    pub flow_control: FlowControl,
    /// The switches' shared buffer.
    pub buffer: BufferConfig,
    /// Marking, if switches mark: one entry per link rate, or one for all.
    pub ecn: Vec<EcnConfig>,
    /// How a flow's packets find their way where there are several.
    pub routing: Routing,
    /// Where INT comes from.
    pub int: IntCollection,
    /// Switches compute fair rates and send them to the sources of flows, by these laws.
    pub fair_rate: Option<FairRates>,
    /// Data packets carry the time at which they left.
    pub timestamps: bool,
    /// How receivers report CE marks beside the echo in ACKs.
    pub cnp: CnpConfig,
    /// One ACK for every so many data packets. Also one for the last of a flow, and for a packet
    /// that fills its sender's window: the sender asks for it, or it would wait for ever.
    pub ack_every: u32,
    /// Recovery from losses.
    pub recovery: RecoveryConfig,
    /// Seed of all random streams of the network.
    pub seed: u64,
}

/// The open choices of a network model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How serialisation delays and pacing gaps are rounded.
    pub clock: Clock,
    /// The order of events of one node at the same time.
    pub ties: Ties,
    /// How a flow picks one of several equal-cost next hops.
    pub ecmp: EcmpHash,
    /// The class in which ACKs, NACKs travel.
    pub ack_class: AckClass,
    /// Whether a paused data class also stops the ACKs of a host's NIC.
    pub ack_pausable_at_host: bool,
    /// Fields of INT records.
    pub int_format: IntFormat,
    /// Order in which a NIC serves its QPs.
    pub nic_scheduler: NicScheduler,
    /// Where the random numbers of marking come from.
    pub marking_random: MarkingRandom,
}

impl Model {
    /// A careful model of today's hardware (profile `default`).
    pub fn standard() -> Self {
        Self {
            clock: Clock::Picoseconds,
            ties: Ties::Port,
            ecmp: EcmpHash::Mixed,
            ack_class: AckClass::Control,
            ack_pausable_at_host: false,
            int_format: IntFormat::quantised(1, 16),
            nic_scheduler: NicScheduler::RoundRobin,
            marking_random: MarkingRandom::Own,
        }
    }

    /// What the ns-3 artifact of HPCC (SIGCOMM 2019) does (profile `hpcc-ns3`).
    pub fn hpcc_ns3(int_multiplier: u64, ack_high_priority: bool) -> Self {
        Self {
            clock: Clock::Nanoseconds,
            ties: Ties::Insertion,
            ecmp: EcmpHash::Murmur3,
            ack_class: AckClass::Data,
            ack_pausable_at_host: !ack_high_priority,
            int_format: IntFormat::quantised(int_multiplier, 17),
            nic_scheduler: NicScheduler::LinearScan,
            marking_random: MarkingRandom::Ns3,
        }
    }
}

/// How durations are rounded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Up to the next picosecond.
    Picoseconds,
    /// Down to whole nanoseconds, by way of a double, as ns-3.17 does.
    Nanoseconds,
}

/// The order of a node's events at the same time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ties {
    /// By kind of event, then by port.
    Port,
    /// In the order in which they were scheduled, anywhere in the network: what a simulator
    /// with one global event queue does.
    Insertion,
}

/// How equal-cost next hops are chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EcmpHash {
    /// A 64-bit mix of addresses, source port and switch.
    Mixed,
    /// MurmurHash3-32 of (source IP, destination IP, ports), seeded with the node id.
    Murmur3,
}

/// How a flow's packets find their way where there are several.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// Each switch picks one of several equal-cost next hops, by the model's hash.
    #[default]
    Ecmp,
    /// The same by a hash that is that of the flow in both directions, salted by the links that
    /// are left: where next hops are in a consistent order, ACKs retrace their data's path.
    SymmetricEcmp,
    /// The flow picks one of several spanning trees, in which its path is the only one. Routes
    /// are those of [`Routes::spanning_trees`](incast_topology::Routes::spanning_trees).
    SpanningTrees,
}

/// What decides between several next hops.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathChoice {
    /// A hash at each switch.
    Ecmp(EcmpHash),
    /// [`Routing::SymmetricEcmp`].
    SymmetricEcmp,
    /// [`Routing::SpanningTrees`].
    SpanningTrees,
}

impl From<EcmpHash> for PathChoice {
    fn from(hash: EcmpHash) -> Self {
        Self::Ecmp(hash)
    }
}

impl NetworkConfig {
    /// What decides between several next hops.
    pub fn path_choice(&self) -> PathChoice {
        match self.routing {
            Routing::Ecmp => PathChoice::Ecmp(self.model.ecmp),
            Routing::SymmetricEcmp => PathChoice::SymmetricEcmp,
            Routing::SpanningTrees => PathChoice::SpanningTrees,
        }
    }
}

/// The class in which ACKs travel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AckClass {
    /// A class of their own, ahead of data, never paused.
    Control,
    /// Among the data: queued, counted and paused like it.
    Data,
}

/// The order in which a NIC serves its QPs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NicScheduler {
    /// Round robin among the QPs that may send.
    RoundRobin,
    /// The artifact's linear scan, with its habits: finished QPs are swept out while scanning,
    /// and the NIC sleeps on when a QP that waits for its window was due first.
    LinearScan,
}

/// Where the random numbers of marking come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MarkingRandom {
    /// Each port of a switch has a stream of its own.
    Own,
    /// Every number is the first of a new stream of MRG32k3a, in the order of events in the
    /// whole network: what ns-3's `UniformVariable` does when it is made for one number. The
    /// seed is ns-3's run number. Needs [`Ties::Insertion`].
    Ns3,
}

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
    fn largest(&self) -> Bytes {
        let echoed = self.int + self.timestamp;
        let (data, ack) = (self.mtu + self.data_header, self.ack + self.receiver_flows);
        (data.max(ack) + echoed).max(self.minimum).max(self.cnp)
    }
}

impl PacketSizes {
    /// The smallest packet that a pause can stop: data of one byte, or an ACK.
    fn smallest(&self) -> Bytes {
        (self.data_header + Bytes::new(1)).min(self.ack.max(self.minimum))
    }
}

impl Default for PacketSizes {
    /// The artifact's accounting (Ethernet 14, IPv4 20, UDP 8, sequence and group 6), without
    /// preamble, gap and FCS.
    fn default() -> Self {
        Self {
            mtu: Bytes::new(1000),
            data_header: Bytes::new(48),
            ack: Bytes::new(46),
            minimum: Bytes::new(60),
            int: Bytes::new(42),
            timestamp: Bytes::new(8),
            receiver_flows: Bytes::new(2),
            cnp: Bytes::new(60),
            pfc_frame: Bytes::new(64),
        }
    }
}

/// INT and timestamps, in bytes of each packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// In data packets.
    pub data: Bytes,
    /// In ACKs, which echo what data packets carry; INT may be in them alone.
    pub ack: Bytes,
}

impl Carried {
    /// With packets of these sizes.
    pub fn new(sizes: &PacketSizes, int: IntCollection, timestamps: bool) -> Self {
        let timestamp = match timestamps {
            true => sizes.timestamp,
            false => Bytes::ZERO,
        };
        let (data, ack) = match int {
            IntCollection::Off => (Bytes::ZERO, Bytes::ZERO),
            IntCollection::Data => (sizes.int, sizes.int),
            IntCollection::Acks(_) => (Bytes::ZERO, sizes.int + sizes.receiver_flows),
        };
        Self {
            data: data + timestamp,
            ack: ack + timestamp,
        }
    }
}

/// What a network does when a buffer fills.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowControl {
    /// Priority flow control: pause the sender before anything is lost.
    Pfc(PfcConfig),
    /// Drop; senders recover.
    Drop(DropConfig),
}

/// Priority flow control (IEEE 802.1Qbb) over a shared buffer with dynamic thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct PfcConfig {
    /// When an ingress port is paused.
    pub threshold: PfcThreshold,
    /// A paused port resumes when it holds this much less than its threshold.
    pub resume_offset: Bytes,
    /// Buffer kept for packets that arrive after a pause was decided.
    pub headroom: Headroom,
}

/// When an ingress port is paused.
#[derive(Clone, Debug, PartialEq)]
pub enum PfcThreshold {
    /// At the free shared buffer shifted right by this (3: one eighth), one less for every
    /// doubling of the port's rate over the NICs' rate, at least 0.
    Dynamic {
        /// The shift at NIC rate.
        shift: u32,
    },
    /// At a fixed number of bytes.
    Static(Bytes),
}

/// Headroom of an ingress port.
#[derive(Clone, Debug, PartialEq)]
pub enum Headroom {
    /// What can still arrive: the link's bandwidth over two propagation delays, a packet that
    /// has just begun at either end, and the pause frame.
    WorstCase,
    /// This multiple of the link's rate · delay, rounded down.
    RateDelay(u64),
    /// A fixed number of bytes.
    Fixed(Bytes),
}

impl Headroom {
    /// Headroom of a port whose link has this rate and delay. The worst case: a packet does not
    /// fit any more; the pause frame waits for a packet that has just begun to leave, and for the
    /// frame that let the peer go on before; it takes its own time, and travels; the peer
    /// finishes a packet that it has just begun, and what is on the way by then arrives. A clock
    /// that rounds transmissions down makes the link faster than `rate`, and more arrives.
    pub fn of(&self, rate: Rate, delay: Time, packets: &PacketSizes, clock: Clock) -> Bytes {
        match self {
            Self::Fixed(bytes) => *bytes,
            // As the artifact: whole bytes first, then the multiple.
            Self::RateDelay(multiple) => rate.bytes_in(delay) * *multiple,
            Self::WorstCase => {
                let on_the_way = u128::from(rate.as_bps()) * u128::from(delay.as_ps()) * 2;
                // Rounded up: where a byte takes no whole number of ps, so are transmissions.
                let on_the_way = on_the_way.div_ceil(8_000_000_000_000) as u64;
                let exact = Bytes::new(on_the_way) + packets.largest() * 3 + packets.pfc_frame * 2;
                clock.at_most_sent(exact, rate, packets.smallest())
            }
        }
    }
}

/// Admission to the shared buffer when packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct DropConfig {
    /// An egress queue may hold this fraction of the free buffer (dynamic threshold α).
    pub alpha: f64,
    /// And never more than this.
    pub queue_limit: Bytes,
}

/// The switches' packet buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferConfig {
    /// All of it, shared by the ports of one switch.
    pub size: Bytes,
    /// Kept for every ingress port, outside the shared part.
    pub reserve: Bytes,
}

/// Marking of one kind of port.
#[derive(Clone, Debug, PartialEq)]
pub struct EcnConfig {
    /// Ports of this rate; all ports if `None`.
    pub link_rate: Option<Rate>,
    /// No mark up to here.
    pub k_min: Bytes,
    /// Every packet is marked above this; equal to `k_min` for a step.
    pub k_max: Bytes,
    /// Marking probability at `k_max`.
    pub p_max: f64,
    /// When the queue is looked at.
    pub at: MarkingPoint,
}

/// When a packet is marked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MarkingPoint {
    /// As it leaves, by the bytes it leaves behind.
    Dequeue,
    /// As it arrives, by the bytes it finds, its own included; never if it leaves at once.
    Enqueue,
}

/// Where INT comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntCollection {
    /// Nowhere.
    Off,
    /// Switches write into data packets as they leave; ACKs echo.
    Data,
    /// Switches write into ACKs, each the state of the port that the data packet left by. ACKs
    /// also say how many flows their receiver has. They must retrace their data's path.
    Acks(IntTable),
}

/// What switches know of their ports when they write into ACKs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntTable {
    /// What is so at that moment.
    Live,
    /// What was so at the last multiple of this period.
    Refreshed(Time),
}

/// How receivers report marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CnpConfig {
    /// By the echo in ACKs alone.
    Off,
    /// By CNPs, at most one per flow and interval.
    Interval(Time),
}

/// What is sent again after a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Everything from the first lost packet on; receivers discard what comes too early.
    GoBackN,
    /// What was lost; receivers keep what comes too early.
    Selective,
}

/// Recovery from losses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryConfig {
    /// What is sent again.
    pub kind: Recovery,
    /// At most one NACK for the same sequence number in this time.
    pub nack_interval: Time,
    /// Retransmission timeout; `None` where nothing is ever lost.
    pub timeout: Option<Time>,
}
