//! One-RTT Convergence: flows start at line rate; switches drop excess packets.
//!
//! ```text
//! until the first control packet is back: speculative packets at line rate, up to a BDP
//! then: at the rate that it brings, from the first packet on that was not let through
//! ```
//!
//! | parameter    | symbol | unit | default              | source                        |
//! |--------------|--------|------|----------------------|-------------------------------|
//! | `epoch`      | –      | s    | the largest base RTT | Snyder's dissertation, §5.2   |
//! | `clock_skew` | –      | s    | 0                    | PTP keeps them within 100 ns  |
//! | `shared`     | –      | –    | with `weights`       | §5.3.2                        |
//!
//! The tables of the switches are a program (`programs/one_rtt.rs` of the network).

use incast_diagnostic::Diagnostic;
use incast_signals::{OneRttOptions, ProgramRequest};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::weights::WeightsConfig;

/// The largest allowed skew of clocks.
const LARGEST_SKEW: Time = Time::from_us(1);

/// Parameters of One-RTT Convergence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneRttConfig {
    /// Length of an epoch; at least the largest base RTT. Default: the largest base RTT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Time>,
    /// Largest offset of a node's clock from the true time. Each node has its own offset.
    pub clock_skew: Time,
    /// Whether flows that a host starts in one epoch share one sequence of speculative packets.
    /// Default: true with weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
}

impl OneRttConfig {
    pub(crate) fn check(&self) -> Result<(), Diagnostic> {
        if self.epoch == Some(Time::ZERO) {
            let diagnostic = Diagnostic::new("an epoch of no time", "write e.g. \"13us\"");
            return Err(diagnostic.at("1rc.epoch"));
        }
        if self.clock_skew > LARGEST_SKEW {
            let what = format!("{} is more than clocks differ", self.clock_skew);
            let diagnostic = Diagnostic::new(what, "write 0 to \"1us\"");
            return Err(diagnostic.at("1rc.clock_skew"));
        }
        Ok(())
    }

    /// The request for the switch program.
    pub(crate) fn request(&self, weights: Option<&WeightsConfig>) -> ProgramRequest {
        ProgramRequest::new(&OneRttOptions {
            epoch: self.epoch,
            clock_skew: self.clock_skew,
            shared: self.shared.unwrap_or(weights.is_some()),
            divided_by: weights.map(|weights| weights.divided_by),
            largest_window: None,
        })
    }
}
