use super::super::tests::{flows, refused, short};
use super::*;

fn given(start_us: u64, source: u32, destination: u32, size: u64) -> GivenFlow {
    GivenFlow {
        source: HostId(source).into(),
        destination: HostId(destination).into(),
        size: Bytes::new(size),
        start: Time::from_us(start_us),
    }
}

#[test]
fn flows_are_put_in_order_of_start() {
    let spec = FlowsSpec::new(vec![
        given(2, 0, 1, 10),
        given(1, 1, 2, 20),
        given(1, 0, 2, 30),
    ]);
    let expected = [(1.0, 1, 2, 20), (1.0, 0, 2, 30), (2.0, 0, 1, 10)];
    assert_eq!(short(&flows(spec, 3, 1)), expected);
}

#[test]
fn bad_flows_are_refused() {
    for (bad, message) in [
        (
            given(0, 3, 0, 1),
            "flows[1].source: host 3 does not exist; the network has hosts 0–2",
        ),
        (
            given(0, 1, 1, 1),
            "flows[1].destination: host 1 would send to itself; give another host",
        ),
        (
            given(0, 0, 1, 0),
            "flows[1].size: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            given(4_611_686_018_428, 0, 1, 1),
            "flows[1].start: 4611686.018428s is too late to simulate; \
             let flows start within 4611686s (53 days)",
        ),
    ] {
        assert_eq!(
            refused(FlowsSpec::new(vec![given(0, 0, 1, 1), bad]), 3),
            message
        );
    }
    assert_eq!(
        refused(FlowsSpec::new(vec![]), 3),
        "flows: no flow is listed; list at least one, or remove the entry"
    );
}
