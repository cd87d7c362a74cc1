//! DCTCP: decrease in proportion to the share of marked data.
//!
//! Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, §3.1; RFC 8257 §3.3 (the window
//! form). The rate form is CC_MODE 8 of the HPCC artifact.
//!
//! ```text
//! α ← (1 − g)·α + g·F     (1)  once per window of data; F: marked share of it
//! W ← W·(1 − α/2)         (2)  window form, on a mark, at most once per window of data
//! R ← R·(1 − α/2)         (3)  rate form, the same, at least R_min
//! R ← R + R_AI            (4)  rate form, once per round trip without a decrease
//! ```
//!
//! In the window form W grows like TCP's window: W doubles per round trip in slow start, then rises
//! by a per round trip.
//!
//! | parameter           | symbol  | unit | `rfc8257`  | `artifact` |
//! |---------------------|---------|------|------------|------------|
//! | `form`              | –       | –    | window     | rate       |
//! | `gain`              | g       | 1    | 1/16       | 1/16       |
//! | `initial_alpha`     | α(0)    | 1    | 1          | 1          |
//! | `additive_increase` | a, R_AI | B    | 1 packet   | 615 Mb/s   |
//! | `initial_window`    | –       | B    | 10 packets | –          |
//! | `min_window`        | –       | B    | 2 packets  | –          |
//! | `max_window`        | –       | B    | none       | –          |
//! | `slow_start`        | –       | –    | true       | –          |
//! | `min_rate`          | R_min   | bit/s| –          | 1 Gb/s     |
//! | `window`            | W       | –    | –          | variable   |
//!
//! Sources: RFC 8257 §4; initial window RFC 6928, smallest window Linux; `artifact`, the HPCC
//! artifact's `run.py` at NICs of 100 Gb/s (one packet per 13 µs).
//!
//! Shared by QPs: any. W and α do not change without flows; a new QP inherits them. Where each QP
//! has the whole window, the ACKs of k QPs make W grow k times as fast.
//! Needs: ECN echo, one ACK per packet. Ignores: INT, CNP.
//! Deviations: no delayed ACKs, so each ACK echoes the mark of its own packet, without the receiver
//! state of RFC 8257 §3.2. No SACK: the NIC goes back to the first lost packet.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_signals::EcnOptions;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aimd::{CongestionWindow, Growth};
use crate::parameters::check_not_zero;
use crate::rate_window::{FlowLine, scaled};
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Loss, Needs, Parameters, RateWindow,
    SendLimit, Sent, Window,
};

#[cfg(test)]
mod tests;

/// The quantity that DCTCP sets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DctcpForm {
    /// A window: TCP's.
    Window,
    /// A rate, as in the HPCC artifact.
    Rate,
}

/// Parameters of DCTCP; the module's table has their named sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DctcpConfig {
    /// Whether DCTCP sets a window (`window`) or a rate (`rate`).
    pub form: DctcpForm,
    /// Gain g of the average α.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// First value of α.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub initial_alpha: f64,
    /// Growth of the window, or of the rate, per round trip.
    pub additive_increase: Window,
    /// First window; form `window`.
    pub initial_window: Window,
    /// Smallest window after a decrease; form `window`.
    pub min_window: Window,
    /// Largest window; form `window`. Default: unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_window: Option<Window>,
    /// Whether the window doubles every round trip until the first mark or loss; form `window`.
    pub slow_start: bool,
    /// Lowest rate of a flow; form `rate`.
    pub min_rate: Rate,
    /// The window that limits the flow in addition to the rate; form `rate`.
    pub window: RateWindow,
}

impl Default for DctcpConfig {
    fn default() -> Self {
        Self::rfc8257()
    }
}

impl DctcpConfig {
    fn rfc8257() -> Self {
        Self {
            form: DctcpForm::Window,
            gain: 1.0 / 16.0,
            initial_alpha: 1.0,
            additive_increase: Window::Packets(1.0),
            initial_window: Window::Packets(10.0),
            min_window: Window::Packets(2.0),
            max_window: None,
            slow_start: true,
            min_rate: Rate::from_gbps(1),
            window: RateWindow::Variable,
        }
    }

    fn artifact() -> Self {
        Self {
            form: DctcpForm::Rate,
            additive_increase: Window::Rate(Rate::from_mbps(615)),
            ..Self::rfc8257()
        }
    }
}

impl Parameters for DctcpConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "rfc8257",
            summary: "the window form, RFC 8257",
            values: Self::rfc8257,
        },
        NamedSet {
            name: "artifact",
            summary: "the rate form, the HPCC artifact's run.py, `dctcp`, NICs of 100 Gb/s",
            values: Self::artifact,
        },
    ];

    fn check(&self) -> Result<(), Diagnostic> {
        check_not_zero(&[("min_rate", self.min_rate)], "write e.g. \"1Gbps\"")
    }

    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(EcnOptions::DCTCP),
            per_packet_ack: true,
            sent_packets: self.form == DctcpForm::Window,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        match self.form {
            DctcpForm::Window => Box::new(DctcpWindow::new(self, context)),
            DctcpForm::Rate => Box::new(DctcpRate::new(self, context)),
        }
    }
}

/// One flow under the window form: RFC 8257 on the window of RFC 5681.
#[derive(Clone, Debug)]
struct DctcpWindow {
    gain: f64,
    /// α.
    alpha: f64,
    window: CongestionWindow,
    /// Bytes acknowledged in this window of data, and marked bytes among them.
    acked: u64,
    marked: u64,
    /// The window of data ends with the first ACK beyond this sequence number (DCTCP.WindowEnd).
    window_end: u64,
}

impl DctcpWindow {
    fn new(config: &DctcpConfig, context: &FlowContext) -> Self {
        let growth = Growth {
            initial: config.initial_window,
            min: config.min_window,
            max: config.max_window,
            per_round_trip: config.additive_increase,
            slow_start: config.slow_start,
        };
        Self {
            gain: config.gain,
            alpha: config.initial_alpha,
            window: CongestionWindow::new(&growth, context),
            acked: 0,
            marked: 0,
            window_end: 0,
        }
    }

    /// Eq. (1), at the end of a window of data (RFC 8257 §3.3, steps 1 to 7).
    fn estimate(&mut self, ack: &Ack<'_>) {
        let newly_acked = ack.newly_acked.as_u64();
        self.acked += newly_acked;
        if ack.marked {
            self.marked += newly_acked;
        }
        if ack.next_expected <= self.window_end || self.acked == 0 {
            return;
        }
        let marked = self.marked as f64 / self.acked as f64;
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * marked;
        self.window_end = ack.next_to_send;
        self.acked = 0;
        self.marked = 0;
    }
}

impl CongestionControl for DctcpWindow {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.estimate(ack);
        self.window.advance(ack);
        if self.window.has_decreased() {
            return;
        }
        match ack.marked {
            true => self.window.decrease(1.0 - self.alpha / 2.0),
            false => self.window.grow(ack),
        }
    }

    fn limit(&self) -> SendLimit {
        self.window.limit()
    }

    fn on_sent(&mut self, _now: Time, sent: &Sent) {
        self.window.on_sent(sent);
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        self.window.on_loss(loss);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("congestion_window_bytes", self.window.bytes());
    }
}

/// One flow under the rate form: the HPCC artifact's CC_MODE 8.
#[derive(Clone, Debug)]
struct DctcpRate {
    config: DctcpConfig,
    line: FlowLine,
    mtu: u64,
    /// R_AI.
    increase: Rate,
    /// R.
    rate: Rate,
    /// W.
    window: Bytes,
    /// α.
    alpha: f64,
    /// The RTT epoch ends with the first ACK beyond this sequence number; `None` before the first
    /// ACK.
    epoch_end: Option<u64>,
    /// Packets acknowledged in this epoch, and marked packets among them.
    packets: u64,
    marked: u64,
    /// No further decrease before an ACK beyond this sequence number.
    decrease_end: Option<u64>,
}

impl DctcpRate {
    /// A flow starts at line rate.
    fn new(config: &DctcpConfig, context: &FlowContext) -> Self {
        let line = FlowLine::new(context, config.window);
        Self {
            config: config.clone(),
            mtu: context.mtu.as_u64(),
            increase: config.additive_increase.as_rate(context),
            rate: line.rate,
            window: line.window_at(line.rate),
            line,
            alpha: config.initial_alpha,
            epoch_end: None,
            packets: 0,
            marked: 0,
            decrease_end: None,
        }
    }

    /// Eq. (1) at the end of an RTT epoch. Returns whether this ACK ends the epoch.
    fn estimate(&mut self, ack: &Ack<'_>) -> bool {
        self.marked += u64::from(ack.marked);
        match self.epoch_end {
            Some(end) if ack.next_expected <= end => return false,
            // A mark on the first ACK counts in the next epoch.
            None => self.packets = ack.next_to_send / self.mtu + 1,
            Some(_) => {
                let share = (self.marked as f64 / self.packets as f64).min(1.0);
                let gain = self.config.gain;
                self.alpha = (1.0 - gain) * self.alpha + gain * share;
                self.marked = 0;
                let in_flight = ack.next_to_send.saturating_sub(ack.next_expected);
                self.packets = in_flight / self.mtu + 1;
            }
        }
        self.epoch_end = Some(ack.next_to_send);
        true
    }

    fn set_rate(&mut self, rate: Rate) {
        self.rate = self.line.clamp(rate, self.config.min_rate);
        self.window = self.line.window_at(self.rate);
    }
}

impl CongestionControl for DctcpRate {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let new_epoch = self.estimate(ack);
        if self.decrease_end.is_some_and(|end| ack.next_expected > end) {
            self.decrease_end = None;
        }
        if self.decrease_end.is_none() && ack.marked {
            self.set_rate(scaled(self.rate, 1.0 - self.alpha / 2.0));
            self.decrease_end = Some(ack.next_to_send);
        }
        if self.decrease_end.is_none() && new_epoch {
            self.set_rate(self.rate.saturating_add(self.increase));
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            ..SendLimit::paced(self.rate)
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
    }
}
