use incast_topology::{Link, NextHopOrder, Routes, Topology};
use incast_units::{HostId, NodeId, Rate, Time};

use rustc_hash::FxHashSet;

use super::plan::{Affected, FaultPlan, GlobalChange, PortChange};
use super::{FaultKind, LinkFault};
use crate::clock::Clock;
use crate::measure::FaultLog;

fn us(time: u64) -> Time {
    Time::from_us(time)
}

/// Hosts 0 and 1 below switches 2 and 3, with switches 4 and 5 between them. Links 0 and 1 lead to
/// the hosts; links 2 to 5 are 2–4, 2–5, 4–3, 5–3.
fn square() -> Topology {
    let ends = [(0, 2), (1, 3), (2, 4), (2, 5), (4, 3), (5, 3)];
    let link = |(a, b)| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), us(1));
    Topology::new("square", 2, 4, ends.map(link).to_vec())
}

pub(super) fn plan(faults: Vec<LinkFault>) -> FaultPlan {
    let topology = square();
    let order = NextHopOrder::ByPort;
    let healthy = Routes::shortest(&topology, order);
    FaultPlan::new(faults, &topology, &healthy, order, Clock::Picoseconds)
}

fn down(link: u32, from: u64, until: u64, detection: u64) -> LinkFault {
    LinkFault {
        links: vec![link],
        kind: FaultKind::Down {
            detection: us(detection),
        },
        from: us(from),
        until: us(until),
    }
}

/// Down in [10, 20) and [30, 40) µs: a packet is lost if it is on the link at any time in either
/// interval.
#[test]
fn a_packet_is_lost_if_its_link_is_down_while_it_is_on_its_way() {
    let plan = plan(vec![down(2, 30, 40, 0), down(2, 10, 20, 0)]);
    let schedule = plan.schedule(2).expect("it has faults");
    for (start, end, fault) in [
        (8, 9, None),
        (8, 10, Some(1)),
        (12, 13, Some(1)),
        (19, 21, Some(1)),
        (20, 21, None),
        (20, 30, Some(0)),
        (5, 50, Some(1)),
        (40, 41, None),
    ] {
        let found = schedule.down_within(us(start), us(end));
        assert_eq!(found, fault, "{start} to {end}");
    }
    assert!(plan.schedule(3).is_none());
}

/// Detection takes 5 µs. A failure in [10, 12) is over before it is noticed. A failure in [20, 40)
/// is noticed at 25, its end at 45. After failures in [50, 60) and [63, 80) the 3 µs between them
/// are not noticed.
#[test]
fn routes_follow_what_lasts() {
    let faults = [(10, 12), (20, 40), (50, 60), (63, 80)];
    let plan = plan(faults.map(|(from, until)| down(2, from, until, 5)).to_vec());
    let epochs: Vec<_> = plan
        .global()
        .iter()
        .filter(|(_, change)| matches!(change, GlobalChange::Epoch(_)))
        .map(|(time, _)| time.as_ps() / 1_000_000)
        .collect();
    assert_eq!(epochs, [25, 45, 55, 85]);
    // Five epochs have two sets of routes: with the link and without it.
    assert_eq!(plan.routes().len(), 2);
    let hops = |epoch| {
        let routes = plan.routes_of(epoch);
        routes.next_hops(NodeId(2), HostId(1)).to_vec()
    };
    assert_eq!(
        [hops(0), hops(1), hops(2)],
        [vec![1, 2], vec![2], vec![1, 2]]
    );
}

/// Flows have no path while a link of one of their hosts is down, or both upward links of switch 2.
#[test]
fn who_is_cut_off_is_known() {
    let hosts = [HostId(0), HostId(1)];
    let host_link = plan(vec![down(1, 10, 20, 1)]);
    assert!(!host_link.are_connected(1, hosts) && host_link.are_connected(2, hosts));
    assert!(!host_link.changes_routes());
    let mut faults = vec![down(2, 10, 20, 1), down(3, 12, 20, 1)];
    faults[1].until = Time::MAX;
    let uplinks = plan(faults);
    let connected: Vec<_> = (0..4)
        .map(|epoch| uplinks.are_connected(epoch, hosts))
        .collect();
    assert_eq!(connected, [true, true, false, true]);
    assert!(uplinks.are_connected_in_the_end(hosts[0], hosts[1]));
    let over: Vec<_> = uplinks
        .global()
        .iter()
        .filter(|(_, change)| matches!(change, GlobalChange::Over(..)))
        .collect();
    assert_eq!(
        over,
        [
            &(us(11), GlobalChange::Over(0, Affected::Connected(1))),
            &(us(13), GlobalChange::Over(1, Affected::ConnectedForGood(2))),
            &(us(20), GlobalChange::Over(0, Affected::CutOff(1))),
        ]
    );
}

/// 25 Gb/s in [10, 20) µs, 50 Gb/s right after, until 30.
#[test]
fn rates_follow_each_other() {
    let degraded = |gbps, from, until| LinkFault {
        links: vec![4],
        kind: FaultKind::Degraded {
            rate: Rate::from_gbps(gbps),
        },
        from: us(from),
        until: us(until),
    };
    let plan = plan(vec![degraded(25, 10, 20), degraded(50, 20, 30)]);
    let changes = plan.changes(4, Rate::from_gbps(100));
    let rate = |gbps| PortChange::Rate(Rate::from_gbps(gbps));
    assert_eq!(
        changes,
        [
            (us(10), rate(25)),
            (us(20), rate(50)),
            (us(20), rate(50)),
            (us(30), rate(100))
        ]
    );
    assert_eq!(plan.times(), [us(10), us(20), us(30)]);
}

/// The link is down in [10, 20), and the run ends at 15. A flow that lost a packet and has
/// completed since had recovered by then. Recovery after the end is not known.
#[test]
fn nothing_recovers_after_the_end_of_a_run() {
    let plan = plan(vec![down(2, 10, 20, 1)]);
    let recovered = |end: u64| {
        let mut log = FaultLog::default();
        log.affected.insert((0, 7));
        let record = plan.record(log, &FxHashSet::default(), &[], us(end));
        record.faults[0].recovered
    };
    assert_eq!(recovered(15), Some(us(15)));
    assert_eq!(recovered(50), Some(plan.over_at(0)));
    assert!(plan.over_at(0) < us(50));
}
