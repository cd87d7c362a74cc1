//! The hosts of a fluid run: each receives one flow after the other, at its link's rate.

use incast_units::{Bytes, HostId, NodeId, Rate, Time};
use incast_workload::Flow;

use super::openings::Openings;
use super::sharing::{SharedLinks, Visit};
use crate::spec::ValidSpec;

const PS_PER_SECOND: f64 = 1e12;
pub(super) struct Receivers<'a> {
    spec: &'a ValidSpec,
    /// By entry: whether senders send as fast as their links carry.
    are_uncontrolled: Vec<bool>,
    stop: f64,
    base_rtt: f64,
    /// By host: when it has received what was sent to it, in ps.
    free_at: Vec<f64>,
    pub(super) links: SharedLinks,
    pub(super) openings: Openings,
    /// By host: the most packets that waited for its link at once, if nothing holds their senders
    /// back.
    backlogs: Vec<f64>,
}

/// What becomes of flows, as far as it arrives before the run is stopped.
pub(super) struct Reception {
    pub(super) packet_hops: f64,
    /// Packets that links hold, times how long, in ps.
    pub(super) held_ps: f64,
    /// When the links of both hosts have carried it, in ps.
    pub(super) received: f64,
    /// How long the receiver's link carries it, in ps.
    pub(super) received_ps: f64,
}

impl<'a> Receivers<'a> {
    pub(super) fn new(spec: &'a ValidSpec, stop: Time) -> Self {
        let hosts = spec.topology().hosts as usize;
        let entries = spec.workload.entries().len();
        let base_rtt = spec.largest_base_rtt().rtt.as_ps() as f64;
        let stop = stop.as_ps() as f64;
        Self {
            spec,
            stop,
            base_rtt,
            free_at: vec![0.0; hosts],
            links: SharedLinks::new(hosts, entries, stop, base_rtt),
            are_uncontrolled: (0..entries)
                .map(|tag| spec.algorithms().are_uncontrolled(tag as u16))
                .collect(),
            openings: Openings::new(spec),
            backlogs: vec![0.0; hosts],
        }
    }

    /// Adds flows of an entry, which start no sooner than those before.
    pub(super) fn add(&mut self, flow: &Flow, flows: f64) -> Reception {
        let (source, destination) = (flow.source, flow.destination);
        let (start, stop) = (flow.start.as_ps() as f64, self.stop);
        let spec = self.spec;
        let packets = &spec.network().packets;
        let mtu = packets.mtu.as_u64();
        let each = flow.size.as_u64().div_ceil(mtu) as f64;
        let full = Bytes::new(flow.size.as_u64().min(mtu));
        let wire = each * spec.wire_size(full).as_u64() as f64;
        let begin = self.free_at[destination.index()].max(start);
        let rate = spec.pair(source, destination).rate;
        let hosts = [source, destination];
        let time_at = |rate: Rate| flows * wire * 8.0 * PS_PER_SECOND / rate.as_bps() as f64;
        let rate = rate.min(rate_beside_faults(spec, hosts, Time::from_ps(begin as u64)));
        let (time, nic) = (time_at(rate), spec.ports().of(NodeId::from(source))[0].rate);
        let count = flows * each;
        let times = [time_at(nic), time];
        let sending = self
            .openings
            .add(source.index(), [start, stop], count, times[0]);
        let visit = Visit {
            entry: flow.tag,
            flows,
            packets: each,
            times,
        };
        self.links.add(hosts.map(HostId::index), start, visit);
        self.free_at[destination.index()] = begin + time;
        let received = begin + time;
        let end = (received + self.base_rtt).min(stop);
        let sent = ((stop - begin) / time.max(1.0)).clamp(0.0, 1.0);
        let links = f64::from(spec.routes().hops(source, destination).unwrap_or_default());
        let acks = count / f64::from(spec.network().ack_every);
        let mut packet_hops = sent * (count + acks) * links;
        if self.are_uncontrolled[usize::from(flow.tag)] {
            // What the source has sent by then, and the receiver's link has not carried.
            let [first, last] = sending.map(|at| at.min(stop));
            let arrived = ((last - first) / times[0].max(1.0)).clamp(0.0, 1.0);
            packet_hops += (arrived - sent).max(0.0) * count * (links - 1.0).max(0.0);
            let backlog = &mut self.backlogs[destination.index()];
            let not_carried = (begin + time - last) * (count / time.max(1.0));
            *backlog = backlog.max(not_carried - (1.0 - arrived) * count);
        }
        let under_way = (end - begin).clamp(0.0, self.base_rtt);
        let held = (count * under_way / time.max(1.0)).min(sent * count);
        Reception {
            packet_hops,
            held_ps: held * (end - begin).max(0.0),
            received: received.max(sending[1]),
            received_ps: sent * time,
        }
    }

    /// Packets that wait at switches, at most, if nothing holds their senders back.
    pub(super) fn queued(&self) -> f64 {
        self.backlogs.iter().sum()
    }
}

/// What the links of these hosts carry at a moment, where faults slow them down.
fn rate_beside_faults(spec: &ValidSpec, hosts: [HostId; 2], time: Time) -> Rate {
    let plan = spec.faults().map(|faults| &faults.plan);
    let rate = |host| plan.and_then(|plan| plan.degraded_rate(host, time));
    let degraded = hosts.into_iter().filter_map(rate);
    degraded.min().unwrap_or(Rate::from_bps(u64::MAX))
}

/// Full packets that all switches can hold.
pub(super) fn room_of_buffers(spec: &ValidSpec) -> f64 {
    let each =
        spec.network().buffer.size.as_u64() / spec.wire_size(spec.network().packets.mtu).as_u64();
    f64::from(spec.topology().switches) * each as f64
}
