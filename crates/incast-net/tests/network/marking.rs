//! ECN: which packets are marked, and which marks senders receive.

use incast_net::{AckClass, AckPolicy, CnpConfig, ExecutionPath, Flow};
use incast_signals::{EcnOff, EcnOptions, EcnPerRate, EcnPerTier, MarkingPoint, QueueThreshold};
use incast_topology::LeafSpine;
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::listener::{Listener, Log};
use crate::support::{Network, flow, star};

/// Time of a full packet, 1048 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);

/// A step above `packets` full packets.
fn step(packets: u64, at: MarkingPoint) -> EcnOptions {
    EcnOptions::step(QueueThreshold::Size(Bytes::new(packets * 1_048)), at)
}

/// Hosts 0 and 1 each send 20 packets to host 2. The packets reach the switch in 20 pairs, one pair
/// every S. At time k·S the k-th packet leaves (odd packets are host 0's), then the k-th pair
/// arrives. For k ≥ 2 the packet leaves k − 2 packets behind, and after the last pair 40 − k.
fn two_senders(ecn: EcnOptions) -> (Network, [Log; 2]) {
    let mut network = Network::new(star(3));
    network.config.ecn = Some(ecn);
    let flows = [flow(0, 0, 2, 20_000), flow(1, 1, 2, 20_000)];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    network.run(&flows, &listener);
    let logs = [listener.log(0), listener.log(1)];
    (network, logs)
}

/// Numbers of the ACKs, counted from 1, whose packet was marked.
fn marked(log: &Log) -> Vec<usize> {
    (1..)
        .zip(&log.acks)
        .filter(|(_, ack)| ack.marked)
        .map(|(number, _)| number)
        .collect()
}

/// More than 5 packets are left behind by departures 8 ≤ k ≤ 34. Host 0 has odd k = 2i − 1, so i =
/// 5…17. Host 1 has k = 2i, so i = 4…17.
#[test]
fn a_step_at_dequeue_counts_what_is_left_behind() {
    let (_, logs) = two_senders(step(5, MarkingPoint::Dequeue));
    assert_eq!(marked(&logs[0]), Vec::from_iter(5..=17));
    assert_eq!(marked(&logs[1]), Vec::from_iter(4..=17));
}

/// Host 0's k-th packet finds k − 2 packets, k − 1 with itself; host 1's makes k. More than 5 come
/// from k = 7 for host 0 and from k = 6 for host 1. (The log has no last ACK, k = 20.)
#[test]
fn a_step_at_enqueue_counts_the_packet_itself() {
    let (_, logs) = two_senders(step(5, MarkingPoint::Enqueue));
    assert_eq!(marked(&logs[0]), Vec::from_iter(7..=19));
    assert_eq!(marked(&logs[1]), Vec::from_iter(6..=19));
}

/// Every packet that waits is marked, and no packet that leaves at once: only host 0's first.
#[test]
fn a_step_at_zero_marks_what_waits() {
    let (_, logs) = two_senders(step(0, MarkingPoint::Enqueue));
    assert_eq!(marked(&logs[0]), Vec::from_iter(2..=19));
    assert_eq!(marked(&logs[1]), Vec::from_iter(1..=19));
}

/// RED: the probability grows from 0 at K_min to p_max at K_max. With 600 packets from each of two
/// hosts the queue grows to 600 packets and shrinks again. A port's number of marks is a sum of
/// independent draws with mean Σp and variance Σp(1 − p).
#[test]
fn red_marks_in_proportion() {
    let (k_min, k_max, p_max) = (100, 500, 0.4);
    let mut network = Network::new(star(3));
    let [low, high] = [k_min, k_max].map(|packets| Bytes::new(packets * 1_048));
    network.config.ecn = Some(EcnOptions::red(low, high, p_max));
    let flows = [flow(0, 0, 2, 600_000), flow(1, 1, 2, 600_000)];
    let marks = |network: &Network| {
        let outcome = network.run(&flows, &network.uncontrolled());
        outcome.recording.ports[network.port(3, 2)].marked
    };
    let probability = |queue: u64| match queue {
        _ if queue > k_max => 1.0,
        _ => p_max * queue.saturating_sub(k_min) as f64 / (k_max - k_min) as f64,
    };
    let queues = (0..=598).chain((0..=599).rev()).map(probability);
    let (mean, variance) = queues.fold((0.0, 0.0), |(mean, variance), p| {
        (mean + p, variance + p * (1.0 - p))
    });
    let first = marks(&network);
    let deviation = (first as f64 - mean) / f64::sqrt(variance);
    assert!(deviation.abs() < 4.0, "{first} marks, expected {mean}");
    assert_eq!(marks(&network), first, "the same seed");
    network.config.seed = 2;
    assert_ne!(marks(&network), first, "another seed");
}

/// The first entry for a port's rate applies; ports of other rates do not mark.
#[test]
fn thresholds_belong_to_a_link_rate() {
    let of = |gbps, packets: u64| {
        let threshold = QueueThreshold::Size(Bytes::new(packets * 1_048));
        EcnPerRate {
            link_rate: Rate::from_gbps(gbps),
            k_min: threshold,
            k_max: threshold,
            p_max: 1.0,
        }
    };
    let marks = |per_rate: Vec<EcnPerRate>| {
        let mut network = Network::new(star(3));
        network.config.ecn = Some(EcnOptions {
            per_rate: Some(per_rate),
            ..EcnOptions::default()
        });
        let flows = [flow(0, 0, 2, 20_000), flow(1, 1, 2, 20_000)];
        let outcome = network.run(&flows, &network.uncontrolled());
        outcome.recording.ports[network.port(3, 2)].marked
    };
    // k = 8…34 are 27 packets.
    assert_eq!(marks(vec![of(400, 0), of(100, 5), of(100, 0)]), 27);
    assert_eq!(marks(vec![of(400, 0)]), 0);
}

/// Three leaves, 6 to 8, of two hosts each, under spine 9. Two hosts send 20 packets each to a
/// third. Returns the ports that mark, in order: switch, its peer, number of marks.
fn marks_by_tier(per_tier: &[EcnPerTier], [one, other, to]: [u32; 3]) -> Vec<(u32, u32, u64)> {
    let shape = LeafSpine {
        leaves: 3,
        spines: 1,
        hosts_per_leaf: 2,
        spine_rate: Some(Rate::from_gbps(100)),
        ..LeafSpine::default()
    };
    let mut network = Network::new(shape.build().unwrap());
    network.config.ecn = Some(EcnOptions {
        per_tier: per_tier.to_vec(),
        ..step(0, MarkingPoint::Dequeue)
    });
    let flows = [flow(0, one, to, 20_000), flow(1, other, to, 20_000)];
    let [fast, plain] = [ExecutionPath::Fast, ExecutionPath::Plain].map(|path| {
        network.path = path;
        let outcome = network.run(&flows, &network.uncontrolled());
        let links = (6..10).flat_map(|switch| {
            let own = network.ports.of(NodeId(switch)).iter();
            own.map(move |port| (switch, port.peer.0))
        });
        let marks = links.map(|(switch, peer)| {
            let port = network.port(switch, peer);
            (switch, peer, outcome.recording.ports[port].marked)
        });
        let marks: Vec<_> = marks.filter(|(_, _, marked)| *marked > 0).collect();
        marks
    });
    assert_eq!(fast, plain);
    fast
}

/// Marks of a tier above `packets` full packets.
fn tier_step(tier: &str, packets: u64, at: Option<MarkingPoint>) -> EcnPerTier {
    EcnPerTier {
        tier: tier.to_owned(),
        step: Some(QueueThreshold::Size(Bytes::new(packets * 1_048))),
        at,
        ..EcnPerTier::default()
    }
}

fn tier_off(tier: &str) -> EcnPerTier {
    EcnPerTier {
        tier: tier.to_owned(),
        marking: Some(EcnOff::Off),
        ..EcnPerTier::default()
    }
}

/// Hosts 0 and 1 share leaf 6. Its link to the spine has the hosts' rate, so pairs meet there as on
/// the star, and come one by one afterwards. The packets of hosts 0 and 2 meet at the spine's link
/// to leaf 8. More than n packets are left behind for n + 3 ≤ k ≤ 39 − n, which are 37 − 2n
/// packets: 37 with the section's own step of 0, 27 for n = 5, 17 for n = 10. At enqueue, more than
/// 5 are found from k = 7 to 20 and from k = 6 to 20: 14 + 15 = 29.
#[test]
fn thresholds_belong_to_a_tier() {
    let enqueue = Some(MarkingPoint::Enqueue);
    for (per_tier, at_leaf, at_spine) in [
        (vec![], 37, 37),
        (vec![tier_step("spine", 10, None)], 37, 17),
        (
            vec![tier_step("leaf", 5, None), tier_step("spine", 10, None)],
            27,
            17,
        ),
        (vec![tier_off("leaf"), tier_step("spine", 10, None)], 0, 17),
        (
            vec![tier_off("spine"), tier_step("leaf", 5, enqueue)],
            29,
            0,
        ),
        (vec![tier_step("switch", 5, None)], 37, 37),
    ] {
        for (hosts, switch, peer, marked) in
            [([0, 1, 2], 6, 9, at_leaf), ([0, 2, 4], 9, 8, at_spine)]
        {
            let expected = Vec::from_iter((marked > 0).then_some((switch, peer, marked)));
            assert_eq!(marks_by_tier(&per_tier, hosts), expected, "{per_tier:?}");
        }
    }
}

/// Data from host 0 to host 1 meet no queue. Their ACKs, in the data class, wait behind data of
/// hosts 2 and 3 to host 0, where all packets are marked. Marks on ACKs are no signal about the
/// data's path.
#[test]
fn marks_on_the_way_back_are_not_echoed() {
    let mut network = Network::new(star(4));
    network.config.ecn = Some(step(0, MarkingPoint::Dequeue));
    network.config.model.ack_class = AckClass::Data;
    let flows = [
        flow(0, 0, 1, 200_000),
        flow(1, 2, 0, 200_000),
        flow(2, 3, 0, 200_000),
    ];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    assert!(outcome.recording.ports[network.port(4, 0)].marked > 300);
    assert_eq!(marked(&listener.log(0)), [0; 0]);
}

/// Host 0's marked packets arrive every 2·S = 167.68 ns. A CNP is due 10 µs after the previous one,
/// so at the 60th such packet: 10.0608 µs apart, with or without ACKs.
#[test]
fn cnps_keep_their_interval() {
    for ack_every in [1, 100] {
        let mut network = Network::new(star(3));
        network.config.ecn = Some(step(5, MarkingPoint::Dequeue));
        network.config.cnp = CnpConfig::Interval(Time::from_us(10));
        network.config.acks = AckPolicy::Packets(ack_every);
        let flows = [flow(0, 0, 2, 400_000), flow(1, 1, 2, 400_000)];
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        network.run(&flows, &listener);
        let cnps = listener.log(0).cnps;
        // Host 0's first marked packet, i = 5, leaves the switch at 9·S + 1 µs and arrives S + 1 µs
        // later. The CNP takes 2·(60 B + 1 µs).
        let first = PACKET * 10 + Time::from_us(4) + Time::from_ps(2 * 60 * 80);
        let expected: Vec<Time> = (0..cnps.len() as u64)
            .map(|number| first + PACKET * 120 * number)
            .collect();
        assert_eq!(cnps, expected, "one ACK for {ack_every}");
        // Packets are marked for about 800·S = 67 µs.
        assert_eq!(cnps.len(), 7);
    }
}

/// Below the threshold no packet is marked, and no sender receives a mark.
#[test]
fn an_uncongested_flow_is_not_marked() {
    let mut network = Network::new(star(3));
    network.config.ecn = Some(step(0, MarkingPoint::Dequeue));
    network.config.cnp = CnpConfig::Interval(Time::from_us(10));
    let flows: [Flow; 1] = [flow(0, 0, 2, 400_000)];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    assert_eq!(outcome.recording.ports[network.port(3, 2)].marked, 0);
    assert!(listener.log(0).cnps.is_empty());
    assert!(marked(&listener.log(0)).is_empty());
}
