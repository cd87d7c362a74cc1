//! Profiles: named sets of the choices that a network model leaves open.
//!
//! A profile is one value of [`Choices`]; the table below has one for each. No other file asks
//! which profile a network has: the code asks for a choice by its name, and a scenario may change
//! most of them one by one. Some keys are read by code that knows no profile. [`keys`] writes them
//! into the scenario before it is read.

use std::fmt;

use incast_net::{
    AckClass, Backoff, Clock, Contention, EcmpHash, Explicit, HeaderService, Headroom,
    LossDetection, MarkingRandom, NicScheduler, PacketSizes, RecoveryKind, Ties,
};
use incast_signals::EcnOptions;
use incast_topology::NextHopOrder;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::keys::ProfileKey;

pub(crate) mod keys;

/// A named set of model choices.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// A careful model of today's hardware.
    #[default]
    Default,
    /// The published ns-3 artifact of HPCC, to the nanosecond.
    HpccNs3,
    /// The Ultra Ethernet Consortium's simulator: trimming, spraying, credit.
    UetHtsim,
}

/// The value of a profile for every choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choices {
    /// The name of the profile in scenarios.
    name: &'static str,
    /// One line that says which model the profile stands for.
    summary: &'static str,
    /// `network.model.clock`.
    pub(crate) clock: Clock,
    /// `network.model.ties`.
    pub(crate) ties: Ties,
    /// `network.model.ecmp`.
    pub(crate) ecmp: EcmpHash,
    /// `network.model.ack_class`.
    pub(crate) ack_class: AckClass,
    /// `network.model.ack_pausable_at_host`.
    pub(crate) ack_pausable_at_host: bool,
    /// `network.model.nic_scheduler`.
    pub(crate) nic_scheduler: NicScheduler,
    /// `network.model.marking_random`, where events are in the order of insertion. Only there can
    /// the random numbers of the whole network have one order.
    pub(crate) marking_random: MarkingRandom,
    /// `network.model.int_format.queue_bits`.
    pub(crate) int_queue_bits: u32,
    /// `network.model.int_format.multiplier`.
    pub(crate) int_multiplier: IntMultiplier,
    /// `network.next_hop_order`, except under symmetric ECMP, which needs a consistent order.
    pub(crate) next_hop_order: NextHopOrder,
    /// `network.packets`.
    pub(crate) packets: PacketSizes,
    /// `network.ack_every` in bytes, unless the algorithm needs a value of its own or an ACK per
    /// packet. `None`: an ACK per packet.
    pub(crate) ack_every: Option<Bytes>,
    /// `network.pfc.headroom`.
    pub(crate) headroom: Headroom,
    /// `network.ecn`; `None`: as the algorithm needs it.
    pub(crate) ecn: Option<&'static EcnOptions>,
    /// `network.drop`, and the rule for a BDP there and in `network.ecn`.
    pub(crate) drop: DropChoices,
    /// `network.recovery`, where packets may be dropped; under PFC recovery is go-back-N.
    pub(crate) recovery: RecoveryChoices,
    /// Keys that the profile adds to scenarios that leave them out.
    pub(crate) keys: &'static [ProfileKey],
    /// The rule for UDP source ports of flows; no key of a scenario.
    pub(crate) source_ports: SourcePortChoice,
    /// How base RTTs are computed; no key of a scenario.
    pub(crate) base_rtt: BaseRttFormula,
    /// How ideal FCTs are computed; no key of a scenario.
    pub(crate) ideal_fct: IdealFctFormula,
}

/// How full queues act where packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DropChoices {
    /// Whether, by default, each port has a buffer of its own and trims packets.
    pub(crate) trims: bool,
    /// `contention`, if packets are dropped whole.
    pub(crate) contention: Contention,
    /// `contention`, if packets are trimmed.
    pub(crate) contention_of_trimming: Contention,
    /// The default of `last_hop_queue_limit` with trimming, in BDPs.
    pub(crate) trimming_last_hop_bdps: f64,
    /// `trimming.header_queue`.
    pub(crate) header_queue: HeaderQueueSize,
    /// `trimming.service`.
    pub(crate) header_service: HeaderService,
    /// The rule for a BDP.
    pub(crate) bdp: BdpRule,
}

/// How losses are found and repaired where packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecoveryChoices {
    /// `kind`.
    pub(crate) kind: RecoveryKind,
    /// `loss_detection`; `None`: in order, or explicit with trimming.
    pub(crate) loss_detection: Option<LossDetection>,
    /// `timeout`.
    pub(crate) timeout: TimeoutRule,
    /// `backoff`; `None`: exponential.
    pub(crate) backoff: Option<Backoff>,
}

/// How much the queue of headers holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeaderQueueSize {
    /// A BDP.
    OneBdp,
    /// Twice the limit of the data queue, the departing packet included.
    TwiceData,
}

/// How a BDP is computed for queues whose limits are in BDPs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum BdpRule {
    /// The largest base RTT times the rate of the port. Limits are in full packets.
    OfPort,
    /// The largest base RTT times the rate of a NIC, in full packets. This counts the departing
    /// packet, which does not wait: limits and thresholds are one packet less.
    OfNicWithLeavingPacket,
}

/// How the retransmission timeout is computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutRule {
    /// 1 ms, or 20 times the largest base RTT if that is longer.
    TwentyRtts,
    /// 15 us, plus the time that a NIC takes to send six full queues, the departing packet of each
    /// included.
    SixQueues,
}

/// The factor of the byte units of quantised INT.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntMultiplier {
    /// Factor 1.
    One,
    /// The NIC rate over 25 Gb/s, rounded down, at least 1.
    NicRate,
}

/// How the UDP source ports of flows are chosen; ECMP spreads flows by them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourcePortChoice {
    /// A hash of seed and flow, which looks like the ephemeral ports of a host.
    Hashed,
    /// Counted up from 10 000 for each pair of hosts (HPCC's `run.py`).
    CountedPerPair,
}

/// How the base RTT of a pair of hosts is computed; [`super::base_rtt`] has the formulas.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum BaseRttFormula {
    /// For a full packet with headers, and its ACK, to the picosecond, along the slowest path.
    FullPacket,
    /// For the payload alone, in whole nanoseconds, along the first path.
    PayloadOnly,
}

/// How the ideal FCT of a flow is computed; [`crate::ideal`] has the formulas.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdealFctFormula {
    /// Store-and-forward at every hop: no flow can be faster.
    StoreAndForward,
    /// The HPCC artifact's `standalone_fct`. Short flows can be faster, so FCT slowdown is clipped
    /// to at least 1.
    StandaloneFct,
}

/// A careful model of today's hardware.
static DEFAULT: Choices = Choices {
    name: "default",
    summary: "A careful model of today's hardware",
    clock: Clock::Picoseconds,
    ties: Ties::Port,
    ecmp: EcmpHash::Mixed,
    ack_class: AckClass::Control,
    ack_pausable_at_host: false,
    nic_scheduler: NicScheduler::RoundRobin,
    marking_random: MarkingRandom::Own,
    int_queue_bits: 16,
    int_multiplier: IntMultiplier::One,
    next_hop_order: NextHopOrder::ByPort,
    packets: PacketSizes::HPCC_ARTIFACT,
    ack_every: None,
    headroom: Headroom::WorstCase,
    ecn: None,
    drop: DropChoices {
        trims: false,
        contention: Contention::Random,
        ..DropChoices::RECOMMENDED
    },
    recovery: RecoveryChoices {
        kind: RecoveryKind::Selective,
        loss_detection: None,
        timeout: TimeoutRule::TwentyRtts,
        backoff: None,
    },
    keys: &[],
    source_ports: SourcePortChoice::Hashed,
    base_rtt: BaseRttFormula::FullPacket,
    ideal_fct: IdealFctFormula::StoreAndForward,
};

/// The ns-3 artifact of HPCC (SIGCOMM 2019).
static HPCC_NS3: Choices = Choices {
    name: "hpcc-ns3",
    summary: "What the published ns-3 artifact of HPCC does, to the nanosecond",
    clock: Clock::Nanoseconds,
    ties: Ties::Insertion,
    ecmp: EcmpHash::Murmur3,
    ack_class: AckClass::Data,
    ack_pausable_at_host: true,
    nic_scheduler: NicScheduler::LinearScan,
    marking_random: MarkingRandom::Ns3,
    int_queue_bits: 17,
    int_multiplier: IntMultiplier::NicRate,
    next_hop_order: NextHopOrder::DescendingNode,
    packets: PacketSizes {
        pfc_frame: Bytes::new(43),
        ..PacketSizes::HPCC_ARTIFACT
    },
    ack_every: None,
    headroom: Headroom::RateDelay(3),
    ecn: None,
    drop: DropChoices {
        trims: false,
        contention: Contention::Tail,
        ..DropChoices::RECOMMENDED
    },
    recovery: RecoveryChoices {
        kind: RecoveryKind::GoBackN,
        loss_detection: None,
        timeout: TimeoutRule::TwentyRtts,
        backoff: None,
    },
    keys: &[],
    source_ports: SourcePortChoice::CountedPerPair,
    base_rtt: BaseRttFormula::PayloadOnly,
    ideal_fct: IdealFctFormula::StandaloneFct,
};

/// `htsim_uec` of ultraethernet/uet-htsim, commit 40ccb05, `datacenter/main_uec.cpp`.
static UET_HTSIM: Choices = Choices {
    name: "uet-htsim",
    summary: "What the Ultra Ethernet Consortium's simulator does: trimming, spraying, credit",
    packets: PacketSizes {
        mtu: Bytes::new(4_086),
        data_header: Bytes::new(64),
        ack: Bytes::new(64),
        minimum: Bytes::new(64),
        timestamp: Bytes::ZERO,
        ..PacketSizes::HPCC_ARTIFACT
    },
    ack_every: Some(Bytes::new(16_384)),
    headroom: Headroom::WorstCase,
    ecn: Some(EcnOptions::ULTRA_ETHERNET),
    drop: DropChoices {
        trims: true,
        contention: Contention::Coin,
        contention_of_trimming: Contention::Coin,
        trimming_last_hop_bdps: 1.0,
        header_queue: HeaderQueueSize::TwiceData,
        header_service: HeaderService::Strict,
        bdp: BdpRule::OfNicWithLeavingPacket,
    },
    recovery: RecoveryChoices {
        kind: RecoveryKind::Selective,
        loss_detection: Some(LossDetection::Explicit(Explicit {})),
        timeout: TimeoutRule::SixQueues,
        backoff: Some(Backoff::None),
    },
    keys: keys::UET_HTSIM,
    ..DEFAULT
};

impl DropChoices {
    /// Recommendations of the Ultra Ethernet Specification 1.0, 3.6.17, for networks whose ports
    /// trim.
    const RECOMMENDED: Self = Self {
        trims: false,
        contention: Contention::Random,
        contention_of_trimming: Contention::Tail,
        trimming_last_hop_bdps: 1.5,
        header_queue: HeaderQueueSize::OneBdp,
        header_service: HeaderService::Quarter,
        bdp: BdpRule::OfPort,
    };
}

impl TimeoutRule {
    /// The timeout in a network with this largest base RTT. `queue`: how long a NIC takes to send a
    /// full queue; `None` if queues have no limits of their own.
    pub(crate) fn timeout(self, base_rtt: Time, queue: Option<Time>) -> Time {
        match (self, queue) {
            (Self::SixQueues, Some(queue)) => Time::from_us(15) + queue * 6,
            _ => Time::from_ms(1).max(base_rtt * 20),
        }
    }
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 3] = [Self::Default, Self::HpccNs3, Self::UetHtsim];

    /// The choices of the profile.
    pub(crate) fn choices(self) -> &'static Choices {
        match self {
            Self::Default => &DEFAULT,
            Self::HpccNs3 => &HPCC_NS3,
            Self::UetHtsim => &UET_HTSIM,
        }
    }

    /// The name of the profile in scenarios.
    pub fn name(self) -> &'static str {
        self.choices().name
    }

    /// One line that says which model the profile stands for.
    pub fn summary(self) -> &'static str {
        self.choices().summary
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl IntMultiplier {
    /// The multiplier on a network whose NICs have rate `nic_rate`.
    pub(crate) fn at(self, nic_rate: Rate) -> u32 {
        match self {
            Self::One => 1,
            Self::NicRate => (nic_rate.as_bps() / 25_000_000_000).max(1) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_scenarios_write() {
        for profile in Profile::ALL {
            let written = serde_json::to_value(profile).unwrap();
            assert_eq!(written, profile.name());
        }
    }

    /// 29 packets of 4150 B take 9.628 us at 100 Gb/s, so the timeout is 15 us + 6 · 9.628 us. The
    /// other rule gives 1 ms, since 20 · 9 us is less.
    #[test]
    fn timeouts_outlast_six_full_queues() {
        let (rule, rtt) = (TimeoutRule::SixQueues, Time::from_us(9));
        let queue = Rate::from_gbps(100).transmission_time(Bytes::new(29 * 4_150));
        assert_eq!(rule.timeout(rtt, Some(queue)), Time::from_ns(72_768));
        assert_eq!(rule.timeout(rtt, None), Time::from_ms(1));
        let outlasts = TimeoutRule::TwentyRtts.timeout(Time::from_us(100), Some(queue));
        assert_eq!(outlasts, Time::from_ms(2));
    }

    /// As in the artifact: 1 at 25 Gb/s and 4 at 100 Gb/s. At 10 Gb/s the multiplier is still 1.
    #[test]
    fn the_int_multiplier_follows_the_nic_rate() {
        let at = |gbps| IntMultiplier::NicRate.at(Rate::from_gbps(gbps));
        assert_eq!([at(10), at(25), at(100)], [1, 1, 4]);
    }
}
