//! The links that the flows of a fluid run cross, as switches choose them in the run.

use incast_net::FlowAddress;
use incast_topology::Hop;
use incast_units::FlowId;
use incast_workload::Flow;

use crate::run::SourcePorts;
use crate::spec::ValidSpec;

pub(super) struct FluidPaths<'a> {
    spec: &'a ValidSpec,
    source_ports: SourcePorts,
    /// Flows that came before: of a task graph they start in another order in the run.
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

    /// The ports by which the first of so many flows leaves, its source's first, each with the
    /// share of its packets.
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
