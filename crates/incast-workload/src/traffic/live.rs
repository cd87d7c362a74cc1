//! Flows that a program starts while the network is under way.

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::flow::FlowStream;
use incast_random::TrafficStreams;

/// Flows that a program starts while the network is under way: another simulator, or a program that
/// reacts to ends of flows. Only a live network has such flows, not a run.
///
/// ```toml
/// [[traffic]]
/// kind = "live"
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveSpec {}

impl TrafficKind for LiveSpec {}

impl LiveSpec {
    pub(super) fn check(
        &self,
        _context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        Ok(Box::new(Live))
    }
}

/// Traffic without flows of its own.
#[derive(Debug)]
struct Live;

impl CheckedTraffic for Live {
    fn flows(&self, _streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        Ok(Box::new(std::iter::empty()))
    }

    fn expected_flows(&self) -> f64 {
        0.0
    }
}
