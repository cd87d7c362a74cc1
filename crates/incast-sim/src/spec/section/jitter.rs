//! `network.jitter`: how late data packets are on links.

use incast_net::TimingErrors;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Each data packet arrives late by a delay of its own, of up to so much; no packet overtakes
/// another one of its link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Jitter")]
pub(crate) struct JitterSection {
    /// Packets that leave NICs.
    pub(crate) nic: Time,
    /// Packets that leave switches.
    pub(crate) switch: Time,
}

impl JitterSection {
    /// All errors of timing, with clocks that are slow by up to so many ppm.
    pub(crate) fn with_clocks(self, clock_ppm: Option<u32>) -> TimingErrors {
        TimingErrors {
            nic_jitter: self.nic,
            switch_jitter: self.switch,
            clock_ppm: clock_ppm.unwrap_or_default(),
        }
    }
}
