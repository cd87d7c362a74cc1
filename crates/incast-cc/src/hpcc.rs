//! HPCC: keep the bytes in flight at every link just below its bandwidth-delay product.
//!
//! Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019; draft-miao-tsv-hpcc.
//! The rate form of the published artifact; with a window W = W₀·R/C it is the same controller
//! as the window form of the paper.
//!
//! ```text
//! u_i ← txRate_i / B_i + min(q_i, q_i') / (B_i·T)      (1)  per hop; q' from the ACK before
//! U   ← (1 − τ/T)·U + (τ/T)·max_i u_i                  (2)  τ: time between the two records
//! c   ← U / η
//! R   ← R_c / c + R_AI   if c ≥ 1 or stage ≥ maxStage   (3)  multiplicative, on every ACK
//! R   ← R_c + R_AI       otherwise                      (4)  additive
//! R_c ← R                once per round trip            (5)
//! ```
//!
//! | parameter             | symbol   | unit  | default | source                          |
//! |-----------------------|----------|-------|---------|---------------------------------|
//! | `target_utilisation`  | η        | 1     | 0.95    | HPCC §5.1; draft                |
//! | `max_stage`           | maxStage | 1     | 5       | HPCC §5.1; the artifact runs 0  |
//! | `additive_increase`   | R_AI     | bit/s | 50 Mb/s | Snyder & Lebeck, §III-D         |
//! | `min_rate`            | R_min    | bit/s | 100 Mb/s| artifact, example configuration |
//! | `initial_utilisation` | U(0)     | 1     | 1       | artifact                        |
//! | `fast_react`          | –        | –     | true    | react to every ACK, not per RTT |
//! | `multi_rate`          | –        | –     | false   | own U, R_c, stage for every hop |
//! | `sample_feedback`     | –        | –     | false   | between commits, skip empty hops|
//! | `variable_window`     | –        | –     | true    | W = W₀·R/C; else W = W₀         |
//!
//! `parameters = "artifact"` takes those of its `run.py` at 100 Gb/s instead: maxStage 0,
//! R_AI 40 Mb/s, R_min 1 Gb/s.
//!
//! Needs: INT on data, one ACK per packet. Ignores: ECN, CNP.
//! Deviations: none known from the artifact, which it meets to the nanosecond.

use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Ack, CongestionControl, FlowContext, IntRecord, Needs, Pacing, ParameterSet, Parameters,
    SendLimit, Telemetry,
};

/// Parameters of HPCC; the table above says where the defaults come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HpccConfig {
    /// Target utilisation η of the busiest link.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub target_utilisation: f64,
    /// Additive steps in a row before a multiplicative one.
    pub max_stage: u32,
    /// Additive increase R_AI.
    pub additive_increase: Rate,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// First value of U.
    pub initial_utilisation: f64,
    /// Change the rate on every ACK, from the reference rate.
    pub fast_react: bool,
    /// Keep utilisation, reference rate and stage for every hop; send at the lowest rate.
    pub multi_rate: bool,
    /// Between commits, ignore hops whose queue is empty.
    pub sample_feedback: bool,
    /// Scale the window with the rate.
    pub variable_window: bool,
}

impl Default for HpccConfig {
    fn default() -> Self {
        Self {
            target_utilisation: 0.95,
            max_stage: 5,
            additive_increase: Rate::from_mbps(50),
            min_rate: Rate::from_mbps(100),
            initial_utilisation: 1.0,
            fast_react: true,
            multi_rate: false,
            sample_feedback: false,
            variable_window: true,
        }
    }
}

impl HpccConfig {
    /// The artifact as its `run.py` configures it for links of 100 Gb/s.
    fn artifact() -> Self {
        Self {
            max_stage: 0,
            additive_increase: Rate::from_mbps(40),
            min_rate: Rate::from_gbps(1),
            ..Self::default()
        }
    }
}

impl Parameters for HpccConfig {
    fn needs(&self) -> Needs {
        Needs {
            int: true,
            per_packet_ack: true,
            ..Needs::default()
        }
    }

    const SETS: &'static [ParameterSet<Self>] = &[
        ParameterSet {
            name: "fairness",
            summary: "as in studies of its fairness: 5 additive steps, 50 Mb/s (Snyder & Lebeck)",
            values: Self::default,
        },
        ParameterSet {
            name: "artifact",
            summary: "as the published artifact runs it at 100 Gb/s: no additive steps, 40 Mb/s",
            values: Self::artifact,
        },
    ];

    fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl> {
        Box::new(Hpcc::new(self, context))
    }
}

/// What a commit moves: once for the flow, or once for every hop in multi-rate mode.
#[derive(Clone, Debug)]
struct Reference {
    /// Average utilisation U.
    utilisation: f64,
    /// Reference rate R_c.
    rate: Rate,
    /// Additive steps in a row.
    stage: u32,
}

impl Reference {
    fn new(config: &HpccConfig, line_rate: Rate) -> Self {
        Self {
            utilisation: config.initial_utilisation,
            rate: line_rate,
            stage: 0,
        }
    }

    /// Eq. (2), `span` = min(τ, T), both in ns.
    fn average(&mut self, utilisation: f64, span: f64, base_rtt: f64) {
        self.utilisation = (self.utilisation * (base_rtt - span) + utilisation * span) / base_rtt;
    }

    /// Eqs. (3) and (4): the rate from here, and the stage if it is committed.
    fn step(&self, config: &HpccConfig, line_rate: Rate) -> (Rate, u32) {
        let c = self.utilisation / config.target_utilisation;
        let (rate, stage) = if c >= 1.0 || self.stage >= config.max_stage {
            (Rate::from_bps((self.rate.as_bps() as f64 / c) as u64), 0)
        } else {
            (self.rate, self.stage + 1)
        };
        let rate = rate.saturating_add(config.additive_increase);
        (rate.max(config.min_rate).min(line_rate), stage)
    }
}

/// One flow under HPCC.
#[derive(Clone, Debug)]
struct Hpcc {
    config: HpccConfig,
    /// C, the NIC's rate and the highest rate of the flow.
    line_rate: Rate,
    line: Line,
    /// T.
    base_rtt_ns: f64,
    /// W₀ = C·T.
    base_window: Bytes,
    /// R, the rate now.
    rate: Rate,
    /// W, the window now.
    window: Bytes,
    /// U, R_c and stage of the flow.
    shared: Reference,
    /// U, R_c and stage of each hop; empty unless `multi_rate`.
    per_hop: Vec<Reference>,
    /// Sequence number that ends the current round trip; 0 before the first ACK.
    last_update: u64,
    /// INT of the ACK before, L.
    last: Vec<IntRecord>,
    /// Whether the last ACK set the rate, if only to the same value. In the artifact that is
    /// what re-times the pending packet and may wake the NIC's scan early; the first ACK of a
    /// flow, whose INT is only stored, does neither (`rdma-hw.cc`, `UpdateRateHp`).
    reacted: bool,
}

impl CongestionControl for Hpcc {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.reacted = false;
        if self.last_update == 0 {
            self.last = ack.telemetry.records.to_vec();
            self.last_update = ack.next_to_send;
            return;
        }
        let commit = ack.next_expected > self.last_update;
        if !commit && !self.config.fast_react {
            return;
        }
        if self.config.multi_rate {
            self.react_per_hop(ack, commit);
        } else {
            self.react(ack, commit);
        }
        if commit {
            self.last_update = self.last_update.max(ack.next_to_send);
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            rate: self.rate,
            pacing: Pacing::Regular,
            retimes_pending: self.reacted,
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("utilisation", self.shared.utilisation);
        record("reference_rate_bps", self.shared.rate.as_bps() as f64);
    }
}

impl Hpcc {
    /// A flow starts at line rate.
    fn new(config: &HpccConfig, context: &FlowContext) -> Self {
        Self {
            config: config.clone(),
            line_rate: context.line_rate,
            line: Line {
                rate: float(context.line_rate.as_bps()),
                base_window: float(context.base_window.as_u64()),
            },
            base_rtt_ns: ns(context.base_rtt),
            base_window: context.base_window,
            rate: context.line_rate,
            window: context.base_window.max(Bytes::new(1)),
            shared: Reference::new(config, context.line_rate),
            per_hop: Vec::new(),
            last_update: 0,
            last: Vec::new(),
            reacted: false,
        }
    }

    /// One utilisation for the path: that of its busiest hop.
    fn react(&mut self, ack: &Ack<'_>, commit: bool) {
        let (mut busiest, mut span_of_busiest, mut measured) = (0.0, 0.0, false);
        let skips_empty = self.config.sample_feedback && !commit;
        for (new, last) in ack.telemetry.records.iter().zip(&mut self.last) {
            if skips_empty && new.queue == Bytes::ZERO {
                continue;
            }
            measured = true;
            let (utilisation, span) = self.line.measure(&ack.telemetry, new, last);
            *last = *new;
            if utilisation > busiest {
                (busiest, span_of_busiest) = (utilisation, span);
            }
        }
        if !measured {
            return;
        }
        self.shared.average(
            busiest,
            span_of_busiest.min(self.base_rtt_ns),
            self.base_rtt_ns,
        );
        let (rate, stage) = self.shared.step(&self.config, self.line_rate);
        self.change_rate(rate);
        if commit {
            self.shared.rate = rate;
            self.shared.stage = stage;
        }
    }

    /// Multi-rate form: every hop has its own reference; the lowest rate counts.
    fn react_per_hop(&mut self, ack: &Ack<'_>, commit: bool) {
        let hops = ack.telemetry.records.len().min(self.last.len());
        self.per_hop
            .resize(hops, Reference::new(&self.config, self.line_rate));
        let mut lowest = self.line_rate;
        let mut measured = false;
        let skips_empty = self.config.sample_feedback && !commit;
        let hops = ack.telemetry.records.iter().zip(&mut self.last);
        for ((new, last), reference) in hops.zip(&mut self.per_hop) {
            if skips_empty && new.queue == Bytes::ZERO {
                lowest = lowest.min(reference.rate);
                continue;
            }
            measured = true;
            let (utilisation, span) = self.line.measure(&ack.telemetry, new, last);
            *last = *new;
            reference.average(utilisation, span.min(self.base_rtt_ns), self.base_rtt_ns);
            let (rate, stage) = reference.step(&self.config, self.line_rate);
            lowest = lowest.min(rate);
            if commit {
                reference.rate = rate;
                reference.stage = stage;
            }
        }
        if measured {
            self.change_rate(lowest);
        }
    }

    fn change_rate(&mut self, rate: Rate) {
        if self.config.variable_window {
            let window = scaled(self.base_window, rate, self.line_rate);
            self.window = window.max(Bytes::new(1));
        }
        self.rate = rate;
        self.reacted = true;
    }
}

/// The NIC's line, as Eq. (1) needs it.
#[derive(Copy, Clone, Debug)]
struct Line {
    /// C in bit/s.
    rate: f64,
    /// W₀ in bytes.
    base_window: f64,
}

impl Line {
    /// Eq. (1) for one hop, and the time since its last record in ns.
    #[inline]
    fn measure(&self, telemetry: &Telemetry<'_>, new: &IntRecord, old: &IntRecord) -> (f64, f64) {
        let span = ns(telemetry.elapsed(new, old));
        let link = float(new.rate.as_bps());
        let sent_bits = float(telemetry.sent(new, old).as_u64() * 8);
        // Two records at the same instant say nothing about the rate.
        let throughput = if span > 0.0 {
            sent_bits / (span * 1e-9)
        } else {
            0.0
        };
        let queue = new.queue.min(old.queue);
        let standing = if queue == Bytes::ZERO {
            0.0
        } else {
            float(queue.as_u64()) * self.rate / link / self.base_window
        };
        (throughput / link + standing, span)
    }
}

/// `window` · `rate` / `line_rate`, rounded down.
fn scaled(window: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let (window, rate, line_rate) = (window.as_u64(), rate.as_bps(), line_rate.as_bps());
    let scaled = match window.checked_mul(rate) {
        Some(product) => product / line_rate,
        None => (u128::from(window) * u128::from(rate) / u128::from(line_rate)) as u64,
    };
    Bytes::new(scaled)
}

/// Nanoseconds as the artifact counts them, so that sums round alike.
fn ns(time: Time) -> f64 {
    float(time.as_ps()) / 1_000.0
}

/// A number below 2^63: a signed one becomes a float in one instruction, an unsigned in eight.
#[inline]
fn float(number: u64) -> f64 {
    debug_assert!(number < 1 << 63);
    number as i64 as f64
}

#[cfg(test)]
mod tests;
