//! The packet trace: how many events it will have.

use incast_net::TraceConfig;
use incast_units::Rate;

use super::fluid::FluidRun;
use crate::spec::ValidSpec;

/// Events of a packet-hop: the packet takes its place, leaves, and arrives.
const EVENTS_PER_HOP: f64 = 3.0;

/// Events that a run will write down, if traced flows are like the others, and ports are busy as
/// long as they are traced.
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

/// Events at the ports that are traced, if they send and receive full packets all the time.
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
    // Data each way, and an ACK for each.
    2.0 * EVENTS_PER_HOP * traced.map(|(_, port)| packets(port.rate)).sum::<f64>()
}
