//! ECN-TCP: halve the window once for each window of data that has a mark.
//!
//! The classic reaction to ECN (RFC 3168) on the window of RFC 5681; the "TCP" that DCTCP is
//! compared with (Snyder, "Improving Congestion Control Convergence in RDMA Networks", §2.3).
//!
//! ```text
//! mark echoed, no decrease in this window yet:      W ← f·W      (1)
//! otherwise:                                       W grows by a per round trip,
//!                                                  or doubles in slow start
//! ```
//!
//! | parameter           | symbol | unit | default    | source                       |
//! |---------------------|--------|------|------------|------------------------------|
//! | `decrease`          | f      | 1    | 0.5        | RFC 3168 §6.1.2              |
//! | `additive_increase` | a      | B    | 1 packet   | RFC 5681 §3.1                |
//! | `initial_window`    | –      | B    | 10 packets | RFC 6928                     |
//! | `min_window`        | –      | B    | 2 packets  | Linux; RFC 5681 §3.1         |
//! | `max_window`        | –      | B    | none       | §2.3: the BDP                |
//! | `slow_start`        | –      | –    | true       | RFC 5681 §3.1; §2.3 has none |
//!
//! Shared by QPs: any. W does not change without flows; a new QP inherits W. Where each QP has the
//! whole window, the ACKs of k QPs make W grow k times as fast.
//! Needs: ECN echo, one ACK per packet. Ignores: INT, CNP.
//! Deviations: no delayed ACKs, no SACK: the NIC goes back to the first lost packet.

use incast_signals::EcnOptions;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aimd::{CongestionWindow, Growth};
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Loss, Needs, Parameters, SendLimit, Sent,
    Window,
};

#[cfg(test)]
mod tests;

/// Parameters of ECN-TCP; the module's table has the sources of the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EcnTcpConfig {
    /// Fraction of the window that remains after a decrease, f.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrease: f64,
    /// Growth per round trip.
    pub additive_increase: Window,
    /// First window.
    pub initial_window: Window,
    /// Smallest window after a decrease.
    pub min_window: Window,
    /// Largest window. Default: unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_window: Option<Window>,
    /// Whether the window doubles every round trip until the first mark or loss.
    pub slow_start: bool,
}

impl Default for EcnTcpConfig {
    fn default() -> Self {
        Self {
            decrease: 0.5,
            additive_increase: Window::Packets(1.0),
            initial_window: Window::Packets(10.0),
            min_window: Window::Packets(2.0),
            max_window: None,
            slow_start: true,
        }
    }
}

impl Parameters for EcnTcpConfig {
    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(EcnOptions::DCTCP),
            per_packet_ack: true,
            sent_packets: true,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(EcnTcp::new(self, context))
    }
}

/// One flow under ECN-TCP.
#[derive(Clone, Debug)]
struct EcnTcp {
    decrease: f64,
    window: CongestionWindow,
}

impl EcnTcp {
    fn new(config: &EcnTcpConfig, context: &FlowContext) -> Self {
        let growth = Growth {
            initial: config.initial_window,
            min: config.min_window,
            max: config.max_window,
            per_round_trip: config.additive_increase,
            slow_start: config.slow_start,
        };
        Self {
            decrease: config.decrease,
            window: CongestionWindow::new(&growth, context),
        }
    }
}

impl CongestionControl for EcnTcp {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.window.advance(ack);
        if self.window.has_decreased() {
            return;
        }
        match ack.marked {
            true => self.window.decrease(self.decrease),
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
        record("congestion_window_bytes", self.window.bytes());
    }
}
