use incast_engine::Partitioning;
use incast_topology::{NextHopOrder, TopologySpec};
use incast_units::Rate;

use super::*;

const SIZES: WireSizes = WireSizes {
    payload: 1000,
    header: 48,
    ack: 60,
};

/// The outcome of flows, given as (source, destination, start in ns, bytes).
fn run(topology: &Topology, flows: &[(u32, u32, u64, u64)], threads: Threads) -> NullOutcome {
    let (ports, routes) = (
        Ports::new(topology),
        Routes::shortest(topology, NextHopOrder::ByPort),
    );
    let mut network = NullNetwork::new(topology, &ports, &routes, SIZES);
    for &(source, destination, start, bytes) in flows {
        let start = Time::from_ns(start);
        network.add(HostId(source), HostId(destination), start, bytes);
    }
    network.run(threads)
}

/// Packets of 1048, 1048 and 548 bytes over three links of 80, 320 and 80 ps per byte, with 1 us
/// delay each. They are sent 2·1048·80 ps apart, so that all but the first wait for the slow link.
/// The last packet arrives after 1048·80 ps on the first link, 2·1048·320 + 548·320 ps on the slow
/// link, 548·80 ps on the last, and 3 us of delay: 3 973 760 ps. The last ACK takes
/// 60·(80 + 320 + 80) ps and 3 us: 3 028 800 ps.
#[test]
fn a_flow_takes_as_long_as_it_must() {
    let ends = [(0, 2, 100), (2, 3, 25), (3, 1, 100)];
    let edge = |(a, b, gbps)| {
        let (rate, delay) = (Rate::from_gbps(gbps), Time::from_us(1));
        (NodeId(a), NodeId(b), rate, delay)
    };
    let chain = Topology::from_edges("chain", 2, 2, ends.map(edge)).unwrap();
    let outcome = run(&chain, &[(0, 1, 5, 2500)], Threads::ONE);
    assert_eq!(outcome.end, Time::from_ps(5_000 + 3_973_760 + 3_028_800));
    assert_eq!(outcome.packet_hops, 3 * 3 * 2);
}

/// The run itself checks that every packet arrives and is acknowledged.
#[test]
fn threads_change_nothing() {
    let topology = TopologySpec::named("clos-320").unwrap().build().unwrap();
    let flow = |n: u64| {
        let random = mix(n);
        let (source, further) = (random % 320, random >> 32);
        let destination = (source + 1 + further % 319) % 320;
        (
            source as u32,
            destination as u32,
            n * 20,
            1 + random % 30_000,
        )
    };
    let flows: Vec<_> = (0..1000).map(flow).collect();
    let expected = run(&topology, &flows, Threads::ONE);
    for seed in 0..3 {
        let threads = Threads {
            count: 2.try_into().unwrap(),
            partitioning: Partitioning::Random(seed),
        };
        let outcome = run(&topology, &flows, threads);
        let same = NullOutcome {
            wall: expected.wall,
            cpu: expected.cpu,
            ..outcome
        };
        assert_eq!(same, expected, "seed {seed}");
    }
}
