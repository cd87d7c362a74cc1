//! Trimming: which packet loses its payload and when, the effect of its NACK, and conservation of
//! payload.

use std::cell::Cell;

use incast_cc::{AlgorithmConfig, DctcpConfig, LossKind};
use incast_net::{
    AckClass, AckPolicy, Balance, Contention, DropConfig, ExecutionPath, Explicit, FaultKind,
    FlowControl, HeaderService, LinkFault, PacketEvent, PacketKind, PortBufferConfig, PortLimit,
    RandomPaths, RecoveryKind, TrimCounters, TrimmingConfig,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_units::{Bytes, NodeId, Rate, Time};
use proptest::prelude::*;

use crate::execution_paths::{check, trim_end};
use crate::faults::{check_packets, with_faults};
use crate::listener::Listener;
use crate::mixed::OfSetting;
use crate::properties::for_all;
use crate::random_network::lossy_by_port;
use crate::several_paths::{crossing_flows, leaf_spine};
use crate::support::{Network, Outcome, flow, several_threads, star};
use crate::tracing::{check_conservation, everything};

/// Times of a full packet, 1048 B, at 100 Gb/s; of a header, 64 B; of an ACK or NACK, 60 B.
const PACKET: Time = Time::from_ps(1_048 * 80);
const HEADER: Time = Time::from_ps(64 * 80);
const ACK: Time = Time::from_ps(60 * 80);
const LINK: Time = Time::from_us(1);

const SERVICES: [HeaderService; 3] = [
    HeaderService::Strict,
    HeaderService::TenToOne,
    HeaderService::Quarter,
];

fn size(bytes: u64) -> PortLimit {
    PortLimit::Size(Bytes::new(bytes))
}

fn with_trimming(mut network: Network, queue: u64, headers: u64) -> Network {
    network = network.with_flow_control(FlowControl::Drop(DropConfig::PerPort(PortBufferConfig {
        trimming: Some(TrimmingConfig {
            header: Bytes::new(64),
            header_queue: size(headers),
            service: HeaderService::Strict,
        }),
        ..PortBufferConfig::of(size(queue))
    })));
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.recovery.loss_detection = Explicit {}.into();
    network.config.contention = Contention::Tail;
    network
}

fn port_config(network: &mut Network) -> &mut PortBufferConfig {
    match &mut network.config.flow_control {
        FlowControl::Drop(DropConfig::PerPort(config)) => config,
        _ => panic!("ports have buffers of their own"),
    }
}

fn trimming(network: &mut Network) -> &mut TrimmingConfig {
    port_config(network).trimming.as_mut().expect("it trims")
}

fn trims(outcome: &Outcome) -> TrimCounters {
    let mut all = TrimCounters::default();
    outcome
        .recording
        .trims
        .iter()
        .for_each(|port| all.add(port));
    all
}

/// Payload that hosts sent, less the payload that arrived at the receivers' ports, was trimmed, or
/// was dropped in packets. The rest is 0 when no packet is under way.
fn payload_left(network: &Network, outcome: &Outcome) -> i128 {
    let overhead = network.data_overhead().as_u64();
    let (hosts, recording) = (network.topology.hosts, &outcome.recording);
    let mut left = -i128::from(trims(outcome).trimmed_bytes);
    for (index, counters) in recording.ports.iter().enumerate() {
        let payload = i128::from(counters.data_bytes - counters.data_packets * overhead);
        let (node, _) = network.ports.owner(index as u32);
        let peer = network
            .ports
            .owner(network.ports.peer_index(index as u32))
            .0;
        if node.0 < hosts {
            left += payload;
        }
        if peer.0 < hosts {
            left -= payload;
        }
    }
    left
}

/// Hosts 0 and 1 send three packets each to host 2, whose queue holds one. The k-th packets of both
/// arrive at kS + L, host 0's first. At S + L host 0's first packet leaves and host 1's waits. At
/// 2S + L host 1's first leaves, host 0's second waits, and host 1's second is trimmed. At 3S + L
/// the header leaves, and both third packets are trimmed behind it. Then the two headers leave, and
/// host 0's second packet.
///
/// The NACK for host 1's second packet arrives at 3S + L + H + L + 2(A + L) = R, and the packet is
/// retransmitted at once. Host 0's third follows at R + H, and host 1's third after the second, at
/// R + S. They leave the switch one after the other from R + S + L on: host 0's third has left at
/// R + 3S + L, host 1's at R + 4S + L.
#[test]
fn what_is_trimmed_is_sent_again_as_soon_as_its_nack_comes() {
    let mut network = with_trimming(Network::new(star(3)), 1_048, 2_096);
    let flows = [flow(0, 0, 2, 3_000), flow(1, 1, 2, 3_000)];
    let nack = PACKET * 3 + LINK * 4 + HEADER + ACK * 2;
    let ack = LINK * 3 + ACK * 2;
    let trimmed = |at| {
        let (last_hop, marked, bytes) = (true, false, Bytes::new(1_000));
        let kind = LossKind::Trimmed {
            last_hop,
            marked,
            bytes,
        };
        (at, kind)
    };
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        let outcome = network.run(&flows, &listener);
        assert_eq!(listener.log(0).losses, [trimmed(nack + HEADER)]);
        assert_eq!(
            listener.log(1).losses,
            [trimmed(nack), trimmed(nack + HEADER * 2)]
        );
        assert_eq!(outcome.fct(0), nack + PACKET * 3 + LINK + ack);
        assert_eq!(outcome.fct(1), nack + PACKET * 4 + LINK + ack);
        let expected = TrimCounters {
            trimmed: 3,
            trimmed_bytes: 3_000,
            headers_dropped: 0,
        };
        assert_eq!(outcome.recording.trims[network.port(3, 2)], expected);
        assert_eq!((trims(&outcome), outcome.dropped()), (expected, 0));
        for (flow, nacks) in [(0, 1), (1, 2)] {
            let counters = outcome.record(flow).counters;
            assert_eq!((counters.nacks, counters.retransmitted), (nacks, nacks));
            assert_eq!(counters.trimmed_bytes, u64::from(nacks) * 1_000);
            assert_eq!(counters.retransmitted_bytes, counters.trimmed_bytes);
            assert_eq!(counters.timeouts, 0);
        }
        assert_eq!(payload_left(&network, &outcome), 0);
    }
}

/// The same flows, whose packets carry the time at which they leave: each loss comes with the time
/// since then.
#[test]
fn losses_have_the_round_trip_of_the_header() {
    let mut network = with_trimming(Network::new(star(3)), 1_056, 2_112);
    network.config.timestamps = true;
    let flows = [flow(0, 0, 2, 3_000), flow(1, 1, 2, 3_000)];
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        network.run(&flows, &listener);
        for (id, lost) in [(0, &[2][..]), (1, &[1, 2])] {
            let log = listener.log(id);
            let since = |(&packet, &(told, _))| Some(told - log.sent[packet as usize].0);
            assert_eq!(log.losses.len(), lost.len(), "flow {id}, {path:?}");
            let expected: Vec<_> = lost.iter().zip(&log.losses).map(since).collect();
            assert_eq!(log.round_trips, expected, "flow {id}, {path:?}");
        }
    }
}

/// The same packets with room for one header: of the two headers at 3S + L host 0's waits, and host
/// 1's is dropped. Its packet waits for the timeout, as no NACK comes.
#[test]
fn a_header_without_room_is_dropped() {
    let mut network = with_trimming(Network::new(star(3)), 1_048, 64);
    let timeout = network.config.recovery.timeout.expect("it drops");
    let flows = [flow(0, 0, 2, 3_000), flow(1, 1, 2, 3_000)];
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let outcome = network.run(&flows, &network.uncontrolled());
        let port = network.port(3, 2);
        let counters = outcome.recording.trims[port];
        assert_eq!((counters.trimmed, counters.headers_dropped), (3, 1));
        assert_eq!(outcome.recording.ports[port].dropped, 1);
        let counters = outcome.record(1).counters;
        assert_eq!((counters.nacks, counters.timeouts), (1, 1));
        assert!(outcome.fct(1) > timeout && outcome.fct(0) < timeout);
        assert_eq!(payload_left(&network, &outcome), 0);
    }
}

/// Eight senders at line rate. With equal probability a packet without room is trimmed, or replaces
/// the last waiting packet, which is trimmed instead and appears in the trace as enqueued before.
/// Data are marked by the queue of data; headers are never marked there.
#[test]
fn a_coin_decides_between_the_newcomer_and_the_last() {
    let mut network = with_trimming(Network::new(star(9)), 20 * 1_048, 1 << 20);
    network.config.contention = Contention::Coin;
    let full = QueueThreshold::Size(Bytes::new(40 * 1_048));
    network.config.ecn = Some(EcnOptions::step(full, MarkingPoint::Dequeue));
    network.measure.packets = Some(everything());
    let flows: Vec<_> = (0..8).map(|host| flow(host, host, 8, 300_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    let events = &outcome.recording.packets.as_ref().expect("a trace").events;
    let at_port = |event: &&incast_net::PacketRecord| (event.node, event.port) == (NodeId(9), 8);
    let (mut displaced, mut refused, mut marked_headers) = (0_u64, 0_u64, 0);
    let mut waiting = std::collections::HashSet::new();
    for event in events.iter().filter(at_port) {
        let packet = (event.flow, event.sequence);
        match (event.event, event.kind) {
            (PacketEvent::Enqueue, PacketKind::Data) => {
                waiting.insert(packet);
            }
            (PacketEvent::Send, PacketKind::Data) => assert!(waiting.remove(&packet)),
            (PacketEvent::Trim, PacketKind::Data) => match waiting.remove(&packet) {
                true => displaced += 1,
                false => refused += 1,
            },
            (PacketEvent::Send, PacketKind::Trimmed) => {
                assert_eq!((event.wire, event.payload), (Bytes::new(64), Bytes::ZERO));
                marked_headers += u32::from(event.marked);
            }
            _ => {}
        }
    }
    assert_eq!(displaced + refused, trims(&outcome).trimmed);
    // Half of the packets, within four standard deviations.
    let half = (displaced + refused) / 2;
    assert!(half > 1_000, "{half}");
    assert!(
        displaced.abs_diff(half) < 4 * (half as f64).sqrt() as u64,
        "{displaced} {refused}"
    );
    assert_eq!(marked_headers, 0);
    let total = check_conservation(&network, events);
    assert_eq!((total.dropped, payload_left(&network, &outcome)), (0, 0));
    assert_eq!(outcome.retransmitted(), trims(&outcome).trimmed);
}

/// Sprayed flows of DCTCP in small queues, with each service, victim and ACK coalescing, dropped
/// headers, and longer queues at the last hop. The fast path, the plain path, and one to three
/// threads give the same results; all payload is accounted for.
#[test]
fn any_path_of_computing_and_any_threads_agree() {
    let flows = crossing_flows(8);
    let (mut trimmed, mut last, mut dropped) = (0, 0, 0);
    for (round, service) in SERVICES.iter().cycle().take(9).enumerate() {
        let headers = if round % 2 == 0 { 1 << 20 } else { 256 };
        let mut network = with_trimming(Network::new(leaf_spine()), 4_192, headers);
        trimming(&mut network).service = *service;
        port_config(&mut network).last_hop_queue_limit = PortLimit::Time(Time::from_ns(600));
        let config = &mut network.config;
        config.seed = round as u64;
        let entropies = [64, 3, 1000][round % 3];
        config.balance = Balance::Random(RandomPaths { entropies });
        config.acks = [
            AckPolicy::Packets(1),
            AckPolicy::Packets(4),
            AckPolicy::Bytes(Bytes::new(8_000)),
        ][round / 3];
        config.contention = [Contention::Coin, Contention::Tail, Contention::Random][round / 3];
        let threshold = QueueThreshold::Size(Bytes::new(2_000));
        config.ecn = Some(EcnOptions::step(threshold, MarkingPoint::Dequeue));
        network.measure.queue_interval = (round % 4 == 1).then_some(Time::from_ns(900));
        network.measure.until = Time::MAX;
        let dctcp = AlgorithmConfig::Dctcp(DctcpConfig::default());
        let reference = network.agreed(&flows, &dctcp, round as u64);
        assert_eq!(payload_left(&network, &reference), 0, "{round}");
        let all = trims(&reference);
        assert_eq!(reference.dropped(), all.headers_dropped);
        let at_hosts = |host| reference.recording.trims[network.port(16 + host / 4, host)].trimmed;
        last += (0..16).map(at_hosts).sum::<u64>();
        (trimmed, dropped) = (trimmed + all.trimmed, dropped + all.headers_dropped);
    }
    assert!(
        trimmed > 600 && last > 200 && trimmed > last + 200,
        "{trimmed} {last}"
    );
    assert!(dropped > 10, "{dropped}");
}

/// Random networks and algorithms on one path, with all other options: both execution paths and
/// several threads agree, and all payload of completed runs is accounted for.
#[test]
fn all_paths_agree_on_what_ports_trim() {
    let (trimmed, complete) = (Cell::new(0), Cell::new(0));
    for_all(lossy_by_port(), |setting| {
        let setting = match setting.seed.is_multiple_of(2) {
            true => setting.with_equal_delays(Time::from_us(1 + setting.seed % 40)),
            false => setting.clone(),
        };
        let network = setting.network();
        if network.config.recovery.kind == RecoveryKind::GoBackN
            && !network.config.programs.is_empty()
        {
            return Ok(());
        }
        let FlowControl::Drop(DropConfig::PerPort(config)) = &network.config.flow_control else {
            panic!("ports have buffers of their own");
        };
        let queue = config.clone();
        let mut network = with_trimming(network, 0, 200 + setting.seed % 5 * 300);
        let trims_so = trimming(&mut network).clone();
        *port_config(&mut network) = PortBufferConfig {
            trimming: Some(TrimmingConfig {
                service: SERVICES[setting.seed as usize % 3],
                ..trims_so
            }),
            ..queue
        };
        let config = &mut network.config;
        config.model.ack_class = AckClass::Control;
        config.contention =
            [Contention::Coin, Contention::Tail, Contention::Random][setting.seed as usize / 3 % 3];
        network.stop = Some(Time::from_ms(2));
        network.measure.until = Time::MAX;
        network.measure.queue_interval = (setting.seed % 4 < 3).then_some(Time::from_ns(1_300));
        let expected = check(&mut network, &setting)?;
        trimmed.set(trimmed.get() + trims(&expected).trimmed);
        let left = payload_left(&network, &expected);
        prop_assert!(left >= 0, "{} B came from nowhere", left);
        if expected.recording.finished == setting.flows.len() as u64 {
            prop_assert_eq!(left, 0);
        }
        complete.set(complete.get() + expected.recording.finished);
        if setting.has_windows() {
            network.threads = several_threads(2 + setting.seed as usize % 2, setting.seed);
            let mut outcome = network.run(&setting.flows, &OfSetting(&network, &setting));
            trim_end(&mut outcome);
            let recordings = [&outcome, &expected].map(|each| format!("{:?}", each.recording));
            prop_assert_eq!(&recordings[0], &recordings[1]);
        }
        Ok(())
    });
    let (trimmed, complete) = (trimmed.get(), complete.get());
    assert!(trimmed > 2_000 && complete > 100, "{trimmed} {complete}");
}

/// Links fail, slow down and corrupt packets, including headers. Packets are lost, trimmed or
/// received, and flows complete, on one and three threads.
#[test]
fn faults_lose_headers_too() {
    let mut network = with_trimming(Network::new(leaf_spine()), 4_192, 512);
    network.config.balance = Balance::Random(RandomPaths { entropies: 64 });
    network.config.recovery.timeout = Some(Time::from_us(200));
    let fault = |link: usize, kind, from, until| LinkFault {
        links: vec![link as u32],
        kind,
        from: Time::from_us(from),
        until: Time::from_us(until),
    };
    let links = network.topology.links.len();
    let lossy = FaultKind::Loss { probability: 0.02 };
    let slow = FaultKind::Degraded {
        rate: Rate::from_gbps(25),
    };
    let down = FaultKind::Down {
        detection: Time::from_us(5),
    };
    let faults = vec![
        fault(15, lossy, 0, 1_000),
        fault(links - 1, slow, 0, 1_000),
        fault(links - 6, down, 3, 40),
    ];
    let mut network = with_faults(network, faults);
    let flows = crossing_flows(8);
    let outcome = network.run(&flows, &network.uncontrolled());
    outcome.check_books(&flows);
    check_packets(&network, &outcome);
    let lost = outcome.recording.faults.as_ref().expect("faults").losses();
    assert!(
        trims(&outcome).trimmed > 100 && lost.on_links() > 5,
        "{lost:?}"
    );
    network.threads = several_threads(3, 5);
    let again = network.run(&flows, &network.uncontrolled());
    assert!(format!("{again:?}") == format!("{outcome:?}"));
}
