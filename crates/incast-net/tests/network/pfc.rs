//! The effects of pauses on the link, on the port and on the rest of the network.

use incast_net::{
    AckClass, DropConfig, ExecutionPath, Flow, FlowControl, Headroom, PauseEvent, PfcThreshold,
};
use incast_signals::int::IntFormat;
use incast_topology::Dumbbell;
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::listener::Listener;
use crate::support::{Network, Outcome, at, flow, pfc, star, uneven_star};

/// Time of a full packet, 1048 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
/// Time of a PFC frame, 64 B.
const FRAME: Time = Time::from_ps(64 * 80);
const LINK: Time = Time::from_us(1);

/// PFC that pauses from the first byte over the reserve.
fn at_once() -> FlowControl {
    pfc(PfcThreshold::Static(Bytes::ZERO), Headroom::WorstCase)
}

/// Host 0's packet 1 reaches the switch at S + L and exceeds the reserve of 0 B: the switch sends a
/// pause, which takes 64 B of link time and L. The packet leaves at once, so a resume follows
/// directly.
#[test]
fn frames_take_link_time() {
    let mut network = Network::new(star(3)).with_flow_control(at_once());
    network.config.buffer.reserve = Bytes::ZERO;
    network.measure.pauses = true;
    let outcome = network.run(&[flow(0, 0, 2, 1_000)], &network.uncontrolled());
    let sent = PACKET + LINK;
    let event = |time, paused| PauseEvent {
        time,
        node: NodeId(0),
        port: 0,
        paused,
    };
    assert_eq!(
        outcome.recording.pauses,
        [
            event(sent + FRAME + LINK, true),
            event(sent + FRAME * 2 + LINK, false)
        ]
    );
    let port = outcome.recording.ports[network.port(0, 3)];
    assert_eq!(port.paused, FRAME);
    assert_eq!(outcome.recording.ports[network.port(3, 0)].pauses_sent, 1);
}

/// A pause waits for the packet in service. Host 1's packet to host 0 reaches the switch 10 ns
/// before host 0's first packet. So the pause waits S − 10 ns, less the time that host 0's packet
/// needs.
#[test]
fn a_frame_waits_for_the_packet_in_service() {
    let mut network = Network::new(star(3)).with_flow_control(at_once());
    network.config.buffer.reserve = Bytes::ZERO;
    network.measure.pauses = true;
    let head_start = Time::from_ns(10);
    let flows = [flow(1, 1, 0, 1_000), at(head_start, flow(0, 0, 2, 1_000))];
    let outcome = network.run(&flows, &network.uncontrolled());
    let first = outcome.recording.pauses.iter();
    let first = first
        .copied()
        .find(|event| event.node == NodeId(0) && event.paused);
    // Host 1's packet leaves the switch from S + L to 2S + L.
    let expected = PACKET * 2 + LINK + FRAME + LINK;
    assert_eq!(first.map(|event| event.time), Some(expected));
}

/// Pause and resume, 128 B, wait at port 0 of the switch, but no data or control packet waits at
/// any port. Samples of queues are zero, and so is the longest queue.
#[test]
fn frames_that_wait_are_no_queue() {
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        let mut network = Network::new(star(3)).with_flow_control(at_once());
        network.config.buffer.reserve = Bytes::ZERO;
        network.measure.queue_interval = Some(Time::from_ns(1));
        network.measure.queue_ports = vec![3, 4, 5];
        network.measure.until = Time::MAX;
        network.path = path;
        let head_start = Time::from_ns(10);
        let flows = [flow(1, 1, 0, 1_000), at(head_start, flow(0, 0, 2, 1_000))];
        let recording = network.run(&flows, &network.uncontrolled()).recording;
        assert!(recording.ports[3..].iter().all(|port| port.queue_max == 0));
        assert!(recording.queues.len() > 1_000);
        assert!(recording.queues.iter().all(|sample| sample.bytes == 0));
        let ticks = recording.queue_ticks.iter();
        assert_eq!(ticks.map(|tick| tick.queue_sum).sum::<u64>(), 0);
        assert_eq!(recording.queue_sum, 0);
    }
}

/// A resume stays behind the pause before it. Ports 1 and 2 of the switch end a packet at the same
/// time, until when a pause of host 2 waits at port 2. At that time port 1, which is first, takes
/// host 2's packet, which lets host 2 go on. If the resume overtook the pause, the pause would last
/// forever.
#[test]
fn frames_stay_in_order() {
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        let mut network = Network::new(star(5)).with_flow_control(at_once());
        network.config.buffer.reserve = Bytes::ZERO;
        network.measure.pauses = true;
        network.path = path;
        let flows = [
            flow(0, 0, 1, 1_000),
            flow(1, 3, 2, 1_000),
            at(Time::from_ns(40), flow(2, 2, 1, 100_000)),
        ];
        let outcome = network.run(&flows, &network.uncontrolled());
        let [(first, ..), ..] = paused(&outcome, 2, 0)[..] else {
            panic!("host 2 is paused");
        };
        // The two packets leave the switch from S + L to 2S + L.
        assert_eq!(first, PACKET * 2 + LINK + FRAME + LINK);
    }
}

/// The intervals in which a port was paused.
fn paused(outcome: &Outcome, node: u32, port: u32) -> Vec<(Time, Time)> {
    let of_port = |event: &&PauseEvent| (event.node.0, event.port) == (node, port);
    let events: Vec<_> = outcome.recording.pauses.iter().filter(of_port).collect();
    let pairs = events.chunks(2);
    pairs
        .map(|pair| {
            assert_eq!(pair.len(), 2, "every pause ends");
            assert!(pair[0].paused && !pair[1].paused, "they alternate");
            (pair[0].time, pair[1].time)
        })
        .collect()
}

/// Three hosts send to a slow host through two switches. No packet of the data class begins to
/// leave a paused port of a host or switch, and the counters agree with the frames.
#[test]
fn a_paused_port_sends_no_data() {
    let dumbbell = Dumbbell {
        switches: 2,
        senders: 3,
        receivers: 1,
        receiver_rate: Rate::from_gbps(10),
        delay: LINK,
        ..Dumbbell::default()
    };
    let mut network = Network::new(dumbbell.build().unwrap())
        .with_flow_control(pfc(
            PfcThreshold::Static(Bytes::new(20_000)),
            Headroom::WorstCase,
        ))
        .with_int();
    network.config.model.int_format = IntFormat::Exact;
    network.measure.pauses = true;
    let flows = [0, 1, 2].map(|host| flow(host, host, 3, 400_000));
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    let outside = |time: Time, intervals: &[(Time, Time)]| {
        intervals
            .iter()
            .all(|&(from, to)| time < from || to <= time)
    };
    // The first switch is node 4; its port 3 leads to the second.
    let trunk = paused(&outcome, 4, 3);
    let total = |intervals: &[(Time, Time)]| intervals.iter().map(|&(from, to)| to - from).sum();
    assert!(trunk.len() > 3);
    let counters = outcome.recording.ports[network.port(4, 5)];
    assert_eq!(counters.paused, total(&trunk));
    let sent = outcome.recording.ports[network.port(5, 4)].pauses_sent;
    assert_eq!(sent, trunk.len() as u64);
    for host in 0..3 {
        let own = paused(&outcome, host, 0);
        assert!(!own.is_empty(), "pauses spread to the hosts");
        let counters = outcome.recording.ports[network.port(host, 4)];
        assert_eq!(counters.paused, total(&own));
        let log = listener.log(host);
        for &(time, _) in &log.sent {
            // At the very time of a pause a packet may have begun just before.
            assert!(outside(time, &own) || own.iter().any(|&(from, _)| from == time));
        }
        for ack in &log.acks {
            let left = Time::from_ps(ack.records[0].clock);
            assert!(outside(left, &trunk) || trunk.iter().any(|&(from, _)| from == left));
        }
    }
}

/// Host 0 is paused most of the time, because host 2 is slow. Host 0 still acknowledges data from
/// host 1 if ACKs have their own class. In the data class the ACKs wait for the end of the pause.
#[test]
fn control_is_not_paused() {
    let rates = [100, 100, 1].map(Rate::from_gbps);
    let fct = |ack_class| {
        let mut network = Network::new(uneven_star(&rates, LINK)).with_flow_control(at_once());
        network.config.model.ack_class = ack_class;
        network.config.model.ack_pausable_at_host = ack_class == AckClass::Data;
        let flows = [
            flow(0, 0, 2, 100_000),
            at(Time::from_us(20), flow(1, 1, 0, 10_000)),
        ];
        network.run(&flows, &network.uncontrolled()).fct(1)
    };
    // 10 packets over 2 links take 4 µs + (10 + 1)·S + 2 ACKs. An ACK or a packet waits for at most
    // one packet of host 0, or one frame.
    let alone = LINK * 4 + PACKET * 11 + Time::from_ps(2 * 60 * 80);
    let control = fct(AckClass::Control);
    assert!(
        (alone..alone + PACKET + FRAME * 2).contains(&control),
        "{control}"
    );
    // A packet of 1048 B takes 8.4 µs at 1 Gb/s.
    assert!(fct(AckClass::Data) > alone + Time::from_us(8));
}

/// Head-of-line blocking: n hosts send to one, and another host to its neighbour. Hosts send at 2
/// Gb/s and receive at 1 Gb/s, and the trunk could carry all packets (Snyder, "Improving Congestion
/// Control Convergence in RDMA Networks", 2022, Fig. 2.1–2.2, n = 2). If packets are dropped, each
/// receiver gets 1 Gb/s. A lossless network pauses the trunk because of the congested receiver. The
/// trunk then carries an equal share of each ingress port. So for every n packets to the congested
/// receiver, at 1 Gb/s, one packet reaches the other: 1 + 1/n Gb/s in total.
///
/// The thesis says "around 1 Gbps" for n = 2, which ignores the packets to the idle receiver. With
/// equal shares the total is 1.5 Gb/s, and 1 Gb/s in the limit of large n.
#[test]
fn a_congested_host_blocks_an_idle_one() {
    let drop = || {
        FlowControl::Drop(DropConfig::Shared {
            alpha: 1.0,
            queue_limit: Bytes::new(30_000),
        })
    };
    let lossless = || {
        pfc(
            PfcThreshold::Static(Bytes::new(30_000)),
            Headroom::WorstCase,
        )
    };
    for n in [2, 4, 16] {
        let [congested, idle] = received_gbps(n, drop());
        assert!(congested > 0.99 && idle > 0.99, "{congested} + {idle}");
        let [congested, idle] = received_gbps(n, lossless());
        assert!(congested > 0.99, "{congested}");
        let share = 1.0 / f64::from(n);
        assert!(
            (idle - share).abs() < 0.03 * share,
            "{idle} of {share} Gb/s with {n} to one"
        );
    }
}

/// Throughput of two receivers in Gb/s: the first has `n` senders, the second has one.
fn received_gbps(n: u32, flow_control: FlowControl) -> [f64; 2] {
    let dumbbell = Dumbbell {
        switches: 2,
        senders: n + 1,
        receivers: 2,
        sender_rate: Rate::from_gbps(2),
        trunk_rate: Rate::from_gbps(2 * u64::from(n + 1)),
        receiver_rate: Rate::from_gbps(1),
        delay: LINK,
    };
    let mut network = Network::new(dumbbell.build().unwrap()).with_flow_control(flow_control);
    let duration = Time::from_ms(40);
    network.stop = Some(duration);
    let (congested, idle) = (n + 1, n + 2);
    let mut flows: Vec<Flow> = (0..n)
        .map(|host| flow(host, host, congested, 100_000_000))
        .collect();
    flows.push(flow(n, n, idle, 100_000_000));
    let outcome = network.run(&flows, &network.uncontrolled());
    [congested, idle].map(|host| {
        let port = &outcome.recording.ports[network.port(n + 4, host)];
        port.data_bytes as f64 * 8e-9 / duration.as_secs_f64()
    })
}

/// Pauses of 9000 B wait behind packets. The longest queue equals the samples of data and control
/// packets.
#[test]
fn frames_are_no_part_of_the_longest_queue() {
    let mut network = Network::new(star(3)).with_flow_control(at_once());
    network.config.buffer.reserve = Bytes::ZERO;
    network.config.packets.pfc_frame = Bytes::new(9_000);
    network.measure.queue_interval = Some(Time::from_ns(1));
    network.measure.queue_ports = vec![3, 4, 5];
    network.measure.until = Time::MAX;
    let flows = [
        flow(0, 1, 0, 1),
        flow(1, 1, 2, 3_000),
        flow(2, 2, 0, 5_000),
        at(Time::from_ns(10), flow(3, 0, 1, 3_000)),
    ];
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let recording = network.run(&flows, &network.uncontrolled()).recording;
        for port in 3..6 {
            let samples = recording.queues.iter().filter(|sample| sample.port == port);
            let longest = samples.map(|sample| sample.bytes).max();
            assert_eq!(Some(recording.ports[port as usize].queue_max), longest);
        }
    }
}
