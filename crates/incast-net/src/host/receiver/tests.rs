//! A flow between both its ends, over a path that may lose, delay and reorder.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_random::SplitMix64;
use incast_units::{Bytes, HostId};
use proptest::prelude::*;

use super::*;
use crate::buffer::{DropConfig, Headroom, PfcConfig, PfcThreshold};
use crate::config::{FlowControl, NetworkConfig};
use crate::flow::Flow;
use crate::host::packets::{acknowledgement_of, data_packet};
use crate::measure::MeasureConfig;
use crate::shared::WantedWords;
use crate::transport::{
    Backoff, EarlyCount, Explicit, InOrder, LossDetection, RecoveryConfig, RecoveryKind,
    Reordering, TimeoutOf, Transfer,
};
use crate::wire::{MarkReport, PacketParts};

mod recorded;

const US: fn(u64) -> Time = Time::from_us;
const MTU: u64 = 1_000;

/// The path between the two ends of the flow.
#[derive(Clone, Debug)]
struct Way {
    /// Percentage of packets, and of ACKs, that are lost.
    lost: u64,
    /// Packets and ACKs take 2 us, plus up to this time.
    spread: Time,
    /// Percentage of packets that are marked.
    marked: u64,
}

/// The flow and its ends.
#[derive(Clone, Debug)]
struct Ends {
    packets: u64,
    acks: AckPolicy,
    recovery: RecoveryConfig,
    way: Way,
    seed: u64,
}

enum Event {
    Data(Packet<5>),
    Ack(Packet<5>),
    LinkIsFree,
    Timer,
}

struct Flight {
    way: Way,
    random: SplitMix64,
    shared: Arc<Shared>,
    transfer: Transfer,
    receiver: ReceiveSide,
    recorder: Recorder,
    now: Time,
    due: BinaryHeap<Reverse<(Time, usize)>>,
    events: Vec<Option<Event>>,
    window: u64,
    link_is_free: bool,
    acks: u32,
    retransmitted: u32,
}

fn shared(ends: &Ends) -> Arc<Shared> {
    let flow_control = match ends.recovery.timeout {
        None => FlowControl::Pfc(PfcConfig {
            threshold: PfcThreshold::Dynamic { shift: 3 },
            resume_offset: Bytes::new(3_072),
            headroom: Headroom::WorstCase,
        }),
        Some(_) => FlowControl::Drop(DropConfig::Shared {
            alpha: 1.0,
            queue_limit: Bytes::new(100_000),
        }),
    };
    let config = NetworkConfig {
        acks: ends.acks,
        recovery: ends.recovery.clone(),
        ..NetworkConfig::standard(flow_control)
    };
    let words = WantedWords {
        longest_path: 1,
        programs: PacketParts::default(),
    };
    let shared = Shared::new(
        config,
        &MeasureConfig::default(),
        Vec::new(),
        2,
        None,
        words,
        &incast_cc::Needs::default(),
    );
    Arc::new(shared.expect("sizes fit"))
}

impl Flight {
    fn new(ends: &Ends) -> Self {
        let shared = shared(ends);
        let flow = Flow {
            id: FlowId(0),
            start: Time::ZERO,
            source: HostId(0),
            destination: HostId(1),
            // The last packet is short.
            size: Bytes::new((ends.packets - 1) * MTU + 300),
            tag: 0,
            lane: 0,
            source_port: 7,
        };
        let transfer = Transfer::new(flow, MarkReport::Echo, &shared.of_transfers(0));
        Self {
            way: ends.way.clone(),
            random: SplitMix64::new(ends.seed),
            transfer: transfer.expect("it is small"),
            receiver: ReceiveSide::new(&shared),
            recorder: Recorder::new(MeasureConfig::default()),
            shared,
            now: Time::ZERO,
            due: BinaryHeap::new(),
            events: Vec::new(),
            window: MTU,
            link_is_free: true,
            acks: 0,
            retransmitted: 0,
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.due.push(Reverse((at, self.events.len())));
        self.events.push(Some(event));
    }

    /// Sends a packet or ACK on its way.
    fn deliver(&mut self, event: Event) {
        if self.random.below(100) >= self.way.lost {
            let spread = self.way.spread.as_ps() + 1;
            let later = Time::from_ps(self.random.below(spread));
            self.schedule(self.now + US(2) + later, event);
        }
    }

    /// Runs until the sender knows that all packets have arrived.
    ///
    /// # Panics
    /// If no event is left before.
    fn run(&mut self) {
        self.send();
        while !self.transfer.is_finished() {
            assert!(self.events.len() < 100_000, "it goes on and on");
            let Some(Reverse((at, event))) = self.due.pop() else {
                panic!("nothing is due, and the flow has not ended");
            };
            self.now = at;
            let event = self.events[event].take().expect("it is due once");
            self.take(event);
            self.send();
            let deadline = self.transfer.retransmission.deadline();
            if deadline < Time::MAX {
                self.schedule(deadline.max(self.now), Event::Timer);
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::LinkIsFree => self.link_is_free = true,
            Event::Timer => {
                self.transfer.on_timer(self.now);
            }
            Event::Data(mut packet) => {
                let answer = self.receiver.on_data(&packet, self.now, &mut self.recorder);
                if let Some(answer) = answer {
                    let psn = packet.psn();
                    self.receiver.answer(&mut packet, answer);
                    self.receiver.name_early(&mut packet, psn);
                    self.acks += 1;
                    self.deliver(Event::Ack(packet));
                }
            }
            Event::Ack(packet) => {
                let ack = acknowledgement_of(&packet, &self.shared);
                let outcome = self.transfer.acknowledge(ack, MTU, self.now);
                if outcome.shows_loss {
                    self.transfer.recover();
                }
                // The window grows and shrinks, at times below the bytes in flight.
                let windows = [1, 1_000, 1_001, 3_500, 20_000, 100_000];
                self.window = windows[self.random.below(6) as usize];
            }
        }
    }

    /// Sends a packet if the link, of 10 Gb/s, is free and the window allows it.
    fn send(&mut self) {
        if !self.link_is_free || !self.transfer.may_send(self.window) {
            return;
        }
        let segment = self.transfer.send_next(MTU, self.window, self.now);
        self.retransmitted += u32::from(segment.is_retransmission);
        self.transfer.retransmission.start(self.now);
        let mut packet = data_packet(&mut self.transfer, &segment, &self.shared, self.now);
        if self.random.below(100) < self.way.marked {
            packet.mark();
        }
        self.deliver(Event::Data(packet));
        self.link_is_free = false;
        self.schedule(self.now + Time::from_ns(800), Event::LinkIsFree);
    }
}

fn acks() -> impl Strategy<Value = AckPolicy> {
    prop_oneof![
        (1_u32..20).prop_map(AckPolicy::Packets),
        (1_u64..30_000).prop_map(|bytes| AckPolicy::Bytes(Bytes::new(bytes))),
    ]
}

fn detection() -> impl Strategy<Value = LossDetection> {
    prop_oneof![
        Just(LossDetection::from(InOrder {})),
        Just(LossDetection::from(Explicit {})),
        (1_u32..10, 0_u64..10).prop_map(|(packets, us)| {
            let time = US(us);
            LossDetection::Reordering(Reordering { packets, time })
        }),
        (1_u32..10, 0.1_f64..2.0).prop_map(|(packets, window)| {
            LossDetection::EarlyCount(EarlyCount {
                window,
                packets,
                probes: None,
            })
        }),
    ]
}

fn recovery() -> impl Strategy<Value = RecoveryConfig> {
    let kinds = [RecoveryKind::GoBackN, RecoveryKind::Selective];
    let kind = prop::sample::select(kinds.to_vec());
    let of = prop::sample::select(vec![TimeoutOf::Flow, TimeoutOf::Packet]);
    let timeout = (prop::option::of((20_u64..200).prop_map(US)), of);
    (kind, detection(), timeout).prop_map(|(kind, loss_detection, timeout)| RecoveryConfig {
        kind,
        loss_detection,
        backoff: Backoff::default(),
        nack_interval: US(10),
        timeout: timeout.0,
        timeout_of: timeout.1,
    })
}

/// A path that this kind of recovery can handle: without a timeout no packet is lost; without
/// tolerance of reordering no packet overtakes another.
fn way(recovery: &RecoveryConfig) -> impl Strategy<Value = Way> + use<> {
    let is_selective = recovery.kind == RecoveryKind::Selective;
    let in_order = matches!(recovery.loss_detection, LossDetection::InOrder(_));
    let recovers = recovery.timeout.is_some();
    let may_reorder = recovers || is_selective && !in_order;
    (0_u64..40, 0_u64..10, any::<bool>(), 0_u64..50).prop_map(
        move |(lost, spread, reorders, marked)| Way {
            lost: if recovers { lost } else { 0 },
            spread: US(if may_reorder && reorders { spread } else { 0 }),
            marked: marked.saturating_sub(25),
        },
    )
}

fn ends() -> impl Strategy<Value = Ends> {
    recovery().prop_flat_map(|recovery| {
        let way = way(&recovery);
        (1_u64..120, acks(), Just(recovery), way, any::<u64>()).prop_map(
            |(packets, acks, recovery, way, seed)| Ends {
                packets,
                acks,
                recovery,
                way,
                seed,
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each flow completes, and is delivered once, under all windows, losses and policies.
    #[test]
    fn every_flow_ends(ends in ends()) {
        let mut flight = Flight::new(&ends);
        flight.run();
        let size = flight.transfer.flow.size.as_u64();
        prop_assert_eq!(flight.recorder.delivered, size);
        prop_assert!(flight.receiver.flows.is_empty());
        let waits = matches!(ends.recovery.loss_detection, LossDetection::Explicit(_))
            && ends.recovery.kind == RecoveryKind::Selective;
        if waits && ends.recovery.timeout.is_none() {
            prop_assert_eq!(flight.retransmitted, 0, "it was only overtaken");
        }
    }
}

/// 100 packets in order, of 1048 B on the wire. At 16,384 B the 16th packet since the last ACK
/// causes an ACK; the first packet always does: 1, 17, 33, 49, 65, 81, 97, and the last.
#[test]
fn bytes_are_acknowledged_together() {
    let ends = Ends {
        packets: 100,
        acks: AckPolicy::Bytes(Bytes::new(16_384)),
        recovery: RecoveryConfig {
            kind: RecoveryKind::GoBackN,
            loss_detection: LossDetection::from(InOrder {}),
            backoff: Backoff::default(),
            nack_interval: US(10),
            timeout: None,
            timeout_of: TimeoutOf::Flow,
        },
        way: Way {
            lost: 0,
            spread: Time::ZERO,
            marked: 0,
        },
        seed: 1,
    };
    let acks_of = |ends: &Ends| {
        let mut receiver = ReceiveSide::new(&shared(ends));
        let mut flight = Flight::new(ends);
        let mut due = Vec::new();
        for psn in 0..100 {
            let segment = flight.transfer.send_next(MTU, u64::MAX, US(0));
            let mut packet: Packet<5> =
                data_packet(&mut flight.transfer, &segment, &flight.shared, US(0));
            if psn == 40 && ends.way.marked > 0 {
                packet.mark();
            }
            if let Some(answer) = receiver.on_data(&packet, US(0), &mut flight.recorder) {
                due.push(answer);
            }
            if psn == 50 {
                // 51 packets of 1000 B with headers of 48 B, in bytes on the wire.
                let flow = receiver.flows.peek(0).expect("it goes on");
                let counted = flow.arrivals.as_ref().map(|arrivals| arrivals.received);
                let counts = ends.acks != AckPolicy::Packets(17);
                assert_eq!(counted, counts.then_some(53_448));
            }
        }
        due
    };
    let expected = [1, 17, 33, 49, 65, 81, 97, 100].map(Answer::Ack);
    assert_eq!(acks_of(&ends), expected);
    // The mark of packet 40 is echoed at once; then the count starts again.
    let mut marked = ends.clone();
    marked.way.marked = 1;
    let expected = [1, 17, 33, 41, 57, 73, 89, 100].map(Answer::Ack);
    assert_eq!(acks_of(&marked), expected);
    // One ACK for 17 packets: 17, 34, 51, 68, 85, and the last.
    let mut by_packets = ends;
    by_packets.acks = AckPolicy::Packets(17);
    let expected = [17, 34, 51, 68, 85, 100].map(Answer::Ack);
    assert_eq!(acks_of(&by_packets), expected);
}

/// Selective repeat on a path without losses: one ACK for `ack_every` packets, each packet and ACK
/// delayed by up to `spread`.
fn selective(packets: u64, ack_every: u32, loss_detection: LossDetection, spread: Time) -> Ends {
    Ends {
        packets,
        acks: AckPolicy::Packets(ack_every),
        recovery: RecoveryConfig {
            kind: RecoveryKind::Selective,
            loss_detection,
            backoff: Backoff::default(),
            nack_interval: US(10),
            timeout: Some(US(200)),
            timeout_of: TimeoutOf::Flow,
        },
        way: Way {
            lost: 0,
            spread,
            marked: 0,
        },
        seed: 3,
    }
}

/// Packets leave every 0.8 us. Packets and ACKs are delayed by up to 4 us, so up to 10 ACKs
/// overtake one. The rule for networks that keep order sends much again. A tolerance of 12 packets
/// and 8 us, or NACKs and the timeout alone, send nothing again.
#[test]
fn what_is_overtaken_is_sent_again_by_one_policy_only() {
    let sent_again = |loss_detection| {
        let ends = selective(1_000, 1, loss_detection, US(4));
        let mut flight = Flight::new(&ends);
        flight.run();
        flight.retransmitted
    };
    let reordering = |packets, us| {
        let time = US(us);
        LossDetection::Reordering(Reordering { packets, time })
    };
    assert!(sent_again(LossDetection::from(InOrder {})) > 100);
    assert!(sent_again(reordering(2, 8)) > 0);
    assert_eq!(sent_again(reordering(12, 8)), 0);
    assert_eq!(sent_again(LossDetection::from(Explicit {})), 0);
}

/// Packets 0 to 5 leave. Packet 0 is lost, and so are all ACKs except the ACK of packet 5. This ACK
/// also names packets 1 to 4, so after the timeout only packet 0 is sent again. With the rule for
/// order, ACKs name no packets.
#[test]
fn one_ack_names_all_that_came_early() {
    let again_after_a_timeout = |loss_detection| {
        let ends = selective(10, 1, loss_detection, Time::ZERO);
        let mut flight = Flight::new(&ends);
        let mut last = None;
        for psn in 0..6 {
            let segment = flight.transfer.send_next(MTU, u64::MAX, US(0));
            let mut packet: Packet<5> =
                data_packet(&mut flight.transfer, &segment, &flight.shared, US(0));
            if psn > 0 {
                let answer = flight
                    .receiver
                    .on_data(&packet, US(2), &mut flight.recorder);
                flight
                    .receiver
                    .answer(&mut packet, answer.expect("it came early"));
                flight.receiver.name_early(&mut packet, psn);
                last = Some(packet);
            }
        }
        let ack = acknowledgement_of(&last.expect("five came"), &flight.shared);
        let outcome = flight.transfer.acknowledge(ack, MTU, US(4));
        flight.transfer.retransmission.start(US(4));
        flight.transfer.on_timer(US(300));
        let (bytes, packets) = flight.transfer.unsent();
        // Packets 6 to 9, of which the last holds 300 B, have never left.
        assert_eq!(u64::from(packets - 4) * MTU, bytes - 3 * MTU - 300);
        (outcome.newly_acked, packets - 4)
    };
    assert_eq!(again_after_a_timeout(Explicit {}.into()), (5 * MTU, 1));
    assert_eq!(again_after_a_timeout(InOrder {}.into()), (MTU, 5));
}

/// A flow of this many full packets and a short one, under selective repeat with one ACK for three
/// packets. Returns the flow and its packets in order.
fn of_three(packets: u64) -> (Flight, Vec<Packet<5>>) {
    let ends = selective(packets, 3, InOrder {}.into(), Time::ZERO);
    let mut flight = Flight::new(&ends);
    let sent = (0..packets).map(|_| {
        let segment = flight.transfer.send_next(MTU, u64::MAX, US(0));
        data_packet(&mut flight.transfer, &segment, &flight.shared, US(0))
    });
    let packets = sent.collect();
    (flight, packets)
}

/// Packet 0 counts one. Packet 2 is early. Packet 1 releases it and is acknowledged at once, and
/// the count starts again: the next ACK is for packet 5, the third after packet 2.
#[test]
fn what_fills_a_gap_begins_the_count_anew() {
    let (mut flight, packets) = of_three(10);
    let answers = [0, 2, 1, 3, 4, 5].map(|psn: usize| {
        let recorder = &mut flight.recorder;
        flight.receiver.on_data(&packets[psn], US(2), recorder)
    });
    let ack = |expected| Some(Answer::Ack(expected));
    assert_eq!(answers, [None, ack(1), ack(3), None, None, ack(6)]);
}

/// The ACK of a flow's last packet reports no flow in progress. FNCC divides by this number, so it
/// is at least 1.
#[test]
fn an_ack_tells_of_one_flow_at_least() {
    let (mut flight, packets) = of_three(1);
    let mut packet = packets[0];
    flight.receiver.begin_int(&mut packet);
    assert_eq!(packet.receiver_flows(), 1);
    flight
        .receiver
        .on_data(&packets[0], US(2), &mut flight.recorder);
    assert!(flight.receiver.flows.is_empty());
    flight.receiver.begin_int(&mut packet);
    assert_eq!(packet.receiver_flows(), 1);
}
