//! Flows that are listed in the scenario itself.

use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::diagnostics;
use crate::flow::{Flow, FlowStream, check_flow};
use crate::hosts::GivenHost;
use crate::network::Network;
use incast_random::TrafficStreams;

/// Flows that are listed in the scenario, in any order.
///
/// ```toml
/// [[traffic]]
/// kind = "flows"
/// flows = [
///     { source = 0, destination = 2, size = "10MB" },
///     { source = 1, destination = 2, size = "10MB", start = "300us" },
/// ]
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowsSpec {
    /// The flows, in any order; flows that start together keep the order of the list.
    pub flows: Vec<GivenFlow>,
}

/// A flow of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenFlow {
    /// The sending host.
    pub source: GivenHost,
    /// The receiving host.
    pub destination: GivenHost,
    /// Payload.
    pub size: Bytes,
    /// The time at which the source has the first byte to send. Default: 0.
    #[serde(default)]
    pub start: Time,
}

impl TrafficKind for FlowsSpec {}

impl FlowsSpec {
    /// A traffic entry with these flows.
    pub fn new(flows: Vec<GivenFlow>) -> Self {
        Self { flows }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        if self.flows.is_empty() {
            return Err(diagnostics::no_flows().at("flows"));
        }
        let mut flows = Vec::with_capacity(self.flows.len());
        for (index, given) in self.flows.iter().enumerate() {
            let place = || format!("flows[{index}]");
            flows.push(given.on(context.network).at(place())?);
        }
        flows.sort_by_key(|flow| flow.start);
        Ok(Box::new(Listed {
            flows: flows.into(),
        }))
    }
}

impl GivenFlow {
    /// The flow, with tag 0.
    ///
    /// # Errors
    /// If the network does not have the flow's hosts, or does not carry a flow of this size.
    pub fn on(&self, network: &Network) -> Result<Flow, Diagnostic> {
        let hosts = network.names();
        let flow = Flow {
            start: self.start,
            source: self.source.among(hosts).at("source")?,
            destination: self.destination.among(hosts).at("destination")?,
            size: self.size,
            tag: 0,
        };
        check_flow(&flow, hosts.hosts())?;
        network.check_flow_size(flow.size).at("size")?;
        Ok(flow)
    }
}

/// Flows in order of start; the stream sets their tag.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) flows: Arc<[Flow]>,
}

impl CheckedTraffic for Listed {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let flows = Arc::clone(&self.flows);
        let tag = streams.tag;
        let tagged = move |index: usize| {
            Ok(Flow {
                tag,
                ..flows[index]
            })
        };
        Ok(Box::new((0..self.flows.len()).map(tagged)))
    }

    fn expected_flows(&self) -> f64 {
        self.flows.len() as f64
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        let both = |flow: &Flow| [flow.source, flow.destination];
        Some(self.flows.iter().flat_map(both).collect())
    }
}

#[cfg(test)]
mod tests;
