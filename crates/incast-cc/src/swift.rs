//! Swift: keep the delay of every path at its target.
//!
//! Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter",
//! SIGCOMM 2020. Of Swift's two windows only the fabric window is modelled; end hosts have no delay
//! here.
//!
//! ```text
//! t ← base_target + hops·ħ + max(0, min(a/√W + b, fs_range))     (1)  hops: switches; W in packets
//!     a = fs_range / (1/√fs_min − 1/√fs_max),  b = −a/√fs_max
//! W ← W + AI/W · acked     if d < t                              (2)  AI · acked where W < 1
//! W ← W · max(1 − β(d − t)/d, 1 − max_mdf)   otherwise           (3)  at most once per RTT
//! W ← W · (1 − max_mdf)    on a loss                             (4)  at most once per RTT
//! W ← W_min                after several timeouts in a row       (5)
//! ```
//!
//! With `sf` (Snyder & Lebeck, §V-B) there is a reference window W_r, and every ACK sets
//!
//! ```text
//! W ← W_r · f + AI    f as in (3) if d > t, else 1               (6)
//! W_r ← W             after SF ACKs if a decrease, else once per RTT
//! ```
//!
//! | parameter               | symbol      | `published`  | `fairness`  |
//! |-------------------------|-------------|--------------|-------------|
//! | `base_target`           | base_target | 20 us        | 5 us        |
//! | `per_hop`               | ħ           | 3.05 us      | 2 us        |
//! | `flow_scaling`          | –           | true         | true        |
//! | `flow_scaling_range`    | fs_range    | 100 us       | 25 us       |
//! | `fs_min_packets`        | fs_min      | 0.1          | 0.1         |
//! | `fs_max_packets`        | fs_max      | 100          | 50          |
//! | `additive_increase`     | AI          | 1 packet     | 50 Mb/s     |
//! | `beta`                  | β           | 0.8          | 0.8         |
//! | `max_decrease`          | max_mdf     | 0.5          | 0.5         |
//! | `initial_window`        | W(0)        | 12 packets   | BDP         |
//! | `min_window`            | W_min       | 0.001 packets| 100 Mb/s    |
//! | `max_window`            | W_max       | 1000 packets | BDP         |
//! | `pacing`                | –           | `below-one-packet` | `always` |
//! | `timeouts_to_minimum`   | –           | 5            | 5           |
//! | `congestion`            | –           | `above-target` | `above-target` |
//!
//! The paper gives no values for most parameters: `published` uses csg-htsim's values. `fairness`
//! is the variant of Snyder & Lebeck (§III-D; β, fs_range and fs_min from Snyder's dissertation,
//! Table 3.1). Flows start at line rate, AI is a rate, and the NIC paces every packet at W/T, as
//! for every algorithm of the artifact that they used. They give no W_min.
//!
//! Takes parts: with `vai` or `sf` flow scaling is off. With `vai` the congestion is d − t
//! (`congestion` has other readings). Without `sf` tokens are drawn at the start of each round
//! trip, because increases are spread over its ACKs.
//!
//! Shared by QPs: any, as each ACK has the target of its own path. W does not change without flows;
//! a new QP inherits W. Where each QP has the whole window, the ACKs of k QPs make W grow k times
//! as fast.
//! Needs: timestamps. Ignores: ECN, CNP, INT.
//! Deviations: the window increases only if d − t < 0, and only a smaller window sets the time of
//! the last decrease, as in csg-htsim. With the paper's `≤` an ACK without effect would postpone
//! decreases. A loss is a NACK of go-back-N, not a hole in a SACK bitmap. No end-host window.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::controller::Swift;
use crate::parts::{NoParts, Parts};
use crate::{
    FlowContext, FlowController, Needs, Parameters, Part, ProbabilisticConfig,
    SamplingFrequencyConfig, VariableAiConfig, Window,
};

mod controller;
mod target;

/// Parameters of Swift; the module's table has the sources of the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SwiftConfig {
    /// Target delay of a path, before hops and flow scaling.
    pub base_target: Time,
    /// Target delay added for each switch on the path (topology-based scaling).
    pub per_hop: Time,
    /// Whether smaller windows have larger targets (flow-based scaling). Off with `vai` or `sf`.
    pub flow_scaling: bool,
    /// Largest addition of flow scaling to the target.
    pub flow_scaling_range: Time,
    /// Window in packets up to which flow scaling adds its whole range.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub fs_min_packets: f64,
    /// Window in packets from which flow scaling adds nothing.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub fs_max_packets: f64,
    /// Additive increase of the window per round trip.
    pub additive_increase: Window,
    /// Strength β of decreases.
    #[schemars(range(min = 0.0))]
    pub beta: f64,
    /// Largest fraction by which one decrease lowers the window.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_decrease: f64,
    /// First window.
    pub initial_window: Window,
    /// Smallest window.
    pub min_window: Window,
    /// Largest window.
    pub max_window: Window,
    /// Which packets are paced.
    pub pacing: SwiftPacing,
    /// Successive timeouts that set the window to its minimum.
    #[schemars(range(min = 1))]
    pub timeouts_to_minimum: u32,
    /// The congestion measure of Variable AI.
    pub congestion: DelayReading,
    /// Variable AI, with `+vai` in the name. Its threshold is measured from the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vai: Option<VariableAiConfig<Time>>,
    /// Sampling Frequency, with `+sf` in the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sf: Option<SamplingFrequencyConfig>,
    /// Probabilistic feedback, with `+prob` in the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prob: Option<ProbabilisticConfig>,
}

/// Which packets are paced.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SwiftPacing {
    /// Packets of windows below one packet: one packet in every RTT/W. Larger windows send whole
    /// packets, clocked by ACKs alone.
    BelowOnePacket,
    /// All packets, at the window over the base RTT.
    Always,
}

/// The congestion measure of Variable AI. With every measure the threshold is relative to the
/// target.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayReading {
    /// The delay above the target.
    AboveTarget,
    /// The delay above the base RTT: the queueing delay.
    AboveBaseRtt,
    /// The whole delay.
    RoundTrip,
}

impl Default for SwiftConfig {
    fn default() -> Self {
        Self {
            base_target: Time::from_us(20),
            per_hop: Time::from_ns(3_050),
            flow_scaling: true,
            flow_scaling_range: Time::from_us(100),
            fs_min_packets: 0.1,
            fs_max_packets: 100.0,
            additive_increase: Window::Packets(1.0),
            beta: 0.8,
            max_decrease: 0.5,
            initial_window: Window::Packets(12.0),
            min_window: Window::Packets(0.001),
            max_window: Window::Packets(1_000.0),
            pacing: SwiftPacing::BelowOnePacket,
            timeouts_to_minimum: 5,
            congestion: DelayReading::AboveTarget,
            vai: None,
            sf: None,
            prob: None,
        }
    }
}

impl SwiftConfig {
    /// The variant of Snyder & Lebeck.
    fn fairness() -> Self {
        Self {
            base_target: Time::from_us(5),
            per_hop: Time::from_us(2),
            flow_scaling_range: Time::from_us(25),
            fs_max_packets: 50.0,
            additive_increase: Window::Rate(Rate::from_mbps(50)),
            initial_window: Window::Bdp,
            min_window: Window::Rate(Rate::from_mbps(100)),
            max_window: Window::Bdp,
            pacing: SwiftPacing::Always,
            ..Self::default()
        }
    }
}

impl Parameters for SwiftConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "published",
            summary: "as published, with the constants of csg-htsim where the paper has none",
            values: Self::default,
        },
        NamedSet {
            name: "fairness",
            summary: "as in studies of its fairness: line-rate start, 50 Mb/s (Snyder & Lebeck)",
            values: Self::fairness,
        },
    ];

    const PARTS: &'static [Part] = Part::OF_FEEDBACK;

    fn check(&self) -> Result<(), Diagnostic> {
        let (least, most) = (self.fs_min_packets, self.fs_max_packets);
        if least < most {
            return Ok(());
        }
        Err(Diagnostic::new(
            format!("{most} is not more than fs_min_packets, {least}"),
            format!("write e.g. {}", least * 500.0),
        )
        .at("fs_max_packets"))
    }

    fn needs(&self) -> Needs {
        Needs {
            timestamp: true,
            reschedules_pending: true,
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        part.add_to(&mut self.vai, &mut self.sf, &mut self.prob);
        if part != Part::Probabilistic {
            self.flow_scaling = false;
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let (vai, sf, prob) = (self.vai.as_ref(), self.sf.as_ref(), self.prob.as_ref());
        match Parts::new(vai, sf, prob, context) {
            None => Box::new(Swift::new(self, context, NoParts)),
            Some(parts) => Box::new(Swift::new(self, context, parts)),
        }
    }
}

#[cfg(test)]
mod tests;
