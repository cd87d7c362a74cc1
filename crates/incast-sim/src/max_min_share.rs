//! The share that each flow got of its max-min fair rate.
//!
//! At any moment the max-min fair rates of the flows alive are those of progressive filling. All
//! rates rise alike until a link is full. Flows on it keep what they have, the others rise on.
//! Every link carries payload at its rate × MTU / (MTU with its headers); ACKs are left out. Flows
//! are on the links that their packets took, on each with its share of them, from their start for
//! as long as they were held up and had to send:
//!
//! ```text
//! T = size / C + (FCT − FCT alone)       C: the least capacity on the path, over the share there
//! share = size / ∫ r(t) dt over T        r: its max-min fair rate then
//! ```
//!
//! Alone, a flow has the packets of the run, with INT and timestamps, which the ideal FCT leaves
//! out. So a flow alone that fills its link has share 1, however short: what the first packet's way
//! and the last ACK's take counts for no share. Flows that did not complete take
//! part until the end; they have no share.
//!
//! Exact, and computed after the run. At every arrival and departure the rates are filled anew in
//! the part of the network that it can touch: the flows that are connected with it by common links.

mod filling;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use incast_net::{Flow, FlowAddress};
use incast_units::{Bytes, Rate, Time};

use crate::spec::ValidSpec;
use filling::FillingNetwork;

/// How a flow ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) fct: Time,
    /// Its FCT alone on the empty network, with the packets of this run.
    pub(crate) alone: Time,
}

/// The share of each flow, by number; `None` for those that did not complete. None at all if
/// `go_on`, which is asked again and again, breaks off.
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

/// Payload that a link carries, in bytes per ps, by packets of `mtu` that take `wire` there.
fn capacity(rate: Rate, mtu: Bytes, wire: Bytes) -> f64 {
    let payload = mtu.as_u64() as f64 / wire.as_u64() as f64;
    rate.as_bps() as f64 * payload / 8e12
}

/// How long a flow took for its payload: what that needs at least, and what it was held up.
fn busy(flow: &Flow, completion: Completion, capacity: f64) -> Time {
    let least = (flow.size.as_u64() as f64 / capacity).ceil() as u64;
    Time::from_ps(least.max(1)) + completion.fct.saturating_sub(completion.alone)
}

/// The ports by which a flow's data leave, by global index, each with the share of its packets.
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
