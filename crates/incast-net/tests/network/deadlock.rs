//! Deadlocks of PFC: found, and named, under every algorithm and on every path.

use incast_cc::{AlgorithmConfig, Parameters as _, RoccConfig};
use incast_net::{ExecutionPath, NetworkError, Violation};
use incast_topology::{Link, Topology};
use incast_units::{NodeId, Rate, Time};

use crate::support::{Network, flow, requested};

const SWITCHES: u32 = 5;

/// Five switches in a ring, two hosts at each.
fn ring() -> Topology {
    let (rate, delay) = (Rate::from_gbps(100), Time::from_us(1));
    let link = |a, b| Link::new(NodeId(a), NodeId(b), rate, delay);
    let hosts = 2 * SWITCHES;
    let to_hosts = (0..hosts).map(|host| link(host, hosts + host / 2));
    let around = (0..SWITCHES).map(|n| link(hosts + n, hosts + (n + 1) % SWITCHES));
    Topology::new("ring", hosts, SWITCHES, to_hosts.chain(around).collect())
}

/// All hosts send to the switch after the next, which closes the circle.
fn run(network: &Network, algorithm: AlgorithmConfig) -> Result<(), NetworkError> {
    let hosts = 2 * SWITCHES;
    let flows: Vec<_> = (0..hosts)
        .map(|host| flow(host, host, (host + 4) % hosts, 20_000_000))
        .collect();
    let algorithm = network.algorithm(algorithm);
    network.try_run(&flows, &algorithm).map(|_| ())
}

fn small_buffers() -> Network {
    let mut network = Network::new(ring());
    network.use_least_buffer(100_000);
    network
}

#[track_caller]
fn circle(result: Result<(), NetworkError>) -> Vec<u32> {
    match result {
        Err(NetworkError::Violation(Violation::Deadlock { circle, flows, .. })) => {
            assert!(flows.len() >= SWITCHES as usize, "{flows:?}");
            circle.iter().map(|(node, _)| node.0).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// All switches are in it, one after the other; the network without control comes to a stop.
#[test]
fn a_ring_that_waits_for_itself_is_named() {
    let mut network = small_buffers();
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let found = circle(run(&network, AlgorithmConfig::None(<_>::default())));
        assert_eq!(found, [10, 11, 12, 13, 14]);
    }
}

/// RoCC's switches act as long as data wait, so that there is always an event; it is found while
/// it lasts.
#[test]
fn a_deadlock_ends_a_run_in_which_switches_go_on_acting() {
    let config = RoccConfig::default();
    let mut network = small_buffers();
    network.config.programs = requested(&config.needs());
    let found = circle(run(&network, AlgorithmConfig::Rocc(config)));
    assert_eq!(found, [10, 11, 12, 13, 14]);
}

/// With room for all, and with room for what is in flight under HPCC, there is none.
#[test]
fn a_ring_with_room_does_not_deadlock() {
    let network = Network::new(ring()).with_int();
    run(&network, AlgorithmConfig::Hpcc(<_>::default())).expect("no deadlock");
}
