//! The packet trace: how many events it will have.

use incast_net::TraceConfig;

use super::fluid::FluidRun;
use crate::spec::ValidSpec;

/// Events of a packet-hop: the packet takes its place, leaves, and arrives.
const EVENTS_PER_HOP: f64 = 3.0;

/// Events that a run will write down, at most.
pub(super) fn events(spec: &ValidSpec, run: &FluidRun) -> f64 {
    let Some(trace) = &spec.measure().packets else {
        return 0.0;
    };
    let share = (run.share_until(trace.until) - run.share_until(trace.from)).max(0.0);
    let all = EVENTS_PER_HOP * run.packet_hops * share;
    let of_flows = match &trace.flows {
        Some(flows) => all * (flows.len() as f64 / run.flows.max(1.0)).min(1.0),
        None => all,
    };
    of_flows
        .min(at_ports(trace, spec, run, all))
        .min(trace.limit as f64)
}

/// Events at the ports that are traced, of `all` in the time that is traced: what they have if they
/// send and receive full packets all the time, or an equal share if that is more.
fn at_ports(trace: &TraceConfig, spec: &ValidSpec, run: &FluidRun, all: f64) -> f64 {
    let Some(traced) = &trace.ports else {
        return all;
    };
    let time = trace.until.min(run.end).saturating_sub(trace.from);
    let full = spec.wire_size(spec.network().packets.mtu).as_u64() as f64;
    let ports: Vec<_> = spec.ports().iter().collect();
    let packets = traced.iter().map(|&port| {
        let bytes = ports[port as usize].rate.as_bps() as f64 / 8e12 * time.as_ps() as f64;
        bytes / full
    });
    // Data each way, and an ACK for each.
    let busy = 2.0 * EVENTS_PER_HOP * packets.sum::<f64>();
    busy.max(all * traced.len() as f64 / ports.len() as f64)
}
