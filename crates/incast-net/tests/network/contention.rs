//! Which packet gets the last place of a full queue: a random one, or the first to arrive.

use std::collections::HashMap;

use incast_net::{
    Contention, DropConfig, ExecutionPath, Flow, FlowControl, Headroom, PacketEvent, PacketRecord,
    PfcThreshold, PortArbitration, RecoveryKind,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_units::{Bytes, NodeId, Time};

use crate::support::{Network, at, fat_tree, flow, pfc, several_threads, star};
use crate::tracing::{check_conservation, everything};

/// A full packet on the wire.
const PACKET: u64 = 1_048;

/// Queues of `packets` packets, in a shared buffer that is large enough.
fn queues_of(packets: u64) -> FlowControl {
    FlowControl::Drop(DropConfig::Shared {
        alpha: 1_024.0,
        queue_limit: Bytes::new(packets * PACKET),
    })
}

/// `count` hosts that send to one more host without end, each at the rate of its link.
fn senders(count: u32, contention: Contention, seed: u64) -> (Network, Vec<Flow>) {
    let mut network = Network::new(star(count + 1)).with_flow_control(queues_of(100));
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.contention = contention;
    network.config.seed = seed;
    network.stop = Some(Time::from_us(900));
    let flows = (0..count).map(|host| flow(host, host, count, 1 << 30));
    (network, flows.collect())
}

/// Number of packets of each flow that the switch dropped.
fn losses(network: &mut Network, flows: &[Flow]) -> Vec<f64> {
    network.measure.packets = Some(everything());
    let outcome = network.run(flows, &network.uncontrolled());
    let mut losses = vec![0.0; flows.len()];
    let events = &outcome.recording.packets.as_ref().expect("a trace").events;
    for event in events
        .iter()
        .filter(|event| event.event == PacketEvent::Drop)
    {
        losses[event.flow.expect("data are dropped").0 as usize] += 1.0;
    }
    assert_eq!(losses.iter().sum::<f64>(), outcome.dropped() as f64);
    losses
}

/// Largest difference between the losses of flows, as a fraction of their mean.
fn spread(losses: &[f64]) -> f64 {
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    let [least, most] = [f64::min, f64::max].map(|of| losses.iter().copied().reduce(of));
    (most.expect("flows") - least.expect("flows")) / mean
}

/// In 900 us 10 700 packets of each flow arrive. With two flows every second packet is lost, 5 350
/// of each flow. Each flow gets a place with probability ½, so the difference has a standard
/// deviation of at most √10 700 = 103, 1.9 % of the mean. With eight flows 9 400 packets of each
/// are lost. Flows start together, or apart by a fraction of a packet time.
#[test]
fn equal_senders_lose_alike() {
    for (count, limit) in [(2, 0.08), (8, 0.06)] {
        for (seed, apart) in [(1, 0), (2, 0), (1, 12_345), (2, 34_567)] {
            let (mut network, flows) = senders(count, Contention::Random, seed);
            let flows: Vec<_> = flows
                .into_iter()
                .map(|flow| at(Time::from_ps(u64::from(flow.id.0) * apart), flow))
                .collect();
            let losses = losses(&mut network, &flows);
            assert!(losses.iter().all(|count| *count > 4_000.0), "{losses:?}");
            assert!(
                spread(&losses) < limit,
                "{count} {seed} {apart}: {losses:?}"
            );
        }
    }
}

/// With tail drop the first packet after a departure always gets the place. The other flow loses
/// every packet that arrives while the queue is full.
#[test]
fn at_the_tail_one_sender_loses_all() {
    for apart in [0, 12_345] {
        let (mut network, flows) = senders(2, Contention::Tail, 1);
        let flows = [flows[0], at(Time::from_ps(apart), flows[1])];
        assert_eq!(losses(&mut network, &flows)[0], 0.0);
    }
}

/// A waiting packet that loses its place is traced as enqueued, then as dropped, under its own
/// name. A packet that gets a place is enqueued, and marked by the queue that it finds.
#[test]
fn what_is_dropped_in_the_place_of_another_is_told_by_its_name() {
    for arbitration in [PortArbitration::Fifo, PortArbitration::RoundRobin] {
        let (mut network, flows) = senders(8, Contention::Random, 3);
        network.config.arbitration = arbitration;
        network.config.flow_control = queues_of(20);
        let full = QueueThreshold::Size(Bytes::new(5 * PACKET));
        network.config.ecn = Some(EcnOptions::step(full, MarkingPoint::Enqueue));
        // Before the first ACK or NACK: 30 times 8 packets have arrived.
        network.stop = Some(Time::from_ns(3_700));
        network.measure.packets = Some(everything());
        let outcome = network.run(&flows, &network.uncontrolled());
        let events = &outcome.recording.packets.as_ref().expect("a trace").events;
        let mut waiting = HashMap::new();
        let (mut displaced, mut refused) = (0, 0);
        let at_port = |event: &&PacketRecord| (event.node, event.port) == (NodeId(9), 8);
        for event in events.iter().filter(at_port) {
            let packet = (event.flow, event.sequence);
            match event.event {
                PacketEvent::Enqueue => {
                    waiting.insert(packet, event.time);
                    let queue = event.queue + event.wire;
                    assert_eq!(event.marked, queue > Bytes::new(5 * PACKET), "{event:?}");
                }
                PacketEvent::Send => assert!(waiting.remove(&packet).is_some(), "{event:?}"),
                PacketEvent::Drop => match waiting.remove(&packet) {
                    Some(since) => displaced += u64::from(since <= event.time),
                    None => refused += 1,
                },
                _ => {}
            }
        }
        assert_eq!(displaced + refused, outcome.dropped());
        assert!(displaced > 30 && refused > 90, "{displaced} {refused}");
        let port = &outcome.recording.ports[network.port(9, 8)];
        assert_eq!(port.queue_max, 20 * PACKET);
    }
}

/// A trace has every packet of a run with losses, until its end.
#[test]
fn packets_are_sent_or_dropped() {
    let (mut network, _) = senders(8, Contention::Random, 3);
    network.stop = None;
    network.measure.packets = Some(everything());
    let flows: Vec<_> = (0..8).map(|host| flow(host, host, 8, 200_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    let events = &outcome.recording.packets.as_ref().expect("a trace").events;
    let total = check_conservation(&network, events);
    assert_eq!(total.dropped, outcome.dropped());
    assert!(total.dropped > 500, "{total:?}");
    assert_eq!(outcome.retransmitted(), total.dropped);
}

/// All execution paths, on one and three threads, agree with packets of two sizes.
#[test]
fn paths_and_threads_agree() {
    let mut network = Network::new(fat_tree(4)).with_flow_control(queues_of(30));
    network.config.recovery.kind = RecoveryKind::Selective;
    let flows: Vec<_> = (1..16)
        .map(|host| {
            at(
                Time::from_ns(u64::from(host / 6)),
                flow(host, host, 0, 100_300),
            )
        })
        .collect();
    let mut outcome = |path, threads| {
        (network.path, network.threads) = (path, threads);
        let mut outcome = network.run(&flows, &network.uncontrolled());
        assert!(outcome.dropped() > 200);
        outcome.recording.end = Time::ZERO;
        format!("{:?}", (outcome.flows, outcome.recording.ports))
    };
    let expected = outcome(ExecutionPath::Plain, several_threads(1, 0));
    assert_eq!(
        outcome(ExecutionPath::Fast, several_threads(1, 0)),
        expected
    );
    assert_eq!(
        outcome(ExecutionPath::Fast, several_threads(3, 7)),
        expected
    );
}

/// Under PFC, and in queues with room for all packets, no random numbers are drawn: both settings
/// give the same results.
#[test]
fn without_drops_nothing_changes() {
    let never = pfc(PfcThreshold::Dynamic { shift: 3 }, Headroom::WorstCase);
    for flow_control in [never, queues_of(10_000)] {
        let outcomes = [Contention::Random, Contention::Tail].map(|contention| {
            let mut network = Network::new(fat_tree(4)).with_flow_control(flow_control.clone());
            network.config.contention = contention;
            let flows: Vec<_> = (1..16).map(|host| flow(host, host, 0, 50_000)).collect();
            let outcome = network.run(&flows, &network.uncontrolled());
            assert_eq!(outcome.dropped(), 0);
            format!("{outcome:?}")
        });
        assert_eq!(outcomes[0], outcomes[1]);
    }
}
