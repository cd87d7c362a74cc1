//! Networks that drop packets: selective repeat retransmits only lost packets.

use std::collections::BTreeMap;

use incast_cc::{AlgorithmConfig, DctcpConfig, LossKind};
use incast_net::{
    AckClass, AckPolicy, Contention, DropConfig, Enforcement, Flow, FlowControl, OnLinks,
    RecoveryKind,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_units::{Bytes, FlowId, Rate, Time};

use crate::listener::Listener;
use crate::support::{Network, at, flow, star, star_of, uneven_star};

/// Time of a full packet, 1048 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
/// Time of an ACK, 60 B.
const ACK: Time = Time::from_ps(60 * 80);
const LINK: Time = Time::from_us(1);

fn dropping(network: Network, queue_limit: u64) -> Network {
    let mut network = network.with_flow_control(FlowControl::Drop(DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(queue_limit),
    }));
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.contention = Contention::Tail;
    network
}

/// Host 2 sends packets 0 to 5. Packet 1 meets the packets of hosts 0 and 1 and is lost. Packet 2
/// leaves the switch after host 1's packet, at 4S + L, and its ACK shows the loss at 5S + 4L + 2A.
/// By then packets 0 to 5 have left, so packet 1 leaves at once, and its ACK completes the flow.
#[test]
fn only_the_hole_is_sent_again() {
    let mut network = dropping(Network::new(star(4)), 1_048);
    network.measure.breakdown = true;
    let flows = [
        flow(2, 2, 3, 6_000),
        at(PACKET, flow(0, 0, 3, 1_000)),
        at(PACKET, flow(1, 1, 3, 1_000)),
    ];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    let shown = PACKET * 5 + LINK * 4 + ACK * 2;
    assert_eq!(listener.log(2).losses, [(shown, LossKind::Nack)]);
    assert_eq!(outcome.fct(2), shown + PACKET * 2 + LINK * 4 + ACK * 2);
    assert_eq!(outcome.record(2).counters.retransmitted, 1);
    assert_eq!(outcome.dropped(), 1);
    // The packets that completed the flows: full packet 1, and the last ones of the other flows.
    let all = outcome.recording.breakdowns.iter();
    let mut completing: Vec<_> = all.map(|each| (each.flow.0, each.on_links)).collect();
    completing.sort_by_key(|each| each.0);
    let (last, full) = (OnLinks::LastPacket, OnLinks::FullPacket);
    assert_eq!(completing, [(0, last), (1, last), (2, full)]);
}

/// The same flows, sampled every 100 ns. Until packet 1 has arrived, only packet 0 and the packets
/// of hosts 0 and 1 are acknowledged in order, although the ACKs of packets 2 to 5 have arrived.
/// Bytes acknowledged between samples add up to the flows' sizes, with or without shared states.
#[test]
fn what_comes_early_is_acknowledged_when_the_hole_is_filled() {
    for enforcement in [Enforcement::PerQp, Enforcement::PerPair] {
        let mut network = dropping(Network::new(star(4)), 1_048);
        network.config.nic.enforcement = enforcement;
        network.measure.flow_interval = Some(Time::from_ns(100));
        network.measure.flows = true;
        network.measure.until = Time::MAX;
        let flows = [
            flow(2, 2, 3, 6_000),
            at(PACKET, flow(0, 0, 3, 1_000)),
            at(PACKET, flow(1, 1, 3, 1_000)),
        ];
        let outcome = network.run(&flows, &network.uncontrolled());
        let mut sum = 0;
        // The time of the tick before, and what each flow had acknowledged.
        let (mut since, mut before) = (Time::ZERO, BTreeMap::new());
        for tick in &outcome.recording.flow_ticks {
            sum += tick.acked;
            let samples = outcome.recording.flow_samples.iter();
            let of_flows: BTreeMap<_, _> = samples
                .filter(|sample| sample.time == tick.time)
                .map(|sample| (sample.flow, sample.acked.as_u64()))
                .collect();
            let done = outcome.flows.iter().filter(|flow| flow.finish < tick.time);
            let done: u64 = done.map(|flow| flow.size.as_u64()).sum();
            assert_eq!(sum, of_flows.values().sum::<u64>() + done, "{}", tick.time);
            let began = |id: &FlowId| flows.iter().find(|flow| flow.id == *id).unwrap().start;
            let whole = of_flows.iter().filter(|(id, _)| began(id) <= since);
            let newly = |(id, acked): (_, &u64)| acked - before.get(id).unwrap_or(&0);
            let whole: Vec<u64> = whole.map(newly).collect();
            let squares = whole.iter().map(|acked| u128::from(acked * acked));
            let expected = (whole.len() as u64, whole.iter().sum(), squares.sum());
            assert_eq!(
                (tick.whole, tick.acked_sum, tick.acked_square_sum),
                expected
            );
            assert_eq!(tick.alive, of_flows.len() as u64);
            (since, before) = (tick.time, of_flows);
        }
        assert_eq!(sum, 3_000, "{enforcement:?}");
    }
}

/// Three packets arrive at once at a queue of one. The third packet has no follower, so it waits
/// for its timer.
#[test]
fn a_lost_tail_waits_for_the_timeout() {
    let network = dropping(Network::new(star(4)), 1_048);
    let timeout = network.config.recovery.timeout.expect("it drops");
    let flows = [0, 1, 2].map(|host| flow(host, host, 3, 1_000));
    let outcome = network.run(&flows, &network.uncontrolled());
    let unloaded = PACKET * 2 + LINK * 2 + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(2), timeout + unloaded);
    assert_eq!(outcome.record(2).counters.retransmitted, 1);
}

/// Hosts of 10 Gb/s send to a host of 1 Gb/s, without congestion control, with a queue of two
/// packets. Nine of ten packets are lost, first transmissions as often as others. An arrived packet
/// is retransmitted only if its ACK was lost. So the link carries 10 · 100 packets in little more
/// than their transmission time, 1000 · 8.384 us.
#[test]
fn no_flow_starves_where_most_is_lost() {
    let mut rates = vec![Rate::from_gbps(10); 10];
    rates.push(Rate::from_gbps(1));
    let network = dropping(Network::new(uneven_star(&rates, LINK)), 2 * 1_048);
    let flows: Vec<Flow> = (0..10).map(|host| flow(host, host, 10, 100_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    let (last, least) = (outcome.flows[9].finish, Time::from_ns(8_384) * 1_000);
    assert!(outcome.dropped() > 1_000, "{}", outcome.dropped());
    assert!(
        last > least && last < least * 2,
        "{last} for {least} of data"
    );
}

/// 16-to-1 into a queue of 20 packets, with flows back and across, and ACKs among the data or not.
/// All data are delivered once. Except for lost ACKs, as many packets are retransmitted as were
/// lost.
#[test]
fn an_incast_into_a_small_buffer_is_delivered_once() {
    for ack_class in [AckClass::Control, AckClass::Data] {
        for ack_every in [1, 4] {
            let mut network = dropping(Network::new(star(17)), 20 * 1_048);
            network.config.model.ack_class = ack_class;
            network.config.acks = AckPolicy::Packets(ack_every);
            let there = (0..16).map(|host| flow(host, host, 16, 100_000));
            let back = (0..16).map(|host| flow(16 + host, 16, host, 20_000));
            let cross = (0..16).map(|host| flow(32 + host, host, (host + 1) % 16, 30_000));
            let flows: Vec<Flow> = there.chain(back).chain(cross).collect();
            let outcome = network.run(&flows, &network.uncontrolled());
            let (again, lost) = (outcome.retransmitted(), outcome.dropped());
            assert!(lost > 100, "{lost}");
            if ack_class == AckClass::Control && ack_every == 1 {
                assert_eq!(again, lost);
            }
        }
    }
}

/// DCTCP at 10 Gb/s with a base RTT of 200 us and a queue of 100 packets, marked above 65. The slow
/// starts of 20 flows overflow the queue, but the link still carries nearly its full rate. 20 · 2
/// MB take 20 · 2000 · 838.4 ns = 33.5 ms.
#[test]
fn dctcp_recovers_from_the_losses_of_its_slow_start() {
    let star = star_of(21, Rate::from_gbps(10), Time::from_us(50));
    let mut network = dropping(Network::new(star), 100 * 1_048);
    network.config.recovery.timeout = Some(Time::from_ms(4));
    let threshold = QueueThreshold::Size(Bytes::new(65 * 1_048));
    network.config.ecn = Some(EcnOptions::step(threshold, MarkingPoint::Dequeue));
    let flows: Vec<Flow> = (0..20)
        .map(|host| flow(host, host, 20, 2_000_000))
        .collect();
    let dctcp = AlgorithmConfig::Dctcp(DctcpConfig::default());
    let outcome = network.run(&flows, &network.algorithm(dctcp));
    let (last, least) = (outcome.flows[19].finish, Time::from_us(33_536));
    assert!(outcome.dropped() > 0);
    assert_eq!(outcome.retransmitted(), outcome.dropped());
    assert!(last * 5 < least * 6, "{last} for {least} of data");
}
