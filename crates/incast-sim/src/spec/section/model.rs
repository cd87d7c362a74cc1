//! `[network.model]`: the choices that a network model leaves open, and the profiles that name
//! sets of them.

use std::fmt;

use incast_net::Model;
use incast_signals::int::IntFormat;
use incast_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::choice::{OneOf, choices};
use crate::spec::error::{Complaint, Problem};

/// A named set of model choices.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// A careful model of today's hardware.
    #[default]
    Default,
    /// What the published ns-3 artifact of HPCC does, to the nanosecond.
    HpccNs3,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Default, Self::HpccNs3];

    /// As it is written in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::HpccNs3 => "hpcc-ns3",
        }
    }

    /// One line on what it stands for.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Default => "A careful model of today's hardware",
            Self::HpccNs3 => "What the published ns-3 artifact of HPCC does, to the nanosecond",
        }
    }

    /// Its choices on a network whose NICs have this rate.
    ///
    /// The artifact scales INT's byte units with the NICs: 1 at 25 Gb/s, 4 at 100 Gb/s.
    fn model(self, nic_rate: Rate) -> Model {
        match self {
            Self::Default => Model::standard(),
            Self::HpccNs3 => Model::hpcc_ns3((nic_rate.as_bps() / 25_000_000_000).max(1), false),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

choices! {
    /// How serialisation delays and pacing gaps are rounded.
    Clock for incast_net::Clock {
        /// Up to the next picosecond.
        Picoseconds,
        /// Down to whole nanoseconds, as the ns-3 artifact does.
        Nanoseconds,
    }

    /// The order of a node's events at the same time.
    Ties for incast_net::Ties {
        /// By kind of event, then by port.
        Port,
        /// In the order in which they were scheduled, anywhere in the network: what a simulator
        /// with one global event queue does.
        Insertion,
    }

    /// How a flow picks one of several equal-cost next hops.
    EcmpHash for incast_net::EcmpHash {
        /// A 64-bit mix of addresses, source port and switch.
        Mixed,
        /// MurmurHash3 of addresses and ports, seeded with the switch's number.
        Murmur3,
    }

    /// The class in which ACKs travel.
    AckClass for incast_net::AckClass {
        /// A class of their own, ahead of data, never paused.
        Control,
        /// Among the data: queued, counted and paused like it.
        Data,
    }

    /// Where the random numbers of marking come from.
    MarkingRandom for incast_net::MarkingRandom {
        /// Each port of a switch has a stream of its own.
        Own,
        /// Every number is the first of a new stream of MRG32k3a, as in ns-3.
        Ns3,
    }

    /// The order in which a NIC serves its QPs.
    NicScheduler for incast_net::NicScheduler {
        /// Round robin among the QPs that may send.
        RoundRobin,
        /// The ns-3 artifact's linear scan.
        LinearScan,
    }
}

/// The choices that a network model leaves open. A profile decides those that are not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Model")]
pub(crate) struct ModelSection {
    /// How serialisation delays and pacing gaps are rounded.
    /// `default`: picoseconds; `hpcc-ns3`: nanoseconds.
    pub(crate) clock: Option<Clock>,
    /// The order of a node's events at the same time.
    /// `default`: port; `hpcc-ns3`: insertion.
    pub(crate) ties: Option<Ties>,
    /// How a flow picks one of several equal-cost next hops.
    /// `default`: mixed; `hpcc-ns3`: murmur3.
    pub(crate) ecmp: Option<EcmpHash>,
    /// The class in which ACKs and NACKs travel.
    /// `default`: control; `hpcc-ns3`: data.
    pub(crate) ack_class: Option<AckClass>,
    /// Whether a paused data class also stops the ACKs of a host's NIC.
    /// `default`: false; `hpcc-ns3`: true.
    pub(crate) ack_pausable_at_host: Option<bool>,
    /// Fields of INT records: `"exact"`, or how they are quantised.
    /// `default`: multiplier 1, 16 bits of queue; `hpcc-ns3`: multiplier NIC rate / 25 Gb/s,
    /// 17 bits.
    pub(crate) int_format: Option<OneOf<ExactInt, QuantisedInt>>,
    /// Order in which a NIC serves its QPs.
    /// `default`: round-robin; `hpcc-ns3`: linear-scan.
    pub(crate) nic_scheduler: Option<NicScheduler>,
    /// Where the random numbers of marking come from.
    /// `default`: own; `hpcc-ns3`: ns3, with which the seed is ns-3's run number.
    pub(crate) marking_random: Option<MarkingRandom>,
}

/// INT without quantisation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ExactInt {
    /// Picoseconds and bytes, in fields that do not wrap.
    Exact,
}

/// The 64-bit INT record of HPCC: 24 bits of nanoseconds, 20 bits of sent bytes in units of 128,
/// and the queue in units of 80 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuantisedInt {
    /// Both byte units are multiplied by this.
    #[schemars(range(min = 1, max = 4096))]
    pub(crate) multiplier: u32,
    /// Width of the queue field.
    #[serde(default = "default_queue_bits")]
    #[schemars(range(min = 8, max = 32))]
    pub(crate) queue_bits: u32,
}

fn default_queue_bits() -> u32 {
    16
}

impl ModelSection {
    pub(crate) fn fill(&mut self, profile: Profile, nic_rate: Rate) -> Result<Model, Problem> {
        let base = profile.model(nic_rate);
        let format = self
            .int_format
            .get_or_insert_with(|| as_written(&base.int_format));
        let ties = *self.ties.get_or_insert(base.ties.into());
        let random = match ties {
            Ties::Port => MarkingRandom::Own,
            Ties::Insertion => base.marking_random.into(),
        };
        Ok(Model {
            int_format: resolved(format)?,
            clock: (*self.clock.get_or_insert(base.clock.into())).into(),
            ties: ties.into(),
            ecmp: (*self.ecmp.get_or_insert(base.ecmp.into())).into(),
            ack_class: (*self.ack_class.get_or_insert(base.ack_class.into())).into(),
            ack_pausable_at_host: *self
                .ack_pausable_at_host
                .get_or_insert(base.ack_pausable_at_host),
            nic_scheduler: (*self.nic_scheduler.get_or_insert(base.nic_scheduler.into())).into(),
            marking_random: (*self.marking_random.get_or_insert(random)).into(),
        })
    }
}

fn as_written(format: &IntFormat) -> OneOf<ExactInt, QuantisedInt> {
    match *format {
        IntFormat::Exact => OneOf::Plain(ExactInt::Exact),
        IntFormat::Quantised {
            multiplier,
            queue_bits,
        } => OneOf::Nested(QuantisedInt {
            multiplier,
            queue_bits,
        }),
    }
}

fn resolved(format: &OneOf<ExactInt, QuantisedInt>) -> Result<IntFormat, Problem> {
    let OneOf::Nested(QuantisedInt {
        multiplier,
        queue_bits,
    }) = *format
    else {
        return Ok(IntFormat::Exact);
    };
    let checked = [
        ("multiplier", multiplier, 1, 4096),
        ("queue_bits", queue_bits, 8, 20),
    ];
    for (key, value, least, most) in checked {
        if !(least..=most).contains(&value) {
            let hint = format!("write {least} to {most}");
            let complaint = Complaint::new(format!("`{value}` is out of range"), hint);
            return Err(complaint.at(format!("network.model.int_format.{key}")));
        }
    }
    Ok(IntFormat::quantised(multiplier, queue_bits))
}
