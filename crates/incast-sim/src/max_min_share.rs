//! The share of its max-min fair rate that each flow got.
//!
//! At any time the max-min fair rates of the flows under way are those of progressive filling. All
//! rates increase equally until a link is full. Flows on this link keep their rates, the other
//! rates increase further. Every link carries payload at its rate × MTU / (MTU with its headers);
//! ACKs are ignored. A flow is on the links of its packets, on each with the link's share of them.
//! It is there from its start for a time T:
//!
//! ```text
//! T = size / C + (FCT − FCT alone)       C: the least capacity on the path, over the share there
//! share = size / ∫ r(t) dt over T        r: the flow's max-min fair rate at time t
//! ```
//!
//! The FCT alone counts this run's packets, with INT and timestamps, unlike the ideal FCT. So a
//! lone flow that fills its link has share 1, however short it is: the delays of the first packet
//! and of the last ACK do not count. Flows that did not complete take part until the end of the
//! run, and have no share.
//!
//! The result is exact, and computed after the run. At every arrival and departure of a flow, rates
//! are computed anew for all flows that common links connect with it.

mod filling;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use incast_net::{Flow, FlowAddress};
use incast_units::{Bytes, Rate, Time};

use crate::spec::ValidSpec;
use filling::FillingNetwork;

/// The FCT of a completed flow, and its FCT alone.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) fct: Time,
    /// FCT of the flow alone on the empty network, with the packets of this run.
    pub(crate) alone: Time,
}

/// The share of each flow, by number; `None` for flows that did not complete. `go_on` is called
/// repeatedly; if it breaks off, there is no result.
pub(crate) fn fair_shares(
    spec: &ValidSpec,
    flows: &[Flow],
    completions: &[Option<Completion>],
    end: Time,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Vec<Option<f64>>> {
    let mtu = spec.network().packets.mtu;
    let wire = spec.wire_size(mtu);
    let rates = spec.ports().iter().map(|port| port.rate);
    let capacities: Vec<f64> = rates.map(|rate| capacity(rate, mtu, wire)).collect();
    let mut network = FillingNetwork::new(&capacities);
    for (flow, completion) in flows.iter().zip(completions) {
        let links = links(spec, flow);
        let least = links
            .iter()
            .map(|&(link, share)| capacities[link as usize] / share);
        let least = least.fold(f64::INFINITY, f64::min);
        let until = match completion {
            Some(completion) => flow.start + busy(flow, *completion, least),
            None => end.max(flow.start),
        };
        network.add(&links, flow.start.as_ps(), until.as_ps());
    }
    let fair = network.fair_bytes(go_on)?;
    let share = |((flow, completion), fair): ((&Flow, &Option<Completion>), f64)| {
        completion.map(|_| flow.size.as_u64() as f64 / fair)
    };
    Some(flows.iter().zip(completions).zip(fair).map(share).collect())
}

/// Payload capacity of a link in bytes per ps, for packets of `mtu` payload and `wire` bytes there.
fn capacity(rate: Rate, mtu: Bytes, wire: Bytes) -> f64 {
    let payload = mtu.as_u64() as f64 / wire.as_u64() as f64;
    rate.as_bps() as f64 * payload / 8e12
}

/// The time T of a flow: the least time for its payload, plus the delay by other flows.
fn busy(flow: &Flow, completion: Completion, capacity: f64) -> Time {
    let least = (flow.size.as_u64() as f64 / capacity).ceil() as u64;
    Time::from_ps(least.max(1)) + completion.fct.saturating_sub(completion.alone)
}

/// The ports on the paths of a flow's data, by global index, each with the share of its packets.
fn links(spec: &ValidSpec, flow: &Flow) -> Vec<(u32, f64)> {
    let address = FlowAddress {
        source: flow.source,
        destination: flow.destination,
        source_port: flow.source_port,
    };
    let ports = spec.ports();
    let hops = spec.path_shares(flow.tag).of(address);
    hops.map(|(hop, share)| (ports.index(hop.node, hop.port), share))
        .collect()
}
