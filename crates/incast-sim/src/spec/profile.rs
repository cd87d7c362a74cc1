//! Profiles: named sets of the choices that a network model leaves open.
//!
//! A profile is one value of [`Choices`], a row of the table below. No other file asks which
//! profile a network has: the code asks for a choice by its name, and a scenario may change most of
//! them one by one.

use std::fmt;

use incast_net::{
    AckClass, Clock, Contention, EcmpHash, Headroom, MarkingRandom, NicScheduler, RecoveryKind,
    Ties,
};
use incast_topology::NextHopOrder;
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named set of model choices.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// A careful model of today's hardware.
    #[default]
    Default,
    /// The published ns-3 artifact of HPCC, to the nanosecond.
    HpccNs3,
}

/// A value for every choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choices {
    /// As scenarios write the profile.
    name: &'static str,
    /// One line on what it stands for.
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
    /// `network.model.marking_random`, where events are ordered by insertion: only there can
    /// random numbers have one order for the whole network.
    pub(crate) marking_random: MarkingRandom,
    /// `network.model.int_format.queue_bits`.
    pub(crate) int_queue_bits: u32,
    /// `network.model.int_format.multiplier`.
    pub(crate) int_multiplier: IntMultiplier,
    /// `network.next_hop_order`, but for symmetric ECMP, which needs a consistent one.
    pub(crate) next_hop_order: NextHopOrder,
    /// `network.packets.pfc_frame`.
    pub(crate) pfc_frame: Bytes,
    /// `network.pfc.headroom`.
    pub(crate) headroom: Headroom,
    /// `network.drop.contention`.
    pub(crate) contention: Contention,
    /// `network.recovery.kind`, where packets may be dropped; under PFC it is go-back-N.
    pub(crate) recovery_from_drops: RecoveryKind,
    /// UDP source ports of flows; no key of a scenario.
    pub(crate) source_ports: SourcePortChoice,
    /// How base RTTs are computed; no key of a scenario.
    pub(crate) base_rtt: BaseRttFormula,
    /// How ideal FCTs are computed; no key of a scenario.
    pub(crate) ideal_fct: IdealFctFormula,
}

/// By what the byte units of quantised INT are multiplied.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntMultiplier {
    /// By 1.
    One,
    /// By the NIC rate over 25 Gb/s, rounded down, at least 1.
    NicRate,
}

/// How source ports are chosen, by which ECMP spreads flows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourcePortChoice {
    /// A hash of seed and flow: what a host's ephemeral ports look like from outside.
    Hashed,
    /// Counted up from 10 000 for each pair of hosts (HPCC's `run.py`).
    CountedPerPair,
}

/// How the base RTT of a pair of hosts is computed; formulas in [`super::base_rtt`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum BaseRttFormula {
    /// Headers and the ACK included, to the picosecond, along the slowest path.
    FullPacket,
    /// Of the payload, in whole nanoseconds, along the first path.
    PayloadOnly,
}

/// How the ideal FCT of a flow is computed; formulas in [`crate::ideal`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdealFctFormula {
    /// Store-and-forward at every hop: no flow can be faster.
    StoreAndForward,
    /// The HPCC artifact's `standalone_fct`, which short flows can beat: FCT slowdown is clipped
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
    pfc_frame: Bytes::new(64),
    headroom: Headroom::WorstCase,
    contention: Contention::Random,
    recovery_from_drops: RecoveryKind::Selective,
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
    pfc_frame: Bytes::new(43),
    headroom: Headroom::RateDelay(3),
    contention: Contention::Tail,
    recovery_from_drops: RecoveryKind::GoBackN,
    source_ports: SourcePortChoice::CountedPerPair,
    base_rtt: BaseRttFormula::PayloadOnly,
    ideal_fct: IdealFctFormula::StandaloneFct,
};

impl Profile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Default, Self::HpccNs3];

    /// Its choices.
    pub(crate) fn choices(self) -> &'static Choices {
        match self {
            Self::Default => &DEFAULT,
            Self::HpccNs3 => &HPCC_NS3,
        }
    }

    /// As it is written in a scenario.
    pub fn name(self) -> &'static str {
        self.choices().name
    }

    /// One line on what it stands for.
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
    /// On a network whose NICs have this rate.
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

    /// 1 at 25 Gb/s, 4 at 100 Gb/s, as the artifact has it; 10 Gb/s is not below 1.
    #[test]
    fn the_int_multiplier_follows_the_nic_rate() {
        let at = |gbps| IntMultiplier::NicRate.at(Rate::from_gbps(gbps));
        assert_eq!([at(10), at(25), at(100)], [1, 1, 4]);
    }
}
