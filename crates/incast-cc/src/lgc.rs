//! LGC: rates grow logistically, like populations that compete for one resource.
//!
//! Teymoori, Hayes, Welzl, Gjessing: "Even Lower Latency, Even Better Fairness: Logistic Growth
//! Congestion Control in Datacenters" (LCN 2016), Algorithm 1.
//!
//! ```text
//! at the end of every interval Δ in which an ACK came:
//! l ← marked ACKs / ACKs                                                   (1)
//! x̂ ← 1 − mean of the last n values of l, this one among them              (2)
//! d ← |x − x̂|
//! r ← r_conv                                                  d ≤ g₁       (3)
//!     r_conv + (d − g₁)·(r_init − r_conv)/(g₂ − g₁)           g₁ < d < g₂
//!     r_init                                                  d ≥ g₂
//! x ← max(x + r·x·(1 − x − l), x_init)                                     (4)
//! R ← x·K, delays between packets exponentially distributed                (5)
//! ```
//!
//! | parameter           | symbol | unit  | default     | source               |
//! |---------------------|--------|-------|-------------|----------------------|
//! | `interval`          | Δ      | time  | 200 us      | paper, §VI           |
//! | `initial_share`     | x_init | 1     | 0.006       | ours, see below      |
//! | `initial_window`    | –      | B     | none        | paper, §VI-A2        |
//! | `initial_growth`    | r_init | 1     | 0.3         | paper, §VI           |
//! | `converged_growth`  | r_conv | 1     | 0.1         | paper, §VI           |
//! | `fixed_growth`      | r      | 1     | none        | paper, §V-B (Fig. 6) |
//! | `near`              | g₁     | 1     | 0.015       | paper, §VI           |
//! | `far`               | g₂     | 1     | 0.045       | paper, §VI           |
//! | `interpolation`     | –      | –     | corrected   | see below            |
//! | `average_over`      | n      | 1     | 40          | paper, §VI           |
//! | `pacing`            | –      | –     | exponential | paper, §V-A          |
//! | `capacity`          | K      | bit/s | NIC's rate  | paper, §III-C        |
//!
//! Shared by QPs: any. x, r and the values of l do not change without flows, since intervals
//! without ACKs change nothing; a new QP inherits these values.
//! Needs: ECN echo, marks from a queue of more than one packet on. Ignores: INT, CNP, losses.
//!
//! Readings: the paper prints (3) with d in place of d − g₁ (`interpolation = "printed"`, bounded
//! by r_init). This function jumps at both ends of the range, which Fig. 5 draws as one line. The
//! paper names no x_init; here x_init is one packet of 1500 B in 200 us at 10 Gb/s. In its
//! comparison of fairness, sources begin with one congestion window W: x_init is then W/(T·K),
//! headers included, which sends W in the flow's base RTT. Before n intervals have passed, (2) uses
//! all intervals so far. An interval without ACKs changes nothing. "Exponentially-distributed
//! inter-packet delay between packets such that the sending rate is xK on average" is taken
//! literally: each packet's transmission is followed by a random delay. The mean delay is the
//! packet's size over R less its transmission time. With `pacing = "poisson"` packets leave in a
//! Poisson process, to which the PASTA property of §V-A applies; packets may then leave
//! back-to-back.

use std::collections::VecDeque;

use incast_diagnostic::Diagnostic;
use incast_signals::EcnOptions;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameters::{check_not_zero, check_timers};
use crate::rate_window::scaled;
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Pacing, Parameters, SendLimit,
    Sent, Window,
};

/// How the growth rate depends on the distance between near and far.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Linear from `converged_growth` at `near` to `initial_growth` at `far`.
    #[default]
    Corrected,
    /// As printed in Algorithm 1, at most `initial_growth`.
    Printed,
}

/// How packets are spaced.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LgcPacing {
    /// By exponentially distributed delays between the end of a packet and the start of the next.
    #[default]
    Exponential,
    /// Packets leave at the times of a Poisson process. A packet whose time comes while the link is
    /// busy leaves later.
    Poisson,
    /// By equal gaps.
    Regular,
}

/// Parameters of LGC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LgcConfig {
    /// Time between two updates of the rate, at least 100 ns.
    pub interval: Time,
    /// First and lowest rate, as a fraction of the capacity.
    #[schemars(range(min = 0.000001, max = 1.0))]
    pub initial_share: f64,
    /// First and lowest rate, as the rate that sends this window in a base RTT. Excludes
    /// `initial_share`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_window: Option<Window>,
    /// Growth rate far from the fair share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub initial_growth: f64,
    /// Growth rate near the fair share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub converged_growth: f64,
    /// Growth rate at any distance. Excludes `initial_growth` and `converged_growth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fixed_growth: Option<f64>,
    /// Distance from the fair share, as a fraction of the capacity, up to which a flow is near its
    /// fair share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub near: f64,
    /// Distance from the fair share from which a flow is far from its fair share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub far: f64,
    /// How the growth rate depends on the distance between near and far.
    pub interpolation: Interpolation,
    /// Number of intervals over which the share of marks is averaged.
    #[schemars(range(min = 1, max = 10000))]
    pub average_over: u32,
    /// How packets are spaced.
    pub pacing: LgcPacing,
    /// Highest rate of a flow: the smallest capacity on its path. Default: its NIC's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Rate>,
}

impl Default for LgcConfig {
    fn default() -> Self {
        Self {
            interval: Time::from_us(200),
            initial_share: 0.006,
            initial_window: None,
            initial_growth: 0.3,
            converged_growth: 0.1,
            fixed_growth: None,
            near: 0.015,
            far: 0.045,
            interpolation: Interpolation::Corrected,
            average_over: 40,
            pacing: LgcPacing::Exponential,
            capacity: None,
        }
    }
}

impl LgcConfig {
    /// Checks that no two parameters set the same value in different ways.
    fn check_alternatives(&self) -> Result<(), Diagnostic> {
        let default = Self::default();
        let start = self.initial_share != default.initial_share;
        let growth = self.initial_growth != default.initial_growth
            || self.converged_growth != default.converged_growth;
        for (parameter, given, other, changed) in [
            (
                "initial_window",
                self.initial_window.is_some(),
                "`initial_share`",
                start,
            ),
            (
                "fixed_growth",
                self.fixed_growth.is_some(),
                "`initial_growth`, `converged_growth`",
                growth,
            ),
        ] {
            if given && changed {
                return Err(Diagnostic::new(
                    format!("`{parameter}` and {other} exclude each other"),
                    format!("write either `{parameter}`, or {other}"),
                )
                .at(parameter));
            }
        }
        Ok(())
    }
}

impl Parameters for LgcConfig {
    fn check(&self) -> Result<(), Diagnostic> {
        check_timers(&[("interval", self.interval)], "200us")?;
        if let Some(capacity) = self.capacity {
            check_not_zero(&[("capacity", capacity)], "write e.g. \"10Gbps\"")?;
        }
        if let Some(Window::Packets(0.0) | Window::Size(Bytes::ZERO) | Window::Rate(Rate::ZERO)) =
            self.initial_window
        {
            return Err(
                Diagnostic::new("nothing grows from nothing", "write e.g. \"10 packets\"")
                    .at("initial_window"),
            );
        }
        self.check_alternatives()?;
        if self.converged_growth > self.initial_growth {
            return Err(Diagnostic::new(
                format!(
                    "{} is above `initial_growth`, {}",
                    self.converged_growth, self.initial_growth
                ),
                "write at most `initial_growth`, e.g. 0.1 and 0.3",
            )
            .at("converged_growth"));
        }
        if self.near >= self.far {
            return Err(Diagnostic::new(
                format!("{} is not below `far`, {}", self.near, self.far),
                "write near < far, e.g. 0.015 and 0.045",
            )
            .at("near"));
        }
        Ok(())
    }

    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(EcnOptions::ONE_PACKET),
            sent_packets: true,
            timers: true,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(Lgc::new(self, context))
    }
}

/// One flow under LGC.
#[derive(Clone, Debug)]
struct Lgc {
    config: LgcConfig,
    /// K.
    capacity: Rate,
    /// x.
    share: f64,
    /// x_init.
    least: f64,
    /// r.
    growth: f64,
    /// The last values of l, oldest first.
    loads: VecDeque<f64>,
    /// ACKs in this interval, and marked ACKs among them.
    acks: u64,
    marked: u64,
    /// End of this interval; `None` before the first packet.
    interval_end: Option<Time>,
    /// R.
    rate: Rate,
}

impl Lgc {
    fn new(config: &LgcConfig, context: &FlowContext) -> Self {
        let capacity = config.capacity.unwrap_or(context.line_rate);
        let capacity = capacity.min(context.line_rate);
        let least = match config.initial_window {
            None => config.initial_share,
            Some(window) => share_of(window, capacity, context),
        };
        let mut flow = Self {
            config: config.clone(),
            capacity,
            share: least,
            least,
            growth: config.fixed_growth.unwrap_or(config.initial_growth),
            loads: VecDeque::new(),
            acks: 0,
            marked: 0,
            interval_end: None,
            rate: Rate::default(),
        };
        flow.set_rate();
        flow
    }

    /// Eqs. (1) to (4).
    fn update(&mut self) {
        if self.acks == 0 {
            return;
        }
        let load = self.marked as f64 / self.acks as f64; // (1)
        (self.acks, self.marked) = (0, 0);
        if self.loads.len() == self.config.average_over as usize {
            self.loads.pop_front();
        }
        self.loads.push_back(load);
        self.growth = self
            .config
            .fixed_growth
            .unwrap_or_else(|| self.growth_at((self.share - self.fair_share()).abs()));
        let grown = self.share + self.growth * self.share * (1.0 - self.share - load); // (4)
        self.share = grown.max(self.least);
        self.set_rate();
    }

    /// x̂, Eq. (2).
    fn fair_share(&self) -> f64 {
        1.0 - self.loads.iter().sum::<f64>() / self.loads.len().max(1) as f64
    }

    /// Eq. (3).
    fn growth_at(&self, distance: f64) -> f64 {
        let config = &self.config;
        if distance <= config.near {
            return config.converged_growth;
        }
        if distance >= config.far {
            return config.initial_growth;
        }
        let rise = config.initial_growth - config.converged_growth;
        let beyond = match config.interpolation {
            Interpolation::Corrected => distance - config.near,
            Interpolation::Printed => distance,
        };
        let growth = config.converged_growth + beyond * rise / (config.far - config.near);
        growth.min(config.initial_growth)
    }

    /// Eq. (5), at least 1 bit/s.
    fn set_rate(&mut self) {
        self.rate = scaled(self.capacity, self.share).max(Rate::from_bps(1));
    }
}

/// The rate that sends a window in a base RTT, headers included, as a fraction of `capacity`; at
/// most 1.
fn share_of(window: Window, capacity: Rate, context: &FlowContext) -> f64 {
    let headers = context.wire_mtu.as_u64() as f64 / context.mtu.as_u64() as f64;
    let bits = window.in_bytes(context) * headers * 8.0;
    let fills = context.base_rtt.as_secs_f64() * capacity.as_bps() as f64;
    (bits / fills).clamp(1e-6, 1.0)
}

impl CongestionControl for Lgc {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.acks += 1;
        self.marked += u64::from(ack.marked);
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            pacing: match self.config.pacing {
                LgcPacing::Exponential => Pacing::Exponential,
                LgcPacing::Poisson => Pacing::Poisson,
                LgcPacing::Regular => Pacing::Regular,
            },
            ..SendLimit::paced(self.rate)
        }
    }

    fn on_sent(&mut self, now: Time, _sent: &Sent) {
        self.interval_end.get_or_insert(now + self.config.interval);
    }

    fn on_timer(&mut self, now: Time) {
        while let Some(end) = self.interval_end.filter(|end| *end <= now) {
            self.update();
            self.interval_end = Some(end + self.config.interval);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.interval_end
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("share", self.share);
        record("load", self.loads.back().copied().unwrap_or(0.0));
        record("growth", self.growth);
    }
}

#[cfg(test)]
mod tests;
