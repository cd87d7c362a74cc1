//! RoCC: switches compute a fair rate per port, senders follow the lowest rate on their path.
//!
//! Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020, §3. The congestion point
//! is a switch program. Its parameters here default to values by the rate of each port's link (see
//! `fair_rate.rs`). The reaction point, for each flow:
//!
//! ```text
//! start: no rate limiter, line rate, no window
//! a CNP with R of congestion point C counts if R ≤ R_cur or C = C_cur:       (1)
//!     R_cur ← R;  C_cur ← C;  install the limiter;  restart the timer
//! no CNP counted for a period:                                               (2)
//!     remove the limiter     if R_cur > R_max, the line rate
//!     R_cur ← 2·R_cur        otherwise; restart the timer
//! ```
//!
//! | parameter           | symbol | unit  | default  | source                                     |
//! |---------------------|--------|-------|----------|--------------------------------------------|
//! | `recovery_interval` | –      | s     | 55 µs    | the authors' simulation; above `period`    |
//! | `reaction_delay`    | –      | s     | 15 µs    | RoCC §6: from a CNP's arrival to its effect|
//! | `period`            | T      | s     | 40 µs    | RoCC §6, Table 2                           |
//! | `reference_queue`   | Q_ref  | B     | by link  | values by link rate: see `fair_rate.rs`    |
//! | `middle_queue`      | Q_mid  | B     | by link  |                                            |
//! | `largest_queue`     | Q_max  | B     | by link  |                                            |
//! | `queue_gain`        | α̃      | 1     | by link  |                                           |
//! | `growth_gain`       | β̃      | 1     | by link  |                                           |
//! | `min_rate`          | F_min  | bit/s | 100 Mb/s |                                            |
//!
//! With `1rc` a flow starts with speculative packets. Its first control packet returns the lowest
//! rate of its path. Below line rate, that has the effect of a CNP without delay. With `weights`
//! rates are divided by the number of connections of the host.
//!
//! Shared by QPs: those of one path, since a fair rate is for flows through one port. Without flows
//! (2) goes on, so that the limit rises and ends; a new QP inherits the limit of that time.
//!
//! Needs: fair rates from switches, in CNPs; with `1rc` one ACK per packet. Ignores: INT, ECN;
//! without `1rc` ACKs.
//! Readings: without a limiter R_cur is the line rate; test (1) is made after the reaction delay.

use std::collections::VecDeque;

use incast_diagnostic::Diagnostic;
use incast_signals::{FairRateOptions, ProgramRequest, RateRequestOptions};
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameters::{check_not_zero, check_timers};
use crate::{
    Ack, Cnp, CongestionControl, ControlReply, FlowContext, FlowController, Needs, OneRttConfig,
    Parameters, Part, SendLimit, Serves, Start, WeightsConfig,
};

/// Parameters of RoCC; the module's table has the sources of the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoccConfig {
    /// Time without a CNP after which a limited flow doubles its rate.
    pub recovery_interval: Time,
    /// Time from the arrival of a CNP to its effect on the rate.
    pub reaction_delay: Time,
    /// Time T between two updates of a port's fair rate; at least 100 ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Target queue Q_ref of ports. Default: by link rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_queue: Option<Bytes>,
    /// Growth Q_mid of a queue in one period that halves the rate. Default: by link rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_queue: Option<Bytes>,
    /// Queue Q_max that sets the rate to its minimum. Default: by link rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_queue: Option<Bytes>,
    /// Gain α̃ of the queue's excess over Q_ref. Default: by link rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub queue_gain: Option<f64>,
    /// Gain β̃ of the queue's growth. Default: by link rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub growth_gain: Option<f64>,
    /// Lowest fair rate F_min; at most the link's own rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// One-RTT Convergence.
    #[serde(rename = "1rc", skip_serializing_if = "Option::is_none")]
    pub one_rtt: Option<OneRttConfig>,
    /// Weights by the number of connections of a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsConfig>,
}

impl Default for RoccConfig {
    fn default() -> Self {
        Self {
            recovery_interval: Time::from_us(55),
            reaction_delay: Time::from_us(15),
            period: None,
            reference_queue: None,
            middle_queue: None,
            largest_queue: None,
            queue_gain: None,
            growth_gain: None,
            min_rate: None,
            one_rtt: None,
            weights: None,
        }
    }
}

impl RoccConfig {
    fn fair_rates(&self) -> FairRateOptions {
        FairRateOptions {
            period: self.period,
            reference_queue: self.reference_queue,
            middle_queue: self.middle_queue,
            largest_queue: self.largest_queue,
            queue_gain: self.queue_gain,
            growth_gain: self.growth_gain,
            min_rate: self.min_rate,
        }
    }
}

impl RoccConfig {
    /// Checks that the given values of Q_ref, Q_mid and Q_max rise in this order.
    fn check_queues(&self) -> Result<(), Diagnostic> {
        let queues = [
            ("reference_queue", self.reference_queue),
            ("middle_queue", self.middle_queue),
            ("largest_queue", self.largest_queue),
        ];
        let given = queues.map(|(name, queue)| queue.map(|queue| (name, queue)));
        let given: Vec<_> = given.into_iter().flatten().collect();
        check_not_zero(&given, "write e.g. \"300KB\"")?;
        let wrong = given.windows(2).find(|pair| pair[0].1 >= pair[1].1);
        wrong.map_or(Ok(()), |pair| {
            let ((below, least), (parameter, queue)) = (pair[0], pair[1]);
            Err(Diagnostic::new(
                format!("{queue} is not above {below}, {least}"),
                format!("write more than cc.{below}"),
            )
            .at(parameter))
        })
    }
}

impl Parameters for RoccConfig {
    const PARTS: &'static [Part] = &[Part::OneRtt, Part::Weights];

    fn check(&self) -> Result<(), Diagnostic> {
        let rates = self.fair_rates();
        let law = rates.law(Rate::from_gbps(100));
        check_timers(&[("period", law.period)], "40us")?;
        check_not_zero(&[("min_rate", law.min_rate)], "write e.g. \"100Mbps\"")?;
        if self.recovery_interval <= law.period {
            let (parameter, hint) = match self.period {
                Some(_) => ("period", "write less than cc.recovery_interval"),
                None => ("recovery_interval", "write more than cc.period"),
            };
            return Err(Diagnostic::new(
                format!(
                    "flows would recover before the next CNP, {} after the last",
                    law.period
                ),
                hint,
            )
            .at(parameter));
        }
        self.check_queues()?;
        self.one_rtt.as_ref().map_or(Ok(()), OneRttConfig::check)
    }

    fn needs(&self) -> Needs {
        let mut programs = vec![ProgramRequest::new(&self.fair_rates())];
        let one_rtt = self.one_rtt.as_ref();
        programs.extend(one_rtt.map(|part| part.request(self.weights.as_ref())));
        let has_control = one_rtt.is_some() || self.weights.is_some();
        let requests = has_control.then(|| {
            ProgramRequest::new(&RateRequestOptions {
                repeats: false,
                host_demand: false,
                weights: self.weights.is_some(),
            })
        });
        Needs {
            programs,
            host_programs: Vec::from_iter(requests),
            per_packet_ack: one_rtt.is_some(),
            timers: true,
            reschedules_pending: true,
            serves: match has_control {
                true => Serves::OneFlow("each flow has a first control packet, or a weight"),
                false => Serves::OnePath("a fair rate is for flows through one port"),
            },
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        part.add_to_start(&mut self.one_rtt, &mut self.weights);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let one_rtt = self.one_rtt.as_ref();
        Box::new(Rocc {
            speculative_window: one_rtt.map(|_| context.base_window),
            recovery_interval: self.recovery_interval,
            reaction_delay: self.reaction_delay,
            line_rate: context.line_rate,
            limiter: None,
            pending: VecDeque::new(),
        })
    }
}

/// One flow under RoCC.
#[derive(Clone, Debug)]
struct Rocc {
    recovery_interval: Time,
    reaction_delay: Time,
    /// R_max.
    line_rate: Rate,
    /// Bytes that may be in flight until the first control packet is back, if the flow waits for
    /// one.
    speculative_window: Option<Bytes>,
    limiter: Option<Limiter>,
    /// CNPs that have arrived but not yet taken effect, each with the time of its effect.
    pending: VecDeque<(Time, Asked)>,
}

/// A rate limiter.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Limiter {
    /// R_cur and C_cur.
    asked: Asked,
    /// Time at which the rate recovers, if no CNP counts before.
    recovers_at: Time,
}

/// The rate that a CNP requests.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Asked {
    rate: Rate,
    congestion_point: u32,
}

impl CongestionControl for Rocc {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn limit(&self) -> SendLimit {
        let rate = self
            .limiter
            .map_or(self.line_rate, |limiter| limiter.asked.rate);
        SendLimit {
            window: self.speculative_window.unwrap_or(Bytes::MAX),
            ..SendLimit::paced(rate.min(self.line_rate))
        }
    }

    fn start(&self) -> Start {
        match self.speculative_window {
            None => Start::AtOnce,
            Some(_) => Start::Speculatively,
        }
    }

    fn on_control(&mut self, now: Time, reply: &ControlReply) {
        self.speculative_window = None;
        if let Some(congestion_point) = reply.congestion_point
            && reply.rate < self.line_rate
        {
            let rate = reply.rate;
            let asked = Asked {
                rate,
                congestion_point,
            };
            self.follow(now, asked);
        }
    }

    /// A CNP from a receiver has neither rate nor congestion point, and is ignored.
    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        if let (Some(rate), Some(congestion_point)) = (cnp.rate, cnp.congestion_point) {
            let asked = Asked {
                rate,
                congestion_point,
            };
            self.pending.push_back((now + self.reaction_delay, asked));
            if self.reaction_delay == Time::ZERO {
                self.on_timer(now);
            }
        }
    }

    fn on_timer(&mut self, now: Time) {
        while let Some(&(at, asked)) = self.pending.front()
            && at <= now
        {
            self.recover(at);
            self.pending.pop_front();
            self.follow(at, asked);
        }
        self.recover(now);
    }

    fn next_timer(&self) -> Option<Time> {
        let pending = self.pending.front().map(|(at, _)| *at);
        let recovery = self.limiter.map(|limiter| limiter.recovers_at);
        pending.into_iter().chain(recovery).min()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("limited", f64::from(u8::from(self.limiter.is_some())));
    }
}

impl Rocc {
    /// Rule (1).
    fn follow(&mut self, now: Time, asked: Asked) {
        let counts = match self.limiter {
            None => asked.rate <= self.line_rate,
            Some(Limiter { asked: current, .. }) => {
                asked.rate <= current.rate || asked.congestion_point == current.congestion_point
            }
        };
        if counts {
            self.limiter = Some(Limiter {
                asked,
                recovers_at: now + self.recovery_interval,
            });
        }
    }

    /// Applies rule (2), if it is due.
    fn recover(&mut self, now: Time) {
        let interval = self.recovery_interval;
        while let Some(limiter) = &mut self.limiter
            && limiter.recovers_at <= now
        {
            if limiter.asked.rate > self.line_rate {
                self.limiter = None;
                return;
            }
            let rate = limiter.asked.rate;
            limiter.asked.rate = rate.saturating_add(rate);
            limiter.recovers_at += interval;
        }
    }
}

#[cfg(test)]
mod tests;
