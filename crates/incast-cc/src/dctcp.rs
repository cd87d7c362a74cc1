//! DCTCP: cut in proportion to how much of the data was marked.
//!
//! Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, §3.1; RFC 8257 §3.3 (the window
//! form). The rate form is CC_MODE 8 of the HPCC artifact.
//!
//! ```text
//! α ← (1 − g)·α + g·F     (1)  once per window of data; F: marked share of it
//! W ← W·(1 − α/2)         (2)  window form, on a mark, at most once per window of data
//! R ← R·(1 − α/2)         (3)  rate form, the same, at least R_min
//! R ← R + R_AI            (4)  rate form, once per round trip unless cut in it
//! ```
//!
//! In the window form W grows as TCP's: it doubles in slow start, then rises by a per round trip.
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
//! Needs: ECN echo, one ACK per packet. Ignores: INT, CNP.
//! Deviations: no delayed ACKs, so the receiver's state of RFC 8257 §3.2 is each packet's mark;
//! no SACK: the NIC goes back to the first lost packet.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_signals::EcnOptions;
use incast_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameters::check_not_zero;
use crate::{FlowContext, FlowController, Needs, Parameters, RateWindow, Window};

mod rate;
mod window;

/// What DCTCP sets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DctcpForm {
    /// A window: TCP's.
    Window,
    /// A rate: the HPCC artifact's.
    Rate,
}

/// Parameters of DCTCP; the table above has their named sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DctcpConfig {
    /// Set a window (`window`) or a rate (`rate`).
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
    /// Smallest window after a cut; form `window`.
    pub min_window: Window,
    /// Largest window, without bounds if left out; form `window`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_window: Option<Window>,
    /// Double the window every round trip until the first mark or loss; form `window`.
    pub slow_start: bool,
    /// Lowest rate of a flow; form `rate`.
    pub min_rate: Rate,
    /// Window beside the rate; form `rate`.
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
            DctcpForm::Window => Box::new(window::Dctcp::new(self, context)),
            DctcpForm::Rate => Box::new(rate::Dctcp::new(self, context)),
        }
    }
}
