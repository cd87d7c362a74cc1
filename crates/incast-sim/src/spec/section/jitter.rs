//! `network.jitter`: random extra delays of data packets on links.

use incast_net::TimingErrors;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest extra delays of data packets. Each packet has a random delay of its own up to this;
/// no packet overtakes another packet of its link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Jitter")]
pub(crate) struct JitterSection {
    /// The largest extra delay of packets that leave NICs.
    pub(crate) nic: Time,
    /// The largest extra delay of packets that leave switches.
    pub(crate) switch: Time,
}

impl JitterSection {
    /// The timing errors of the network: this jitter, and clocks that are slow by up to `clock_ppm`
    /// parts per million.
    pub(crate) fn with_clocks(self, clock_ppm: Option<u32>) -> TimingErrors {
        TimingErrors {
            nic_jitter: self.nic,
            switch_jitter: self.switch,
            clock_ppm: clock_ppm.unwrap_or_default(),
        }
    }
}
