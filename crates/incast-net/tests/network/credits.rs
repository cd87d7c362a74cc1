//! Credit from receivers (RCCC), against recordings of uet-htsim (commit 40ccb05), and on every
//! execution path.

use incast_cc::{AlgorithmConfig, Parameters as _, Part, RcccConfig};
use incast_net::{
    AckPolicy, DropConfig, Explicit, Flow, FlowControl, HeaderService, PacketEvent, PacketKind,
    PortBufferConfig, PortLimit, RecoveryKind, RoundRobinPaths, TrimmingConfig,
};
use incast_signals::EcnOptions;
use incast_topology::{FatTree, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::support::{Network, at, flow, star_of};
use crate::tracing::everything;

/// A fat tree of three tiers with links of 1 us.
fn fat_tree(k: u32, gbps: u64) -> Topology {
    let tree = FatTree {
        k,
        host_rate: Rate::from_gbps(gbps),
        delay: Time::from_us(1),
        ..FatTree::default()
    };
    tree.build().expect("a fat tree")
}

/// Packets of 4150 B with headers of 64 B, an ACK of 64 B for four packets, queues without bounds.
/// A base RTT has `hops` links in each direction.
fn network(topology: Topology, hops: u64, gbps: u64) -> Network {
    let drop = DropConfig::Shared {
        alpha: 64.0,
        queue_limit: Bytes::new(1 << 30),
    };
    let mut network = Network::new(topology).with_flow_control(FlowControl::Drop(drop));
    network.base_rtt = (Time::from_us(2) + Time::from_ps((4_150 + 64) * 8_000 / gbps)) * hops;
    network.base_window = Rate::from_gbps(gbps).bytes_in(network.base_rtt);
    let config = &mut network.config;
    config.base_rtt = network.base_rtt;
    config.recovery.kind = RecoveryKind::Selective;
    config.recovery.timeout = Some(Time::from_ms(1));
    config.acks = AckPolicy::Bytes(Bytes::new(16_384));
    let packets = &mut config.packets;
    packets.mtu = Bytes::new(4_086);
    packets.data_header = Bytes::new(64);
    (packets.ack, packets.minimum) = (Bytes::new(64), Bytes::new(64));
    network
}

fn uet_htsim() -> AlgorithmConfig {
    let sets = RcccConfig::SETS.iter();
    let mut found = sets.filter(|set| set.name == "uet-htsim");
    AlgorithmConfig::Rccc((found.next().expect("the set").values)())
}

/// Distance, flow size, and arrival of the last byte's ACK in ps at 100, 400 and 800 Gb/s. The flow
/// has one path, in fat trees of 16, 54 and 128 hosts, which all give the same times.
const ALONE: [(Separation, u64, [u64; 3]); 15] = [
    (Separation::Tor, 4_086, [4_674_240, 4_168_560, 4_084_280]),
    (Separation::Tor, 12_258, [5_338_240, 4_334_560, 4_167_280]),
    (Separation::Tor, 50_000, [8_408_800, 5_102_200, 4_551_100]),
    (
        Separation::Tor,
        700_000,
        [61_230_488, 18_307_011, 11_152_860],
    ),
    (
        Separation::Tor,
        5_000_000,
        [414_162_904, 106_508_137, 55_241_845],
    ),
    (Separation::Pod, 4_086, [9_348_480, 8_337_120, 8_168_560]),
    (Separation::Pod, 12_258, [10_012_480, 8_503_120, 8_251_560]),
    (Separation::Pod, 50_000, [13_083_040, 9_270_760, 8_635_380]),
    (
        Separation::Pod,
        700_000,
        [65_978_690, 22_474_280, 15_237_140],
    ),
    (
        Separation::Pod,
        5_000_000,
        [418_911_106, 110_676_266, 59_291_530],
    ),
    (
        Separation::Across,
        4_086,
        [14_022_720, 12_505_680, 12_252_840],
    ),
    (
        Separation::Across,
        12_258,
        [14_686_720, 12_671_680, 12_335_840],
    ),
    (
        Separation::Across,
        50_000,
        [17_757_280, 13_439_320, 12_719_660],
    ),
    (
        Separation::Across,
        700_000,
        [70_726_892, 26_642_840, 19_321_420],
    ),
    (
        Separation::Across,
        5_000_000,
        [423_405_132, 114_840_016, 63_330_295],
    ),
];

/// The distance between a flow's hosts.
#[derive(Copy, Clone, Debug)]
enum Separation {
    Tor,
    Pod,
    Across,
}

impl Separation {
    /// The receiver of host 0's flow.
    fn receiver(self, k: u32) -> u32 {
        match self {
            Self::Tor => 1,
            Self::Pod => k / 2,
            Self::Across => k * k / 4,
        }
    }
}

#[test]
fn a_flow_alone_takes_as_long_as_recorded() {
    for (rate, gbps) in [100, 400, 800].into_iter().enumerate() {
        for k in [4, 6, 8] {
            let network = network(fat_tree(k, gbps), 6, gbps);
            let algorithm = network.algorithm(uet_htsim());
            for (place, size, finish) in ALONE {
                let flow = flow(0, 0, place.receiver(k), size);
                let outcome = network.run(&[flow], &algorithm);
                let took = outcome.fct(0).as_ps();
                assert_eq!(took, finish[rate], "k {k} {gbps}G {place:?} {size}");
            }
        }
    }
}

/// Arrival of the ACKs of the last bytes for two flows of 1.3 MB to host 0: from its ToR and from
/// its pod, or both from one ToR of its pod.
#[test]
fn two_flows_take_as_long_as_recorded() {
    let recorded = [
        (100, [1, 2], [213_227_520, 217_619_040]),
        (400, [1, 2], [55_559_880, 58_904_760]),
        (100, [2, 3], [218_233_760, 220_283_040]),
        (400, [2, 3], [60_641_440, 61_070_760]),
    ];
    for (gbps, senders, finish) in recorded {
        let network = network(fat_tree(4, gbps), 6, gbps);
        let flows: Vec<Flow> = (0..2)
            .map(|id| flow(id, senders[id as usize], 0, 1_300_000))
            .collect();
        let outcome = network.run(&flows, &network.algorithm(uet_htsim()));
        let took = [0, 1].map(|id| outcome.fct(id).as_ps());
        assert_eq!(took, finish, "{senders:?} {gbps}G");
    }
}

/// Ten flows to host 10. Some start later, and the source of the first also receives. Ports hold 60
/// KB, so speculative packets are lost.
fn incast() -> Vec<Flow> {
    let into = (0..10).map(|host| {
        let size = 20_000 + 90_000 * u64::from(host % 4);
        at(
            Time::from_us(u64::from(host / 4) * 7),
            flow(host, host, 10, size),
        )
    });
    let late = Time::from_us(15);
    let back = [flow(10, 10, 0, 300_000), flow(11, 1, 11, 150_000)].map(|flow| at(late, flow));
    into.chain(back).collect()
}

fn lossy(kind: RecoveryKind, topology: Topology) -> Network {
    let mut network = network(topology, 2, 100);
    network.config.flow_control = FlowControl::Drop(DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(60_000),
    });
    network.config.recovery.kind = kind;
    network.config.recovery.timeout = Some(Time::from_us(100));
    network
}

/// Pacer, pulls and requests are the same on every execution path, with go-back-N and selective
/// repeat, with each parameter set and with NSCC. Packets are lost, and all data arrive.
#[test]
fn every_way_to_compute_a_run_gives_the_same() {
    let default = AlgorithmConfig::Rccc(RcccConfig::default());
    let both = AlgorithmConfig::with_parts("nscc", None, &[Part::Credits]);
    let both = both.expect("it takes the part");
    let topologies = [
        star_of(12, Rate::from_gbps(100), Time::from_us(1)),
        fat_tree(4, 100),
    ];
    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
        let algorithms = [uet_htsim(), default.clone(), both.clone()];
        let possible = algorithms
            .iter()
            .filter(|one| kind == RecoveryKind::Selective || !one.needs().selective_repeat);
        for (algorithm, topology) in possible
            .flat_map(|algorithm| topologies.iter().map(move |topology| (algorithm, topology)))
        {
            let mut network = lossy(kind, topology.clone());
            network.config.timestamps = algorithm.needs().timestamp;
            network.config.ecn = Some(EcnOptions::red(Bytes::new(10_000), Bytes::new(50_000), 1.0));
            let outcome = network.agreed(&incast(), algorithm, 3);
            assert!(outcome.dropped() > 0 && outcome.retransmitted() > 0);
        }
    }
}

/// 16 hosts, and ports that hold 60 KB of data and trim the excess.
fn trimmed() -> Network {
    let mut network = lossy(RecoveryKind::Selective, fat_tree(4, 100));
    let size = |bytes| PortLimit::Size(Bytes::new(bytes));
    network.config.flow_control = FlowControl::Drop(DropConfig::PerPort(PortBufferConfig {
        trimming: Some(TrimmingConfig {
            header: Bytes::new(64),
            header_queue: size(60_000),
            service: HeaderService::Strict,
        }),
        ..PortBufferConfig::of(size(60_000))
    }));
    network.config.recovery.loss_detection = Explicit {}.into();
    network
}

/// The header of a trimmed packet requests the credit for its retransmission, so that no flow waits
/// for a timeout, with RCCC alone and with NSCC. Every execution path gives the same results.
#[test]
fn headers_of_trimmed_packets_ask_for_credit() {
    let both = AlgorithmConfig::with_parts("nscc", None, &[Part::Credits]);
    for algorithm in [uet_htsim(), both.expect("it takes the part")] {
        let mut network = trimmed();
        network.config.recovery.timeout = Some(Time::from_ms(10));
        network.config.timestamps = algorithm.needs().timestamp;
        let outcome = network.agreed(&incast(), &algorithm, 3);
        assert!(outcome.retransmitted() > 0);
        let all = &outcome.flows;
        assert!(all.iter().all(|flow| flow.finish < Time::from_ms(1)));
    }
}

/// In a network with 4 : 1 oversubscription receivers grant less after packets are marked or
/// trimmed before the last hop. So flows take longer, and fewer packets are trimmed. Every
/// execution path gives the same results.
#[test]
fn receivers_grant_less_in_an_oversubscribed_network() {
    let [slowed, full] = [Some(4.0), None].map(|oversubscription| {
        let mut network = trimmed();
        network.config.ecn = Some(EcnOptions::red(Bytes::new(5_000), Bytes::new(20_000), 1.0));
        let algorithm = AlgorithmConfig::Rccc(RcccConfig {
            oversubscription,
            ..RcccConfig::default()
        });
        // All hosts of two pods send to two hosts of another pod.
        let flows: Vec<_> = (0..8)
            .map(|host| flow(host, host, 12 + host % 2, 1_000_000))
            .collect();
        let outcome = network.agreed(&flows, &algorithm, 3);
        outcome.check_books(&flows);
        let ends = outcome.flows.iter().map(|flow| flow.finish);
        (ends.max().expect("flows"), outcome.retransmitted())
    });
    assert!(
        slowed.0 > full.0 && slowed.1 < full.1,
        "{slowed:?} {full:?}"
    );
}

/// Under an incast a receiver grants 0.99 of its link's rate, and the queue in front of it does not
/// grow. Ten flows of 2 MB to one host take 20 MB · 4150/4086 at 99 Gb/s, 1.6415 ms, and one or two
/// base RTTs. The initial queue has the speculative packets, 10 · 64, for which there is room.
#[test]
fn an_incast_is_served_at_the_rate_of_the_pacer() {
    let network = network(star_of(11, Rate::from_gbps(100), Time::from_us(1)), 2, 100);
    let flows: Vec<_> = (0..10)
        .map(|host| flow(host, host, 10, 2_000_000))
        .collect();
    let outcome = network.run(&flows, &network.algorithm(uet_htsim()));
    assert_eq!((outcome.dropped(), outcome.retransmitted()), (0, 0));
    let last = outcome.flows.last().expect("ten flows").finish;
    let least = 20_000_000.0 * 4_150.0 / 4_086.0 * 8.0 / 100e3;
    let us = last.as_ps() as f64 / 1e6;
    assert!(us > least && us < least / 0.98, "{us} us of {least} us");
}

/// If packets of a flow may take several paths, so do pulls, which have 128 entropies: successive
/// pulls for a flow have successive ones, from 1 on. Otherwise they take the flow's path.
#[test]
fn pulls_are_spread_as_data_are() {
    let pulls = |spreads: bool| {
        let mut network = network(fat_tree(4, 100), 6, 100);
        network.config.recovery.loss_detection = Explicit {}.into();
        if spreads {
            network.config.balance = RoundRobinPaths { entropies: 64 }.into();
        }
        network.measure.packets = Some(everything());
        let outcome = network.run(&[flow(0, 0, 4, 5_000_000)], &network.algorithm(uet_htsim()));
        let trace = outcome.recording.packets.expect("a trace");
        let all = trace.events.into_iter();
        let sent = all.filter(|each| {
            let what = (each.node, each.event, each.kind);
            what == (NodeId(4), PacketEvent::Send, PacketKind::Pull)
        });
        sent.map(|each| each.entropy).collect::<Vec<_>>()
    };
    let spread = pulls(true);
    assert!(spread.len() > 2 * 128, "{} pulls", spread.len());
    assert!(
        (1..)
            .zip(&spread)
            .all(|(number, entropy)| *entropy == Some(number % 128))
    );
    let together = pulls(false);
    assert!(!together.is_empty() && together.iter().all(Option::is_none));
}
