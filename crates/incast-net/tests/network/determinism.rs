//! The nodes of a window may be handled in any order, by any number of threads, however they are
//! divided: all results are the same. The networks are large enough for pauses, losses and random
//! marks to spread.

use std::num::NonZeroUsize;

use incast_cc::{AlgorithmConfig, LgcConfig, Parameters, RoccConfig};
use incast_net::{
    AckClass, AckPolicy, CnpConfig, DropConfig, Flow, FlowControl, Headroom, NodeOrder,
    PfcThreshold, RecoveryKind, Threads,
};
use incast_signals::EcnOptions;
use incast_units::{Bytes, FlowId, HostId, Time};

use crate::support::{Network, Outcome, clos_320, pfc, requested, several_threads};

const HOSTS: u64 = 320;

/// SplitMix64, so that flows are the same on every platform.
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 2000 flows of 1 B to 131 kB in 50 µs. Every third flow goes to one of four hosts. Groups of
/// twenty flows start at the same time, so that there are ties to break.
fn flows() -> Vec<Flow> {
    let mut state = 1;
    let mut below = |limit: u64| mix(&mut state) % limit;
    let flows = (0..2_000).map(|id| {
        let source = below(HOSTS);
        let destination = if below(3) == 0 {
            below(4) * 80
        } else {
            below(HOSTS)
        };
        let magnitude = below(18);
        let destination = match destination == source {
            true => (source + 1) % HOSTS,
            false => destination,
        };
        Flow {
            id: FlowId(id),
            start: Time::from_ns(below(100) * 500),
            source: HostId(source as u32),
            destination: HostId(destination as u32),
            size: Bytes::new(1 + below(1 << magnitude)),
            tag: 0,
            lane: 0,
            source_port: 10_000 + id as u16,
        }
    });
    let mut flows: Vec<_> = flows.collect();
    flows.sort_by_key(|flow| flow.start);
    flows
}

fn marking() -> Option<EcnOptions> {
    Some(EcnOptions::red(Bytes::new(2_000), Bytes::new(40_000), 0.5))
}

fn network() -> Network {
    let mut network = Network::new(clos_320());
    network.base_rtt = Time::from_ns(12_240);
    network.base_window = Bytes::new(153_000);
    network.measure.queue_interval = Some(Time::from_us(1));
    network.measure.queue_ports = (320..340).collect();
    network.measure.flow_interval = Some(Time::from_us(2));
    network.measure.flows = true;
    network.measure.pauses = true;
    network.measure.until = Time::MAX;
    network
}

/// Runs with nodes in order and in every other way, and compares all results: flows in order of
/// completion, counters, samples, pauses.
fn the_same_in_any_way(network: Network, algorithm: &str) -> Outcome {
    let algorithm = AlgorithmConfig::with_defaults(algorithm, None).unwrap();
    the_same_under(algorithm, network)
}

/// Orders of nodes, each with the threads that run them.
fn ways() -> Vec<(NodeOrder, Threads)> {
    let several = [2, 3, 8].map(|count| several_threads(count, count as u64));
    let two = NonZeroUsize::new(2).expect("two threads");
    let mut ways = vec![
        (NodeOrder::Shuffled(1), Threads::ONE),
        (NodeOrder::Shuffled(2), several[1]),
        (NodeOrder::Ascending, Threads::new(two)),
    ];
    ways.extend(several.map(|threads| (NodeOrder::Ascending, threads)));
    ways
}

fn the_same_under(algorithm: AlgorithmConfig, mut network: Network) -> Outcome {
    let flows = flows();
    let reference = network.run(&flows, &network.algorithm(algorithm.clone()));
    let expected = format!("{reference:?}");
    for way in ways() {
        (network.order, network.threads) = way;
        let other = network.run(&flows, &network.algorithm(algorithm.clone()));
        // Not `assert_eq`, whose message would have a million characters.
        let same = format!("{other:?}") == expected;
        assert!(same, "{way:?}: {}", difference(&reference, &other));
    }
    reference
}

fn difference(reference: &Outcome, shuffled: &Outcome) -> String {
    let pairs = reference.flows.iter().zip(&shuffled.flows);
    let flow = pairs.into_iter().find(|(one, other)| one != other);
    let pairs = reference.recording.ports.iter();
    let port = pairs
        .zip(&shuffled.recording.ports)
        .position(|(one, other)| one != other);
    format!("first flow that differs: {flow:?}; first port: {port:?}")
}

/// HPCC with INT, and buffers so small that pauses spread.
#[test]
fn under_pfc_with_pauses() {
    let rule = pfc(PfcThreshold::Static(Bytes::new(6_000)), Headroom::WorstCase);
    let network = network().with_int().with_flow_control(rule);
    let outcome = the_same_in_any_way(network, "hpcc");
    assert!(outcome.pauses() > 500, "{}", outcome.pauses());
    assert!(!outcome.recording.pauses.is_empty());
}

/// ACKs in the data class, which pauses also stop at hosts; one ACK for every three packets.
#[test]
fn under_pfc_with_acks_among_the_data() {
    let rule = pfc(PfcThreshold::Static(Bytes::new(6_000)), Headroom::WorstCase);
    let mut network = network().with_flow_control(rule);
    network.config.model.ack_class = AckClass::Data;
    network.config.model.ack_pausable_at_host = true;
    network.config.acks = AckPolicy::Packets(3);
    let outcome = the_same_in_any_way(network, "none");
    assert!(outcome.pauses() > 500, "{}", outcome.pauses());
}

/// Random marks, CNPs, timers and random streams.
#[test]
fn with_random_marks_and_cnps() {
    let mut network = network();
    network.config.ecn = marking();
    network.config.cnp = CnpConfig::Interval(Time::from_us(4));
    let outcome = the_same_in_any_way(network, "dcqcn");
    let marked: u64 = outcome.recording.ports.iter().map(|port| port.marked).sum();
    assert!(marked > 1_000, "{marked}");
}

/// Samples of all ports during each window prevent switches from handling windows port by port.
/// Packets have the same times, paused or not.
#[test]
fn port_by_port_or_packet_by_packet() {
    for threshold in [6_000, 60_000] {
        let rule = pfc(
            PfcThreshold::Static(Bytes::new(threshold)),
            Headroom::WorstCase,
        );
        let mut network = network().with_flow_control(rule);
        network.config.ecn = marking();
        let mut run = |interval| {
            network.measure.queue_interval = interval;
            let outcome = network.run(&flows(), &network.uncontrolled());
            let recording = &outcome.recording;
            let kept = format!("{:?} {:?}", recording.ports, recording.pauses);
            (outcome.pauses(), format!("{:?}", outcome.flows), kept)
        };
        let swept = run(None);
        assert!(swept.0 > 10, "{}", swept.0);
        assert!(swept == run(Some(Time::from_ns(170))), "{threshold} B");
    }
}

/// INT on ACKs, which switches write from a live table, or from a table refreshed twice per
/// microsecond.
#[test]
fn with_int_on_acks() {
    for period in [None, Some(Time::from_ns(500))] {
        let rule = pfc(PfcThreshold::Static(Bytes::new(6_000)), Headroom::WorstCase);
        let network = network().with_int_on_acks(period).with_flow_control(rule);
        let outcome = the_same_in_any_way(network, "fncc");
        assert!(outcome.pauses() > 500, "{}", outcome.pauses());
    }
}

/// Switches that send packets of their own.
#[test]
fn with_fair_rates_from_switches() {
    let config = RoccConfig {
        recovery_interval: Time::from_us(8),
        reaction_delay: Time::from_us(1),
        period: Some(Time::from_us(5)),
        reference_queue: Some(Bytes::new(5_000)),
        middle_queue: Some(Bytes::new(10_000)),
        largest_queue: Some(Bytes::new(40_000)),
        ..RoccConfig::default()
    };
    let mut network = network();
    network.config.programs = requested(&config.needs());
    let outcome = the_same_under(AlgorithmConfig::Rocc(config), network);
    let sent: u64 = outcome
        .recording
        .ports
        .iter()
        .map(|port| port.control_packets)
        .sum();
    let mut without = self::network();
    without.config.programs.clear();
    let without = without.run(&flows(), &without.uncontrolled());
    let acks: u64 = without
        .recording
        .ports
        .iter()
        .map(|port| port.control_packets)
        .sum();
    assert!(
        sent > acks + 1_000,
        "{sent} control packets, {acks} without CNPs"
    );
}

/// Random gaps, timers, and marks on all packets that wait behind another.
#[test]
fn with_random_gaps_between_packets() {
    let mut network = network();
    network.config.ecn = Some(EcnOptions::ONE_PACKET.clone());
    let algorithm = AlgorithmConfig::Lgc(LgcConfig {
        interval: Time::from_us(5),
        initial_share: 0.1,
        ..LgcConfig::default()
    });
    let outcome = the_same_under(algorithm, network);
    let marked: u64 = outcome.recording.ports.iter().map(|port| port.marked).sum();
    assert!(marked > 1_000, "{marked}");
}

/// Losses, NACKs, timeouts and retransmissions.
#[test]
fn where_packets_are_dropped_and_marked() {
    let rule = FlowControl::Drop(DropConfig::Shared {
        alpha: 0.5,
        queue_limit: Bytes::new(40_000),
    });
    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
        let network = network().with_flow_control(rule.clone());
        let mut network = network.with_buffer(400_000);
        network.config.recovery.kind = kind;
        network.config.ecn = marking();
        let outcome = the_same_in_any_way(network, "none");
        let marked: u64 = outcome.recording.ports.iter().map(|port| port.marked).sum();
        assert!(outcome.dropped() > 500, "{}", outcome.dropped());
        assert!(outcome.retransmitted() > 500 && marked > 1_000, "{marked}");
    }
}
