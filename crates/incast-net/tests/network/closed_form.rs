//! One flow on an empty network: its completion time is the sum of serialisation and propagation at
//! each hop, to the picosecond.

use incast_cc::{AlgorithmConfig, FnccConfig, HpccConfig};
use incast_net::{Clock, Controllers, Model};
use incast_units::{Bytes, Rate, Time};

use crate::support::{Network, chain, clos_320, fat_tree, flow, star};

const SIZES: [u64; 6] = [1, 999, 1_000, 1_001, 2_500, 1_000_000];

/// One byte takes 80 ps at 100 Gb/s. Packets have 48 B of headers, ACKs have 60 B.
///
/// ```text
/// both ways, 2 links of 1 µs each          4 000 000
/// an ACK, twice: 2 · 60 · 80                   9 600
///       1 B: 2 ·   49 · 80                     7 840   → 4 017 440
///     999 B: 2 · 1047 · 80                   167 520   → 4 177 120
///    1000 B: 2 · 1048 · 80                   167 680   → 4 177 280
///    1001 B: the second packet, 49 B, waits at the switch for the first, and its ACK at the
///            receiver for the first one's:
///            (2 · 1048 + 3 · 60) · 80        182 080
///            less the 9 600 above            172 480   → 4 182 080
///    2500 B: (3 · 1048 + 548) · 80           295 360   → 4 304 960
///     10⁶ B: (1000 + 1) · 1048 · 80       83 923 840   → 87 933 440
/// ```
#[test]
fn a_star_by_hand() {
    let network = Network::new(star(17));
    let expected = [
        4_017_440, 4_177_120, 4_177_280, 4_182_080, 4_304_960, 87_933_440,
    ];
    for (size, expected) in SIZES.into_iter().zip(expected) {
        let fct = alone(&network, &network.uncontrolled(), 0, 16, size);
        assert_eq!(fct, Time::from_ps(expected), "{size} B");
    }
}

/// The star with INT: 42 B more in every data packet, and ACKs of 46 + 42 = 88 B.
///
/// ```text
/// 4 000 000 + 2 · 88 · 80 = 4 014 080
///       1 B: 2 · 91 · 80                      14 560   → 4 028 640
///     999 B: 2 · 1089 · 80                   174 240   → 4 188 320
///    1000 B: 2 · 1090 · 80                   174 400   → 4 188 480
///    1001 B: (2 · 1090 + 91) · 80            181 680   → 4 195 760
///    2500 B: (3 · 1090 + 590) · 80           308 800   → 4 322 880
///     10⁶ B: 1001 · 1090 · 80             87 287 200   → 91 301 280
/// ```
#[test]
fn a_star_with_int_by_hand() {
    let network = Network::new(star(17)).with_int();
    let expected = [
        4_028_640, 4_188_320, 4_188_480, 4_195_760, 4_322_880, 91_301_280,
    ];
    for (size, expected) in SIZES.into_iter().zip(expected) {
        let fct = alone(&network, &network.uncontrolled(), 0, 16, size);
        assert_eq!(fct, Time::from_ps(expected), "{size} B");
    }
}

/// The star with INT on ACKs: data packets have 48 B of headers, ACKs have 46 + 42 + 2 = 90 B.
///
/// ```text
/// 4 000 000 + 2 · 90 · 80 = 4 014 400
///       1 B: 2 ·   49 · 80                     7 840   → 4 022 240
///     999 B: 2 · 1047 · 80                   167 520   → 4 181 920
///    1000 B: 2 · 1048 · 80                   167 680   → 4 182 080
///    1001 B: the second ACK waits at the receiver for the first one's 90 B:
///            (2 · 1048 + 3 · 90) · 80        189 280   → 4 189 280
///    2500 B: (3 · 1048 + 548) · 80           295 360   → 4 309 760
///     10⁶ B: (1000 + 1) · 1048 · 80       83 923 840   → 87 938 240
/// ```
///
/// Up to its window of 52 000 B, FNCC sends at line rate.
#[test]
fn a_star_with_int_on_acks_by_hand() {
    let network = Network::new(star(17)).with_int_on_acks(None);
    let expected = [
        4_022_240, 4_181_920, 4_182_080, 4_189_280, 4_309_760, 87_938_240,
    ];
    let fncc = network.algorithm(AlgorithmConfig::Fncc(FnccConfig::default()));
    for (size, expected) in SIZES.into_iter().zip(expected) {
        let fct = alone(&network, &network.uncontrolled(), 0, 16, size);
        assert_eq!(fct, Time::from_ps(expected), "{size} B");
        if size < 52_000 {
            assert_eq!(
                alone(&network, &fncc, 0, 16, size),
                fct,
                "{size} B under FNCC"
            );
        }
    }
}

/// Between hosts 0 and 319 there are 6 links of 1 µs: 100 Gb/s at both ends, and four of 400 Gb/s
/// (20 ps per byte). One byte takes 2 · 80 + 4 · 20 = 240 ps in total.
///
/// ```text
/// 12 000 000 + an ACK 60 · 240 = 12 014 400
///       1 B: 49 · 240                         11 760   → 12 026 160
///    1000 B: 1048 · 240                      251 520   → 12 265 920
///    1001 B: the first arrives at 1048 · 240, the second 49 · 80 later, when the first ACK,
///            60 · 80, is still leaving:
///            1048 · 240 + 60 · 80            256 320   → 12 270 720
///     10⁶ B: 1048 · (999 · 80 + 240)      84 007 680   → 96 022 080
/// ```
#[test]
fn mixed_rates_by_hand() {
    let network = Network::new(clos_320());
    for (size, expected) in [
        (1, 12_026_160),
        (1_000, 12_265_920),
        (1_001, 12_270_720),
        (1_000_000, 96_022_080),
    ] {
        let fct = alone(&network, &network.uncontrolled(), 0, 319, size);
        assert_eq!(fct, Time::from_ps(expected), "{size} B");
    }
}

/// All networks, sizes and clocks, with and without INT, agree with [`Path::completion`].
#[test]
fn every_network_agrees_with_the_recursion() {
    let us = Time::from_us(1);
    let cases = [
        ("star", star(17), 16, Path::uniform(2, us)),
        (
            "chain of 1",
            chain(1),
            1,
            Path::uniform(2, Time::from_ns(1_500)),
        ),
        (
            "chain of 3",
            chain(3),
            1,
            Path::uniform(4, Time::from_ns(1_500)),
        ),
        (
            "chain of 7",
            chain(7),
            1,
            Path::uniform(8, Time::from_ns(1_500)),
        ),
        ("fat tree, same ToR", fat_tree(4), 1, Path::uniform(2, us)),
        ("fat tree, same pod", fat_tree(4), 2, Path::uniform(4, us)),
        ("fat tree, other pod", fat_tree(4), 15, Path::uniform(6, us)),
        ("Clos, same ToR", clos_320(), 5, Path::of(&[100, 100])),
        (
            "Clos, same pod",
            clos_320(),
            16,
            Path::of(&[100, 400, 400, 100]),
        ),
        (
            "Clos, other pod",
            clos_320(),
            319,
            Path::of(&[100, 400, 400, 400, 400, 100]),
        ),
    ];
    for (name, topology, destination, path) in cases {
        for model in [Model::standard(), Model::hpcc_ns3(4, false)] {
            for int in [false, true] {
                let mut network = Network::new(topology.clone());
                network.config.model = model.clone();
                if int {
                    network = network.with_int();
                }
                for size in SIZES {
                    let fct = alone(&network, &network.uncontrolled(), 0, destination, size);
                    let expected = path.completion(&network, size);
                    assert_eq!(
                        fct, expected,
                        "{name}, {:?}, INT {int}, {size} B",
                        model.clock
                    );
                }
            }
        }
    }
}

/// HPCC sends its first window at line rate. On the star the first ACK arrives after 4.19 µs and
/// changes nothing. The second ACK comes 87 ns later, after 49 packets have left.
#[test]
fn hpcc_starts_at_line_rate() {
    for topology in [star(17), clos_320()] {
        let network = Network::new(topology).with_int();
        let path = Path::of(&[100, 100]);
        for size in [1, 1_000, 1_001, 2_500, 40_000] {
            let fct = alone(&network, &network.hpcc(), 0, 5, size);
            assert_eq!(fct, path.completion(&network, size), "{size} B");
        }
    }
}

/// Recorded from the HPCC artifact (alibaba-edu/High-Precision-Congestion-Control, 9f4be2a): flows
/// from host 0 to host 16 of a star, 1 ms apart. HPCC has max_stage 0, R_AI 50 Mb/s, R_min 1 Gb/s.
/// The flows without INT, always at line rate, are under the artifact's DCQCN, without any mark.
#[test]
fn the_artifact_on_a_star() {
    let sizes = [1, 100, 1_000, 1_001, 2_000, 10_000, 100_000, 1_000_000];
    let flows: Vec<_> = sizes.into_iter().map(|size| (16, size)).collect();
    let hpcc = [4_028, 4_044, 4_188, 4_195, 4_275, 4_971, 13_034, 95_691];
    let network = Network::hpcc_ns3(star(17));
    assert_eq!(
        one_by_one(&network, &artifact_hpcc(&network), &flows),
        hpcc.map(Time::from_ns)
    );
    let line_rate = [4_014, 4_030, 4_174, 4_178, 4_257, 4_921, 12_391, 87_091];
    let network = without_int(network);
    assert_eq!(
        one_by_one(&network, &network.uncontrolled(), &flows),
        line_rate.map(Time::from_ns)
    );
}

/// The same flows on the artifact's fat tree, from host 0 to hosts 5 (same ToR), 16 (same pod) and
/// 319. T and W₀ are the largest in the network, 12.24 µs and 153 000 B.
#[test]
fn the_artifact_on_a_fat_tree() {
    let flows: Vec<_> = [1, 1_000, 1_000_000]
        .into_iter()
        .flat_map(|size| [5, 16, 319].map(|to| (to, size)))
        .collect();
    let hpcc = [
        4_028, 8_032, 12_036, 4_188, 8_232, 12_276, 96_141, 99_852, 103_601,
    ];
    let mut network = Network::hpcc_ns3(clos_320());
    network.base_rtt = Time::from_ns(12_240);
    network.base_window = Bytes::new(153_000);
    assert_eq!(
        one_by_one(&network, &artifact_hpcc(&network), &flows),
        hpcc.map(Time::from_ns)
    );
    let line_rate = [
        4_014, 8_016, 12_018, 4_174, 8_216, 12_258, 87_091, 91_133, 95_175,
    ];
    let network = without_int(network);
    assert_eq!(
        one_by_one(&network, &network.uncontrolled(), &flows),
        line_rate.map(Time::from_ns)
    );
}

/// Flow completion time of one flow in an otherwise empty network.
fn alone(
    network: &Network,
    controllers: &dyn Controllers,
    source: u32,
    destination: u32,
    size: u64,
) -> Time {
    let flows = [flow(0, source, destination, size)];
    network.run(&flows, controllers).fct(0)
}

/// Flows of host 0, each given as (destination, size), 1 ms apart. As in the artifact, a flow's
/// source port is 10 000 plus the number of earlier flows between the same hosts.
fn one_by_one(network: &Network, controllers: &dyn Controllers, flows: &[(u32, u64)]) -> Vec<Time> {
    let flows: Vec<_> = (0..)
        .zip(flows)
        .map(|(id, &(to, size))| {
            let earlier = flows[..id as usize].iter().filter(|other| other.0 == to);
            incast_net::Flow {
                start: Time::from_ms(id.into()),
                source_port: 10_000 + earlier.count() as u16,
                ..flow(id, 0, to, size)
            }
        })
        .collect();
    let outcome = network.run(&flows, controllers);
    flows.iter().map(|flow| outcome.fct(flow.id.0)).collect()
}

pub(crate) fn artifact_hpcc(network: &Network) -> impl Controllers + '_ {
    network.algorithm(AlgorithmConfig::Hpcc(HpccConfig {
        max_stage: 0,
        min_rate: Rate::from_gbps(1),
        ..HpccConfig::default()
    }))
}

fn without_int(mut network: Network) -> Network {
    network.config.int = incast_net::IntSource::Off;
    network
}

/// The links of a path, from the sender on.
struct Path {
    rates: Vec<u64>,
    delay: Time,
}

impl Path {
    fn uniform(links: usize, delay: Time) -> Self {
        Self {
            rates: vec![100; links],
            delay,
        }
    }

    /// A path of links of 1 µs with these rates in Gb/s.
    fn of(rates: &[u64]) -> Self {
        Self {
            rates: rates.to_vec(),
            delay: Time::from_us(1),
        }
    }

    /// Store and forward, there and back: packet i starts to enter a link when it has arrived there
    /// and packet i − 1 has left.
    fn completion(&self, network: &Network, size: u64) -> Time {
        let clock = network.config.model.clock;
        let header = network.data_overhead().as_u64();
        let ack = network.ack_size().as_u64();
        let mut there = vec![Time::ZERO; self.rates.len()];
        let mut back = there.clone();
        let mut completed = Time::ZERO;
        for packet in 0..size.div_ceil(1_000) {
            let data = header + 1_000.min(size - 1_000 * packet);
            completed = Time::ZERO;
            for (left, &rate) in there.iter_mut().zip(&self.rates) {
                *left = completed.max(*left) + serialisation(clock, data, rate);
                completed = *left + self.delay;
            }
            for (left, &rate) in back.iter_mut().zip(self.rates.iter().rev()) {
                *left = completed.max(*left) + serialisation(clock, ack, rate);
                completed = *left + self.delay;
            }
        }
        completed
    }
}

/// At 1 Gb/s a byte takes 8000 ps. The artifact's clock drops fractions of a nanosecond.
fn serialisation(clock: Clock, size: u64, gbps: u64) -> Time {
    match clock {
        Clock::Picoseconds => Time::from_ps((size * 8_000).div_ceil(gbps)),
        Clock::Nanoseconds => Time::from_ns(size * 8 / gbps),
    }
}
