//! Rate requests of flows: options of the host program that sends them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// Rate requests (the papers' "control packets"). Each flow has one out at a time, beside its data,
/// unless it starts at once.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateRequestOptions {
    /// The next one leaves when one has come back, until the flow ends; else there is only one.
    pub repeats: bool,
    /// They say what the flow can use at most: its bytes left per RTT.
    pub host_demand: bool,
    /// A flow counts for 1/n, with the n connections of its host that are open.
    pub weights: bool,
}

impl ProgramOptions for RateRequestOptions {
    const PROGRAM: &'static str = "rate-requests";
}
