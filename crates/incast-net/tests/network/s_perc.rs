//! s-PERC on small networks: rates, and the state of links after flows have ended.

use incast_cc::{AlgorithmConfig, Parameters as _, SPercConfig, WeightsConfig};
use incast_net::{Direction, DropConfig, Flow, FlowAddress, FlowControl, RecoveryKind, path};
use incast_topology::Topology;
use incast_units::{Bytes, Time};
use proptest::prelude::*;

use crate::properties::for_all;
use crate::random_network::topology;
use crate::support::{Network, at, flow, star};

fn network(hosts: u32, config: &SPercConfig) -> Network {
    Network::new(star(hosts)).with_programs(&config.needs())
}

/// 100 Gb/s less 4 % are 96 Gb/s; a full packet has 1048 B on the wire. A flow of 10 MB gets its
/// first rate after a round trip of the control packet, 4·(1 us + 5.12 ns). Then it sends 10 000
/// packets at 96 Gb/s, 87.33 ns each. The last packet and its ACK take 4 us and 2·83.84 + 2·4.8 ns.
/// Near the end, host demand lowers the rate within an RTT.
#[test]
fn a_flow_alone_has_all_of_its_links() {
    let config = SPercConfig {
        host_demand: false,
        ..SPercConfig::default()
    };
    let network = network(3, &config);
    let algorithm = network.algorithm(AlgorithmConfig::SPerc(config));
    let outcome = network.run(&[flow(0, 0, 2, 10_000_000)], &algorithm);
    let request = 4 * (1_000_000 + 5_120);
    let data = 9_999 * 87_333 + 2 * 1_000_000 + 2 * 83_840;
    let ack = 2 * 1_000_000 + 2 * 4_800;
    let expected = Time::from_ps(request + data + ack);
    let fct = outcome.fct(0);
    // Each of 215 control packets delays a data packet by at most 5.12 ns.
    let late = fct - expected;
    assert!(
        late < Time::from_ps(215 * 5_120),
        "{fct}, expected {expected}"
    );
}

/// A flow of a BDP starts at once and takes the time that it takes alone without congestion
/// control.
#[test]
fn a_short_flow_starts_at_once() {
    let config = SPercConfig::default();
    let network = network(3, &config);
    let flows = [flow(0, 0, 2, 52_000)];
    let algorithm = network.algorithm(AlgorithmConfig::SPerc(config));
    let controlled = network.run(&flows, &algorithm);
    let uncontrolled = network.run(&flows, &network.uncontrolled());
    assert_eq!(controlled.fct(0), uncontrolled.fct(0));
    assert_eq!(controlled.recording.ports, uncontrolled.recording.ports);
}

/// Flows come and go. The run itself checks that no link has a booking at the end.
#[test]
fn links_forget_flows_that_have_gone() {
    for host_demand in [false, true] {
        let config = SPercConfig {
            host_demand,
            threshold: Some(Bytes::new(10_000)),
            ..SPercConfig::default()
        };
        let network = network(5, &config);
        let algorithm = network.algorithm(AlgorithmConfig::SPerc(config));
        let flows: Vec<_> = (0..24_u32)
            .map(|id| {
                let size = 5_000 + 40_000 * u64::from(id % 7);
                let start = Time::from_ns(u64::from(id) * 1_700);
                at(
                    start,
                    flow(id, id % 4, 4 - (id / 8) % 2 * (1 + id % 2), size),
                )
            })
            .filter(|flow| flow.source != flow.destination)
            .collect();
        network.run(&flows, &algorithm);
    }
}

/// A flow under control meets flows that start at once, at different times, and loses packets. It
/// requests a rate as long as lost packets are left: at 1 kb/s each would take 8 s.
#[test]
fn lost_packets_are_part_of_the_demand() {
    let config = SPercConfig {
        threshold: Some(Bytes::new(45_000)),
        ..SPercConfig::default()
    };
    for start in 0..30 {
        let mut network =
            network(4, &config).with_flow_control(FlowControl::Drop(DropConfig::Shared {
                alpha: 8.0,
                queue_limit: Bytes::new(10_000),
            }));
        network.config.recovery.kind = RecoveryKind::Selective;
        let later = Time::from_us(start);
        let flows = [
            flow(0, 0, 3, 100_000),
            at(later, flow(1, 1, 3, 40_000)),
            at(later, flow(2, 2, 3, 40_000)),
        ];
        let algorithm = network.algorithm(AlgorithmConfig::SPerc(config.clone()));
        let outcome = network.run(&flows, &algorithm);
        assert!(outcome.dropped() > 0);
        let fct = outcome.fct(0);
        assert!(fct < Time::from_ms(100), "{fct}, others after {later}");
    }
}

/// By flow: the ports by which its data leave.
fn paths(network: &Network, flows: &[Flow]) -> Vec<Vec<usize>> {
    let choice = network.config.path_choice();
    let of = |flow: &Flow| {
        let address = FlowAddress {
            source: flow.source,
            destination: flow.destination,
            source_port: flow.source_port,
        };
        let (topology, ports, routes) = (&network.topology, &network.ports, &network.routes);
        path(choice, topology, ports, routes, address, Direction::Data)
            .map(|hop| ports.index(hop.node, hop.port) as usize)
            .collect()
    };
    flows.iter().map(of).collect()
}

/// Weighted max-min fair rates by progressive filling, in Gb/s, and the number of levels. All rates
/// per unit weight rise equally until a link is full; the flows of this link then keep their rates.
fn fill(capacities: &[f64], paths: &[Vec<usize>], weights: &[f64]) -> (Vec<f64>, u64) {
    let mut rates = vec![f64::NAN; paths.len()];
    let mut levels = 0;
    while rates.iter().any(|rate| rate.is_nan()) {
        let share = |link: usize| {
            let (mut left, mut open) = (capacities[link], 0.0);
            for ((path, rate), weight) in paths.iter().zip(&rates).zip(weights) {
                if path.contains(&link) {
                    match rate.is_nan() {
                        true => open += weight,
                        false => left -= rate,
                    }
                }
            }
            if open > 0.0 {
                left / open
            } else {
                f64::INFINITY
            }
        };
        let shares: Vec<f64> = (0..capacities.len()).map(share).collect();
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        for ((path, rate), weight) in paths.iter().zip(&mut rates).zip(weights) {
            if rate.is_nan()
                && path
                    .iter()
                    .any(|&link| shares[link] <= least * (1.0 + 1e-9))
            {
                *rate = least * weight;
            }
        }
        levels += 1;
    }
    (rates, levels)
}

/// A network with flows that stay, and flows that come and go before the others are alone.
#[derive(Clone, Debug)]
struct Convergence {
    topology: Topology,
    /// For each flow: source, distance to the destination, source port, and whether it stays.
    flows: Vec<(u32, u32, u16, bool)>,
    weighted: bool,
    seed: u64,
}

fn convergence() -> impl Strategy<Value = Convergence> {
    let flow = (0_u32..8, 1_u32..8, any::<u16>(), any::<bool>());
    let flows = proptest::collection::vec(flow, 1..=12);
    (
        topology(&[10, 25, 40], 3),
        flows,
        any::<bool>(),
        0_u64..1_000,
    )
        .prop_map(|(topology, flows, weighted, seed)| Convergence {
            topology,
            flows,
            weighted,
            seed,
        })
}

/// Random networks with at most 12 flows, some of which end after the others have begun. 6N rounds
/// after the last end, all rates are within 1 % of max-min fairness, with or without weights by the
/// connections of hosts. N is the number of levels of bottlenecks.
#[test]
fn rates_become_max_min_fair_within_six_rounds_per_level() {
    for_all(convergence(), |case| {
        let hosts = case.topology.hosts;
        let many = case.flows.len() as u64;
        // The longest round trip: 64 B at 2 % of 10 Gb/s, shared by all flows, and twice 7 links.
        let round = Time::from_ns(2_560 * many + 42_000 + 10_000);
        let config = SPercConfig {
            round: Some(round),
            threshold: Some(Bytes::new(1)),
            weights: case.weighted.then(WeightsConfig::default),
            ..SPercConfig::default()
        };
        let mut network = Network::new(case.topology.clone());
        network.base_rtt = Time::from_us(42);
        let mut network = network.with_programs(&config.needs());
        if incast_net::check_path_symmetry(network.config.routing, &network.ports, &network.routes)
            .is_err()
        {
            network = network.with_spanning_trees();
        }
        let flows: Vec<Flow> = (0..)
            .zip(&case.flows)
            .map(|(id, &(source, distance, source_port, stays))| {
                let source = source % hosts;
                let destination = (source + 1 + distance % (hosts - 1)) % hosts;
                let size = if stays { 4_000_000_000 } else { 30_000 };
                let start = Time::from_us(u64::from(id) * (case.seed % 40));
                let flow = Flow {
                    source_port,
                    ..flow(id, source, destination, size)
                };
                at(start, flow)
            })
            .collect();
        let staying: Vec<Flow> = flows
            .iter()
            .copied()
            .filter(|flow| flow.size.as_u64() > 30_000)
            .collect();
        if staying.is_empty() {
            return Ok(());
        }
        let open = |flow: &Flow| {
            staying
                .iter()
                .filter(|other| other.source == flow.source)
                .count()
        };
        let weights: Vec<f64> = staying
            .iter()
            .map(|flow| {
                if case.weighted {
                    1.0 / open(flow) as f64
                } else {
                    1.0
                }
            })
            .collect();
        let capacities: Vec<f64> = network
            .ports
            .iter()
            .map(|port| port.rate.as_bps() as f64 * 0.96 / 1e9)
            .collect();
        let (fair, levels) = fill(&capacities, &paths(&network, &staying), &weights);
        // 30 KB at 10 Gb/s shared by all flows, plus the time until the last flow starts.
        let gone = Time::from_us(24 * many + many * (case.seed % 40)) + round * 2;
        let end = gone + round * (6 * levels);
        network.stop = Some(end);
        network.measure.until = end;
        network.measure.flow_interval = Some(end);
        network.measure.flows = true;
        let algorithm = network.algorithm(AlgorithmConfig::SPerc(config));
        let outcome = network.run(&flows, &algorithm);
        let samples = &outcome.recording.flow_samples;
        for (flow, fair) in staying.iter().zip(fair) {
            let last = samples.iter().rfind(|sample| sample.flow == flow.id);
            let rate = last.unwrap().rate.as_bps() as f64 / 1e9;
            prop_assert!(
                (rate - fair).abs() < 0.01 * fair,
                "{rate}, fair {fair}: {}",
                flow.id
            );
        }
        prop_assert_eq!(outcome.flows.len() + staying.len(), flows.len());
        Ok(())
    });
}
