use std::sync::{Arc, Mutex};

use incast_units::{FlowId, HostId};

use super::*;
use crate::routing::{LeavingPacket, PathReport};
use crate::transport::{Backoff, RecoveryConfig, RecoveryKind, TimeoutOf};
use crate::transport::{EarlyCount, Explicit, LossDetection, Probes, Reordering, Trim};
use crate::wire::Kind;

const US: fn(u64) -> Time = Time::from_us;
const MTU: u64 = 1_000;

/// Recorded feedback by entropy.
type Told = Arc<Mutex<Vec<(u16, PathFeedback)>>>;

/// A selector that gives packet k, of which six are new, entropy 100 + k, and records feedback.
#[derive(Clone)]
struct Listener(Told, u16);

impl PathSelector for Listener {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        let number = self.1;
        self.1 += 1;
        assert_eq!(packet.new_packets, u32::from(number.min(6)));
        assert_eq!(packet.window, 12);
        100 + number
    }

    fn on_feedback(&mut self, report: &PathReport) {
        let mut told = self.0.lock().expect("one thread");
        told.push((report.entropy, report.feedback));
    }
}

/// A flow of many packets.
fn transfer(told: &Told, loss_detection: LossDetection, timeout_of: TimeoutOf) -> Transfer {
    let flow = Flow {
        id: FlowId(0),
        start: Time::ZERO,
        source: HostId(0),
        destination: HostId(1),
        size: Bytes::new(100 * MTU),
        tag: 0,
        lane: 0,
        source_port: 7,
    };
    let recovery = RecoveryConfig {
        kind: RecoveryKind::Selective,
        loss_detection,
        backoff: Backoff::default(),
        nack_interval: US(10),
        timeout: Some(US(100)),
        timeout_of,
    };
    let segments = Segments {
        mtu: MTU,
        size: flow.size.as_u64(),
    };
    Transfer {
        flow,
        address: Address::new(0, 1, 7),
        sequence: Sequence::new(100, 1),
        retransmission: RetransmissionTimer::new(recovery.timeout, timeout_of, recovery.backoff),
        counters: FlowCounters::default(),
        recovery: Recovery::new(&recovery, segments),
        samples: OfFlow::default(),
        selector: Some(Box::new(Listener(Arc::clone(told), 0))),
        prober: recovery.prober(US(10)),
        timeline: None,
    }
}

fn answer(kind: Kind, transmission: u64) -> Acknowledgement {
    Acknowledgement {
        kind,
        expected: 0,
        transmission,
        sack: None,
        received: 0,
        trim: None,
    }
}

fn trim(at: TrimmedAt, marked: bool) -> Trim {
    Trim { at, marked }
}

/// All paths share the last hop, so a packet trimmed there is no evidence against its path, unless
/// it was marked before. Each trimmed packet is sent again before new packets. The timeout
/// restarts.
#[test]
fn the_last_hop_is_not_blamed_on_a_path() {
    let told = Told::default();
    let mut transfer = transfer(&told, Explicit {}.into(), TimeoutOf::Flow);
    let send = |transfer: &mut Transfer| {
        let segment = transfer.send_next(MTU, 12 * MTU + 999, US(0));
        let mut packet =
            Packet::<5>::new(segment.kind, 1_048).of_flow(0, segment.psn, transfer.address);
        transfer.choose_path(&mut packet, &segment, MTU, US(0));
        transfer.retransmission.start(US(0));
        segment.psn
    };
    (0..6).for_each(|psn| assert_eq!(send(&mut transfer), psn));
    let cases = [
        (1, TrimmedAt::LastHop, false, PathFeedback::Good),
        (2, TrimmedAt::LastHop, true, PathFeedback::Marked),
        (3, TrimmedAt::AnyHop, true, PathFeedback::Trimmed),
    ];
    for (number, at, marked, feedback) in cases {
        let nack = Acknowledgement {
            trim: Some(trim(at, marked)),
            ..answer(Kind::Nack, number)
        };
        let shown = transfer.acknowledge(nack, MTU, US(number));
        assert_eq!((shown.newly_acked, shown.trimmed), (0, MTU));
        let last = told.lock().expect("one thread").pop();
        assert_eq!(last, Some((100 + number as u16, feedback)));
        assert_eq!(transfer.retransmission.deadline(), US(100 + number));
        // A second NACK for the packet has no effect.
        let again = transfer.acknowledge(nack, MTU, US(50));
        assert_eq!((again.shows_loss, again.trimmed), (false, 0));
        assert_eq!(transfer.retransmission.deadline(), US(100 + number));
    }
    let next: Vec<u32> = (0..4).map(|_| send(&mut transfer)).collect();
    assert_eq!(next, [1, 2, 3, 6]);
    let counters = transfer.counters;
    assert_eq!((counters.nacks, counters.trimmed_bytes), (6, 3 * MTU));
}

/// Packets 0 to 5 leave, one every microsecond. Packet 1 is trimmed. At 10 us transmission 4 is
/// acknowledged, after 6 us. Packet 0 is four behind, more than 3, so it is lost. Packets 2 and 3
/// count as lost at 2 + 6 + 5 = 13 us and at 14 us. Packet 5, and the four packets that are sent
/// again as 6 to 9, time out at 110 us.
#[test]
fn a_loss_is_told_with_the_path_that_it_took() {
    let told = Told::default();
    let rule = Reordering {
        packets: 3,
        time: US(5),
    };
    let mut transfer = transfer(&told, rule.into(), TimeoutOf::Flow);
    let send = |transfer: &mut Transfer, now| {
        let segment = transfer.send_next(MTU, 12 * MTU + 999, now);
        let mut packet =
            Packet::<5>::new(segment.kind, 1_048).of_flow(0, segment.psn, transfer.address);
        transfer.choose_path(&mut packet, &segment, MTU, now);
        transfer.retransmission.start(now);
        assert_eq!(u64::from(packet.entropy()), 100 + segment.transmission);
        segment.psn
    };
    for psn in 0..6 {
        assert_eq!(send(&mut transfer, US(psn.into())), psn);
    }
    let take = || std::mem::take(&mut *told.lock().expect("one thread"));
    let nack = Acknowledgement {
        trim: Some(trim(TrimmedAt::AnyHop, false)),
        ..answer(Kind::Nack, 1)
    };
    let shown = transfer.acknowledge(nack, MTU, US(9));
    assert_eq!((shown.shows_loss, shown.trimmed), (true, MTU));
    assert_eq!(take(), [(101, PathFeedback::Trimmed)]);
    assert!(
        transfer
            .acknowledge(answer(Kind::Ack, 4), MTU, US(10))
            .shows_loss
    );
    assert_eq!(take(), [(100, PathFeedback::Lost)]);
    assert_eq!(transfer.retransmission.deadline(), US(13));
    assert_eq!(transfer.on_timer(US(12)), None);
    assert_eq!(transfer.on_timer(US(13)), Some(LossKind::Nack));
    assert_eq!(transfer.on_timer(US(14)), Some(LossKind::Nack));
    assert_eq!(
        take(),
        [102, 103].map(|entropy| (entropy, PathFeedback::Lost))
    );
    for psn in 0..4 {
        assert_eq!(send(&mut transfer, US(15)), psn);
    }
    // The timeout restarted at 10 us.
    assert_eq!(transfer.retransmission.deadline(), US(110));
    assert_eq!(transfer.on_timer(US(110)), Some(LossKind::Timeout));
    let late = [105, 106, 107, 108, 109].map(|entropy| (entropy, PathFeedback::TimedOut));
    assert_eq!(take(), late);
    assert_eq!(
        (transfer.in_flight(), transfer.unsent()),
        (0, (99 * MTU, 99))
    );
    // Four packets were sent again because ACKs showed their loss. Two of the five that timed out
    // follow.
    for psn in 0..2 {
        assert_eq!(send(&mut transfer, US(120)), psn);
    }
    let expected = FlowCounters {
        retransmitted: 6,
        retransmitted_bytes: 6 * MTU,
        marked_acks: 0,
        probes: 0,
        nacks: 1,
        trimmed_bytes: MTU,
        timeout_bytes: 2 * MTU,
        timeouts: 1,
        timeout_wait: US(100),
    };
    assert_eq!(transfer.counters, expected);
}

/// Packets 0 to 2 leave at 0, 10 and 20 us, with a timeout of 100 us each. At 100 us packet 0 alone
/// is lost, and leaves again. Packet 1 is acknowledged. At 120 us packet 2 is lost, and leaves
/// again at 250 us. Packet 0's next timeout is twice as long, and is due at 300 us. The flow has
/// waited from 0 to 120 us, and from 120 to 300 us.
#[test]
fn each_packet_times_out_alone() {
    let told = Told::default();
    let mut transfer = transfer(&told, Explicit {}.into(), TimeoutOf::Packet);
    let send = |transfer: &mut Transfer, now| {
        let segment = transfer.send_next(MTU, 12 * MTU + 999, now);
        let mut packet =
            Packet::<5>::new(segment.kind, 1_048).of_flow(0, segment.psn, transfer.address);
        if segment.transmission < 6 {
            transfer.choose_path(&mut packet, &segment, MTU, now);
        }
        transfer.retransmission.start(now);
        (segment.psn, segment.is_after_timeout)
    };
    for psn in 0..3 {
        assert_eq!(send(&mut transfer, US(10 * u64::from(psn))), (psn, false));
    }
    let take = || std::mem::take(&mut *told.lock().expect("one thread"));
    let blamed = |entropy| vec![(entropy, PathFeedback::TimedOut)];
    assert_eq!(transfer.on_timer(US(99)), None);
    assert_eq!(transfer.on_timer(US(100)), Some(LossKind::Timeout));
    assert_eq!((transfer.in_flight(), take()), (2 * MTU, blamed(100)));
    assert_eq!(transfer.take_lost().on_wire(48), Bytes::new(1_048));
    assert_eq!(transfer.retransmission.deadline(), US(110));
    // Without the selector, which counts new packets.
    transfer.selector = None;
    assert_eq!(send(&mut transfer, US(100)), (0, true));
    transfer.acknowledge(answer(Kind::Ack, 1), MTU, US(105));
    assert_eq!(transfer.on_timer(US(110)), None);
    assert_eq!(transfer.retransmission.deadline(), US(120));
    assert_eq!(transfer.on_timer(US(120)), Some(LossKind::Timeout));
    assert_eq!((transfer.in_flight(), transfer.unsent().1), (MTU, 98));
    assert_eq!(transfer.retransmission.deadline(), US(300));
    assert_eq!(send(&mut transfer, US(250)), (2, true));
    assert_eq!(transfer.on_timer(US(300)), Some(LossKind::Timeout));
    assert_eq!(transfer.retransmission.deadline(), US(450));
    let counters = transfer.counters;
    assert_eq!((counters.timeouts, counters.timeout_wait), (3, US(300)));
    assert_eq!(counters.timeout_bytes, 2 * MTU);
    // All packets have arrived: the count of successive timeouts of packet 0 is dropped.
    let all = Acknowledgement {
        expected: 3,
        ..answer(Kind::Ack, 4)
    };
    transfer.acknowledge(all, MTU, US(310));
    assert_eq!(transfer.retransmission.deadline(), Time::MAX);
}

/// T = 10 us, and six packets of a window leave at 0 us. An ACK for packet 1 arrives at 12 us,
/// while packet 0 is missing. Without another ACK a probe leaves 3 T later, at 42 us. The probe's
/// ACK at 55 us, after T and 3 us, shows that packet 0 and packets 2 to 5 are lost. Another probe's
/// ACK arrives after 2 T, too late to show a loss.
#[test]
fn a_probe_finds_what_is_lost() {
    let told = Told::default();
    let detection = EarlyCount {
        probes: Some(Probes::default()),
        ..EarlyCount::default()
    };
    let mut transfer = transfer(&told, detection.into(), TimeoutOf::Packet);
    transfer.selector = None;
    for _ in 0..6 {
        transfer.send_next(MTU, 6 * MTU, US(0));
        transfer.retransmission.start(US(0));
    }
    let ack = |transfer: &mut Transfer, transmission, now| {
        let shown = transfer.acknowledge(answer(Kind::Ack, transmission), MTU, now);
        (shown.shows_loss, transfer.take_ack_news(48).answers_probe)
    };
    assert_eq!(ack(&mut transfer, 1, US(12)), (false, false));
    assert_eq!(transfer.retransmission.deadline(), US(42));
    assert_eq!(transfer.on_timer(US(41)), None);
    assert!(!transfer.takes_probe());
    assert_eq!(transfer.on_timer(US(42)), None);
    assert!(transfer.takes_probe());
    let probe = transfer.probe(MTU, 6 * MTU, US(42)).expect("it probes");
    assert_eq!(transfer.retransmission.deadline(), US(92));
    assert_eq!(ack(&mut transfer, probe.transmission, US(55)), (true, true));
    assert_eq!((transfer.in_flight(), transfer.unsent().1), (0, 99));
    assert_eq!(transfer.take_lost().on_wire(48), Bytes::new(5 * 1_048));
    for _ in 0..5 {
        transfer.send_next(MTU, 6 * MTU, US(60));
        transfer.retransmission.start(US(60));
    }
    assert_eq!(transfer.on_timer(US(85)), None);
    let probe = transfer.probe(MTU, 6 * MTU, US(85)).expect("it probes");
    assert_eq!(
        ack(&mut transfer, probe.transmission, US(105)),
        (false, true)
    );
    assert_eq!(
        (transfer.in_flight(), transfer.counters.probes),
        (5 * MTU, 2)
    );
}
