//! NSCC in whole networks: flows that send by room, ACKs by bytes, packets on many paths, losses.

use incast_cc::{
    Ack, AlgorithmConfig, CongestionControl, FlowController, Loss, LossKind, Needs, NsccConfig,
    Parameters as _, SendLimit, Sent,
};
use incast_net::{
    AckPolicy, Backoff, Balance, Controllers, DropConfig, EarlyCount, ExecutionPath, Explicit,
    Flow, FlowControl, FlowCounters, HeaderService, LegacyReps, LossDetection, PacketEvent,
    PacketKind, PortBufferConfig, PortLimit, Probes, RandomPaths, RecoveryKind, Threads, TimeoutOf,
    TraceConfig, TrimmingConfig,
};
use incast_signals::EcnOptions;
use incast_topology::{LeafSpine, Topology};
use incast_units::{Bytes, Rate, Time};
use std::sync::{Arc, Mutex};

use crate::several_paths::leaf_spine;
use crate::support::{Network, Outcome, flow, several_threads, star};

/// A flow of 1000 B packets, 1048 B on the wire: its room, and the signals it received.
#[derive(Clone, Debug, Default, PartialEq)]
struct Heard {
    sent: Vec<Time>,
    received: Vec<u64>,
    restored: u64,
    lost: Vec<(LossKind, u64)>,
}

/// A controller that keeps a fixed number of bytes in flight, by its own count.
#[derive(Clone)]
struct Room {
    most: i64,
    window: u64,
    /// Below 0 for a while if a packet that counts as lost has arrived, but no ACK has named it.
    in_flight: i64,
    heard: Arc<Mutex<Heard>>,
}

impl CongestionControl for Room {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let news = &ack.news;
        let told = |bytes: Bytes| bytes.as_u64() as i64;
        self.in_flight += told(news.restored) - told(news.newly_received);
        let mut heard = self.heard.lock().expect("one thread");
        heard.received.push(news.newly_received.as_u64());
        heard.restored += news.restored.as_u64();
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.in_flight += sent.wire.as_u64() as i64;
        self.heard.lock().expect("one thread").sent.push(now);
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        self.in_flight -= loss.wire.as_u64() as i64;
        let mut heard = self.heard.lock().expect("one thread");
        heard.lost.push((loss.kind, loss.wire.as_u64()));
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            // Besides the room, only balancers use the window.
            window: Bytes::new(self.window),
            room: Bytes::new((self.most - self.in_flight).max(0) as u64),
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

struct Rooms {
    most: i64,
    window: u64,
    heard: Arc<Mutex<Heard>>,
}

impl Rooms {
    fn new(most: i64) -> Self {
        Self {
            most,
            window: 1,
            heard: Arc::default(),
        }
    }

    fn heard(&self) -> Heard {
        self.heard.lock().expect("one thread").clone()
    }
}

impl Controllers for Rooms {
    fn create(&self, _flow: &Flow) -> Box<dyn FlowController> {
        Box::new(Room {
            most: self.most,
            window: self.window,
            in_flight: 0,
            heard: Arc::clone(&self.heard),
        })
    }

    fn needs(&self) -> Needs {
        Needs {
            sent_packets: true,
            received_bytes: true,
            selective_repeat: true,
            room: true,
            ..Needs::default()
        }
    }
}

/// Selective repeat that infers no loss, and ACKs by bytes.
fn by_bytes(mut network: Network, bytes: u64) -> Network {
    let config = &mut network.config;
    config.recovery.kind = RecoveryKind::Selective;
    config.recovery.loss_detection = Explicit {}.into();
    config.acks = AckPolicy::Bytes(Bytes::new(bytes));
    network
}

const PATHS: [ExecutionPath; 2] = [ExecutionPath::Plain, ExecutionPath::Fast];

/// 5239 B of room hold four packets of 1048 B, but not five. The fourth packet asks for an ACK; the
/// first packet gets an ACK because it is the first. The first ACK allows a fifth packet, which
/// asks for an ACK, and so on. The ACKs are for one, three, one, three packets, and the last.
#[test]
fn packets_leave_while_they_fit() {
    let mut told = Vec::new();
    for path in PATHS {
        let mut network = by_bytes(Network::new(star(2)), 100_000);
        network.path = path;
        let rooms = Rooms::new(5_239);
        let outcome = network.run(&[flow(0, 0, 1, 9_000)], &rooms);
        assert_eq!(outcome.retransmitted(), 0);
        let heard = rooms.heard();
        // A packet takes 83.84 ns. The first ACK is back after 2 · (83.84 + 4.8) ns and four links
        // of 1 us.
        let at = |packets: u64| Time::from_ps(packets * 83_840);
        assert_eq!(heard.sent[..4], [at(0), at(1), at(2), at(3)]);
        let first_ack = Time::from_us(4) + Time::from_ps(2 * (83_840 + 4_800));
        assert_eq!(heard.sent[4], first_ack);
        // The last ACK ends the flow, and is not passed to the algorithm.
        assert_eq!(heard.received, [1_048, 3_144, 1_048, 3_144]);
        told.push(heard);
    }
    assert_eq!(told[0], told[1]);
}

/// 20 kB of room hold 19 packets, and the window of 5 kB has five packets of 1000 B. The first five
/// packets take entropies 1 to 5 of 1024. Later packets draw theirs, or reuse returned entropies.
#[test]
fn balancers_are_told_the_window_beside_the_room() {
    for path in PATHS {
        let mut network = by_bytes(Network::new(leaf_spine()), 4_000);
        network.path = path;
        network.config.balance = LegacyReps { entropies: 1024 }.into();
        network.measure.packets = Some(TraceConfig {
            causes: false,
            ports: None,
            flows: None,
            from: Time::ZERO,
            until: Time::MAX,
            limit: 10_000,
        });
        let of_flow = flow(0, 0, 15, 50_000);
        let rooms = Rooms {
            window: 5_000,
            ..Rooms::new(20_000)
        };
        let trace = network.run(&[of_flow], &rooms).recording.packets;
        let entropies: Vec<u16> = trace
            .expect("a trace")
            .events
            .iter()
            .filter(|event| (event.event, event.kind) == (PacketEvent::Send, PacketKind::Data))
            .filter(|event| event.node.0 == 0)
            .map(|event| event.entropy.expect("one of several") - of_flow.source_port)
            .collect();
        assert_eq!(
            (entropies.len(), &entropies[..5]),
            (50, &[1, 2, 3, 4, 5][..])
        );
        let in_turn = (6..).zip(&entropies[5..]).filter(|(next, of)| next == *of);
        assert!(in_turn.count() < 3, "a few by chance");
    }
}

/// Four flows meet in a queue of ten packets. The losses and arrivals that each flow learns of add
/// up, so no flow counts bytes in flight that do not exist. With only a timeout, of the flow or of
/// packets, all flows complete.
#[test]
fn losses_come_off_what_is_in_flight() {
    let drop = DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(10_480),
    };
    let mut counted = Vec::new();
    let both = [TimeoutOf::Flow, TimeoutOf::Packet];
    let ways = both.map(|of| PATHS.map(|path| (of, path)));
    for (timeout_of, path) in ways.into_iter().flatten() {
        let network = Network::new(star(5)).with_flow_control(FlowControl::Drop(drop.clone()));
        let mut network = by_bytes(network, 4_000);
        network.path = path;
        network.config.recovery.timeout = Some(Time::from_us(50));
        network.config.recovery.timeout_of = timeout_of;
        network.config.recovery.backoff = Backoff::None;
        let rooms = Rooms::new(20_000);
        let flows: Vec<_> = (0..4).map(|host| flow(host, host, 4, 100_000)).collect();
        let outcome = network.run(&flows, &rooms);
        outcome.check_books(&flows);
        let heard = rooms.heard();
        let lost: u64 = heard.lost.iter().map(|loss| loss.1).sum();
        assert!(outcome.dropped() > 10 && heard.lost.len() > 4);
        // All drops are reported, in packets of 1048 B.
        assert!(lost.is_multiple_of(1_048) && lost / 1_048 >= outcome.dropped());
        // Each lost packet was retransmitted or restored. Only packets restored by a flow's last
        // ACK, which the algorithm does not get, are missing: fewer than four times the 19 that fit
        // into the room.
        let known = outcome.retransmitted() + heard.restored / 1_048;
        assert!((known..known + 4 * 19).contains(&(lost / 1_048)));
        assert!(heard.lost.iter().all(|loss| loss.0 == LossKind::Timeout));
        if timeout_of == TimeoutOf::Packet {
            assert!(heard.lost.iter().all(|loss| loss.1 == 1_048));
            let timeouts = |counters: FlowCounters| u64::from(counters.timeouts);
            let counters = outcome.flows.iter().map(|flow| flow.counters);
            let expired: u64 = counters.map(timeouts).sum();
            assert_eq!(expired, heard.lost.len() as u64);
        }
        counted.push(heard);
    }
    assert_eq!(counted[0], counted[1]);
    assert_eq!(counted[2], counted[3]);
    assert!(counted[0] != counted[2]);
}

/// Four leaves of four hosts, four spines, all at 100 Gb/s, NSCC with 64 entropies.
fn sprayed(config: &NsccConfig, queue: u64, seed: u64) -> Network {
    let shape = LeafSpine {
        leaves: 4,
        spines: 4,
        hosts_per_leaf: 4,
        spine_rate: Some(Rate::from_gbps(100)),
        ..LeafSpine::default()
    };
    let topology: Topology = shape.build().expect("a leaf-spine");
    let drop = DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(queue),
    };
    let network = Network::new(topology).with_flow_control(FlowControl::Drop(drop));
    let mut network = by_bytes(network, 16_384);
    let needs = config.needs();
    let options = &mut network.config;
    options.seed = seed;
    options.balance = Balance::Random(RandomPaths { entropies: 64 });
    options.timestamps = needs.timestamp;
    options.recovery.timeout = Some(Time::from_us(200));
    if seed == 3 {
        options.recovery.timeout_of = TimeoutOf::Packet;
    }
    options.ecn = Some(EcnOptions::red(Bytes::new(20_000), Bytes::new(80_000), 1.0));
    network.base_rtt = Time::from_us(9);
    network.base_window = Bytes::new(112_500);
    network
}

fn run(network: &mut Network, way: (ExecutionPath, Threads), flows: &[Flow]) -> Outcome {
    (network.path, network.threads) = way;
    let nscc = network.algorithm(AlgorithmConfig::Nscc(NsccConfig::default()));
    network.run(flows, &nscc)
}

/// Permutation and incast, with and without losses: fast path, plain path, and one to three threads
/// give the same results, and all payload arrives.
#[test]
fn any_path_of_computing_and_any_threads_agree() {
    let permutation = (0..16).map(|host| flow(host, host, (host + 4) % 16, 60_000));
    let incast = (16..24).map(|id| flow(id, id - 12, 0, 50_000));
    let flows: Vec<_> = permutation.chain(incast).collect();
    let mut lost = 0;
    for (seed, queue) in [(1, 1 << 20), (2, 30_000), (3, 12_000)] {
        let mut network = sprayed(&NsccConfig::default(), queue, seed);
        let reference = run(&mut network, (ExecutionPath::Plain, Threads::ONE), &flows);
        reference.check_books(&flows);
        lost += reference.dropped();
        let expected = format!("{reference:?}");
        for count in [1, 2, 3] {
            let threads = match count {
                1 => Threads::ONE,
                count => several_threads(count, seed),
            };
            let outcome = run(&mut network, (ExecutionPath::Fast, threads), &flows);
            assert!(format!("{outcome:?}") == expected, "{seed}, {threads:?}");
        }
    }
    assert!(lost > 100, "{lost}");
}

/// The same flows with queues of twelve packets, which drop or trim. Senders without feedback send
/// probes. Probes count as data packets, and every execution path gives the same results. Without
/// probes, lost tails wait for the timeout, and the last flow ends later.
#[test]
fn probes_find_lost_tails_on_any_path_of_computing() {
    let permutation = (0..16).map(|host| flow(host, host, (host + 4) % 16, 60_000));
    let incast = (16..24).map(|id| flow(id, id - 12, 0, 50_000));
    let flows: Vec<_> = permutation.chain(incast).collect();
    let nscc = AlgorithmConfig::Nscc(NsccConfig::default());
    let limit = PortLimit::Size(Bytes::new(12_000));
    let trimming = TrimmingConfig {
        header: Bytes::new(64),
        header_queue: limit,
        service: HeaderService::Strict,
    };
    for trimming in [None, Some(trimming)] {
        let ended = [Some(Probes::default()), None].map(|probes| {
            let mut network = sprayed(&NsccConfig::default(), 12_000, 3);
            network.config.flow_control =
                FlowControl::Drop(DropConfig::PerPort(PortBufferConfig {
                    trimming: trimming.clone(),
                    ..PortBufferConfig::of(limit)
                }));
            network.config.base_rtt = network.base_rtt;
            network.config.recovery.loss_detection = LossDetection::EarlyCount(EarlyCount {
                probes,
                ..EarlyCount::default()
            });
            let outcome = network.agreed(&flows, &nscc, 3);
            outcome.check_books(&flows);
            let sent: u32 = outcome.flows.iter().map(|flow| flow.counters.probes).sum();
            // If NACKs report losses, few senders or none are without feedback for long.
            assert!(sent > 0 || probes.is_none() || trimming.is_some());
            assert!(sent == 0 || probes.is_some());
            assert_eq!(outcome.dropped() > 0, trimming.is_none());
            let ends = outcome.flows.iter().map(|flow| flow.finish);
            ends.max().expect("flows")
        });
        assert!(trimming.is_some() || ended[0] < ended[1], "{ended:?}");
    }
}

/// Eight to one: marks keep the queue of the last hop below eight first windows of 1.5 BDP, 8 · 168
/// 750 B, less the bytes that leave meanwhile. No packet is lost.
#[test]
fn marks_bound_the_queue_of_an_incast() {
    let mut network = sprayed(&NsccConfig::default(), 4 << 20, 7);
    network.measure.until = Time::MAX;
    let flows: Vec<_> = (0..8).map(|id| flow(id, id + 4, 0, 1_000_000)).collect();
    let outcome = run(&mut network, (ExecutionPath::Fast, Threads::ONE), &flows);
    assert_eq!((outcome.dropped(), outcome.retransmitted()), (0, 0));
    // 8 MB over a link of 100 Gb/s, with headers of 48 B and a timestamp of 8 B, take 676 us.
    let last = outcome.flows.iter().map(|flow| flow.finish).max();
    let ideal = Time::from_ps(8_000 * 1_056 * 80);
    let last = last.expect("flows");
    assert!(last > ideal && last < ideal + Time::from_us(60), "{last}");
}

/// Flows that share a congestion state have no common count of bytes in flight.
#[test]
fn the_needs_of_nscc_are_those_of_one_flow() {
    let needs = NsccConfig::default().needs();
    assert!(needs.room && needs.received_bytes && needs.selective_repeat && needs.sent_packets);
    assert_eq!(needs.ack_every, Some(Bytes::new(16_384)));
    assert!(matches!(needs.serves, incast_cc::Serves::OneFlow(_)));
}
