//! Options of switches: the order in which data leave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which data packet leaves next, at every egress port of a switch.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortArbitration {
    /// The one that came first.
    #[default]
    Fifo,
    /// One packet of each ingress port in turn.
    RoundRobin,
}

impl PortArbitration {
    /// Whether packets leave by order of arrival, the default.
    pub fn is_fifo(&self) -> bool {
        *self == Self::Fifo
    }
}
