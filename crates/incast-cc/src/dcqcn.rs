//! DCQCN: decrease the rate when marks are echoed, by more with more marks, and recover by halving
//! the distance to the former rate, then in steps.
//!
//! Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015 (the paper's
//! form); the ConnectX form is that of NVIDIA's NICs and of the HPCC artifact's CC_MODE 1.
//!
//! ```text
//! notification, paper's form:
//!     R_T ← R;  R ← max(R_min, R·(1 − α/2));  α ← (1 − g)·α + g                      (1)
//!     stages ← 0; the rate timer and the α timer start anew
//! no notification for T_α:  α ← (1 − g)·α                                              (2)
//!
//! notification, ConnectX form: remembered; the first one sets α ← α₀, R ← R_T ← ρ·R
//! every T_α:  α ← (1 − g)·α + g·[a notification came since]                            (3)
//! every T_d, if one came since:
//!     R_T ← R if the timer has expired since the last decrease (or `clamp_target`)          (4)
//!     R ← max(R_min, R·(1 − α/2));  stages ← 0; the rate timer starts anew             (5)
//!
//! rate timer (every T) and byte counter (every B bytes), both forms:
//!     R_T ← min(R_T + step, C);  R ← R/2 + R_T/2;  stage of the one that expired += 1  (6)
//!     step = 0                       max(stages) < F               fast recovery
//!            R_AI                    min(stages) < F               additive increase
//!            R_HAI·(min − F + 1)     otherwise                     hyper increase
//!     without a byte counter: 0, R_AI, R_HAI for a stage below, at, above F
//! ```
//!
//! | parameter           | symbol | unit  | `artifact` | `artifact-slow` | `paper`  | `connectx`  |
//! |---------------------|--------|-------|------------|-----------------|----------|-------------|
//! | `form`              | –      | –     | connectx   | connectx        | paper    | connectx    |
//! | `notification`      | –      | –     | ack        | ack             | cnp      | cnp         |
//! | `gain`              | g      | 1     | 1/256      | 1/256           | 1/256    | 5/1024      |
//! | `initial_alpha`     | α₀     | 1     | 1          | 1               | 1        | 1023/1024   |
//! | `alpha_interval`    | T_α    | s     | 1 us       | 50 us           | 55 us    | 1 us        |
//! | `decrease_interval` | T_d    | s     | 4 us       | 50 us           | –        | 4 us        |
//! | `increase_interval` | T      | s     | 300 us     | 55 us           | 55 us    | 300 us      |
//! | `byte_counter`      | B      | B     | none       | none            | 10 MB    | 2 097 088 B |
//! | `fast_recovery`     | F      | 1     | 1          | 1               | 5        | 1           |
//! | `additive_increase` | R_AI   | bit/s | 20 Mb/s    | 20 Mb/s         | 40 Mb/s  | 5 Mb/s      |
//! | `hyper_increase`    | R_HAI  | bit/s | 200 Mb/s   | 200 Mb/s        | 400 Mb/s | 50 Mb/s     |
//! | `min_rate`          | R_min  | bit/s | 1 Gb/s     | 1 Gb/s          | 100 Mb/s | 1 Mb/s      |
//! | `clamp_target`      | –      | –     | false      | false           | –        | false       |
//! | `first_cut`         | ρ      | 1     | 1          | 1               | –        | 1           |
//! | `window`            | W      | –     | none       | none            | none     | none        |
//!
//! Sources: `artifact`, the HPCC artifact's `run.py` at NICs of 100 Gb/s (`dcqcn`; `artifact-slow`
//! its `dcqcn_paper`); `paper`, DCQCN's parameters as "ECN or Delay" (CoNEXT 2016) restates them
//! for 40 Gb/s, R_HAI and R_min from Microsoft's and RoCC's simulators. `connectx` has the defaults
//! of NVIDIA's "DCQCN CC parameters" page. `isolation` is `artifact` with R_min = 100 Mb/s, the
//! values of attacks on isolation (Snyder, dissertation, §3.6).
//!
//! Shared by QPs: any. Without flows the timers go on, so that the rate recovers; a new QP inherits
//! R, R_T and α. Where each QP has the whole rate, the byte counter counts the bytes of one QP.
//! Needs: ECN, and CNPs (`notification = "cnp"`) or one ACK per packet (`"ack"`). Ignores: INT.
//! Deviations: fast recovery takes F full halvings; by the paper's text the number could differ by
//! one. Microsoft's faster timers in hyper increase are left out. The vendor does not publish the
//! steps of the ConnectX form with a byte counter; they follow QCN's rule.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_signals::EcnOptions;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameters::{check_not_zero, check_timers};
use crate::rate_window::{FlowLine, scaled};
use crate::{
    Ack, Cnp, CongestionControl, FlowContext, FlowController, Needs, Parameters, RateWindow,
    SendLimit, Sent,
};

#[cfg(test)]
mod tests;

/// How a sender reacts to notifications of marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DcqcnForm {
    /// Each notification decreases the rate at once.
    Paper,
    /// Notifications set a flag, on which timers act.
    Connectx,
}

/// The signal by which a sender learns of marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notification {
    /// CNPs, which the receiver sends at intervals (`network.cnp_interval`).
    Cnp,
    /// The echo of the mark in each ACK.
    Ack,
}

/// Parameters of DCQCN; the module's table has their named sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DcqcnConfig {
    /// Whether the rate decreases at once (`paper`) or at intervals (`connectx`).
    pub form: DcqcnForm,
    /// The signal by which the sender learns of marks.
    pub notification: Notification,
    /// Gain g of the average α.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// α before the first decrease.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub initial_alpha: f64,
    /// Time between two updates of α; at least 100 ns. `paper`: α decays after this long without a
    /// notification.
    pub alpha_interval: Time,
    /// Time between two possible decreases; form `connectx`; at least 100 ns.
    pub decrease_interval: Time,
    /// Period of the rate timer, T; at least 100 ns.
    pub increase_interval: Time,
    /// Bytes on the wire from one increase to the next, B. Default: no byte counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_counter: Option<Bytes>,
    /// Increases towards the target before the target itself rises, F.
    pub fast_recovery: u32,
    /// Additive increase R_AI of the target.
    pub additive_increase: Rate,
    /// Hyper increase R_HAI of the target.
    pub hyper_increase: Rate,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// Whether every decrease lowers the target, not only the first since the last increase; form
    /// `connectx`.
    pub clamp_target: bool,
    /// Fraction of the rate that remains after the first notification, ρ; form `connectx`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub first_cut: f64,
    /// The window that limits the flow in addition to the rate.
    pub window: RateWindow,
}

impl Default for DcqcnConfig {
    fn default() -> Self {
        Self::artifact()
    }
}

impl DcqcnConfig {
    fn artifact() -> Self {
        Self {
            form: DcqcnForm::Connectx,
            notification: Notification::Ack,
            gain: 1.0 / 256.0,
            initial_alpha: 1.0,
            alpha_interval: Time::from_us(1),
            decrease_interval: Time::from_us(4),
            increase_interval: Time::from_us(300),
            byte_counter: None,
            fast_recovery: 1,
            additive_increase: Rate::from_mbps(20),
            hyper_increase: Rate::from_mbps(200),
            min_rate: Rate::from_gbps(1),
            clamp_target: false,
            first_cut: 1.0,
            window: RateWindow::None,
        }
    }

    fn artifact_slow() -> Self {
        Self {
            alpha_interval: Time::from_us(50),
            decrease_interval: Time::from_us(50),
            increase_interval: Time::from_us(55),
            ..Self::artifact()
        }
    }

    fn isolation() -> Self {
        Self {
            min_rate: Rate::from_mbps(100),
            ..Self::artifact()
        }
    }

    fn paper() -> Self {
        Self {
            form: DcqcnForm::Paper,
            notification: Notification::Cnp,
            alpha_interval: Time::from_us(55),
            increase_interval: Time::from_us(55),
            byte_counter: Some(Bytes::new(10_000_000)),
            fast_recovery: 5,
            additive_increase: Rate::from_mbps(40),
            hyper_increase: Rate::from_mbps(400),
            min_rate: Rate::from_mbps(100),
            ..Self::artifact()
        }
    }

    fn connectx() -> Self {
        Self {
            notification: Notification::Cnp,
            gain: 5.0 / 1024.0,
            initial_alpha: 1023.0 / 1024.0,
            byte_counter: Some(Bytes::new(32_767 * 64)),
            additive_increase: Rate::from_mbps(5),
            hyper_increase: Rate::from_mbps(50),
            min_rate: Rate::from_mbps(1),
            ..Self::artifact()
        }
    }
}

impl Parameters for DcqcnConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "artifact",
            summary: "the HPCC artifact's run.py, `dcqcn`, NICs of 100 Gb/s",
            values: Self::artifact,
        },
        NamedSet {
            name: "artifact-slow",
            summary: "the HPCC artifact's run.py, `dcqcn_paper`: slower timers",
            values: Self::artifact_slow,
        },
        NamedSet {
            name: "isolation",
            summary: "`artifact`, a minimum rate of 100 Mb/s: attacks on isolation (Snyder, §3.6)",
            values: Self::isolation,
        },
        NamedSet {
            name: "paper",
            summary: "Zhu et al., SIGCOMM 2015, as restated in \"ECN or Delay\"; 40 Gb/s",
            values: Self::paper,
        },
        NamedSet {
            name: "connectx",
            summary: "the vendor's defaults for ConnectX-4 to ConnectX-7",
            values: Self::connectx,
        },
    ];

    fn check(&self) -> Result<(), Diagnostic> {
        let intervals = [
            ("alpha_interval", self.alpha_interval),
            ("decrease_interval", self.decrease_interval),
            ("increase_interval", self.increase_interval),
        ];
        check_timers(&intervals, "4us")?;
        check_not_zero(&[("min_rate", self.min_rate)], "write e.g. \"100Mbps\"")?;
        let bytes = self.byte_counter.unwrap_or(Bytes::MAX);
        let hint = "write e.g. \"10MB\", or leave it out for no byte counter";
        check_not_zero(&[("byte_counter", bytes)], hint)
    }

    fn needs(&self) -> Needs {
        let cnp = match (self.notification, self.form) {
            (Notification::Ack, _) => None,
            (Notification::Cnp, DcqcnForm::Paper) => Some(Time::from_us(50)),
            (Notification::Cnp, DcqcnForm::Connectx) => Some(Time::from_us(4)),
        };
        let marking = match self.form {
            DcqcnForm::Paper => EcnOptions::DCQCN_PAPER,
            DcqcnForm::Connectx => EcnOptions::HPCC_ARTIFACT,
        };
        Needs {
            ecn: Some(marking),
            cnp,
            sent_packets: true,
            timers: true,
            per_packet_ack: self.notification == Notification::Ack,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(Dcqcn::new(self, context))
    }
}

/// One flow under DCQCN.
#[derive(Clone, Debug)]
struct Dcqcn {
    config: DcqcnConfig,
    line: FlowLine,
    /// R.
    rate: Rate,
    /// R_T.
    target: Rate,
    /// α at the time `alpha_at`.
    alpha: f64,
    /// Time of the last update of α. Later updates are made when α is needed.
    alpha_at: Time,
    /// Whether a notification has come since the last update of α, and since the last decrease.
    alpha_notified: bool,
    decrease_notified: bool,
    /// Time of the next possible decrease, form ConnectX; [`Time::MAX`] before the first
    /// notification.
    decrease_at: Time,
    /// Time at which the rate timer expires; [`Time::MAX`] before the first decrease.
    increase_at: Time,
    /// Number of expirations of the timer and of the byte counter since the last decrease.
    time_stage: u32,
    byte_stage: u32,
    /// Bytes sent since the byte counter last expired.
    sent: Bytes,
    /// W.
    window: Bytes,
}

impl CongestionControl for Dcqcn {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        if ack.marked && self.config.notification == Notification::Ack {
            self.notify(now);
        }
    }

    fn on_cnp(&mut self, now: Time, _cnp: &Cnp) {
        if self.config.notification == Notification::Cnp {
            self.notify(now);
        }
    }

    fn on_sent(&mut self, _now: Time, sent: &Sent) {
        let Some(threshold) = self.config.byte_counter else {
            return;
        };
        // Before the first decrease there is nothing to recover.
        if self.increase_at == Time::MAX {
            return;
        }
        self.sent += sent.wire;
        if self.sent >= threshold {
            self.sent = self.sent.saturating_sub(threshold);
            self.increase();
            self.byte_stage += 1;
        }
    }

    fn on_timer(&mut self, now: Time) {
        // The rate timer was set before the check for a decrease, so it comes first at the same
        // time.
        if self.increase_at <= now {
            self.increase_at += self.config.increase_interval;
            self.increase();
            self.time_stage += 1;
        }
        if self.decrease_at <= now {
            self.decrease_at += self.config.decrease_interval;
            if self.decrease_notified {
                self.update_alpha(now + Time::from_ps(1));
                self.decrease(now);
            }
        }
    }

    fn next_timer(&self) -> Option<Time> {
        let next = self.increase_at.min(self.decrease_at);
        (next < Time::MAX).then_some(next)
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            ..SendLimit::paced(self.rate)
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("target_rate_bps", self.target.as_bps() as f64);
    }
}

impl Dcqcn {
    /// A flow starts at line rate.
    fn new(config: &DcqcnConfig, context: &FlowContext) -> Self {
        let line = FlowLine::new(context, config.window);
        Self {
            config: config.clone(),
            rate: line.rate,
            target: line.rate,
            alpha: config.initial_alpha,
            alpha_at: Time::MAX,
            alpha_notified: false,
            decrease_notified: false,
            decrease_at: Time::MAX,
            increase_at: Time::MAX,
            time_stage: 0,
            byte_stage: 0,
            sent: Bytes::ZERO,
            window: line.window_at(line.rate),
            line,
        }
    }

    /// A packet of this flow was marked.
    fn notify(&mut self, now: Time) {
        match self.config.form {
            DcqcnForm::Paper => {
                self.update_alpha(now);
                self.target = self.rate;
                self.decrease(now);
                self.alpha = self.averaged(1.0);
                self.alpha_at = now;
            }
            DcqcnForm::Connectx if self.decrease_at == Time::MAX => {
                self.alpha_at = now;
                self.decrease_notified = true;
                // Extra nanosecond as in the artifact, so that the first update of α comes before
                // the decrease.
                self.decrease_at = now + self.config.decrease_interval + Time::from_ns(1);
                let rate = scaled(self.rate, self.config.first_cut);
                self.set_rate(rate.max(self.config.min_rate));
                self.target = self.rate;
            }
            DcqcnForm::Connectx => {
                self.update_alpha(now);
                self.alpha_notified = true;
                self.decrease_notified = true;
            }
        }
    }

    /// Eqs. (2) and (3): all updates of α that were due before `end`. α is read only at
    /// notifications and decreases, so its updates need no timer.
    fn update_alpha(&mut self, end: Time) {
        let interval = self.config.alpha_interval;
        while self.alpha_at.saturating_add(interval) < end {
            self.alpha_at += interval;
            self.alpha = self.averaged(f64::from(self.alpha_notified));
            self.alpha_notified = false;
        }
    }

    /// α after an update. `notified`: 1 if a notification came in the interval, else 0.
    fn averaged(&self, notified: f64) -> f64 {
        let gain = self.config.gain;
        (1.0 - gain) * self.alpha + gain * notified
    }

    /// Eqs. (1), (4) and (5), except for α.
    fn decrease(&mut self, now: Time) {
        if self.config.clamp_target || self.time_stage > 0 {
            self.target = self.rate;
        }
        let decreased = scaled(self.rate, 1.0 - self.alpha / 2.0);
        self.set_rate(decreased.max(self.config.min_rate));
        self.time_stage = 0;
        self.byte_stage = 0;
        self.sent = Bytes::ZERO;
        self.decrease_notified = false;
        self.increase_at = now + self.config.increase_interval;
    }

    /// Eq. (6), except for the stage.
    fn increase(&mut self) {
        self.target = (self.target + self.step()).min(self.line.rate);
        let half = |rate: Rate| Rate::from_bps(rate.as_bps() / 2);
        self.set_rate(half(self.rate) + half(self.target));
    }

    /// The increase of the target.
    fn step(&self) -> Rate {
        let config = &self.config;
        let recovery = config.fast_recovery;
        let (low, high) = match config.byte_counter {
            Some(_) => (
                self.time_stage.min(self.byte_stage),
                self.time_stage.max(self.byte_stage),
            ),
            None => (self.time_stage, self.time_stage),
        };
        if high < recovery {
            Rate::ZERO
        } else if config.byte_counter.is_none() {
            match low == recovery {
                true => config.additive_increase,
                false => config.hyper_increase,
            }
        } else if low < recovery {
            config.additive_increase
        } else {
            config.hyper_increase * u64::from(low - recovery + 1)
        }
    }

    fn set_rate(&mut self, rate: Rate) {
        self.rate = rate.min(self.line.rate);
        self.window = self.line.window_at(self.rate);
    }
}
