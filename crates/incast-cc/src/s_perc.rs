//! s-PERC: control packets find each flow's max-min fair rate, link by link.
//!
//! Jose et al., "A Distributed Algorithm to Calculate Max-Min Fair Rates Without Per-Flow State",
//! SIGMETRICS 2019. The algorithm of the links is a switch program (`s_perc/link.rs` of the
//! network). The NIC's own link also runs it, as the first link of every path. The sender:
//!
//! ```text
//! a flow of at most the threshold starts at line rate, without control packets
//! any other sends a control packet, and waits for it to come back                           (1)
//! a control packet came back:  R ← w · min x over its links                                 (2)
//! ```
//!
//! A flow always has one control packet outstanding, within the links' shares for control packets.
//! The control packet carries the host's largest usable rate, (bytes left)/RTT, so that flows about
//! to end leave bandwidth to others. The last control packet, after the last data packet, removes
//! the flow from the links.
//!
//! With `1rc` every flow starts at line rate with speculative packets until its first control
//! packet is back; switches drop packets beyond the window of their epoch. With `weights` w = 1/n
//! for the n connections of a host, so that several flows get no more than one flow (Snyder, §5).
//!
//! | parameter       | symbol  | unit | default     | source                                      |
//! |-----------------|---------|------|-------------|---------------------------------------------|
//! | `round`         | T_round | s    | 20 µs; RTT  | the authors' simulator, in data centres; the|
//! |                 |         |      |             | largest base RTT where that is longer       |
//! | `control_share` | ctrl    | 1    | 0.02        | the same, experiments on completion times   |
//! | `headroom`      | –       | 1    | 0.02        | the same                                    |
//! | `exempt`        | –       | –    | `threshold` | which flows start at once; `none` with `1rc`|
//! | `threshold`     | –       | B    | the BDP     | the dissertation, §5.5: 153 KB at 100 Gb/s |
//! | `host_demand`   | –       | –    | true        | the authors' simulator                      |
//!
//! Shared by QPs: by none, since control packets find the rate of one flow. A new QP inherits
//! nothing.
//!
//! Needs: the switch program `s-perc`, symmetric paths; with `1rc` one ACK per packet.
//! Ignores: ECN, INT, CNPs; without `1rc` ACKs.

use incast_diagnostic::Diagnostic;
use incast_signals::s_perc::SPercOptions;
use incast_signals::{ProgramRequest, RateRequestOptions};
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameters::check_not_zero;
use crate::{
    Ack, CongestionControl, ControlReply, FlowContext, FlowController, Needs, OneRttConfig, Pacing,
    Parameters, Part, SendLimit, Serves, Start, WeightsConfig,
};

/// Parameters of s-PERC; the module's table has the sources of the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SPercConfig {
    /// Time T_round after which a link forgets the largest limit rates of the previous round. The
    /// bound on convergence requires more than the time between two control packets of a flow,
    /// which is at least a base RTT. Default: 20 µs, or the largest base RTT if longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Time>,
    /// Fraction of every link's rate for control packets.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub control_share: f64,
    /// Fraction of every link's rate that stays unused.
    #[schemars(range(min = 0.0, max = 0.4))]
    pub headroom: f64,
    /// Flows that start at line rate at once, without control packets.
    pub exempt: ExemptFlows,
    /// Largest flow that is exempt. Default: the BDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Bytes>,
    /// Whether flows leave to others the bandwidth that they cannot use in an RTT.
    pub host_demand: bool,
    /// One-RTT Convergence.
    #[serde(rename = "1rc", skip_serializing_if = "Option::is_none")]
    pub one_rtt: Option<OneRttConfig>,
    /// Weights by the number of connections of a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsConfig>,
}

/// The flows that start at line rate at once, without control packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExemptFlows {
    /// None.
    None,
    /// Flows of at most the threshold.
    Threshold,
}

impl Default for SPercConfig {
    fn default() -> Self {
        let links = SPercOptions::default();
        Self {
            round: links.round,
            control_share: links.control_share,
            headroom: links.headroom,
            exempt: ExemptFlows::Threshold,
            threshold: None,
            host_demand: true,
            one_rtt: None,
            weights: None,
        }
    }
}

impl SPercConfig {
    fn links(&self) -> SPercOptions {
        SPercOptions {
            round: self.round,
            control_share: self.control_share,
            headroom: self.headroom,
            ..SPercOptions::default()
        }
    }

    fn start(&self, context: &FlowContext) -> Start {
        let threshold = self.threshold.unwrap_or(context.base_window);
        if self.exempt == ExemptFlows::Threshold && context.size <= threshold {
            Start::AtOnce
        } else if self.one_rtt.is_some() {
            Start::Speculatively
        } else {
            Start::AfterControl
        }
    }
}

impl Parameters for SPercConfig {
    const PARTS: &'static [Part] = &[Part::OneRtt, Part::Weights];

    fn check(&self) -> Result<(), Diagnostic> {
        if let Some(round) = self.round {
            check_not_zero(&[("round", round)], "write e.g. \"20us\"")?;
        }
        if self.exempt == ExemptFlows::None && self.threshold.is_some() {
            let what = "has no effect: no flow is exempt";
            let hint = "remove it, or write exempt = \"threshold\"";
            return Err(Diagnostic::new(what, hint).at("threshold"));
        }
        self.one_rtt.as_ref().map_or(Ok(()), OneRttConfig::check)
    }

    fn target_utilisation(&self) -> Option<f64> {
        Some(1.0 - self.headroom)
    }

    fn needs(&self) -> Needs {
        let mut programs = vec![ProgramRequest::new(&self.links())];
        let one_rtt = self.one_rtt.as_ref();
        programs.extend(one_rtt.map(|part| part.request(self.weights.as_ref())));
        Needs {
            programs,
            host_programs: vec![ProgramRequest::new(&RateRequestOptions {
                repeats: true,
                host_demand: self.host_demand,
                weights: self.weights.is_some(),
            })],
            per_packet_ack: self.one_rtt.is_some(),
            reschedules_pending: true,
            serves: Serves::OneFlow("each flow has control packets of its own"),
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        if part == Part::OneRtt {
            self.exempt = ExemptFlows::None;
        }
        part.add_to_start(&mut self.one_rtt, &mut self.weights);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let start = self.start(context);
        Box::new(SPerc {
            line_rate: context.line_rate,
            start,
            window: match start {
                Start::Speculatively => context.base_window,
                _ => Bytes::MAX,
            },
            rate: None,
        })
    }
}

/// One flow under s-PERC.
#[derive(Clone, Debug)]
struct SPerc {
    line_rate: Rate,
    start: Start,
    /// Bytes that may be in flight before the first control packet is back.
    window: Bytes,
    /// R; `None` until a control packet has come back.
    rate: Option<Rate>,
}

impl CongestionControl for SPerc {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn start(&self) -> Start {
        self.start
    }

    /// Rule (2).
    fn on_control(&mut self, _now: Time, reply: &ControlReply) {
        self.rate = Some(reply.rate.min(self.line_rate));
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: match self.rate {
                None => self.window,
                Some(_) => Bytes::MAX,
            },
            pacing: Pacing::OnSchedule,
            ..SendLimit::paced(self.rate.unwrap_or(self.line_rate))
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("scheduled", f64::from(u8::from(self.rate.is_some())));
    }
}

#[cfg(test)]
mod tests;
