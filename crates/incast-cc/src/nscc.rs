//! NSCC: windows that follow marks and delay, for packets that take many paths.
//!
//! Network Signal-based Congestion Control, the sender's side of Ultra Ethernet's congestion
//! management (UE Specification 1.0, §3.6.12–3.6.13) and of MRC 1.0. `uet-htsim` is the
//! consortium's simulator (commit 40ccb05, `htsim/sim/uec.cpp`).
//!
//! Symbols: C is the rate of the NIC, T the configured base RTT, P the size of a packet, W the
//! window, F the bytes in flight, and T_m the shortest RTT so far, initially T.
//!
//! ```text
//! a = C·T / (C_ref·T_ref)                          b = target / T_ref              (1)
//! α = alpha·P·a·b/target    f = fair_increase·P·a    η = eta·P·a                   (2)
//! an ACK: F ← F − newly received + restored                                        (3)
//! d = RTT − T_m             W_max = 1.5·C·T_m                                      (4)
//! d̄ ← d̄ + g·(d − d̄)         g = min(1, time since the last sample / T_m)           (5)
//! inc ← inc + α·newly·(target − d)             no mark, d < target                 (6)
//! inc ← inc + f·newly                          no mark, d ≥ target                 (7)
//! W ← W + fast_increase·a·newly                no mark, d about 0 for W bytes      (8)
//! W ← W·max(1 − γ·(d̄ − target)/d̄, ½)           a mark, d ≥ target, d̄ > target      (9)
//! W ← W + inc/W,  inc ← 0                      every 8 packets, and every T        (10)
//! W ← W + η                                    every T                             (11)
//! W ← achieved                                 quick adapt, every T_m + target     (12)
//! W ← W − size                                 a trimmed or lost packet            (13)
//! ```
//!
//! (9) comes at most once per T_m. A mark with d < target changes nothing: it is a sign of one bad
//! path. (12) reacts to collapse: less than W_max/2^qa_gate has arrived in the period, and a packet
//! was trimmed or the delay is above qa_threshold. Marked ACKs then change nothing until the bytes
//! in flight have arrived. A trimmed packet counts as a delay of T in (5), and its RTT may lower
//! T_m.
//!
//! | parameter             | symbol | unit    | `uec-1.0`   | `uet-htsim` | source             |
//! |-----------------------|--------|---------|-------------|-------------|--------------------|
//! | `target_delay`        | target | T       | 0.75, or 1  | 0.75, or 1  | §3.6.13.3          |
//! | `alpha`               | –      | 1       | 4           | 4           | Table 3-82         |
//! | `fair_increase`       | –      | packets | 5           | 5           | Table 3-82         |
//! | `fast_increase`       | –      | 1       | 0.25        | 0.25        | Table 3-82         |
//! | `eta`                 | –      | packets | 0.15        | 0.15        | Table 3-82         |
//! | `gamma`               | γ      | 1       | 0.8         | 0.8         | Table 3-82         |
//! | `max_decrease`        | –      | 1       | 0.5         | 0.5         | Table 3-82         |
//! | `qa_gate`             | –      | 1       | 3           | 3           | Table 3-82         |
//! | `qa_threshold`        | –      | target  | 4, or none  | 4           | Table 3-82; `:104` |
//! | `adjust_packets`      | –      | packets | 8           | 8           | Table 3-82         |
//! | `adjust_period`       | –      | T       | 1           | 1           | Table 3-82         |
//! | `min_window`          | –      | packets | 1           | 1           | §3.6.13            |
//! | `max_window`          | –      | C·T_m   | 1.5         | 1.5         | Table 3-82         |
//! | `initial_window`      | –      | packets | the largest | the largest | §3.6.13; `:161`    |
//! | `reference_rate`      | C_ref  | bit/s   | 100 Gb/s    | 100 Gb/s    | `:86`              |
//! | `reference_rtt`       | T_ref  | time    | 12 us       | 12 us       | `:86`              |
//! | `about_zero`          | –      | time    | 1 us        | 1 us        | `:1221`            |
//! | `packet`              | P      | –       | wire        | payload     | Table 3-82; `:86`  |
//! | `average_weight`      | g      | 1       | as (5)      | 0.0125      | ours; `:1402`      |
//! | `unmarked_delay`      | –      | T_m     | none        | 0.25        | `:1402`            |
//! | `needs_sample`        | –      | –       | true        | false       | §3.6.13; `:904`    |
//! | `base_rtt_from_trims` | –      | –       | true        | true        | §3.6.13; `:1568`   |
//! | `period_end`          | –      | –       | reached     | exceeded    | §3.6.13; `:1145`   |
//! | `losses`              | –      | –       | every       | timeouts    | §3.6.12.3; `:2319` |
//! | `allowance`           | –      | –       | full-packet | next-packet | §3.6.12; `:1130`   |
//! | `received_unit`       | –      | B       | 256 B       | 1 B         | §3.5; `uec.h`      |
//! | `bdp`                 | C·T    | –       | exact       | floats      | ours; `:1389`      |
//! | `spares_last_hop`     | –      | –       | false       | false       | §3.6.13; `:1524`   |
//!
//! Of two values the first is for switches that trim. `:n` is a line of `uec.cpp`.
//! Takes parts: with `vai` tokens, drawn at the start of a round trip, multiply f and η. Congestion
//! is d − target; an ACK that would lower W counts as congested. With `sf` (9) comes once in SF
//! ACKs with a sample, in place of once per T_m. An ACK is for several packets, so SF is 8.
//!
//! `spares_last_hop` is for flows with credit from receivers: (13) then ignores packets trimmed by
//! the receiver's own switch. With the part `credits`, `spares_last_hop` is true, and a packet
//! needs credit, too.
//!
//! Shared by QPs: none, since F counts the bytes in flight of one flow.
//! Needs: ECN echo, timestamps, received bytes in ACKs, selective repeat; an ACK for every 16 KiB.
//! Ignores: INT, CNP.
//! Deviations: the specification is known from secondary texts. There is no penalty by the
//! receiver, which the simulator never sends. Sums have 64 bits; the simulator's sums overflow from
//! a = 8 on. Windows, sums and d̄ are rounded down to whole bytes and picoseconds, as in the
//! simulator. Sizes are those on the wire; the specification counts the UDP payload plus 40 B.
//! Readings: the specification asks for an average over about the last base RTT, and leaves its
//! form to implementations: here (5). `uet-htsim` has a fixed weight per ACK, and counts an
//! unmarked delay above the target as a quarter of T_m. Times count from the flow's first packet.
//! An RTT is a sample if the packet was still awaited.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_registry::NamedSet;
use incast_signals::EcnOptions;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::controller::Nscc;
use crate::parameters::check_not_zero;
use crate::parts::{CreditLimited, NoParts, Parts, Policy};
use crate::{
    FlowContext, FlowController, Needs, Parameters, Part, RcccConfig, SamplingFrequencyConfig,
    Serves, VariableAiConfig,
};

mod constants;
mod controller;

/// A receiver sends an ACK after this many bytes on the wire (ACK_Gen_Trigger).
const ACK_EVERY: Bytes = Bytes::new(16_384);

/// SF in ACKs: with packets of 4 KiB, 8 ACKs are 30 packets, as in Snyder & Lebeck, §VI-A.
const ACKS_PER_DECREASE: u32 = 8;

/// Parameters of NSCC; the module's table has the sources of the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NsccConfig {
    /// Target of the queueing delay, in base RTTs. Default: 0.75 if switches trim, else 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub target_delay: Option<f64>,
    /// Strength of the increase below the target.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Growth of the window per RTT above the target without marks, in packets.
    #[schemars(range(min = 0.0))]
    pub fair_increase: f64,
    /// Growth of the window per received byte without a queue, in bytes.
    #[schemars(range(min = 0.0))]
    pub fast_increase: f64,
    /// Growth of the window in every adjustment period, in packets.
    #[schemars(range(min = 0.0))]
    pub eta: f64,
    /// Strength of decreases.
    #[schemars(range(min = 0.0))]
    pub gamma: f64,
    /// Largest fraction by which one decrease lowers the window.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_decrease: f64,
    /// Quick adapt acts if less than the largest window over 2^`qa_gate` has arrived in a period.
    #[schemars(range(min = 0, max = 16))]
    pub qa_gate: u32,
    /// Delay above which quick adapt acts, in targets. Default: none if switches trim, else 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub qa_threshold: Option<f64>,
    /// Packets after whose receipt the window is adjusted.
    #[schemars(range(min = 0.0))]
    pub adjust_packets: f64,
    /// Longest time between two adjustments of the window, in base RTTs.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub adjust_period: f64,
    /// Smallest window, in packets on the wire: at least one.
    #[schemars(range(min = 1.0))]
    pub min_window: f64,
    /// Largest window, in BDPs.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub max_window: f64,
    /// First window, in packets on the wire; from the first ACK on at most the largest window.
    /// Default: the largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub initial_window: Option<f64>,
    /// Rate of the network for which the constants are given.
    pub reference_rate: Rate,
    /// Base RTT of the network for which the constants are given.
    pub reference_rtt: Time,
    /// Delays below this count as zero.
    pub about_zero: Time,
    /// The size of a packet in Eq. (2).
    pub packet: NsccUnit,
    /// Weight of a sample in the average delay. Default: the time since the previous sample, in
    /// base RTTs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub average_weight: Option<f64>,
    /// Value in the average for the delay of an unmarked packet above the target, in base RTTs.
    /// Default: the delay itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub unmarked_delay: Option<f64>,
    /// Whether ACKs without an RTT sample change nothing. Otherwise the average delay is used for
    /// them.
    pub needs_sample: bool,
    /// Whether trimmed packets may lower the base RTT.
    pub base_rtt_from_trims: bool,
    /// Whether a period is over at its end or after it.
    pub period_end: NsccPeriodEnd,
    /// The losses, except trimmed packets, that lower the window.
    pub losses: NsccLosses,
    /// The size that must fit into the window in addition to the bytes in flight.
    pub allowance: NsccAllowance,
    /// Unit in which ACKs count received bytes, rounded up.
    pub received_unit: Bytes,
    /// How the BDP is computed.
    pub bdp: NsccProduct,
    /// Whether packets trimmed by the receiver's switch leave the window unchanged.
    pub spares_last_hop: bool,
    /// Credit from receivers, besides the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<RcccConfig>,
    /// Variable AI, with `+vai` in the name. Its threshold is measured from the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vai: Option<VariableAiConfig<Time>>,
    /// Sampling Frequency, with `+sf` in the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sf: Option<SamplingFrequencyConfig>,
}

/// The size of a packet that increases use.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NsccUnit {
    /// The size of a full packet on the wire.
    Wire,
    /// The payload of a full packet.
    Payload,
}

/// How the product of rate and time is computed, rounded down to bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NsccProduct {
    /// Exactly.
    Exact,
    /// In floating-point numbers; the result may be one byte less.
    Floats,
}

/// Whether a period is over at its end or after it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NsccPeriodEnd {
    /// At its end.
    Reached,
    /// After its end.
    Exceeded,
}

/// Losses, except trimmed packets, that lower the window.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NsccLosses {
    /// All losses. Lost bytes count as received where quick adapt waits for the bytes in flight.
    Every,
    /// Losses found by a timeout: no ACK came in time.
    Timeouts,
}

/// The size that must fit into the window, in addition to the bytes in flight, before a packet
/// leaves.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NsccAllowance {
    /// A full packet.
    FullPacket,
    /// The size of the packet that leaves.
    NextPacket,
}

impl Default for NsccConfig {
    /// As specified.
    fn default() -> Self {
        Self {
            target_delay: None,
            alpha: 4.0,
            fair_increase: 5.0,
            fast_increase: 0.25,
            eta: 0.15,
            gamma: 0.8,
            max_decrease: 0.5,
            qa_gate: 3,
            qa_threshold: None,
            adjust_packets: 8.0,
            adjust_period: 1.0,
            min_window: 1.0,
            max_window: 1.5,
            initial_window: None,
            reference_rate: Rate::from_gbps(100),
            reference_rtt: Time::from_us(12),
            about_zero: Time::from_us(1),
            packet: NsccUnit::Wire,
            average_weight: None,
            unmarked_delay: None,
            needs_sample: true,
            base_rtt_from_trims: true,
            period_end: NsccPeriodEnd::Reached,
            losses: NsccLosses::Every,
            allowance: NsccAllowance::FullPacket,
            received_unit: Bytes::new(256),
            bdp: NsccProduct::Exact,
            spares_last_hop: false,
            credits: None,
            vai: None,
            sf: None,
        }
    }
}

impl NsccConfig {
    fn build_with<P: Policy + 'static>(
        &self,
        context: &FlowContext,
        parts: P,
    ) -> Box<dyn FlowController> {
        let nscc = Nscc::new(self, context, parts);
        match &self.credits {
            None => Box::new(nscc),
            Some(credits) => Box::new(CreditLimited::new(nscc, credits.credits(context))),
        }
    }

    /// NSCC as in the consortium's simulator.
    fn uet_htsim() -> Self {
        Self {
            qa_threshold: Some(4.0),
            packet: NsccUnit::Payload,
            average_weight: Some(0.0125),
            unmarked_delay: Some(0.25),
            needs_sample: false,
            period_end: NsccPeriodEnd::Exceeded,
            losses: NsccLosses::Timeouts,
            allowance: NsccAllowance::NextPacket,
            received_unit: Bytes::new(1),
            bdp: NsccProduct::Floats,
            ..Self::default()
        }
    }
}

impl Parameters for NsccConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "uec-1.0",
            summary: "as Ultra Ethernet's specification 1.0 has it",
            values: Self::default,
        },
        NamedSet {
            name: "uet-htsim",
            summary: "as in Ultra Ethernet's reference simulator, where that differs",
            values: Self::uet_htsim,
        },
    ];

    const PARTS: &'static [Part] = &[Part::Credits, Part::VariableAi, Part::SamplingFrequency];

    fn check(&self) -> Result<(), Diagnostic> {
        check_not_zero(&[("reference_rate", self.reference_rate)], "write 100Gbps")?;
        check_not_zero(&[("reference_rtt", self.reference_rtt)], "write 12us")?;
        check_not_zero(&[("received_unit", self.received_unit)], "write 256B or 1B")?;
        let credits = self.credits.as_ref();
        credits.map_or(Ok(()), |credits| credits.check().at("credits"))
    }

    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(EcnOptions::ULTRA_ETHERNET),
            timestamp: true,
            ack_every: Some(ACK_EVERY),
            received_bytes: true,
            selective_repeat: true,
            sent_packets: true,
            room: true,
            host_programs: self.credits.iter().map(RcccConfig::request).collect(),
            finds_losses: self.credits.is_some(),
            serves: Serves::OneFlow("it counts what the flow has in flight"),
            ..Needs::default()
        }
    }

    /// With credit, the receiver's pacer handles losses at the last hop.
    fn add(&mut self, part: Part) {
        match part {
            Part::Credits => {
                self.credits = Some(RcccConfig::default());
                self.spares_last_hop = true;
            }
            Part::VariableAi => self.vai = Some(VariableAiConfig::default()),
            Part::SamplingFrequency => {
                self.sf = Some(SamplingFrequencyConfig {
                    acks: ACKS_PER_DECREASE,
                    ..SamplingFrequencyConfig::default()
                });
            }
            _ => unreachable!("it takes no other part"),
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        match Parts::new(self.vai.as_ref(), self.sf.as_ref(), None, context) {
            None => self.build_with(context, NoParts),
            Some(parts) => self.build_with(context, parts),
        }
    }
}

#[cfg(test)]
mod tests;
