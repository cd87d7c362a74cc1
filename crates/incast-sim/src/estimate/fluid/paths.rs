//! The links that the flows of a fluid run cross, as switches choose them in the real run.

use incast_net::FlowAddress;
use incast_topology::Hop;
use incast_units::FlowId;
use incast_workload::Flow;

use crate::run::SourcePorts;
use crate::spec::ValidSpec;

pub(super) struct FluidPaths<'a> {
    spec: &'a ValidSpec,
    source_ports: SourcePorts,
    /// Number of flows before, which numbers the flows. Those of a task graph start in another
    /// order in the real run.
    flows: f64,
}

impl<'a> FluidPaths<'a> {
    pub(super) fn new(spec: &'a ValidSpec) -> Self {
        Self {
            spec,
            source_ports: SourcePorts::new(spec),
            flows: 0.0,
        }
    }

    /// The ports on the way of the first of `flows` flows, beginning with the source's, each with
    /// the share of the flow's packets.
    pub(super) fn of(
        &mut self,
        flow: &Flow,
        flows: f64,
    ) -> impl Iterator<Item = (Hop, f64)> + use<'a> {
        let spec = self.spec;
        let numbered = incast_net::Flow {
            id: FlowId(self.flows as u32),
            start: flow.start,
            source: flow.source,
            destination: flow.destination,
            size: flow.size,
            tag: flow.tag,
            lane: 0,
            source_port: 0,
        };
        self.flows += flows;
        let group = spec.algorithms().group(flow.tag);
        let address = FlowAddress {
            source: flow.source,
            destination: flow.destination,
            source_port: self.source_ports.of(&numbered, group),
        };
        spec.path_shares(flow.tag).of(address)
    }
}
