//! Options of switches: the order in which data leave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The order of data packets at every egress port of a switch.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortArbitration {
    /// In order of arrival.
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
