use incast_units::Bytes;

use super::super::tests::{flows, network, refused, short};
use super::super::{TrafficSpec, Workload};
use super::*;

fn kilobytes() -> AllToAllSpec {
    AllToAllSpec::new(Bytes::new(1_000))
}

/// First everyone's next, then the one after; the step back to oneself is left out.
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
    let workload = Workload::new(
        std::slice::from_ref(&spec),
        &network(6),
        std::path::Path::new("."),
    )
    .unwrap();
    assert_eq!(workload.expected_flows(), 14.0);
    assert_eq!(flows(spec, 6, 1).len(), 14);
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
