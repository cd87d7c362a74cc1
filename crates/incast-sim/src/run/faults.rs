//! Effects of link faults on a run and its results.

use incast_net::{FaultRecord, PortCounters, Recording, Stall, UnfinishedFlow};
use incast_topology::Ports;
use incast_units::{NodeId, Time};

use super::error::ConservationViolation;
use crate::results::FaultRow;
use crate::spec::ValidSpec;

/// Whether faults may change paths: flows may then be faster than on the healthy network.
pub(super) fn change_paths(spec: &ValidSpec) -> bool {
    spec.faults()
        .is_some_and(|faults| faults.plan.changes_routes())
}

/// The faults of links that began before `end`, with their consequences; `None` without faults.
pub(super) fn rows(spec: &ValidSpec, recording: &Recording, end: Time) -> Option<Vec<FaultRow>> {
    let (faults, record) = spec.faults().zip(recording.faults.as_ref())?;
    let topology = spec.topology();
    let ports = Ports::new(topology);
    let nodes = (0..topology.nodes()).map(NodeId);
    let links = nodes.flat_map(|node| ports.of(node)).map(|port| port.link);
    let sent = |counters: &PortCounters| counters.data_packets + counters.control_packets > 0;
    let crossed = links.zip(&recording.ports);
    let crossed = crossed.filter(|(_, counters)| sent(counters));
    let crossed = crossed.map(|(link, _)| link).collect();
    Some(FaultRow::of(faults, record, topology, (&crossed, end)))
}

/// The description of a stall whose flows have no path left.
pub(super) fn cut_off(spec: &ValidSpec, stall: &Stall, unfinished: &[UnfinishedFlow]) -> String {
    let Some(faults) = spec.faults() else {
        return String::new();
    };
    let mut stuck = unfinished.iter().filter(|each| {
        let flow = &each.flow;
        stall.flows().binary_search(&flow.id).is_ok()
            && !faults
                .plan
                .are_connected_in_the_end(flow.source, flow.destination)
    });
    let Some(first) = stuck.next() else {
        return String::new();
    };
    let more = match stuck.count() {
        0 => String::new(),
        others => format!(", nor for {others} more of these flows"),
    };
    let name = |host: incast_units::HostId| spec.topology().node_name(host.into());
    format!(
        "; links that failed for good leave no way from {} to {} (flow {}){more}",
        name(first.flow.source),
        name(first.flow.destination),
        first.flow.id
    )
}

/// Checks that every packet that left on a link has arrived or is counted as lost, and that every
/// packet at a switch was forwarded or dropped. With `is_whole`, none may be under way.
pub(super) fn balance(
    spec: &ValidSpec,
    recording: &Recording,
    is_whole: bool,
) -> Option<ConservationViolation> {
    let record = recording.faults.as_ref()?;
    let FaultRecord {
        arrived_at_hosts,
        arrived_at_switches,
        ..
    } = record;
    let losses = record.losses();
    let accounted = arrived_at_hosts + arrived_at_switches + losses.on_links();
    let sent = recording.packet_hops;
    let hosts = spec.topology().hosts as usize;
    let left = recording.ports[hosts..]
        .iter()
        .map(|port| port.data_packets + port.control_packets + port.dropped)
        .sum::<u64>()
        + losses.unreachable;
    // Some switch programs create packets.
    let makes_packets = !spec.network().programs.is_empty();
    let balances = match is_whole {
        true => sent == accounted && (makes_packets || left == *arrived_at_switches),
        false => sent >= accounted && (makes_packets || left <= *arrived_at_switches),
    };
    (!balances).then_some(ConservationViolation::Packets {
        sent,
        arrived: arrived_at_hosts + arrived_at_switches,
        lost: losses.on_links(),
        forwarded: left,
    })
}
