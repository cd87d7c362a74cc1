//! How runs end: at their stop time, at an impossible time, or because they cannot begin.

use incast_net::{
    AckClass, Clock, DropConfig, ExecutionPath, Flow, FlowControl, Headroom, Model, NetworkError,
    NodeOrder, OverflowCause, PfcThreshold, Ties, Violation,
};
use incast_units::{Bytes, Rate, Time};

use crate::support::{Network, at, flow, pfc, several_threads, star, star_of};

/// A run may stop at any time, even if all flows have completed but a port is still paused or a
/// Resume is on its way. Such remainders are no defect.
#[test]
fn a_run_may_stop_at_any_time() {
    let rule = pfc(PfcThreshold::Static(Bytes::new(5_000)), Headroom::WorstCase);
    let mut network = Network::new(star(5)).with_flow_control(rule);
    let flows: Vec<_> = (0..4).map(|host| flow(host, host, 4, 50_000)).collect();
    let whole = network.run(&flows, &network.uncontrolled());
    let mut before = 0;
    for step in 1..=200 {
        let stop = Time::from_ps(whole.recording.end.as_ps() * step / 200);
        network.stop = Some(stop);
        let outcome = network.run(&flows, &network.uncontrolled());
        let finished = outcome.recording.finished;
        let expected = whole.flows.iter().filter(|flow| flow.finish < stop);
        assert_eq!(finished, expected.count() as u64, "stopped at {stop}");
        assert_eq!(outcome.flows.len() as u64, finished);
        let delivered = outcome.recording.delivered.as_u64();
        assert!((before..=200_000).contains(&delivered), "{delivered}");
        assert!(delivered >= 50_000 * finished);
        before = delivered;
    }
    assert_eq!(before, 200_000);
}

/// A packet keeps its arrival time modulo 2⁴⁸ ps, 4.7 minutes. A flow takes the same time on any
/// day, on both execution paths, on several threads and in one queue, even with packets in flight
/// when the counter wraps.
#[test]
fn a_run_of_days_is_as_exact_as_one_of_microseconds() {
    let wrap = Time::from_ps(1 << 48);
    let starts = [
        Time::ZERO,
        Time::from_us(100),
        wrap - Time::from_us(1),
        wrap * 2,
        wrap * 9 - Time::from_us(5),
        wrap * 29 - Time::from_us(3),
        wrap * 511,
        wrap * 16_352,
    ];
    let flows = starts.iter().zip(0..).flat_map(|(&start, number)| {
        let one = move |host: u32| at(start, flow(4 * number + host, host, 4, 20_000));
        (0..4).map(one)
    });
    let flows: Vec<Flow> = flows.collect();
    let mut network = Network::new(star(5));
    let check = |network: &Network| {
        let outcome = network.run(&flows, &network.uncontrolled());
        for number in 0..starts.len() as u32 {
            for host in 0..4 {
                assert_eq!(outcome.fct(4 * number + host), outcome.fct(host));
            }
        }
    };
    check(&network);
    network.path = ExecutionPath::Plain;
    check(&network);
    network.threads = several_threads(3, 1);
    check(&network);
    network.config.model.ties = Ties::Insertion;
    check(&network);
}

/// A flow that starts after 53 days and sends a packet every 42 s would end after 199 days.
#[test]
fn a_run_without_a_stop_time_ends_after_106_days() {
    let network = Network::new(star_of(2, Rate::from_bps(200), Time::from_us(1)));
    let flows = [at(Time::from_ps(1 << 62), flow(0, 0, 1, 300_000_000))];
    let outcome = network.try_run(&flows, &network.uncontrolled());
    let recording = outcome.unwrap().recording;
    assert_eq!(recording.end, Time::from_ps(1 << 63));
    assert_eq!((recording.finished, recording.unfinished.len()), (0, 1));
}

#[test]
fn a_link_of_a_minute_is_the_slowest() {
    let run = |rate, delay| {
        let network = Network::new(star_of(2, Rate::from_bps(rate), delay));
        diagnostic(&network, &[flow(0, 0, 1, 1_000)])
    };
    let seconds = |count: u64| Time::from_ms(1_000 * count);
    assert_eq!(run(10_000, seconds(69)), None);
    for (rate, delay, expected) in [
        (
            10_000,
            seconds(70),
            "topology: a packet takes 70.8384s over a link of 10kbps and 70s; use links \
             that take at most a minute",
        ),
        (
            1,
            seconds(60),
            "topology: a packet takes 8444s over a link of 1bps and 60s; use links that \
             take at most a minute",
        ),
    ] {
        assert_eq!(run(rate, delay).as_deref(), Some(expected));
    }
}

/// Packets have room for the numbers of 2²⁸ flows, and of 2²⁹ − 1 packets of each flow.
#[test]
fn flows_that_packets_cannot_number_are_refused() {
    let mut network = Network::new(star(2));
    let last = flow((1 << 28) - 1, 0, 1, 1_000);
    assert_eq!(diagnostic(&network, &[last]), None);
    let expected = "flow[268435456]: is one of more than 268435456 flows; run them in parts";
    let next = flow(1 << 28, 0, 1, 1_000);
    assert_eq!(diagnostic(&network, &[next]).as_deref(), Some(expected));
    network.config.packets.mtu = Bytes::new(1);
    let expected =
        "flow[0]: has more than 536870911 packets; use larger packets, or a smaller flow";
    let large = flow(0, 0, 1, 1 << 29);
    assert_eq!(diagnostic(&network, &[large]).as_deref(), Some(expected));
}

fn diagnostic(network: &Network, flows: &[Flow]) -> Option<String> {
    match network.try_run(flows, &network.uncontrolled()) {
        Ok(_) => None,
        Err(NetworkError::Input(diagnostic)) => Some(diagnostic.to_string()),
        Err(other) => panic!("{other}"),
    }
}

fn violation(network: &Network, flows: &[Flow]) -> Option<Violation> {
    match network.try_run(flows, &network.uncontrolled()) {
        Ok(_) => None,
        Err(NetworkError::Violation(violation)) => Some(violation),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn impossible_flows_are_refused() {
    let network = Network::new(star(3));
    let first = at(Time::from_us(5), flow(1, 0, 2, 1_000));
    for (second, expected) in [
        (
            flow(2, 0, 3, 1_000),
            "flow[2]: host 3 does not exist; there are hosts 0 to 2",
        ),
        (
            flow(2, 7, 1, 1_000),
            "flow[2]: host 7 does not exist; there are hosts 0 to 2",
        ),
        (
            flow(2, 1, 1, 1_000),
            "flow[2]: goes from host 1 to itself; name two hosts",
        ),
    ] {
        let second = at(Time::from_us(5), second);
        let refused = Some(expected.to_owned());
        assert_eq!(diagnostic(&network, &[first, second]), refused);
        assert_eq!(diagnostic(&network, &[second]), refused);
    }
    let early = at(Time::from_us(4), flow(2, 0, 1, 1_000));
    let expected = "flow[2]: starts at 4us, before the flow that came before it, at 5us; sort \
                    flows by their start";
    assert_eq!(
        diagnostic(&network, &[first, early]).as_deref(),
        Some(expected)
    );
}

/// A queue limited to an eighth of the free buffer never accepts a packet larger than this.
#[test]
fn a_switch_that_drops_everything_is_refused() {
    let drop = FlowControl::Drop(DropConfig::Shared {
        alpha: 0.125,
        queue_limit: Bytes::MAX,
    });
    let network = Network::new(star(3)).with_flow_control(drop);
    let run = |size| diagnostic(&network_of(&network, size), &[flow(0, 0, 1, 1_000)]);
    assert_eq!(run(8 * 1_048), None);
    let expected = "drop.alpha: a packet of 1048B never fits 0.125 of the buffer of 8383B; give a \
                    larger share of the free buffer to a queue, or a larger buffer";
    assert_eq!(run(8 * 1_048 - 1).as_deref(), Some(expected));
}

fn network_of(network: &Network, buffer: u64) -> Network {
    Network::new(network.topology.clone())
        .with_flow_control(network.config.flow_control.clone())
        .with_buffer(buffer)
}

fn cause_of(violation: &Violation) -> Option<&OverflowCause> {
    match violation {
        Violation::PacketLost { cause, .. } => Some(cause),
        _ => None,
    }
}

/// The artifact's headroom, 3·rate·delay, is below the worst case on short links. At 10 Gb/s and
/// 100 ns it is 3·125 B; the worst case is 250 + 3·1098 + 2·64 = 3672 B.
#[test]
fn a_loss_for_want_of_headroom_says_so() {
    let topology = star_of(9, Rate::from_gbps(10), Time::from_ns(100));
    let rule = pfc(PfcThreshold::Static(Bytes::ZERO), Headroom::RateDelay(3));
    let network = Network::new(topology).with_flow_control(rule);
    let flows: Vec<Flow> = (0..8).map(|host| flow(host, host, 8, 10_000)).collect();
    let violation = violation(&network, &flows).expect("headroom is too small");
    let cause = OverflowCause::HeadroomTooSmall {
        headroom: Bytes::new(375),
        worst_case: Bytes::new(3_672),
    };
    assert_eq!(cause_of(&violation), Some(&cause));
}

/// ACKs are in the data class but ignore pauses. Host 1 receives data at line rate, and sends an
/// ACK of 60 B for every 1048 B. The ACKs queue behind the data of 60 other hosts to host 2, about
/// 60·(20 000 + 4096) B. While this queue drains, ACKs of 60/1048 of its size arrive, 83 KB.
/// Threshold, reserve and headroom of 2500 + 3·1098 + 128 B hold only 30 KB.
#[test]
fn acks_that_ignore_pauses_can_be_lost() {
    let rule = pfc(
        PfcThreshold::Static(Bytes::new(20_000)),
        Headroom::WorstCase,
    );
    let topology = star_of(63, Rate::from_gbps(100), Time::from_ns(100));
    let mut network = Network::new(topology).with_flow_control(rule);
    network.config.model.ack_class = AckClass::Data;
    let mut flows = vec![flow(0, 2, 1, 3_000_000)];
    flows.extend((3..63).map(|host| flow(host, host, 2, 100_000)));
    let result = violation(&network, &flows);
    assert!(
        matches!(result, Some(Violation::PacketLost { port: 1, .. })),
        "{result:?}"
    );
    let cause = result.as_ref().and_then(cause_of);
    assert_eq!(cause, Some(&OverflowCause::AcksNotPaused));
    network.config.model.ack_pausable_at_host = true;
    assert_eq!(violation(&network, &flows), None);
}

/// Every packet pauses its port. Pause frames of 9000 B wait for each other: a frame takes 720 ns
/// at 100 Gb/s, in which eight packets of 1048 B arrive and leave. The worst case of one pause,
/// 2500 + 3·1098 + 2·9000 B, holds at most 22 packets.
#[test]
fn pauses_that_wait_for_each_other_are_told() {
    let topology = star_of(4, Rate::from_gbps(100), Time::from_ns(100));
    let mut network = Network::new(topology)
        .with_flow_control(pfc(PfcThreshold::Static(Bytes::ZERO), Headroom::WorstCase));
    network.config.buffer.reserve = Bytes::ZERO;
    network.config.packets.pfc_frame = Bytes::new(9_000);
    let flows = [
        flow(0, 0, 1, 400_000),
        flow(1, 1, 0, 400_000),
        flow(2, 2, 1, 400_000),
        flow(3, 3, 0, 400_000),
    ];
    let result = violation(&network, &flows);
    let cause = result.as_ref().and_then(cause_of);
    assert_eq!(cause, Some(&OverflowCause::PausesWaited));
    network.config.packets.pfc_frame = Bytes::new(64);
    assert_eq!(violation(&network, &flows), None);
}

/// Packets of 16 B with headers of 30 B take less than 1 ns at 400 Gb/s, which is 0 by the
/// artifact's clock: thousands arrive at once.
#[test]
fn packets_of_no_time_have_no_headroom() {
    let topology = star_of(3, Rate::from_gbps(400), Time::from_ns(2));
    let mut network = Network::new(topology).with_flow_control(pfc(
        PfcThreshold::Static(Bytes::new(1_000)),
        Headroom::WorstCase,
    ));
    network.config.model.ties = Ties::Insertion;
    network.config.model.clock = Clock::Nanoseconds;
    network.config.packets.mtu = Bytes::new(16);
    network.config.packets.data_header = Bytes::new(14);
    let result = violation(&network, &[flow(0, 0, 1, 100_000)]);
    let cause = result.as_ref().and_then(cause_of);
    assert_eq!(cause, Some(&OverflowCause::NoTimeOnLink));
}

/// Which of several violations ends a run depends neither on the order of nodes nor on the thread
/// that finds it.
#[test]
fn the_first_violation_is_reported() {
    let topology = star_of(33, Rate::from_gbps(10), Time::from_us(5));
    let rule = pfc(
        PfcThreshold::Static(Bytes::ZERO),
        Headroom::Fixed(Bytes::new(2_000)),
    );
    let mut network = Network::new(topology).with_flow_control(rule);
    let flows: Vec<Flow> = (0..32).map(|host| flow(host, host, 32, 10_000)).collect();
    let first = violation(&network, &flows);
    let cause = first.as_ref().and_then(cause_of);
    assert!(matches!(
        cause,
        Some(OverflowCause::HeadroomTooSmall { .. })
    ));
    for seed in 0..5 {
        network.order = NodeOrder::Shuffled(seed);
        assert_eq!(violation(&network, &flows), first);
    }
    network.order = NodeOrder::Ascending;
    for seed in 0..5 {
        network.threads = several_threads(4, seed);
        assert_eq!(violation(&network, &flows), first);
    }
}

/// If the clock counts nanoseconds, flows start at whole nanoseconds, links have whole delays, and
/// delays below 1 ns are refused. 1000 B take 83 + 83 + 4 + 4 ns and four delays of 150 ns.
#[test]
fn a_coarse_clock_knows_no_fractions() {
    let ps = Time::from_ps;
    for ties in [Ties::Port, Ties::Insertion] {
        let network = |delay| {
            let topology = star_of(3, Rate::from_gbps(100), delay);
            let mut network = Network::new(topology);
            network.config.model = Model {
                ties,
                ack_class: AckClass::Control,
                ..Model::hpcc_ns3(1, false)
            };
            network
        };
        let flows = [
            at(ps(1_700), flow(0, 0, 1, 1_000)),
            at(ps(1_001_900), flow(1, 0, 2, 1_000)),
        ];
        let run = network(ps(150_999));
        let outcome = run.run(&flows, &run.uncontrolled());
        for (id, start) in [(0, 1), (1, 1_001)] {
            assert_eq!(outcome.record(id).start, Time::from_ns(start));
            assert_eq!(outcome.fct(id), Time::from_ns(174 + 600));
        }
        let expected = "topology: a delay of 999ps is less than the 1ns by which the clock \
                        advances; write 1ns or more";
        let refused = diagnostic(&network(ps(999)), &flows);
        assert_eq!(refused.as_deref(), Some(expected));
    }
}

/// One global queue and windows agree to the picosecond if no two events coincide.
#[test]
fn both_engines_agree_in_picoseconds() {
    let mut network = Network::new(star_of(5, Rate::from_gbps(7), Time::from_ns(777)));
    let flows: Vec<Flow> = (0..4)
        .map(|host| {
            let start = Time::from_ps(1_234_567 * u64::from(host));
            at(start, flow(host, host, 4, 12_345))
        })
        .collect();
    let windows = network.run(&flows, &network.uncontrolled());
    network.config.model.ties = Ties::Insertion;
    let queue = network.run(&flows, &network.uncontrolled());
    assert_eq!(windows.flows, queue.flows);
    assert_eq!(windows.recording.ports, queue.recording.ports);
}
