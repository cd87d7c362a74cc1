//! QPs that share congestion states: divided and undivided limits, against hand-computed values.

use std::sync::{Arc, Mutex};

use incast_cc::{Ack, AlgorithmConfig, CongestionControl, FlowController, Needs, SendLimit, Sent};
use incast_net::{
    Clock, Controllers, Enforcement, ExecutionPath, Flow, IdleState, IntSource, NicConfig,
    NicScheduler, QpLifetime,
};
use incast_units::{Bytes, Rate, Time};

use crate::support::{Fixed, Network, Outcome, With, at, flow, star};

/// Times of a full packet, 1048 B, and of an ACK, 60 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
const ACK: Time = Time::from_ps(60 * 80);

/// Time from the first bit of a full packet to its ACK, over two links of 1 µs each way.
fn round_trip() -> Time {
    (PACKET + ACK) * 2 + Time::from_us(4)
}

fn nic(enforcement: Enforcement, qps: QpLifetime) -> NicConfig {
    NicConfig {
        enforcement,
        qps,
        idle: IdleState::Keep,
    }
}

fn per_flow(enforcement: Enforcement) -> NicConfig {
    nic(enforcement, QpLifetime::PerFlow)
}

fn persistent(enforcement: Enforcement) -> NicConfig {
    nic(enforcement, QpLifetime::Persistent)
}

/// Runs these flows on a star of three hosts with NICs of this kind, on both execution paths.
fn run_on(nic: NicConfig, flows: &[Flow], controllers: &dyn Controllers) -> Outcome {
    run_in(&mut Network::new(star(3)), nic, flows, controllers)
}

/// Runs the flows in this network.
fn run_in(
    network: &mut Network,
    nic: NicConfig,
    flows: &[Flow],
    controllers: &dyn Controllers,
) -> Outcome {
    network.config.nic = nic;
    let [plain, fast] = [ExecutionPath::Plain, ExecutionPath::Fast].map(|path| {
        network.path = path;
        network.run(flows, controllers)
    });
    assert_eq!(plain.flows, fast.flows, "{nic:?}");
    plain
}

/// Controllers with a constant limit for every state.
fn limited(limit: SendLimit) -> With<impl Fn(&Flow) -> Box<dyn FlowController> + Sync> {
    With(move |_: &Flow| Box::new(Fixed(limit)) as Box<dyn FlowController>)
}

/// At most three full packets in flight, at line rate.
fn window_of_three() -> impl Controllers {
    limited(SendLimit {
        window: Bytes::new(3_000),
        ..SendLimit::paced(Rate::from_gbps(100))
    })
}

/// Half of line rate: a packet every 2·83.84 ns.
fn half_of_line_rate() -> impl Controllers {
    limited(SendLimit::paced(Rate::from_gbps(50)))
}

/// Two flows of 10 packets each, with a window of 3 packets. Divided, packet i of the 20 leaves (i
/// div 3) round trips and (i mod 3) packets after the first. Packet 18, the last of flow 0, leaves
/// after 6 round trips, packet 19 one packet later. Undivided, packet j of each flow leaves after
/// (j div 3) round trips and 2·(j mod 3) packets, one more for flow 1. The last, j = 9, leaves
/// after 3 round trips.
#[test]
fn two_qps_of_a_pair_share_one_window() {
    let flows = [flow(0, 0, 2, 10_000), flow(1, 0, 2, 10_000)];
    let fct = |nic| {
        let outcome = run_on(nic, &flows, &window_of_three());
        [outcome.fct(0), outcome.fct(1)]
    };
    let divided = [round_trip() * 7, round_trip() * 7 + PACKET];
    let whole = [round_trip() * 4, round_trip() * 4 + PACKET];
    assert_eq!(fct(per_flow(Enforcement::PerPair)), divided);
    assert_eq!(fct(per_flow(Enforcement::PerSource)), divided);
    assert_eq!(fct(per_flow(Enforcement::PerDestination)), whole);
    assert_eq!(fct(per_flow(Enforcement::PerQp)), whole);
}

/// Two flows of 10 packets at half of line rate. Divided, the 20 packets leave alternately, one
/// every second packet time. Undivided, they fill the link: k = 2 QPs send 2·R.
#[test]
fn two_qps_of_a_pair_share_one_pacer() {
    let flows = [flow(0, 0, 2, 10_000), flow(1, 0, 2, 10_000)];
    let fct = |nic| {
        let outcome = run_on(nic, &flows, &half_of_line_rate());
        [outcome.fct(0), outcome.fct(1)]
    };
    let divided = [36, 38].map(|packets| PACKET * packets + round_trip());
    let whole = [18, 19].map(|packets| PACKET * packets + round_trip());
    assert_eq!(fct(per_flow(Enforcement::PerPair)), divided);
    assert_eq!(fct(per_flow(Enforcement::PerDestination)), whole);
}

/// Two destinations are two pairs of one source. With a limit per pair the flows fill the link;
/// with a limit per source they share half of it.
#[test]
fn flows_of_a_source_share_one_limit() {
    let flows = [flow(0, 0, 1, 10_000), flow(1, 0, 2, 10_000)];
    let fct = |nic| {
        let outcome = run_on(nic, &flows, &half_of_line_rate());
        [outcome.fct(0), outcome.fct(1)]
    };
    let whole = [18, 19].map(|packets| PACKET * packets + round_trip());
    let divided = [36, 38].map(|packets| PACKET * packets + round_trip());
    assert_eq!(fct(per_flow(Enforcement::PerPair)), whole);
    assert_eq!(fct(per_flow(Enforcement::PerSource)), divided);
}

/// Flow 0 has 2 packets, flow 1 has 4: packets leave in the order 0 1 0 1 1 1, two packet times
/// apart. After flow 0's last packet, flow 1 goes on at the pair's next time, not earlier.
#[test]
fn a_flow_that_ends_hands_its_share_over() {
    let flows = [flow(0, 0, 2, 2_000), flow(1, 0, 2, 4_000)];
    let outcome = run_on(per_flow(Enforcement::PerPair), &flows, &half_of_line_rate());
    assert_eq!(outcome.fct(0), PACKET * 4 + round_trip());
    assert_eq!(outcome.fct(1), PACKET * 10 + round_trip());
    // In a window of 3 packets: 0 1 0, then one packet of flow 1 at each ACK.
    let outcome = run_on(per_flow(Enforcement::PerPair), &flows, &window_of_three());
    assert_eq!(outcome.fct(0), PACKET * 2 + round_trip());
    assert_eq!(outcome.fct(1), PACKET * 2 + round_trip() * 2);
}

/// A persistent QP sends one flow after the other. Two lanes to one host are two QPs, which take
/// turns under per-pair enforcement.
#[test]
fn flows_of_a_persistent_qp_are_sent_in_order() {
    let first = flow(0, 0, 2, 5_000);
    let second = flow(1, 0, 2, 5_000);
    let other_lane = Flow { lane: 1, ..second };
    let fct = |nic, flows: [Flow; 2]| {
        let outcome = run_on(nic, &flows, &half_of_line_rate());
        [outcome.fct(0), outcome.fct(1)]
    };
    let after = |packets: [u64; 2]| packets.map(|packets| PACKET * packets + round_trip());
    for enforcement in ALL {
        let fct = fct(persistent(enforcement), [first, second]);
        assert_eq!(fct, after([8, 18]), "{enforcement:?}");
    }
    // Two QPs: alternately under one limit, in parallel under two.
    let [pair, qp, destination] = [
        Enforcement::PerPair,
        Enforcement::PerQp,
        Enforcement::PerDestination,
    ]
    .map(|enforcement| fct(persistent(enforcement), [first, other_lane]));
    assert_eq!(pair, after([16, 18]));
    assert_eq!((qp, destination), (after([8, 9]), after([8, 9])));
}

pub(crate) const ALL: [Enforcement; 4] = [
    Enforcement::PerQp,
    Enforcement::PerDestination,
    Enforcement::PerPair,
    Enforcement::PerSource,
];

/// Line rate until the first ACK, a tenth of line rate afterwards.
#[derive(Clone)]
struct Throttled(Rate);

impl CongestionControl for Throttled {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {
        self.0 = Rate::from_gbps(10);
    }

    fn limit(&self) -> SendLimit {
        SendLimit::paced(self.0)
    }
}

/// The ACK of flow 0, after 4.18 us, throttles its state. Flow 1 has two packets. The second leaves
/// one gap after the first: 10 packet times with a kept state, one with a new state.
#[test]
fn a_new_flow_inherits_what_is_kept() {
    let controllers =
        With(|_: &Flow| Box::new(Throttled(Rate::from_gbps(100))) as Box<dyn FlowController>);
    let gap = |nic, start| {
        let flows = [flow(0, 0, 2, 1_000), at(start, flow(1, 0, 2, 2_000))];
        let fct = run_on(nic, &flows, &controllers).fct(1);
        fct - round_trip()
    };
    let late = Time::from_us(100);
    assert_eq!(gap(per_flow(Enforcement::PerQp), late), PACKET);
    for enforcement in [
        Enforcement::PerDestination,
        Enforcement::PerPair,
        Enforcement::PerSource,
    ] {
        assert_eq!(gap(per_flow(enforcement), late), PACKET * 10);
    }
    for enforcement in ALL {
        let kept = persistent(enforcement);
        assert_eq!(gap(kept, late), PACKET * 10);
        // The state is idle from the ACK on, for 95.82 us.
        let reset = |us| NicConfig {
            idle: IdleState::ResetAfter(Time::from_us(us)),
            ..kept
        };
        assert_eq!(gap(reset(95), late), PACKET, "{enforcement:?}");
        assert_eq!(gap(reset(96), late), PACKET * 10, "{enforcement:?}");
    }
}

/// A flow that starts while the state is new also shares it; no state is inherited yet.
#[test]
fn a_flow_to_another_host_starts_afresh() {
    let controllers =
        With(|_: &Flow| Box::new(Throttled(Rate::from_gbps(100))) as Box<dyn FlowController>);
    let late = Time::from_us(100);
    let flows = [flow(0, 0, 2, 1_000), at(late, flow(1, 0, 1, 2_000))];
    let fct = |enforcement| run_on(per_flow(enforcement), &flows, &controllers).fct(1);
    assert_eq!(fct(Enforcement::PerPair), round_trip() + PACKET);
    assert_eq!(fct(Enforcement::PerSource), round_trip() + PACKET * 10);
}

/// A controller that wakes every 10 us from the start on, and records its timers and signals.
#[derive(Clone)]
struct Listening {
    next: Time,
    news: Arc<Mutex<News>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct News {
    timers: Vec<Time>,
    acks: Vec<(u64, u64, u64)>,
    sent: Vec<(u64, u64)>,
}

impl CongestionControl for Listening {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let mut news = self.news.lock().unwrap();
        let size = ack.flow_size.as_u64();
        news.acks.push((ack.next_expected, ack.next_to_send, size));
    }

    fn on_sent(&mut self, _now: Time, sent: &Sent) {
        let mut news = self.news.lock().unwrap();
        news.sent.push((sent.next_to_send, sent.payload.as_u64()));
    }

    fn on_timer(&mut self, now: Time) {
        self.next = now + Time::from_us(10);
        self.news.lock().unwrap().timers.push(now);
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next)
    }

    fn limit(&self) -> SendLimit {
        SendLimit::paced(Rate::from_gbps(1))
    }
}

/// The signals of the controllers in a run on one execution path.
fn news_of(nic: NicConfig, flows: &[Flow]) -> News {
    let news = Arc::new(Mutex::new(News::default()));
    let controllers = With(|flow: &Flow| {
        let next = flow.start + Time::from_us(10);
        let news = Arc::clone(&news);
        Box::new(Listening { next, news }) as Box<dyn FlowController>
    });
    let mut network = Network::new(star(3));
    network.config.nic = nic;
    network.run(flows, &controllers);
    news.lock().unwrap().clone()
}

/// 4 packets, 8.384 us apart: the last leaves at 25.152 us and is acknowledged at 29.3 us. One
/// state has one timer for all flows: at 10 and 20 us. While idle, the timer does not keep the run
/// going. When a flow comes, at 55 us, the missed timers are served. The flow's one packet is
/// acknowledged at 59.2 us.
#[test]
fn the_timers_of_a_shared_state_run_once() {
    let late = at(Time::from_us(55), flow(2, 0, 2, 1_000));
    let flows = [flow(0, 0, 2, 2_000), flow(1, 0, 2, 2_000), late];
    let timers = |nic| {
        let news = news_of(nic, &flows);
        let us = news.timers.iter().map(|time| time.as_ps() / 1_000_000);
        us.collect::<Vec<_>>()
    };
    let once = [10, 20, 30, 40, 50];
    assert_eq!(timers(per_flow(Enforcement::PerPair)), once);
    assert_eq!(timers(per_flow(Enforcement::PerSource)), once);
    assert_eq!(timers(persistent(Enforcement::PerQp)), once);
    // Undivided: the second packet of each flow leaves at 8.384 us, and the run ends at 12.6 us.
    let once = [10, 20, 30, 40, 50];
    assert_eq!(timers(per_flow(Enforcement::PerDestination)), once);
    let reset = NicConfig {
        idle: IdleState::ResetAfter(Time::from_us(20)),
        ..per_flow(Enforcement::PerPair)
    };
    // The new controller's first timer would expire at 65 us.
    assert_eq!(timers(reset), [10, 20]);
}

/// A state without timers has missed none while idle, also on a clock of nanoseconds, whose last
/// time is not 2^64 ps. There 1048 B take 83 ns and 60 B take 4 ns.
#[test]
fn a_state_without_timers_rests_on_any_clock() {
    let flows = [0, 1].map(|id| at(Time::from_us(50) * id, flow(id as u32, 0, 2, 1_000)));
    let ns = Time::from_us(4) + Time::from_ns(2 * (83 + 4));
    let mut coarse = Network::new(star(3));
    coarse.config.model.clock = Clock::Nanoseconds;
    let mut artifact = Network::hpcc_ns3(star(3));
    artifact.config.int = IntSource::Off;
    artifact.config.model.nic_scheduler = NicScheduler::RoundRobin;
    for (mut network, expected) in [
        (Network::new(star(3)), round_trip()),
        (coarse, ns),
        (artifact, ns),
    ] {
        for nic in ALL
            .into_iter()
            .flat_map(|enforcement| [per_flow(enforcement), persistent(enforcement)])
        {
            let outcome = run_in(&mut network, nic, &flows, &window_of_three());
            assert_eq!([0, 1].map(|id| outcome.fct(id)), [expected; 2], "{nic:?}");
        }
    }
}

/// Packets of 1000 B leave in the order 0 1 0 1, each acknowledged before the next leaves. The
/// state gets sums of sequence numbers over its flows; a later flow adds to the sums.
#[test]
fn a_shared_state_hears_sums_of_sequence_numbers() {
    let late = at(Time::from_us(55), flow(2, 0, 2, 500));
    let flows = [flow(0, 0, 2, 2_000), flow(1, 0, 2, 2_000), late];
    let news = news_of(per_flow(Enforcement::PerPair), &flows);
    let acks = [
        (1_000, 1_000, 4_000),
        (2_000, 2_000, 4_000),
        (3_000, 3_000, 4_000),
        (4_000, 4_000, 4_000),
        (4_500, 4_500, 4_500),
    ];
    assert_eq!(news.acks, acks);
    let sent = [1_000, 2_000, 3_000, 4_000, 4_500];
    let sent: Vec<_> = sent
        .into_iter()
        .zip([1_000, 1_000, 1_000, 1_000, 500])
        .collect();
    assert_eq!(news.sent, sent);
}

/// If each QP has the whole limit, the bytes of one flow are counted, not of all flows. First flow
/// 0's bytes count. After its completion flow 1's bytes count, which has a packet left.
#[test]
fn the_bytes_of_one_qp_are_counted() {
    let flows = [flow(0, 0, 2, 1_000), flow(1, 0, 2, 2_000)];
    let news = news_of(per_flow(Enforcement::PerDestination), &flows);
    assert_eq!(news.sent, [(1_000, 1_000), (2_000, 0), (3_000, 1_000)]);
}

/// Samples show every flow under the limit of its state.
#[test]
fn samples_show_the_limit_of_the_state() {
    let mut network = Network::new(star(3));
    network.config.nic = per_flow(Enforcement::PerPair);
    network.measure.flow_interval = Some(Time::from_us(1));
    network.measure.until = Time::from_us(2);
    network.measure.flows = true;
    network.measure.probes = true;
    let flows = [flow(0, 0, 2, 100_000), flow(1, 0, 2, 100_000)];
    let outcome = network.run(&flows, &window_of_three());
    let samples = &outcome.recording.flow_samples;
    assert!(samples.len() >= 4, "{samples:?}");
    assert!(
        samples
            .iter()
            .all(|sample| sample.window == Bytes::new(3_000))
    );
    assert!(samples.iter().any(|sample| sample.flow.0 == 1));
    let algorithm = AlgorithmConfig::with_defaults("dcqcn", None).unwrap();
    let probes = network
        .run(&flows, &network.algorithm(algorithm))
        .recording
        .probes;
    let of = |id| probes.iter().filter(move |probe| probe.flow.0 == id);
    assert!(of(0).count() > 0);
    assert_eq!(of(0).count(), of(1).count());
}

/// Controllers of two kinds: half of line rate for flows with tag 0, line rate for other flows.
struct TwoKinds;

impl Controllers for TwoKinds {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        let gbps = if flow.tag == 0 { 50 } else { 100 };
        Box::new(Fixed(SendLimit::paced(Rate::from_gbps(gbps))))
    }

    fn group(&self, flow: &Flow) -> u16 {
        flow.tag
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }
}

/// With any enforcement, flows with controllers of different kinds share no state: packets of both
/// flows leave alternately, those of flow 0 every second packet time.
#[test]
fn flows_with_other_controllers_share_nothing() {
    let other = Flow {
        tag: 1,
        ..flow(1, 0, 2, 10_000)
    };
    for enforcement in ALL {
        for nic in [per_flow(enforcement), persistent(enforcement)] {
            let outcome = run_on(nic, &[flow(0, 0, 2, 10_000), other], &TwoKinds);
            assert_eq!(outcome.fct(0), PACKET * 18 + round_trip(), "{nic:?}");
            assert_eq!(outcome.fct(1), PACKET * 19 + round_trip(), "{nic:?}");
        }
    }
}
