use incast_units::Bytes;

use super::super::TrafficSpec;
use super::super::tests::{flows, network, refused, short};
use super::*;
use crate::files::no_files;
use crate::workload::Workload;

fn kilobytes() -> AllToAllSpec {
    AllToAllSpec::new(Bytes::new(1_000))
}

/// First each host sends to the next, then to the one after; a flow to itself is left out.
#[test]
fn everyone_sends_to_everyone_else() {
    let pairs: Vec<_> = flows(kilobytes(), 3, 1)
        .iter()
        .map(|flow| (flow.source.0, flow.destination.0))
        .collect();
    assert_eq!(pairs, [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1)]);
}

#[test]
fn one_source_is_a_broadcast() {
    let spec = AllToAllSpec {
        sources: HostId(1).into(),
        destinations: "0-3".parse().unwrap(),
        start: Time::from_us(7),
        ..kilobytes()
    };
    let expected = [(7.0, 1, 2, 1_000), (7.0, 1, 3, 1_000), (7.0, 1, 0, 1_000)];
    assert_eq!(short(&flows(spec, 5, 1)), expected);
}

/// Sources 0–3, destinations 2–5: 16 pairs without 2→2 and 3→3.
#[test]
fn flows_are_counted() {
    let spec: TrafficSpec = AllToAllSpec {
        sources: "0-3".parse().unwrap(),
        destinations: "2-5".parse().unwrap(),
        ..kilobytes()
    }
    .into();
    let workload = Workload::new(std::slice::from_ref(&spec), &network(6), &no_files()).unwrap();
    assert_eq!(workload.expected_flows(1).unwrap(), 14.0);
    assert_eq!(flows(spec, 6, 1).len(), 14);
}

/// 20 sources draw 3 of 5 destinations, 400 times. The 20 sources draw each destination
/// 20 · 400 · 3/5 = 4 800 times, standard deviation √(8000 · 0.6 · 0.4) = 44; five of them are 219.
#[test]
fn each_source_may_draw_its_destinations() {
    let spec = AllToAllSpec {
        sources: "0-19".parse().unwrap(),
        destinations: "20-24".parse().unwrap(),
        fan_out: Some(3),
        rounds: Some(Rounds {
            count: 400,
            every: Time::from_us(1),
        }),
        ..kilobytes()
    };
    let flows = flows(spec, 25, 1);
    let mut drawn = [0_usize; 5];
    for group in flows.chunks(3) {
        assert!(group.iter().all(|flow| flow.source == group[0].source));
        let distinct: std::collections::BTreeSet<_> =
            group.iter().map(|flow| flow.destination).collect();
        assert_eq!(distinct.len(), 3);
        distinct
            .iter()
            .for_each(|host| drawn[host.index() - 20] += 1);
    }
    assert!(
        drawn.iter().all(|count| count.abs_diff(4_800) < 219),
        "{drawn:?}"
    );
}

#[test]
fn no_host_draws_itself() {
    let spec = AllToAllSpec {
        fan_out: Some(2),
        ..kilobytes()
    };
    let flows = flows(spec, 3, 1);
    assert_eq!(flows.len(), 6);
    assert!(flows.iter().all(|flow| flow.source != flow.destination));
}

#[test]
fn impossible_fan_outs_are_refused() {
    let fan_out = |fan_out| AllToAllSpec {
        fan_out: Some(fan_out),
        ..kilobytes()
    };
    assert_eq!(
        refused(fan_out(0), 4),
        "fan_out: 0 makes no traffic; give at least 1"
    );
    assert_eq!(
        refused(fan_out(4), 4),
        "fan_out: 4 hosts cannot be drawn from 3; give at most 3"
    );
}

#[test]
fn sending_to_oneself_alone_is_refused() {
    let spec = AllToAllSpec {
        sources: "0-3".parse().unwrap(),
        destinations: HostId(2).into(),
        ..kilobytes()
    };
    assert_eq!(
        refused(spec, 6),
        "destinations: host 2 has only itself to send to; add another host"
    );
    assert_eq!(
        refused(kilobytes(), 1),
        "destinations: host 0 has only itself to send to; add another host"
    );
}

/// Two leaves, hosts 0–2 and 3–5: 4 links between hosts of different leaves, 2 within a leaf. Of
/// the destinations 0 and 3, a source sends only to the one at the other leaf.
#[test]
fn the_farthest_are_on_other_leaves() {
    let network = network(6).with_distances(|from, to| match from.0 / 3 == to.0 / 3 {
        true => 2,
        false => 4,
    });
    let spec = |fan_out| AllToAllSpec {
        destinations: "0,3".parse().unwrap(),
        farthest: true,
        fan_out,
        ..kilobytes()
    };
    let pairs = |fan_out| {
        let workload = Workload::new(&[spec(fan_out).into()], &network, &no_files()).unwrap();
        assert_eq!(workload.expected_flows(1).unwrap(), 6.0);
        let flows = workload.flows(1).unwrap().map(Result::unwrap);
        let mut pairs: Vec<_> = flows
            .map(|flow| (flow.source.0, flow.destination.0))
            .collect();
        pairs.sort_unstable();
        pairs
    };
    let expected = [(0, 3), (1, 3), (2, 3), (3, 0), (4, 0), (5, 0)];
    assert_eq!(pairs(None), expected);
    assert_eq!(pairs(Some(1)), expected);
    let error = Workload::new(&[spec(Some(2)).into()], &network, &no_files()).unwrap_err();
    let message = "traffic[0].fan_out: 2 hosts cannot be drawn from 1; give at most 1";
    assert_eq!(error.to_string(), message);
}
