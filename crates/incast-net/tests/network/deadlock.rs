//! PFC deadlocks are found and reported, under every algorithm and on every execution path.

use incast_cc::{AlgorithmConfig, Parameters as _, RoccConfig};
use incast_net::{ExecutionPath, OnDeadlock, Recording, RowLimit, Stall, StuckFlows, Threads};
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

/// All hosts send to the switch two positions further, which closes the circle.
fn run(network: &Network, algorithm: AlgorithmConfig) -> Recording {
    let hosts = 2 * SWITCHES;
    let flows: Vec<_> = (0..hosts)
        .map(|host| flow(host, host, (host + 4) % hosts, 20_000_000))
        .collect();
    let algorithm = network.algorithm(algorithm);
    let outcome = network.try_run(&flows, &algorithm);
    outcome.expect("no violation").recording
}

fn small_buffers() -> Network {
    let mut network = Network::new(ring());
    network.use_least_buffer(100_000);
    network
}

#[track_caller]
fn circle(recording: &Recording) -> Vec<u32> {
    match &recording.stall {
        Some(Stall::Deadlock { circle, flows, .. }) => {
            assert!(flows.len() >= SWITCHES as usize, "{flows:?}");
            circle.iter().map(|stuck| stuck.node.0).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// The report lists all switches, in the order of the ring. The network without congestion control
/// comes to a stop.
#[test]
fn a_ring_that_waits_for_itself_is_named() {
    let mut network = small_buffers();
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let recording = run(&network, AlgorithmConfig::None(<_>::default()));
        assert_eq!(circle(&recording), [10, 11, 12, 13, 14]);
        assert_eq!(recording.started - recording.finished, 10);
        assert_eq!(recording.unfinished.len(), 10);
    }
}

fn under_rocc() -> (Network, AlgorithmConfig) {
    let config = RoccConfig::default();
    let mut network = small_buffers();
    network.config.programs = requested(&config.needs());
    (network, AlgorithmConfig::Rocc(config))
}

/// RoCC's switches act as long as data wait, so events never end. The deadlock is found while it
/// lasts, at the same time on any number of threads.
#[test]
fn a_deadlock_ends_a_run_in_which_switches_go_on_acting() {
    let (mut network, rocc) = under_rocc();
    let alone = run(&network, rocc.clone());
    assert_eq!(circle(&alone), [10, 11, 12, 13, 14]);
    // Twice 1 ms plus the delay of the longest link: some ports were paused before the first check.
    assert!(alone.end <= Time::from_us(2 * 1_002), "{:?}", alone.end);
    for threads in [2, 3] {
        network.threads = Threads::new(threads.try_into().expect("not zero"));
        let together = run(&network, rocc.clone());
        assert_eq!(
            (together.end, together.packet_hops),
            (alone.end, alone.packet_hops)
        );
        assert_eq!(
            (together.stall, together.ports),
            (alone.stall.clone(), alone.ports.clone())
        );
    }
}

/// If deadlocks are only reported, a run with a stop time goes on until then, with or without
/// further events. A deadlock that closes shortly before the stop is reported, too.
#[test]
fn a_deadlock_may_be_told_without_ending_the_run() {
    let silent = (small_buffers(), AlgorithmConfig::None(<_>::default()));
    for (mut network, algorithm) in [under_rocc(), silent] {
        network.stalls.on_deadlock = OnDeadlock::Report;
        for stop in [Time::from_us(600), Time::from_ms(4)] {
            network.stop = Some(stop);
            let recording = run(&network, algorithm.clone());
            assert_eq!(recording.end, stop);
            assert_eq!(circle(&recording), [10, 11, 12, 13, 14]);
        }
    }
}

/// Waiting data no longer change, so their thousand million samples are taken together. Each of the
/// five queues has the same number of bytes at all times.
#[test]
fn samples_of_a_deadlock_are_counted_at_once() {
    let mut network = small_buffers();
    network.stalls.on_deadlock = OnDeadlock::Report;
    network.measure.queue_interval = Some(Time::from_us(1));
    network.measure.until = Time::MAX;
    network.measure.row_limit = RowLimit(1_000);
    let mut run_until = |stop| {
        network.stop = Some(stop);
        run(&network, AlgorithmConfig::None(<_>::default()))
    };
    let [short, long] = [Time::from_ms(10), Time::from_ms(1_000_000)].map(&mut run_until);
    let samples = |recording: &Recording| recording.queue_histogram.total();
    let ports = u64::from(SWITCHES) * 4;
    assert_eq!(samples(&short), ports * 10_001);
    assert_eq!(samples(&long), ports * 1_000_000_001);
    let waiting = short.queue_ticks.last().expect("a sample").queue_sum;
    let more = u128::from(waiting) * (1_000_000_000 - 10_000);
    assert_eq!(long.queue_sum - short.queue_sum, more);
}

/// Switches act, but no byte is acknowledged: this ends the run even if deadlocks are only
/// reported.
#[test]
fn a_flow_that_gets_nowhere_ends_a_run_that_allows_no_such_time() {
    let (mut network, rocc) = under_rocc();
    network.stalls.no_progress = Some((Time::from_ms(3), StuckFlows::Any));
    network.stalls.on_deadlock = OnDeadlock::Report;
    network.stop = Some(Time::from_ms(50));
    let recording = run(&network, rocc);
    let Some(Stall::NoProgress {
        since,
        found,
        flows,
    }) = recording.stall
    else {
        panic!("{:?}", recording.stall);
    };
    assert_eq!(flows.len(), 10);
    assert!(
        found - since >= Time::from_ms(3) && found < Time::from_ms(9),
        "{found:?}"
    );
    assert_eq!(recording.end, found);
}

/// The same end if no events are left: time would pass until the stop.
#[test]
fn a_flow_that_gets_nowhere_ends_a_silent_run() {
    let mut network = small_buffers();
    network.stalls.no_progress = Some((Time::from_ms(3), StuckFlows::Any));
    network.stalls.on_deadlock = OnDeadlock::Report;
    network.stop = Some(Time::from_ms(50));
    let recording = run(&network, AlgorithmConfig::None(<_>::default()));
    let Some(Stall::NoProgress { since, found, .. }) = recording.stall else {
        panic!("{:?}", recording.stall);
    };
    // Checks come every 1.002 ms. The first check that compares flows may still see progress.
    let looks = [3, 6].map(|number| Time::from_us(1_002 * number));
    assert_eq!([since, found], looks);
    assert_eq!(recording.end, found);
    network.stop = Some(Time::from_ms(5));
    let shorter = run(&network, AlgorithmConfig::None(<_>::default()));
    assert_eq!(shorter.end, Time::from_ms(5));
    assert_eq!(circle(&shorter), [10, 11, 12, 13, 14]);
}

/// With enough buffer for all data, and for the bytes in flight under HPCC, there is no deadlock.
#[test]
fn a_ring_with_room_does_not_deadlock() {
    let network = Network::new(ring()).with_int();
    let recording = run(&network, AlgorithmConfig::Hpcc(<_>::default()));
    assert_eq!(recording.stall, None);
}
