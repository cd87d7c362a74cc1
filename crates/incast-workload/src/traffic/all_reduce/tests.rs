use super::super::TrafficSpec;
use super::super::tests::{flows, network, refused, short};
use crate::files::no_files;
use incast_units::HostId;

use super::*;

fn over(rings: RingCount, data: u64) -> AllReduceSpec {
    AllReduceSpec {
        rings,
        ..AllReduceSpec::new(Bytes::new(data))
    }
}

/// The flow stream is empty: ranks start the sends. 3 hosts have 4 steps.
#[test]
fn its_flows_start_as_ranks_go_on() {
    let spec = AllReduceSpec::new(Bytes::new(10));
    assert_eq!(short(&flows(spec.clone(), 3, 1)), []);
    let spec: TrafficSpec = spec.into();
    let valid = spec.validate(&network(3), &no_files()).unwrap();
    assert_eq!(valid.expected_flows(), 12.0);
}

#[test]
fn impossible_rings_are_refused() {
    let one = |data| AllReduceSpec::new(Bytes::new(data));
    for (spec, message) in [
        (
            one(3),
            "data: 3B cannot be cut into 4 chunks, one for each host of each ring; \
             give at least 4B",
        ),
        (
            over(RingCount::Some(2), 7),
            "data: 7B cannot be cut into 8 chunks, one for each host of each ring; \
             give at least 8B",
        ),
        (
            one(0),
            "data: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            AllReduceSpec {
                hosts: HostId(0).into(),
                ..one(4)
            },
            "hosts: 1 host is too few; 2 are needed at least",
        ),
        (
            AllReduceSpec {
                hosts: "0,1,2,1".parse().unwrap(),
                ..one(4)
            },
            "hosts: host 1 is listed twice; list each host once",
        ),
        (
            over(RingCount::Some(0), 100),
            "rings: along 0 rings nothing is sent; give at least 1",
        ),
        (
            over(RingCount::Some(3), 100),
            "rings: 4 hosts have 2 rings that share no pair; give at most 2",
        ),
        (
            over(RingCount::All, 100),
            "rings: 4 hosts are one of two cases (4 and 6) without a ring for each other host; \
             write rings = 2, which is how many share no pair of them",
        ),
        (
            AllReduceSpec {
                shuffled: true,
                ..one(100)
            },
            "shuffled: one ring cannot be shuffled; \
             add rings = \"all\", or a number of rings above 1",
        ),
        (
            AllReduceSpec {
                rounds: 0,
                ..one(100)
            },
            "rounds: 0 makes no traffic; give at least 1",
        ),
        (
            AllReduceSpec {
                rounds: 1 << 30,
                ..one(100)
            },
            "rounds: it would take 25769803776 flows, more than there are numbers for; \
             give fewer rounds or rings, or larger chunks: 4294967294 flows at most",
        ),
    ] {
        assert_eq!(refused(spec, 4), message);
    }
}
