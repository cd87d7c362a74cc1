//! TIMELY: set the rate by the gradient of the RTT.
//!
//! Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015.
//! Patched TIMELY: Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
//! CoNEXT 2016. Once per segment, or once per round trip:
//!
//! ```text
//! d ← (1 − α)·d + α·(rtt − rtt');  g ← d/D                          (1)  rtt': the sample before
//! rtt < T_low:    R ← R + δ                                         (2)
//! rtt > T_high:   R ← R·(1 − β·(1 − T_high/rtt))                    (3)
//! g ≤ 0:          R ← R + δ, or R + δ_H after some in a row         (4)
//! otherwise:      R ← R·(1 − β·g)                                   (5)
//!
//! patched, instead of (4) and (5), with e = (rtt − T_ref)/T_ref:
//!                 R ← δ·(1 − w) + R·(1 − β·w·e)                     (6)
//!                 w = 0 for g ≤ −1/4, 1 for g ≥ 1/4, 2·g + 1/2 between
//!
//! scaled steps:   s = min(1, time since the last update / D);
//!                 δ → s·δ, β → s·β, and at most half of R is lost   (7)
//! ```
//!
//! | parameter           | symbol | unit  | `artifact` | `paper` | `patched` |
//! |---------------------|--------|-------|------------|---------|-----------|
//! | `variant`           | –      | –     | original   | original| patched   |
//! | `update`            | –      | –     | round-trip | segment | segment   |
//! | `segment`           | –      | B     | 16 KB      | 16 KB   | 16 KB     |
//! | `ewma_weight`       | α      | 1     | 0.875      | 0.875   | 0.875     |
//! | `decrease`          | β      | 1     | 0.8        | 0.8     | 0.008     |
//! | `low_threshold`     | T_low  | s     | 50 us      | 50 us   | 50 us     |
//! | `high_threshold`    | T_high | s     | 500 us     | 500 us  | 500 us    |
//! | `min_rtt`           | D      | s     | 20 us      | 20 us   | 20 us     |
//! | `reference_rtt`     | T_ref  | s     | 50 us      | 50 us   | 50 us     |
//! | `additive_increase` | δ      | bit/s | 100 Mb/s   | 10 Mb/s | 10 Mb/s   |
//! | `hyper_increase`    | δ_H    | bit/s | 500 Mb/s   | 50 Mb/s | 50 Mb/s   |
//! | `hyper_after`       | –      | 1     | 5          | 4       | 4         |
//! | `low_counts`        | –      | –     | true       | false   | false     |
//! | `scaled_steps`      | –      | –     | false      | true    | true      |
//! | `min_rate`          | –      | bit/s | 1 Gb/s     | 10 Mb/s | 10 Mb/s   |
//! | `window`            | W      | –     | none       | none    | none      |
//!
//! Sources: `artifact`, the HPCC artifact's CC_MODE 7 and `run.py` at NICs of 100 Gb/s; `paper` and
//! `patched`, TIMELY's parameters at 10 Gb/s as "ECN or Delay" restates them; (7) is from eRPC's
//! implementation, which has it from TIMELY's authors. The TIMELY paper gives no lowest rate.
//!
//! Shared by QPs: those of one path, because the gradient compares successive RTTs. R and the last
//! RTT do not change without flows; the first RTT of a new QP is compared with the last RTT.
//! Needs: timestamps in data packets, echoed by ACKs. Ignores: ECN, INT.
//! Deviations: packets are paced one by one, so a segment's RTT is the RTT of its last packet, and
//! no serialisation delay is subtracted. Flows start at line rate.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::ns;
use crate::parameters::check_not_zero;
use crate::rate_window::{FlowLine, scaled};
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, RateWindow, SendLimit,
    Serves,
};

#[cfg(test)]
mod tests;

/// Which TIMELY.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimelyVariant {
    /// As published: between the thresholds only the gradient counts.
    Original,
    /// Gradient and distance from a reference RTT both count: there is one fixed point instead of
    /// many.
    Patched,
}

/// How often the rate is set.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimelyUpdate {
    /// Once for each segment of data.
    Segment,
    /// Once per round trip: at the first ACK of a packet sent after the previous update.
    RoundTrip,
}

/// Parameters of TIMELY; the module's table has their named sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelyConfig {
    /// The published algorithm or patched TIMELY.
    pub variant: TimelyVariant,
    /// How often the rate is set.
    pub update: TimelyUpdate,
    /// Payload acknowledged from one update to the next, with `update = "segment"`.
    pub segment: Bytes,
    /// Weight α of the new difference of RTTs.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub ewma_weight: f64,
    /// Multiplicative decrease β.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrease: f64,
    /// RTT T_low, below which the rate rises.
    pub low_threshold: Time,
    /// RTT T_high, above which the rate falls.
    pub high_threshold: Time,
    /// Divisor D of RTT differences, about the base RTT.
    pub min_rtt: Time,
    /// Target RTT of patched TIMELY, T_ref.
    pub reference_rtt: Time,
    /// Additive increase δ.
    pub additive_increase: Rate,
    /// Increase δ_H after `hyper_after` increases in a row.
    pub hyper_increase: Rate,
    /// Increases in a row before the increase δ_H.
    pub hyper_after: u32,
    /// Whether increases below the low threshold count towards `hyper_after`.
    pub low_counts: bool,
    /// Whether steps scale with the time since the last update, up to D.
    pub scaled_steps: bool,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// The window that limits the flow in addition to the rate.
    pub window: RateWindow,
}

impl Default for TimelyConfig {
    fn default() -> Self {
        Self::artifact()
    }
}

impl TimelyConfig {
    fn artifact() -> Self {
        Self {
            variant: TimelyVariant::Original,
            update: TimelyUpdate::RoundTrip,
            segment: Bytes::new(16_000),
            ewma_weight: 0.875,
            decrease: 0.8,
            low_threshold: Time::from_us(50),
            high_threshold: Time::from_us(500),
            min_rtt: Time::from_us(20),
            reference_rtt: Time::from_us(50),
            additive_increase: Rate::from_mbps(100),
            hyper_increase: Rate::from_mbps(500),
            hyper_after: 5,
            low_counts: true,
            scaled_steps: false,
            min_rate: Rate::from_gbps(1),
            window: RateWindow::None,
        }
    }

    fn paper() -> Self {
        Self {
            update: TimelyUpdate::Segment,
            additive_increase: Rate::from_mbps(10),
            hyper_increase: Rate::from_mbps(50),
            hyper_after: 4,
            low_counts: false,
            scaled_steps: true,
            min_rate: Rate::from_mbps(10),
            ..Self::artifact()
        }
    }

    fn patched() -> Self {
        Self {
            variant: TimelyVariant::Patched,
            decrease: 0.008,
            ..Self::paper()
        }
    }
}

impl Parameters for TimelyConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "artifact",
            summary: "the HPCC artifact's run.py, `timely`, NICs of 100 Gb/s",
            values: Self::artifact,
        },
        NamedSet {
            name: "paper",
            summary: "Mittal et al., SIGCOMM 2015, as restated in \"ECN or Delay\"; 10 Gb/s",
            values: Self::paper,
        },
        NamedSet {
            name: "patched",
            summary: "patched TIMELY, \"ECN or Delay\", CoNEXT 2016; 10 Gb/s",
            values: Self::patched,
        },
    ];

    fn check(&self) -> Result<(), Diagnostic> {
        let rtts = [
            ("min_rtt", self.min_rtt),
            ("reference_rtt", self.reference_rtt),
        ];
        check_not_zero(&rtts, "write e.g. \"20us\"")?;
        check_not_zero(&[("min_rate", self.min_rate)], "write e.g. \"10Mbps\"")?;
        if self.low_threshold > self.high_threshold {
            return Err(Diagnostic::new(
                format!(
                    "{} is above `high_threshold` of {}",
                    self.low_threshold, self.high_threshold
                ),
                "write thresholds in order of size",
            )
            .at("low_threshold"));
        }
        Ok(())
    }

    fn needs(&self) -> Needs {
        Needs {
            timestamp: true,
            serves: Serves::OnePath("it steers by the change of the RTT from ACK to ACK"),
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(Timely::new(self, context))
    }
}

/// One flow under TIMELY.
#[derive(Clone, Debug)]
struct Timely {
    config: TimelyConfig,
    line: FlowLine,
    /// R.
    rate: Rate,
    /// W.
    window: Bytes,
    /// The last sample, rtt', and its time; `None` before the first.
    last: Option<(f64, Time)>,
    /// Average difference d of successive RTTs, in ns.
    difference: f64,
    /// The next update comes at the first ACK of this byte.
    update_at: u64,
    /// Increases in a row.
    increases: u32,
}

impl CongestionControl for Timely {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(rtt) = ack.round_trip else {
            return;
        };
        if ack.next_expected < self.update_at {
            return;
        }
        let rtt = ns(rtt);
        if let Some((last, at)) = self.last {
            self.update(rtt, rtt - last, now.saturating_sub(at));
        }
        self.last = Some((rtt, now));
        self.update_at = match self.config.update {
            TimelyUpdate::Segment => ack.next_expected + self.config.segment.as_u64(),
            TimelyUpdate::RoundTrip => ack.next_to_send + 1,
        };
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            ..SendLimit::paced(self.rate)
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("rtt_gradient", self.gradient());
        record("rtt_us", self.last.map_or(0.0, |(rtt, _)| rtt / 1e3));
    }
}

impl Timely {
    /// A flow starts at line rate.
    fn new(config: &TimelyConfig, context: &FlowContext) -> Self {
        let line = FlowLine::new(context, config.window);
        Self {
            config: config.clone(),
            rate: line.rate,
            window: line.window_at(line.rate),
            line,
            last: None,
            difference: 0.0,
            update_at: 1,
            increases: 0,
        }
    }

    /// Eqs. (1) to (7). `rtt` and `change` are in ns; `elapsed` is the time since the last update.
    fn update(&mut self, rtt: f64, change: f64, elapsed: Time) {
        let weight = self.config.ewma_weight;
        self.difference = (1.0 - weight) * self.difference + weight * change;
        let scale = match self.config.scaled_steps {
            true => (ns(elapsed) / ns(self.config.min_rtt)).min(1.0),
            false => 1.0,
        };
        let rate = self.next_rate(rtt, scale);
        let rate = match self.config.scaled_steps {
            true => rate.max(scaled(self.rate, 0.5)),
            false => rate,
        };
        self.rate = self.line.clamp(rate, self.config.min_rate);
        self.window = self.line.window_at(self.rate);
    }

    fn next_rate(&mut self, rtt: f64, scale: f64) -> Rate {
        let gradient = self.gradient();
        let beta = self.config.decrease * scale;
        if rtt < ns(self.config.low_threshold) {
            self.increased(u32::from(self.config.low_counts), scale)
        } else if rtt > ns(self.config.high_threshold) {
            let overshoot = 1.0 - ns(self.config.high_threshold) / rtt;
            self.decreased(1.0 - beta * overshoot)
        } else if self.config.variant == TimelyVariant::Patched {
            self.blended(rtt, gradient, scale)
        } else if gradient <= 0.0 {
            self.increased(1, scale)
        } else {
            self.decreased(1.0 - beta * gradient)
        }
    }

    /// Eqs. (2) and (4). Adds `counted`, 1 or 0, to the increases in a row, which determine the
    /// step.
    fn increased(&mut self, counted: u32, scale: f64) -> Rate {
        let hyper = counted > 0 && self.increases >= self.config.hyper_after;
        self.increases += counted;
        let step = match hyper {
            true => self.config.hyper_increase,
            false => self.config.additive_increase,
        };
        self.rate.saturating_add(scaled(step, scale))
    }

    /// Eqs. (3) and (5).
    fn decreased(&mut self, factor: f64) -> Rate {
        self.increases = 0;
        scaled(self.rate, factor.max(0.0))
    }

    /// Eq. (6).
    fn blended(&mut self, rtt: f64, gradient: f64, scale: f64) -> Rate {
        let weight = (2.0 * gradient + 0.5).clamp(0.0, 1.0);
        let reference = ns(self.config.reference_rtt);
        let error = (rtt - reference) / reference;
        let kept = 1.0 - self.config.decrease * scale * weight * error;
        let added = scaled(self.config.additive_increase, scale * (1.0 - weight));
        scaled(self.rate, kept.max(0.0)).saturating_add(added)
    }

    /// g.
    fn gradient(&self) -> f64 {
        self.difference / ns(self.config.min_rtt)
    }
}
