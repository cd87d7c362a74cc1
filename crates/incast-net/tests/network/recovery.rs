//! Networks that drop packets: go-back-N by NACK and by timeout delivers everything once.

use incast_cc::{Ack, CongestionControl, FlowController, LossKind, SendLimit};
use incast_net::{
    AckClass, AckPolicy, Contention, Controllers, DropConfig, Flow, FlowControl, Headroom,
    NicScheduler, PfcThreshold, RecoveryKind,
};
use incast_units::{Bytes, Rate, Time};

use crate::listener::Listener;
use crate::support::{Fixed, Network, With, at, flow, pfc, star};

/// Time of a full packet, 1048 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
/// Time of an ACK, 60 B.
const ACK: Time = Time::from_ps(60 * 80);
const LINK: Time = Time::from_us(1);
const TIMEOUT: Time = Time::from_us(200);

/// Queues that hold `bytes`, in a shared buffer that is large enough.
fn queues_of(bytes: u64) -> FlowControl {
    FlowControl::Drop(DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(bytes),
    })
}

/// Four hosts at a switch whose queues hold one full packet; further packets are lost.
fn one_waits() -> Network {
    let mut network = Network::new(star(4)).with_flow_control(queues_of(1_048));
    network.config.contention = Contention::Tail;
    network
}

/// Three packets reach an idle port at once, whose queue holds one packet. The first leaves at
/// once, the second waits, the third is lost. Its sender's timer was set when the packet left, at
/// 0.
#[test]
fn a_lost_tail_comes_after_the_timeout() {
    for scheduler in [NicScheduler::RoundRobin, NicScheduler::LinearScan] {
        let mut network = one_waits();
        network.config.model.nic_scheduler = scheduler;
        let flows = [0, 1, 2].map(|host| flow(host, host, 3, 1_000));
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        let outcome = network.run(&flows, &listener);
        let unloaded = PACKET * 2 + LINK * 2 + ACK * 2 + LINK * 2;
        assert_eq!(outcome.fct(0), unloaded);
        assert_eq!(outcome.fct(1), unloaded + PACKET);
        assert_eq!(outcome.fct(2), TIMEOUT + unloaded);
        let log = listener.log(2);
        assert_eq!(log.losses, [(TIMEOUT, LossKind::Timeout)]);
        assert_eq!(log.sent, [(Time::ZERO, false), (TIMEOUT, true)]);
        assert_eq!((outcome.retransmitted(), outcome.dropped()), (1, 1));
        assert_eq!(outcome.recording.ports[network.port(4, 3)].dropped, 1);
    }
}

/// Host 2's packets 0 and 1 are lost, each behind one packet of host 0 and one of host 1. After the
/// timeout packet 1 is lost again, behind host 0's packet and host 1's retransmission. The ACK of
/// packet 0 ends the doubling of the timeout: packet 1 waits one timeout from then on, not two from
/// its departure.
#[test]
fn progress_ends_the_doubling_of_the_timeout() {
    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
        let mut network = one_waits();
        network.config.recovery.kind = kind;
        let flows = [
            flow(0, 0, 3, 1_000),
            flow(1, 1, 3, 1_000),
            flow(2, 2, 3, 2_000),
            at(PACKET, flow(3, 0, 3, 1_000)),
            at(PACKET, flow(4, 1, 3, 1_000)),
            at(TIMEOUT + PACKET, flow(5, 0, 3, 1_000)),
        ];
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        let outcome = network.run(&flows, &listener);
        let unloaded = PACKET * 2 + LINK * 2 + ACK * 2 + LINK * 2;
        let timeouts = [TIMEOUT, TIMEOUT * 2 + unloaded];
        assert_eq!(
            listener.log(2).losses,
            timeouts.map(|at| (at, LossKind::Timeout))
        );
        assert_eq!(outcome.fct(2), timeouts[1] + unloaded);
        assert_eq!(outcome.dropped(), 4);
        // The same results for an algorithm that gets only ACKs.
        let outcome = network.run(&flows, &controllers);
        assert_eq!(outcome.fct(2), timeouts[1] + unloaded);
    }
}

/// Host 2 sends packets 0, 1, 2. The packets of hosts 0 and 1 arrive together with packet 1, which
/// is lost: host 0's packet leaves, host 1's waits, and the queue holds only one. With S = 83.84
/// ns, L = 1 µs and A = 4.8 ns:
///
/// ```text
/// S + L        packet 0 at the switch
/// 2S + L       host 0's, host 1's, packet 1 (lost)
/// 3S + L       packet 2; host 1's leaves
/// 4S + L       packet 2 leaves, and arrives at 5S + 2L: packet 1 is missing
/// 5S + 4L + 2A NACK at host 2, which sends packets 1 and 2 again
/// + 3S + 4L + 2A
/// ```
#[test]
fn a_hole_is_filled_after_a_nack() {
    let network = one_waits();
    let flows = [
        flow(2, 2, 3, 3_000),
        at(PACKET, flow(0, 0, 3, 1_000)),
        at(PACKET, flow(1, 1, 3, 1_000)),
    ];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    let nack = PACKET * 5 + LINK * 4 + ACK * 2;
    assert_eq!(listener.log(2).losses, [(nack, LossKind::Nack)]);
    assert_eq!(outcome.fct(2), nack + PACKET * 3 + LINK * 4 + ACK * 2);
    assert_eq!(outcome.record(2).counters.retransmitted, 2);
    assert_eq!(outcome.dropped(), 1);
}

/// The same gap, followed by many more packets. Each of them shows that packet 1 is missing, but
/// the receiver asks for packet 1 only once in 50 µs.
#[test]
fn a_receiver_asks_once_in_a_while() {
    let network = one_waits();
    let flows = [
        flow(2, 2, 3, 100_000),
        at(PACKET, flow(0, 0, 3, 1_000)),
        at(PACKET, flow(1, 1, 3, 1_000)),
    ];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    assert_eq!(listener.log(2).losses.len(), 1);
    // Before the NACK came, at 5S + 4L + 2A = 4 428 800 ps, packets 0 to 52 had left, one every 83
    // 840 ps. Packets 1 to 52 were retransmitted.
    assert_eq!(outcome.record(2).counters.retransmitted, 52);
}

/// 16-to-1 into a queue of 20 packets: exactly the sent data are delivered, with every algorithm,
/// whether ACKs may be lost or not.
#[test]
fn an_incast_into_a_small_buffer_is_delivered_once() {
    for ack_class in [AckClass::Control, AckClass::Data] {
        for ack_every in [1, 4] {
            let mut network = Network::new(star(17)).with_flow_control(queues_of(20 * 1_090));
            network.config.model.ack_class = ack_class;
            network.config.acks = AckPolicy::Packets(ack_every);
            drops_and_recovers(&network, &network.uncontrolled());
            if ack_every == 1 {
                let network = network.with_int();
                drops_and_recovers(&network, &network.hpcc());
            }
        }
    }
}

/// 16 flows of 100 packets to one host, and a flow back to each sender, so that ACKs meet queues.
fn drops_and_recovers(network: &Network, controllers: &dyn Controllers) {
    let there = (0..16).map(|host| flow(host, host, 16, 100_000));
    let back = (0..16).map(|host| flow(16 + host, 16, host, 20_000));
    let cross = (0..16).map(|host| flow(32 + host, host, (host + 1) % 16, 30_000));
    let flows: Vec<Flow> = there.chain(back).chain(cross).collect();
    let outcome = network.run(&flows, controllers);
    assert!(outcome.dropped() > 0, "nothing was lost");
    assert!(outcome.retransmitted() > 0);
    // The receiver's link carries 16·100 packets of at least 1048 B, which bounds the last
    // completion.
    let last = outcome.flows.last().expect("flows").finish;
    let least = PACKET * 1_600;
    assert!(last > least, "{last} for {least} of data");
    // Go-back-N wastes bandwidth, and idles during timeouts, but not forever.
    assert!(last < Time::from_ms(20), "{last} for {least} of data");
}

/// The gap between two packets may exceed the timeout without a loss: at 1 Mb/s a packet of 1048 B
/// takes 8.384 ms, the timeout is 0.2 ms.
#[test]
fn slow_pacing_is_no_loss() {
    let network = Network::new(star(2)).with_flow_control(queues_of(1_000_000));
    let slow = With(|_: &Flow| {
        let limit = SendLimit::paced(Rate::from_mbps(1));
        Box::new(Fixed(limit)) as Box<dyn FlowController>
    });
    let listener = Listener::new(&slow);
    let outcome = network.run(&[flow(0, 0, 1, 3_000)], &listener);
    assert_eq!(listener.log(0).losses, []);
    assert_eq!(outcome.retransmitted(), 0);
    let gap = Time::from_ps(1_048 * 8_000_000);
    let unloaded = PACKET * 2 + LINK * 2 + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(0), gap * 2 + unloaded);
}

/// A lossless network may have a retransmission timer, and pauses may outlast it. Packets then
/// arrive twice, even after their flow is complete, and are delivered once.
#[test]
fn a_timer_beside_pfc_does_no_harm() {
    let rule = pfc(
        PfcThreshold::Static(Bytes::new(10_000)),
        Headroom::WorstCase,
    );
    let mut network = Network::new(star(17)).with_flow_control(rule);
    network.config.recovery.timeout = Some(Time::from_us(20));
    let flows: Vec<Flow> = (0..16).map(|host| flow(host, host, 16, 100_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    assert_eq!(outcome.dropped(), 0);
    assert!(outcome.retransmitted() > 0, "pauses outlast 20 µs");
}

/// One ACK for four packets, and one for the last packet: 10 packets are acknowledged at 4, 8 and
/// 10.
#[test]
fn every_fourth_packet_is_acknowledged_and_the_last() {
    let mut network = Network::new(star(2));
    network.config.acks = AckPolicy::Packets(4);
    let log = acknowledged(&network, SendLimit::paced(Rate::from_gbps(100)), 10_000);
    assert_eq!(log, [4_000, 8_000, 10_000]);
}

/// A sender whose window is smaller than four packets asks for an ACK when its window is full. A
/// window of 2500 B allows three packets (the third leaves while 2000 < 2500 bytes are in flight).
#[test]
fn a_full_window_asks_for_an_ack() {
    let mut network = Network::new(star(2));
    network.config.acks = AckPolicy::Packets(4);
    let window = |bytes| {
        let limit = SendLimit {
            window: Bytes::new(bytes),
            ..SendLimit::paced(Rate::from_gbps(100))
        };
        acknowledged(&network, limit, 7_000)
    };
    assert_eq!(window(2_500), [3_000, 6_000, 7_000]);
    assert_eq!(window(1), [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000]);
    assert_eq!(window(4_000), [4_000, 7_000]);
}

/// With a window of one packet, every packet takes a round trip, whatever `ack_every` says:
/// 7 · (2·83.84 + 2·4.8 + 4000) ns.
#[test]
fn a_window_of_one_packet_takes_a_round_trip_each() {
    for ack_every in [1, 4, 100] {
        let mut network = Network::new(star(2));
        network.config.acks = AckPolicy::Packets(ack_every);
        let one = With(|_: &Flow| {
            Box::new(Fixed(SendLimit {
                window: Bytes::new(1),
                ..SendLimit::paced(Rate::from_gbps(100))
            })) as Box<dyn FlowController>
        });
        let outcome = network.run(&[flow(0, 0, 1, 7_000)], &one);
        assert_eq!(outcome.fct(0), Time::from_ps(7 * 4_177_280));
    }
}

/// A window shrinks after the departure of packets that asked for no ACK: the two packets after the
/// fourth never become four. The sender may then send one more packet, which asks for an ACK.
#[test]
fn a_window_that_shrinks_does_not_lock_up() {
    for rate in [100, 40, 10, 3, 1] {
        for ack_every in [2, 3, 4, 16] {
            let mut network = Network::new(star(2));
            network.config.acks = AckPolicy::Packets(ack_every);
            let shrinking = With(|_: &Flow| {
                let limit = SendLimit::paced(Rate::from_gbps(rate));
                Box::new(Shrinking(limit)) as Box<dyn FlowController>
            });
            network.run(&[flow(0, 0, 1, 100_000)], &shrinking);
        }
    }
}

/// Sends at a rate until the first ACK; then also has a window of one byte.
#[derive(Clone)]
struct Shrinking(SendLimit);

impl CongestionControl for Shrinking {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {
        self.0.window = Bytes::new(1);
    }

    fn limit(&self) -> SendLimit {
        self.0
    }
}

/// The bytes acknowledged by each ACK of a flow of `size` bytes under `limit`.
fn acknowledged(network: &Network, limit: SendLimit, size: u64) -> Vec<u64> {
    let fixed = With(|_: &Flow| Box::new(Fixed(limit)) as Box<dyn FlowController>);
    let listener = Listener::new(&fixed);
    network.run(&[flow(0, 0, 1, size)], &listener);
    let mut seen: Vec<u64> = listener
        .log(0)
        .acks
        .iter()
        .map(|ack| ack.next_expected)
        .collect();
    // The ACK that completes a flow is not passed to its algorithm.
    seen.push(size);
    seen
}
