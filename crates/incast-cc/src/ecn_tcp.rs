//! ECN-TCP: halve the window once for each window of data with any mark.
//!
//! The classic reaction to ECN (RFC 3168) on the window of RFC 5681; the "TCP" that DCTCP is
//! compared with (Snyder, "Improving Congestion Control Convergence in RDMA Networks", §2.3).
//!
//! ```text
//! mark echoed, no cut in this window of data yet:  W ← f·W      (1)
//! otherwise:                                       W grows by a packets per round trip,
//!                                                  or doubles in slow start
//! ```
//!
//! | parameter                   | symbol | unit    | default | source                       |
//! |-----------------------------|--------|---------|---------|------------------------------|
//! | `decrease`                  | f      | 1       | 0.5     | RFC 3168 §6.1.2              |
//! | `additive_increase_packets` | a      | packets | 1       | RFC 5681 §3.1                |
//! | `initial_window_packets`    | –      | packets | 10      | RFC 6928                     |
//! | `min_window_packets`        | –      | packets | 2       | Linux; RFC 5681 §3.1         |
//! | `slow_start`                | –      | –       | true    | RFC 5681 §3.1; §2.3 has none |
//! | `max_window`                | –      | –       | none    | §2.3: the BDP                |
//!
//! Needs: ECN echo, one ACK per packet. Ignores: INT, CNP.
//! Deviations: no delayed ACKs, no SACK: the NIC goes back to the first lost packet.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aimd::{CongestionWindow, Growth};
use crate::{
    Ack, CongestionControl, FlowContext, Loss, Marking, MaxWindow, Needs, Parameters, SendLimit,
    Sent,
};

#[cfg(test)]
mod tests;

/// Parameters of ECN-TCP; the table above says where the defaults come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EcnTcpConfig {
    /// Fraction of the window that a cut leaves, f.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrease: f64,
    /// Growth per round trip, in packets.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub additive_increase_packets: f64,
    /// First window, in packets.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub initial_window_packets: f64,
    /// Smallest window after a cut, in packets.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub min_window_packets: f64,
    /// Double the window every round trip until the first mark or loss.
    pub slow_start: bool,
    /// How far the window grows.
    pub max_window: MaxWindow,
}

impl Default for EcnTcpConfig {
    fn default() -> Self {
        Self {
            decrease: 0.5,
            additive_increase_packets: 1.0,
            initial_window_packets: 10.0,
            min_window_packets: 2.0,
            slow_start: true,
            max_window: MaxWindow::None,
        }
    }
}

impl Parameters for EcnTcpConfig {
    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(Marking::DCTCP),
            per_packet_ack: true,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl> {
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
            initial: config.initial_window_packets,
            min: config.min_window_packets,
            per_round_trip: config.additive_increase_packets,
            slow_start: config.slow_start,
            max: config.max_window,
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
        if self.window.is_cut() {
            return;
        }
        match ack.marked {
            true => self.window.cut(self.decrease),
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
