use std::collections::BTreeSet;

use incast_units::Time;
use proptest::prelude::*;

use super::*;
use crate::transport::loss_detection::{Explicit, InOrder, Reordering};

mod in_order;
mod plain;

use self::in_order::InOrderModel;
use self::plain::PlainModel;

const MTU: u64 = 1_000;
const US: fn(u64) -> Time = Time::from_us;

/// No flow of these tests ends, so all packets are full.
const SEGMENTS: Segments = Segments {
    mtu: MTU,
    size: u64::MAX,
};

const IN_ORDER: LossDetection = LossDetection::InOrder(InOrder {});
const EXPLICIT: LossDetection = LossDetection::Explicit(Explicit {});

/// Thresholds of three packets and 5 us.
const REORDERING: LossDetection = LossDetection::Reordering(Reordering {
    packets: 3,
    time: Time::from_us(5),
});

/// The observable state of a scoreboard or of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    in_flight: u64,
    has_nothing_in_flight: bool,
    /// Whether an ACK is owed if the receiver sends one ACK for 1, 2, 5 or 100 packets.
    is_owed_ack: [bool; 4],
    lost: Vec<u32>,
    lost_bytes: u64,
    loss_deadline: Time,
}

trait Board {
    fn send(&mut self, psn: u32, payload: u64, requests_ack: bool, now: Time) -> u64;
    fn acknowledge(&mut self, ack: &Acknowledgement, advance: u64, now: Time) -> AckOutcome;
    fn time_out(&mut self);
    fn find_lost(&mut self, now: Time) -> bool;
    fn state(&self) -> State;
}

impl Board for Scoreboard {
    fn send(&mut self, psn: u32, payload: u64, requests_ack: bool, now: Time) -> u64 {
        self.send(psn, payload, requests_ack, now)
    }

    fn acknowledge(&mut self, ack: &Acknowledgement, advance: u64, now: Time) -> AckOutcome {
        self.acknowledge(ack, advance, now, &mut |_| ())
    }

    fn time_out(&mut self) {
        self.time_out(&mut |_| ());
    }

    fn find_lost(&mut self, now: Time) -> bool {
        self.find_lost(now, &mut |_| ())
    }

    fn state(&self) -> State {
        let (lost_bytes, packets) = self.lost();
        assert_eq!(packets, self.lost.len());
        State {
            in_flight: self.in_flight(),
            has_nothing_in_flight: self.has_nothing_in_flight(),
            is_owed_ack: [1, 2, 5, 100].map(|ack_every| self.is_owed_ack(ack_every)),
            lost: self.lost.iter().collect(),
            lost_bytes,
            loss_deadline: self.loss_deadline(),
        }
    }
}

fn board(detection: LossDetection) -> Scoreboard {
    Scoreboard::new(SEGMENTS, &detection)
}

fn ack(transmission: u64, expected: u32) -> Acknowledgement {
    Acknowledgement {
        kind: Kind::Ack,
        expected,
        transmission,
        sack: None,
        received: 0,
        trim: None,
    }
}

fn nack(transmission: u64, expected: u32) -> Acknowledgement {
    Acknowledgement {
        kind: Kind::Nack,
        ..ack(transmission, expected)
    }
}

fn outcome(newly_acked: u64, in_order: u64, shows_loss: bool) -> AckOutcome {
    AckOutcome {
        newly_acked,
        in_order,
        shows_loss,
        trimmed: 0,
    }
}

/// Packets 0 to 4 have left, one every microsecond, with transmission numbers equal to packet
/// numbers, and entropies from 100 on.
fn five_in_flight(detection: LossDetection) -> Scoreboard {
    let mut flow = board(detection);
    for psn in 0..5 {
        let number = flow.send(psn, MTU, false, US(psn.into()));
        assert_eq!(number, u64::from(psn));
        flow.note_entropy(100 + psn as u16);
    }
    flow
}

/// Short forms for one flow that is acknowledged by hand.
impl Scoreboard {
    fn on_ack(&mut self, number: u64, expected: u32, advance: u64) -> AckOutcome {
        self.acknowledge(&ack(number, expected), advance, US(10), &mut |_| ())
    }

    fn lost_packets(&self) -> Vec<u32> {
        self.lost.iter().collect()
    }
}

#[test]
fn packets_in_order_leave_nothing_behind() {
    for detection in [IN_ORDER, REORDERING, EXPLICIT] {
        let mut flow = five_in_flight(detection);
        assert_eq!(flow.on_ack(0, 1, MTU), outcome(MTU, MTU, false));
        // One ACK acknowledges two packets.
        assert_eq!(flow.on_ack(2, 3, 2 * MTU), outcome(2 * MTU, 2 * MTU, false));
        assert_eq!((flow.in_flight(), flow.next_lost()), (2 * MTU, None));
    }
}

/// Packets 1 and 3 are lost, 2 and 4 are early. Packet 1, sent again as transmission 5, fills the
/// gap, so all packets up to 2 have arrived.
#[test]
fn holes_are_found_and_filled() {
    let mut flow = five_in_flight(IN_ORDER);
    flow.on_ack(0, 1, MTU);
    assert_eq!(flow.on_ack(2, 1, 0), outcome(MTU, 0, true));
    assert_eq!((flow.in_flight(), flow.next_lost()), (2 * MTU, Some(1)));
    assert_eq!(flow.on_ack(4, 1, 0), outcome(MTU, 0, true));
    assert!(flow.has_nothing_in_flight());
    assert_eq!(flow.send(1, MTU, false, US(11)), 5);
    assert_eq!(flow.next_lost(), Some(3));
    assert_eq!(flow.send(3, MTU, false, US(12)), 6);
    assert_eq!(flow.next_lost(), None);
    // Packets 1 and 2 are acknowledged; the arrival of 2 was known.
    assert_eq!(flow.on_ack(5, 3, 2 * MTU), outcome(MTU, 2 * MTU, false));
    assert_eq!(flow.on_ack(6, 5, 2 * MTU), outcome(MTU, 2 * MTU, false));
    assert!(flow.early.is_empty());
}

/// Packet 0 is lost twice: later transmissions show that its retransmission is lost, too.
#[test]
fn a_lost_retransmission_is_found() {
    let mut flow = five_in_flight(IN_ORDER);
    flow.on_ack(1, 0, 0);
    assert_eq!(flow.send(0, MTU, false, US(11)), 5);
    assert_eq!(flow.send(5, MTU, false, US(12)), 6);
    assert_eq!(flow.on_ack(4, 0, 0).newly_acked, MTU);
    assert_eq!(flow.on_ack(6, 0, 0), outcome(MTU, 0, true));
    // Packets 2 and 3 have not been acknowledged, so they count as lost, too.
    assert_eq!(flow.lost_packets(), [0, 2, 3]);
    // The receiver already has 2 and 3, so it expects 6.
    assert_eq!(flow.send(0, MTU, false, US(13)), 7);
    assert_eq!(flow.on_ack(7, 6, 6 * MTU), outcome(3 * MTU, 6 * MTU, false));
    assert_eq!(flow.next_lost(), None);
}

#[test]
fn after_a_timeout_all_unknown_packets_are_lost() {
    for detection in [IN_ORDER, EXPLICIT] {
        let mut flow = five_in_flight(detection.clone());
        flow.on_ack(3, 0, 0);
        let mut blamed = Vec::new();
        flow.time_out(&mut |entropy| blamed.push(entropy));
        assert_eq!(flow.lost_packets(), [0, 1, 2, 4]);
        assert_eq!(flow.in_flight(), 0);
        match detection {
            LossDetection::InOrder(_) => assert_eq!(blamed, [104]),
            _ => assert_eq!(blamed, [100, 101, 102, 104]),
        }
        // A late ACK, of a transmission that counts as lost, still has the expected packet.
        assert_eq!(flow.on_ack(0, 1, MTU), outcome(MTU, MTU, false));
        assert_eq!(flow.next_lost(), Some(1));
    }
}

/// Five packets time out, and 0 is sent again as transmission 5. The ACK of transmission 1, which
/// counts as lost, reports 2100 received bytes, expects 1 and names 1 as early. So packet 1 is
/// restored, and packet 0 was in flight. Transmission 6 is awaited until its ACK, whose lower count
/// is ignored.
#[test]
fn controllers_are_told_of_single_transmissions() {
    let headers = 48;
    let mut flow = five_in_flight(EXPLICIT);
    flow.time_out(&mut |_| ());
    let lost = std::mem::take(&mut flow.untold.lost);
    assert_eq!(lost.on_wire(headers).as_u64(), 5 * (MTU + headers));
    assert_eq!(flow.send(0, MTU, false, US(11)), 5);
    let told = Acknowledgement {
        received: 2_100,
        sack: Some(Sack { base: 1, bits: 1 }),
        ..ack(1, 1)
    };
    flow.acknowledge(&told, MTU, US(12), &mut |_| ());
    let untold = std::mem::take(&mut flow.untold);
    assert_eq!(untold.newly_received, 2_100);
    assert_eq!(untold.restored.on_wire(headers).as_u64(), MTU + headers);
    assert!(!untold.was_awaited);
    flow.send(2, MTU, false, US(13));
    flow.acknowledge(&ack(6, 3), 2 * MTU, US(14), &mut |_| ());
    assert!(flow.untold.was_awaited);
    assert_eq!((flow.untold.newly_received, flow.in_flight()), (0, 0));
}

/// Packets 0 to 4 left at 0 to 4 us. At 10 us transmission 3 is acknowledged, after 7 us. Packet 0
/// is three behind 3, and lost. 1 is lost at 1 + 7 + 5 = 13 us, 2 at 14 us.
#[test]
fn overtaken_packets_have_some_time_to_arrive() {
    let mut flow = five_in_flight(REORDERING);
    let mut blamed = Vec::new();
    let found = flow.acknowledge(&ack(3, 0), 0, US(10), &mut |entropy| blamed.push(entropy));
    assert_eq!(found, outcome(MTU, 0, true));
    assert_eq!(
        (flow.lost_packets(), flow.loss_deadline()),
        (vec![0], US(13))
    );
    assert!(!flow.find_lost(US(12), &mut |entropy| blamed.push(entropy)));
    // Packet 2 arrives late.
    assert_eq!(flow.on_ack(2, 0, 0), outcome(MTU, 0, false));
    assert_eq!(flow.loss_deadline(), US(13));
    assert!(flow.find_lost(US(13), &mut |entropy| blamed.push(entropy)));
    assert_eq!(flow.lost_packets(), [0, 1]);
    assert_eq!((flow.loss_deadline(), flow.in_flight()), (Time::MAX, MTU));
    assert_eq!(blamed, [100, 101]);
}

/// Cases of a network that sprays. Packets that are only overtaken are sent again under the rule
/// for networks that keep order, and under no other rule.
#[test]
fn what_was_overtaken_is_not_sent_again() {
    for (detection, expected) in [
        (IN_ORDER, vec![0, 1]),
        (REORDERING, vec![]),
        (EXPLICIT, vec![]),
    ] {
        let mut flow = five_in_flight(detection);
        flow.on_ack(2, 0, 0);
        assert_eq!(flow.lost_packets(), expected);
    }
}

/// Transmission 1 was trimmed. This shows nothing about transmission 0, although it left before.
#[test]
fn a_nack_names_a_lost_transmission() {
    for detection in [IN_ORDER, REORDERING, EXPLICIT] {
        let mut flow = five_in_flight(detection);
        let mut blamed = Vec::new();
        let found = flow.acknowledge(&nack(1, 0), 0, US(10), &mut |entropy| blamed.push(entropy));
        let trimmed = AckOutcome {
            trimmed: MTU,
            ..outcome(0, 0, true)
        };
        assert_eq!(found, trimmed);
        assert_eq!((flow.in_flight(), flow.next_lost()), (4 * MTU, Some(1)));
        assert_eq!(blamed, [101]);
        // The same NACK again has no effect.
        assert_eq!(
            flow.acknowledge(&nack(1, 0), 0, US(10), &mut |_| ()),
            outcome(0, 0, false)
        );
        assert_eq!(flow.send(1, MTU, false, US(11)), 5);
        assert_eq!(flow.on_ack(0, 1, MTU), outcome(MTU, MTU, false));
    }
}

/// The ACK of transmission 4 names packet 2 as well; bits of 0 show nothing about 1 and 3.
#[test]
fn a_bitmap_acknowledges_what_came_early() {
    let mut flow = five_in_flight(EXPLICIT);
    let sack = Some(Sack {
        base: 1,
        bits: 0b1010,
    });
    let acked = Acknowledgement { sack, ..ack(4, 1) };
    let found = flow.acknowledge(&acked, MTU, US(10), &mut |_| ());
    assert_eq!(found, outcome(3 * MTU, MTU, false));
    assert_eq!((flow.in_flight(), flow.next_lost()), (2 * MTU, None));
    assert_eq!(flow.early.len(), 2);
    // Again: nothing new.
    let again = flow.acknowledge(&acked, 0, US(10), &mut |_| ());
    assert_eq!(again, outcome(0, 0, false));
    assert_eq!(flow.on_ack(1, 3, 2 * MTU), outcome(MTU, 2 * MTU, false));
}

/// Packet 0 counts as lost, and then arrives, while its first transmission is still recorded.
#[test]
fn a_late_packet_is_not_sent_again() {
    let mut flow = board(REORDERING);
    for psn in 0..6 {
        flow.send(psn, MTU, false, US(0));
    }
    flow.on_ack(5, 0, 0);
    assert_eq!(flow.lost_packets(), [0, 1, 2]);
    // Transmission 3 is open; 0 to 2 have been dropped, and 5 is closed.
    assert_eq!(flow.on_ack(4, 0, 0).newly_acked, MTU);
    let mut flow = board(REORDERING);
    for psn in 0..6 {
        flow.send(psn, MTU, false, US(0));
    }
    flow.acknowledge(&nack(2, 0), 0, US(10), &mut |_| ());
    assert_eq!(flow.lost_packets(), [2]);
    assert_eq!(flow.on_ack(2, 0, 0), outcome(MTU, 0, false));
    assert_eq!(flow.next_lost(), None);
}

/// The last packet of the flow, of 300 B, is early.
#[test]
fn a_short_packet_counts_as_what_it_holds() {
    let segments = Segments {
        mtu: MTU,
        size: 2_300,
    };
    let mut flow = Scoreboard::new(segments, &EXPLICIT);
    for (psn, payload) in [(0, MTU), (1, MTU), (2, 300)] {
        flow.send(psn, payload, false, US(0));
    }
    assert_eq!(flow.on_ack(2, 0, 0), outcome(300, 0, false));
    assert_eq!(flow.on_ack(1, 0, 0), outcome(MTU, 0, false));
    assert_eq!(flow.on_ack(0, 3, 2_300), outcome(MTU, 2_300, false));
    assert!(flow.has_nothing_in_flight() && flow.in_flight() == 0);
}

/// Six packets leave, two of them twice; any transmission, and any ACK, may be lost. The method for
/// ACKs in order has the effect of the general method, or none.
#[test]
fn acks_in_order_are_as_others() {
    let mut taken = 0;
    for lost in 0..1_u32 << 16 {
        let mut flow = board(IN_ORDER);
        let (mut received, mut acked) = ([false; 8], 0);
        for step in 0..8 {
            let psn = [0, 1, 2, 3, 1, 4, 2, 5][step];
            let number = flow.send(psn, MTU, false, US(0));
            if lost >> step & 1 == 1 {
                continue;
            }
            received[psn as usize] = true;
            let expected = received.iter().position(|received| !received);
            let expected = expected.expect("two never leave") as u32;
            if lost >> (8 + step) & 1 == 1 {
                continue;
            }
            let (mut short, before) = (flow.clone(), format!("{flow:?}"));
            let advance = u64::from(expected - acked) * MTU;
            let answer = flow.on_ack(number, expected, advance);
            if expected > acked && short.acknowledge_in_order(number, expected) {
                assert_eq!(answer, outcome(advance, advance, false));
                assert_eq!(format!("{short:?}"), format!("{flow:?}"));
                taken += 1;
            } else {
                assert_eq!(format!("{short:?}"), before);
            }
            acked = expected;
        }
    }
    assert!(taken > 30_000, "{taken}");
}

#[test]
fn an_ack_is_awaited_if_one_was_requested_or_is_due() {
    for detection in [IN_ORDER, REORDERING] {
        let mut flow = board(detection);
        assert!(!flow.is_owed_ack(1));
        flow.send(0, MTU, false, US(0));
        assert!(flow.is_owed_ack(1) && !flow.is_owed_ack(2));
        flow.send(1, MTU, true, US(0));
        flow.send(2, MTU, false, US(0));
        assert!(flow.is_owed_ack(8));
        flow.on_ack(1, 2, 2 * MTU);
        assert!(!flow.is_owed_ack(8));
    }
}

/// With one ACK for eight packets, a retransmission requests its own ACK. With one for each packet,
/// no packet needs to.
#[test]
fn what_is_sent_again_asks_for_its_ack() {
    for (ack_every, kind) in [(8, Kind::DataWithAckRequest), (1, Kind::Data)] {
        let mut flow = board(IN_ORDER);
        let mut sequence = Sequence::new(1_000, ack_every);
        for _ in 0..3 {
            let sent = flow.send_next(&mut sequence, u64::MAX, US(0));
            assert_eq!(sent.kind, Kind::Data);
        }
        flow.on_ack(1, 0, 0);
        let again = flow.send_next(&mut sequence, u64::MAX, US(1));
        assert_eq!(
            (again.psn, again.kind, again.is_retransmission),
            (0, kind, true)
        );
    }
}

/// Packets 0 and 2 request ACKs. The ACK of 2 arrives first; the ACK of 0 is still owed, until
/// packet 0 is known to be lost.
#[test]
fn requests_are_forgotten_one_by_one() {
    let mut flow = board(EXPLICIT);
    for (psn, requests_ack) in [(0, true), (1, false), (2, true), (3, false)] {
        flow.send(psn, MTU, requests_ack, US(0));
    }
    flow.on_ack(2, 0, 0);
    assert!(flow.is_owed_ack(8));
    flow.acknowledge(&nack(0, 0), 0, US(10), &mut |_| ());
    assert!(!flow.is_owed_ack(8));
}

/// An event of a flow. Numbers choose among the packets or ACKs in flight.
#[derive(Clone, Debug)]
enum Step {
    Send(bool),
    Arrive(usize),
    Trim(usize),
    Lose(usize),
    Acknowledge(usize),
    LoseAck(usize),
    Wait(u64),
    TimeOut,
}

fn step(reorders: bool) -> impl Strategy<Value = Step> {
    // 0 chooses the first one in flight, so most arrive in order.
    let which = match reorders {
        true => prop_oneof![2 => Just(0_usize), 1 => 0_usize..50].boxed(),
        false => Just(0).boxed(),
    };
    (0..40, which, any::<bool>(), 0_u64..8).prop_map(|(kind, which, flag, wait)| match kind {
        0..=13 => Step::Send(flag),
        14..=23 => Step::Arrive(which),
        24 => Step::Trim(which),
        25..=26 => Step::Lose(which),
        27..=35 => Step::Acknowledge(which),
        36 => Step::LoseAck(which),
        37..=38 => Step::Wait(wait),
        _ => Step::TimeOut,
    })
}

/// A flow between a sender, or several senders that must agree, and a receiver.
struct World<'a> {
    senders: Vec<&'a mut dyn Board>,
    now: Time,
    /// Transmissions and packets in flight.
    packets: Vec<(u64, u32)>,
    acks: Vec<Acknowledgement>,
    received: BTreeSet<u32>,
    /// The next packet that the receiver expects.
    expected: u32,
    /// The next packet that the receiver expects, as known by the sender.
    acked: u32,
    next: u32,
    /// Whether ACKs name early packets.
    has_bitmaps: bool,
    /// Whether NACKs report trimmed packets.
    trims: bool,
}

impl<'a> World<'a> {
    fn new(senders: Vec<&'a mut dyn Board>) -> Self {
        Self {
            senders,
            now: US(0),
            packets: Vec::new(),
            acks: Vec::new(),
            received: BTreeSet::new(),
            expected: 0,
            acked: 0,
            next: 0,
            has_bitmaps: false,
            trims: false,
        }
    }

    /// Applies `act` to all senders, which must return equal values; returns the value.
    fn all<T: PartialEq + std::fmt::Debug>(&mut self, act: impl Fn(&mut dyn Board) -> T) -> T {
        let mut said = self.senders.iter_mut().map(|sender| act(&mut **sender));
        let first = said.next().expect("a sender");
        said.for_each(|other| assert_eq!(other, first));
        first
    }

    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            self.take(step);
            self.all(|sender| sender.state());
        }
    }

    fn take(&mut self, step: &Step) {
        let (now, chosen) = (self.now, |from: usize, which| which % from.max(1));
        let packet = |which| chosen(self.packets.len(), which);
        match *step {
            Step::Send(requests_ack) => {
                let lost = self.all(|sender| sender.state().lost);
                let psn = lost.first().copied().unwrap_or(self.next);
                self.next = self.next.max(psn + 1);
                let number = self.all(|sender| sender.send(psn, MTU, requests_ack, now));
                self.packets.push((number, psn));
            }
            Step::Wait(time) => {
                self.now += US(time);
                let now = self.now;
                self.all(|sender| sender.find_lost(now));
            }
            Step::TimeOut => self.all(|sender| sender.time_out()),
            Step::Arrive(which) | Step::Trim(which) | Step::Lose(which)
                if !self.packets.is_empty() =>
            {
                let (number, psn) = self.packets.remove(packet(which));
                self.arrive(step, number, psn);
            }
            Step::Acknowledge(which) | Step::LoseAck(which) if !self.acks.is_empty() => {
                let ack = self.acks.remove(chosen(self.acks.len(), which));
                if let Step::Acknowledge(_) = step {
                    self.acknowledge(ack);
                }
            }
            _ => (),
        }
    }

    fn arrive(&mut self, step: &Step, number: u64, psn: u32) {
        match step {
            Step::Arrive(_) => {
                self.received.insert(psn);
                while self.received.contains(&self.expected) {
                    self.expected += 1;
                }
                let sack = self.has_bitmaps.then(|| self.sack(psn));
                let expected = self.expected;
                self.acks.push(Acknowledgement {
                    sack,
                    ..ack(number, expected)
                });
            }
            Step::Trim(_) if self.trims => self.acks.push(nack(number, self.expected)),
            _ => (),
        }
    }

    /// The bitmap with UEC's base: max(psn − 63, expected + 1).
    fn sack(&self, psn: u32) -> Sack {
        let base = psn.saturating_sub(63).max(self.expected + 1);
        let bit = |k: u32| u64::from(self.received.contains(&(base + k))) << k;
        let bits = (0..64).map(bit).sum();
        Sack { base, bits }
    }

    fn acknowledge(&mut self, mut ack: Acknowledgement) {
        let advance = u64::from(ack.expected.saturating_sub(self.acked)) * MTU;
        self.acked = self.acked.max(ack.expected);
        ack.expected = self.acked;
        let now = self.now;
        self.all(|sender| sender.acknowledge(&ack, advance, now));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The rule for order gives the results of a model with maps: losses, timeouts and lost ACKs,
    /// in order and out of order.
    #[test]
    fn the_rule_for_order_is_as_with_maps(
        steps in any::<bool>()
            .prop_flat_map(|reorders| proptest::collection::vec(step(reorders), 1..400))
    ) {
        let (mut scoreboard, mut model) = (board(IN_ORDER), InOrderModel::default());
        World::new(vec![&mut scoreboard, &mut model]).run(&steps);
    }

    /// Every policy gives the results of a plain model, with and without bitmaps and NACKs.
    #[test]
    fn policies_are_as_in_a_plain_model(
        detection in prop_oneof![
            Just(IN_ORDER),
            Just(EXPLICIT),
            (1_u32..8, 0_u64..20).prop_map(|(packets, us)| {
                let time = US(us);
                LossDetection::Reordering(Reordering { packets, time })
            }),
        ],
        (has_bitmaps, trims) in any::<(bool, bool)>(),
        steps in proptest::collection::vec(step(true), 1..400),
    ) {
        let (mut scoreboard, mut model) = (board(detection.clone()), PlainModel::new(detection));
        let mut world = World::new(vec![&mut scoreboard, &mut model]);
        (world.has_bitmaps, world.trims) = (has_bitmaps, trims);
        world.run(&steps);
    }
}
