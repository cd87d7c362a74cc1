//! Rate requests of flows: options of the host program that sends the requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// Rate requests (the papers' "control packets"). Each flow has one request outstanding at a time,
/// besides its data, unless the flow starts at once.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateRequestOptions {
    /// Whether a flow sends its next request when the previous one has returned. Otherwise it sends
    /// only one.
    pub repeats: bool,
    /// Whether requests carry the flow's largest usable rate: its remaining bytes per RTT.
    pub host_demand: bool,
    /// Whether a flow has weight 1/n, where n is the number of open connections of its host.
    pub weights: bool,
}

impl ProgramOptions for RateRequestOptions {
    const PROGRAM: &'static str = "rate-requests";
}
