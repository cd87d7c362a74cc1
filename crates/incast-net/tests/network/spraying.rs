//! Packets of one flow on several paths: only lost packets are retransmitted, all execution paths
//! give the same results, and options for flows with one path are refused.

use incast_cc::{AlgorithmConfig, DctcpConfig, Needs, Part, Serves};
use incast_net::{
    AckPolicy, Balance, CnpConfig, Direction, DropConfig, EarlyCount, Explicit, Flow, FlowAddress,
    FlowControl, InOrder, IntSource, LossDetection, PacketEvent, PacketKind, PathShares,
    QpLifetime, RandomPaths, RecoveryKind, Reordering, Routing, TraceConfig,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_topology::{Link, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::several_paths::{crossing_flows, leaf_spine};
use crate::support::{Network, Outcome, flow, requested};

const RANDOM: fn(u32) -> Balance = |entropies| Balance::Random(RandomPaths { entropies });

/// A network with selective repeat that infers no loss from reordering.
fn repairing(mut network: Network) -> Network {
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.recovery.loss_detection = Explicit {}.into();
    network
}

fn spraying(topology: Topology) -> Network {
    let mut network = repairing(Network::new(topology));
    network.config.balance = RANDOM(64);
    network
}

/// Every host sends to the host four numbers further, in the next rack.
fn permutation(size: u64) -> Vec<Flow> {
    let flows = (0..16).map(|host| flow(host, host, (host + 4) % 16, size));
    flows.collect()
}

fn slowest(outcome: &Outcome) -> Time {
    let all = outcome.flows.iter().map(|flow| flow.finish - flow.start);
    all.max().expect("flows")
}

/// Under ECMP some links carry several flows, others none. With spraying, all links carry the same
/// load. The hosts' links need 1000 · 83.84 ns for 1 MB.
#[test]
fn spraying_uses_all_paths_and_sends_nothing_again() {
    let drop = FlowControl::Drop(DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(16 << 20),
    });
    let flows = permutation(1_000_000);
    for flow_control in [None, Some(drop)] {
        let mut network = spraying(leaf_spine());
        network.config.balance = RANDOM(1024);
        if let Some(drop) = flow_control {
            network = network.with_flow_control(drop);
            network.config.recovery.timeout = Some(Time::from_ms(1));
        }
        let sprayed = network.run(&flows, &network.uncontrolled());
        assert_eq!((sprayed.retransmitted(), sprayed.dropped()), (0, 0));
        network.config.balance = Balance::default();
        let kept = network.run(&flows, &network.uncontrolled());
        assert!(slowest(&kept) > Time::from_ns(2 * 83_840));
        assert!(slowest(&sprayed) * 3 < slowest(&kept) * 2);
        let carried = |outcome: &Outcome, leaf: u32| {
            let ports = (20..24).map(|spine| network.port(leaf, spine));
            let sent = ports.map(|port| outcome.recording.ports[port].data_packets);
            sent.collect::<Vec<_>>()
        };
        for leaf in 16..20 {
            // A quarter of 4 · 1000 packets each. Four flows draw 4000 entropies, with a standard
            // deviation of √(4000 · ¼ · ¾) = 27, out of 4 · 1024 entropies that switches spread
            // with the same deviation. The total is 38; five standard deviations are 191.
            for sent in carried(&sprayed, leaf) {
                assert!(sent.abs_diff(1_000) < 191, "{sent}");
            }
        }
        assert!((16..20).any(|leaf| carried(&kept, leaf).contains(&0)));
    }
}

/// A flow with one entropy keeps its path, with unchanged results.
#[test]
fn one_entropy_is_one_path() {
    let mut network = repairing(Network::new(leaf_spine()));
    let flows = permutation(100_000);
    let kept = network.run(&flows, &network.uncontrolled());
    network.config.balance = RANDOM(1);
    let drawn = network.run(&flows, &network.uncontrolled());
    assert!(format!("{kept:?}") == format!("{drawn:?}"));
}

/// Losses in small queues with each way to find them, marks, different hashes, ACKs for several
/// packets: the fast path, the plain path, and one to three threads give the same results.
#[test]
fn any_path_of_computing_and_any_threads_agree() {
    let flows = crossing_flows(4);
    let reordering = LossDetection::Reordering(Reordering {
        packets: 8,
        time: Time::from_us(5),
    });
    let mut lost = 0;
    for (round, routing) in [Routing::Ecmp, Routing::SymmetricEcmp, Routing::Ecmp]
        .into_iter()
        .enumerate()
    {
        let mut network = spraying(leaf_spine());
        network.config.seed = round as u64;
        network.config.routing = routing;
        network.config.balance = RANDOM([64, 3, 1000][round]);
        network.config.acks = AckPolicy::Packets([1, 4, 1][round]);
        let detections = [
            Explicit {}.into(),
            reordering.clone(),
            EarlyCount::default().into(),
        ];
        network.config.recovery.loss_detection = detections[round].clone();
        let limit = Bytes::new([12_000, 12_000, 16 << 20][round]);
        network = network.with_flow_control(FlowControl::Drop(DropConfig::Shared {
            alpha: 8.0,
            queue_limit: limit,
        }));
        let threshold = QueueThreshold::Size(Bytes::new(6_000));
        network.config.ecn = Some(EcnOptions::step(threshold, MarkingPoint::Dequeue));
        network.config.cnp = CnpConfig::Interval(Time::from_us(4));
        network.measure.queue_interval = (round == 1).then_some(Time::from_ns(900));
        network.measure.until = Time::MAX;
        let dctcp = AlgorithmConfig::Dctcp(DctcpConfig::default());
        let reference = network.agreed(&flows, &dctcp, round as u64);
        lost += reference.dropped();
    }
    assert!(lost > 20, "{lost}");
}

/// Two paths with the same number of links, of which one takes 4 us longer. Packets overtake each
/// other by about fifty, and the flow ends when the packets of the slow path have arrived.
#[test]
fn unequal_paths_reorder_and_lose_nothing() {
    let link = |(a, b, us)| {
        let rate = Rate::from_gbps(100);
        Link::new(NodeId(a), NodeId(b), rate, Time::from_us(us))
    };
    let links = [
        (0, 2, 1),
        (1, 3, 1),
        (2, 4, 1),
        (4, 3, 1),
        (2, 5, 3),
        (5, 3, 3),
    ];
    let network = spraying(Topology::new("square", 2, 4, links.map(link).to_vec()));
    let outcome = network.run(&[flow(0, 0, 1, 300_000)], &network.uncontrolled());
    assert_eq!(outcome.retransmitted(), 0);
    // 300 packets of 83.84 ns; 4 or 8 us in each direction.
    let fastest = Time::from_ps(300 * 83_840) + Time::from_us(8);
    assert!(outcome.fct(0) > fastest && outcome.fct(0) < fastest + Time::from_us(9));
}

/// Each ACK has the entropy of a data packet, and takes the path for this entropy in its own
/// direction; so do data packets.
#[test]
fn packets_take_the_paths_of_their_entropies() {
    let mut network = spraying(leaf_spine());
    network.measure.packets = Some(TraceConfig {
        causes: false,
        ports: None,
        flows: None,
        from: Time::ZERO,
        until: Time::MAX,
        limit: 10_000,
    });
    let of_flow = flow(0, 0, 4, 50_000);
    let outcome = network.run(&[of_flow], &network.uncontrolled());
    let trace = outcome.recording.packets.expect("a trace");
    let shares = PathShares {
        choice: network.config.path_choice(),
        balance: &network.config.balance,
        topology: &network.topology,
        ports: &network.ports,
        routes: &network.routes,
    };
    let mut entropies = Vec::new();
    for (kind, direction) in [
        (PacketKind::Data, Direction::Data),
        (PacketKind::Ack, Direction::Ack),
    ] {
        let address = FlowAddress {
            source: of_flow.source,
            destination: of_flow.destination,
            source_port: of_flow.source_port,
        };
        let paths: Vec<Vec<_>> = shares
            .paths(address, direction)
            .map(|path| path.map(|hop| (hop.node, hop.port)).collect())
            .collect();
        let sent = trace.events.iter();
        let sent = sent.filter(|event| (event.event, event.kind) == (PacketEvent::Send, kind));
        let mut all = Vec::new();
        for event in sent {
            let entropy = event.entropy.expect("one of several");
            let path = &paths[usize::from(entropy - of_flow.source_port)];
            assert!(path.contains(&(event.node, event.port)), "{event:?}");
            if event.node.0 < network.topology.hosts {
                all.push(entropy);
            }
        }
        assert_eq!(all.len(), 50);
        all.sort_unstable();
        entropies.push(all);
    }
    assert_eq!(entropies[0], entropies[1]);
    entropies[0].dedup();
    assert!(entropies[0].len() > 25, "{entropies:?}");
}

/// The error that the check of this network reports for an algorithm with these needs.
fn refusal(network: &Network, needs: &Needs) -> Option<String> {
    let checked = network
        .config
        .check_balance(&network.config.balance, "the algorithm", needs);
    checked.err().map(|diagnostic| diagnostic.to_string())
}

/// Algorithms that compare INT, RTTs or rates of one path are refused, each with its reason; other
/// algorithms may use several paths.
#[test]
fn algorithms_of_one_path_are_refused() {
    let network = spraying(leaf_spine());
    let cases = [
        (
            "hpcc",
            Some("it compares the INT of successive ACKs hop by hop"),
        ),
        (
            "hpcc++",
            Some("it compares the INT of successive ACKs hop by hop"),
        ),
        (
            "fncc",
            Some("it compares the INT of successive ACKs hop by hop"),
        ),
        (
            "powertcp",
            Some("it compares the INT of successive ACKs hop by hop"),
        ),
        ("theta-powertcp", Some("it steers by the change of the RTT")),
        (
            "timely",
            Some("it steers by the change of the RTT from ACK to ACK"),
        ),
        ("rocc", Some("a fair rate is for flows through one port")),
        (
            "s-perc",
            Some("control packets find the rate of the links that they cross"),
        ),
        ("dctcp", None),
        ("dcqcn", None),
        ("swift", None),
        ("none", None),
    ];
    for (name, why) in cases {
        let needs = AlgorithmConfig::with_defaults(name, None)
            .expect(name)
            .needs();
        let mut network = Network {
            config: network.config.clone(),
            ..spraying(leaf_spine())
        };
        network.config.programs = requested(&needs);
        match (refusal(&network, &needs), why) {
            (Some(said), Some(why)) => assert!(said.contains(why), "{name}: {said}"),
            (said, why) => assert_eq!((said, why), (None, None), "{name}"),
        }
        network.config.balance = Balance::default();
        assert_eq!(refusal(&network, &needs), None, "{name}");
    }
}

/// Dropped speculative packets must be a flow's last ones, which requires packets in order.
#[test]
fn speculation_is_refused() {
    let config = AlgorithmConfig::with_parts("s-perc", None, &[Part::OneRtt]);
    let needs = config.expect("s-PERC with 1RC").needs();
    let mut network = spraying(leaf_spine());
    let programs = requested(&needs).into_iter();
    network.config.programs = programs.filter(|program| program.name() == "1rc").collect();
    assert_eq!(network.config.programs.len(), 1);
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    let why = "speculative packets arrive in the order in which they left";
    assert!(said.contains(why), "{said}");
}

/// An external algorithm with a controller for each flow that reads INT.
#[test]
fn int_is_of_one_path() {
    let needs = Needs {
        int: IntSource::Data,
        serves: Serves::OneFlow("each flow has a controller of its own"),
        ..Needs::default()
    };
    let said = refusal(&spraying(leaf_spine()), &needs).expect("it is refused");
    assert!(said.contains("INT tells of one path"), "{said}");
}

#[test]
fn recovery_that_goes_by_order_is_refused() {
    let mut network = spraying(leaf_spine());
    network.config.recovery.kind = RecoveryKind::GoBackN;
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    assert!(said.contains("go-back-n takes"), "{said}");
    let run = network.try_run(&permutation(1_000), &network.uncontrolled());
    assert!(run.is_err_and(|error| error.to_string().contains("go-back-n takes")));
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.recovery.loss_detection = InOrder {}.into();
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    assert!(said.contains("in-order loss detection takes"), "{said}");
}

/// Persistent QPs have one limit for CNPs, and count as one flow for INT on ACKs.
#[test]
fn feedback_by_source_port_is_refused() {
    let mut network = spraying(leaf_spine());
    network.config.nic.qps = QpLifetime::Persistent;
    assert_eq!(refusal(&network, &Needs::default()), None);
    network.config.cnp = CnpConfig::Interval(Time::from_us(4));
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    assert!(said.contains("receivers limit CNPs by QP"), "{said}");
    network.config.cnp = CnpConfig::Off;
    network.config.int = IntSource::Acks;
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    assert!(
        said.contains("receivers count flows for INT on ACKs"),
        "{said}"
    );
    network.config.nic.qps = QpLifetime::PerFlow;
    assert_eq!(refusal(&network, &Needs::default()), None);
}

#[test]
fn a_flow_has_an_entropy() {
    let mut network = spraying(leaf_spine());
    network.config.balance = RANDOM(0);
    let said = refusal(&network, &Needs::default()).expect("it is refused");
    assert!(said.contains("entropies: `0` is out of range"), "{said}");
}
