//! The number of events in the packet trace.

use incast_net::TraceConfig;
use incast_units::Rate;

use super::fluid::FluidRun;
use crate::spec::ValidSpec;

/// Events for each packet-hop: enqueue, send, and arrival.
const EVENTS_PER_HOP: f64 = 3.0;

/// The number of events, if traced flows are like all others, and traced ports are always busy.
pub(super) fn events(spec: &ValidSpec, run: &FluidRun) -> f64 {
    let Some(trace) = &spec.measure().packets else {
        return 0.0;
    };
    let all = EVENTS_PER_HOP * run.packet_hops;
    let of_flows = match &trace.flows {
        Some(flows) => all * (flows.len() as f64 / run.flows.max(1.0)).min(1.0),
        None => all,
    };
    of_flows
        .min(at_busy_ports(trace, spec, run))
        .min(trace.limit as f64)
}

/// The number of events at traced ports, if these always send and receive full packets.
fn at_busy_ports(trace: &TraceConfig, spec: &ValidSpec, run: &FluidRun) -> f64 {
    let time = trace.until.min(run.end).saturating_sub(trace.from);
    let full = spec.wire_size(spec.network().packets.mtu).as_u64() as f64;
    let packets = |rate: Rate| rate.as_bps() as f64 / 8e12 * time.as_ps() as f64 / full;
    let ports = spec.ports().iter().enumerate();
    let is_traced = |number: usize| match &trace.ports {
        Some(traced) => traced.binary_search(&(number as u32)).is_ok(),
        None => true,
    };
    let traced = ports.filter(|&(number, _)| is_traced(number));
    // Data in both directions, with an ACK for each packet.
    2.0 * EVENTS_PER_HOP * traced.map(|(_, port)| packets(port.rate)).sum::<f64>()
}
