//! The network of a fluid run: each link carries one flow after the other, at its rate.
//!
//! A flow occupies its source's link and the links of its path. Of the path, only the bottleneck
//! counts: the link that finishes the flow last.

use incast_topology::Hop;
use incast_units::{Bytes, Rate, Time};
use incast_workload::Flow;

use super::openings::Openings;
use super::paths::FluidPaths;
use super::sharing::{SharedLinks, Visit};
use crate::spec::ValidSpec;

const PS_PER_SECOND: f64 = 1e12;

/// Number of data packets of a message or a flow.
pub(super) fn packets_of(size: Bytes, mtu: Bytes) -> f64 {
    size.as_u64().div_ceil(mtu.as_u64()) as f64
}

pub(super) struct FluidNetwork<'a> {
    spec: &'a ValidSpec,
    /// Whether the flows of each traffic entry have no congestion control.
    are_uncontrolled: Vec<bool>,
    stop: f64,
    base_rtt: f64,
    paths: FluidPaths<'a>,
    /// For each port, the time in ps at which its link has carried all flows so far.
    free_at: Vec<f64>,
    pub(super) links: SharedLinks,
    pub(super) openings: Openings,
    /// For each port, the most packets that were queued there, of flows without congestion control.
    backlogs: Vec<f64>,
}

/// The reception of flows, up to the stop time.
pub(super) struct Reception {
    pub(super) packet_hops: f64,
    /// Packets on links, times their duration there in ps.
    pub(super) held_ps: f64,
    /// The time in ps at which all links have carried the flows.
    pub(super) received: f64,
    /// The port of the bottleneck, and the time in ps for which its link carries the flows.
    pub(super) bottleneck: u32,
    pub(super) carried_ps: f64,
}

/// The bottleneck of a flow: its port, and when and for how long its link carries the flow, in ps.
struct Bottleneck {
    port: u32,
    begin: f64,
    time: f64,
    /// Number of links that the flow crosses; the mean, if its packets take several paths.
    links: f64,
}

impl<'a> FluidNetwork<'a> {
    pub(super) fn new(spec: &'a ValidSpec, stop: Time) -> Self {
        let (hosts, ports) = (spec.topology().hosts as usize, spec.ports().count());
        let entries = spec.workload.entries().len();
        let base_rtt = spec.largest_base_rtt().rtt.as_ps() as f64;
        let stop = stop.as_ps() as f64;
        Self {
            spec,
            stop,
            base_rtt,
            paths: FluidPaths::new(spec),
            free_at: vec![0.0; ports],
            links: SharedLinks::new([hosts, ports], entries, stop, base_rtt),
            are_uncontrolled: (0..entries)
                .map(|tag| spec.algorithms().are_uncontrolled(tag as u16))
                .collect(),
            openings: Openings::new(spec),
            backlogs: vec![0.0; ports],
        }
    }

    /// Adds flows of one entry, which start no earlier than those before.
    pub(super) fn add(&mut self, flow: &Flow, flows: f64) -> Reception {
        let (start, stop) = (flow.start.as_ps() as f64, self.stop);
        let spec = self.spec;
        let mtu = spec.network().packets.mtu;
        let each = packets_of(flow.size, mtu);
        let full = flow.size.min(mtu);
        let bits = flows * each * spec.wire_size(full).as_u64() as f64 * 8.0;
        let count = flows * each;
        let nic = Hop {
            node: flow.source.into(),
            port: 0,
        };
        let at_source = time_of(bits, rate_at(spec, nic, start));
        let source = flow.source.index();
        let sending = self.openings.add(source, [start, stop], count, at_source);
        let bottleneck = self.carry(flow, flows, bits);
        let Bottleneck {
            port,
            begin,
            time,
            links,
        } = bottleneck;
        let visit = Visit {
            entry: flow.tag,
            flows,
            times: [at_source, time],
        };
        self.links.add([source, port as usize], start, visit);
        let received = begin + time;
        let end = (received + self.base_rtt).min(stop);
        let sent = ((stop - begin) / time.max(1.0)).clamp(0.0, 1.0);
        let acks = count / f64::from(spec.network().acks.full_packets(spec.network().packets.mtu));
        let mut packet_hops = sent * (count + acks) * links;
        if self.are_uncontrolled[usize::from(flow.tag)] {
            // Adds the packets that the source has sent by the stop time, but the bottleneck has
            // not carried.
            let [first, last] = sending.map(|at| at.min(stop));
            let arrived = ((last - first) / at_source.max(1.0)).clamp(0.0, 1.0);
            packet_hops += (arrived - sent).max(0.0) * count * (links - 1.0).max(0.0);
            let backlog = &mut self.backlogs[port as usize];
            let not_carried = (begin + time - last) * (count / time.max(1.0));
            *backlog = backlog.max(not_carried - (1.0 - arrived) * count);
        }
        let under_way = (end - begin).clamp(0.0, self.base_rtt);
        let held = (count * under_way / time.max(1.0)).min(sent * count);
        Reception {
            packet_hops,
            held_ps: held * (end - begin).max(0.0),
            received: received.max(sending[1]),
            bottleneck: port,
            carried_ps: sent * time,
        }
    }

    /// Adds flows, one after the other, to the links after their source's; returns the bottleneck.
    fn carry(&mut self, flow: &Flow, flows: f64, bits: f64) -> Bottleneck {
        let spec = self.spec;
        let start = flow.start.as_ps() as f64;
        let mut last = Bottleneck {
            port: spec.ports().index(flow.source.into(), 0),
            begin: start,
            time: 0.0,
            links: 1.0,
        };
        for (hop, share) in self.paths.of(flow, flows).skip(1) {
            let port = spec.ports().index(hop.node, hop.port);
            let free_at = &mut self.free_at[port as usize];
            let begin = free_at.max(start);
            let time = time_of(bits * share, rate_at(spec, hop, begin));
            *free_at = begin + time;
            last.links += share;
            if *free_at >= last.begin + last.time {
                (last.port, last.begin, last.time) = (port, begin, time);
            }
        }
        last
    }

    /// The most packets queued at switches, by flows without congestion control.
    pub(super) fn queued(&self) -> f64 {
        self.backlogs.iter().sum()
    }
}

/// Transmission time of `bits` in ps.
fn time_of(bits: f64, rate: Rate) -> f64 {
    bits * PS_PER_SECOND / rate.as_bps() as f64
}

/// The rate of a link at time `moment` in ps; faults may degrade it.
fn rate_at(spec: &ValidSpec, hop: Hop, moment: f64) -> Rate {
    let port = &spec.ports().of(hop.node)[usize::from(hop.port)];
    let faults = spec.faults();
    let degraded = faults.and_then(|faults| {
        faults
            .plan
            .degraded_rate(port.link, Time::from_ps(moment as u64))
    });
    degraded.map_or(port.rate, |rate| rate.min(port.rate))
}

/// Number of full packets that the buffers of all switches can hold.
pub(super) fn room_of_buffers(spec: &ValidSpec) -> f64 {
    let each =
        spec.network().buffer.size.as_u64() / spec.wire_size(spec.network().packets.mtu).as_u64();
    f64::from(spec.topology().switches) * each as f64
}
