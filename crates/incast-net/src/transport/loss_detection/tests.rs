use super::*;

const US: fn(u64) -> Time = Time::from_us;

/// Applies `rule` at `now` to transmissions that left at these times, with numbers from 7 on;
/// `newest` arrived after 8 us. Returns the lost transmissions, and the time of the next call.
fn found(rule: &LossDetection, sent: &[Time], newest: u64, now: Time) -> (Vec<u64>, Time) {
    let transmission = |(psn, sent): (usize, &Time)| Transmission {
        sent: *sent,
        psn: psn as u32,
        payload: 1_000,
        entropy: 0,
        requests_ack: false,
        is_open: psn as u64 + 7 != newest,
    };
    let sent: VecDeque<_> = sent.iter().enumerate().map(transmission).collect();
    let evidence = Evidence {
        now,
        expected: 0,
        next_new: sent.len() as u32,
        early: 1,
        lost: 0,
        window: 10_000,
        mtu: 1_000,
        is_probed: false,
        newest: Some(Newest {
            number: newest,
            round_trip: US(8),
        }),
        sent: &sent,
        first: 7,
    };
    let mut lost = Vec::new();
    let mut rule = rule.rule().expect("a rule");
    let deadline = rule.find(&evidence, &mut |number| lost.push(number));
    let has_found = !lost.is_empty() || deadline < Time::MAX;
    assert!(rule.finds_losses() || !has_found, "it would not be asked");
    (lost, deadline)
}

/// Transmissions 7, 8 and 9 left at 10, 11 and 12 us; 9 arrived after 8 us. By (1), 7 is lost if 10
/// arrives. By (2), 7 is lost at 10 + 8 + 2 = 20 us, and 8 at 21 us.
#[test]
fn packets_and_time_are_thresholds() {
    let rule = LossDetection::from(Reordering {
        packets: 3,
        time: US(2),
    });
    let sent = [US(10), US(11), US(12), US(13)];
    let found = |newest, now| found(&rule, &sent, newest, now);
    assert_eq!(found(9, US(19)), (vec![], US(20)));
    assert_eq!(found(9, US(20)), (vec![7], US(21)));
    assert_eq!(found(10, US(19)), (vec![7], US(21)));
    // Transmissions after the newest cannot be lost.
    assert_eq!(found(8, US(30)), (vec![7], Time::MAX));
}

#[test]
fn explicit_detection_infers_nothing() {
    let sent = [US(10), US(11), US(12), US(13)];
    let found = found(&Explicit {}.into(), &sent, 10, US(1_000));
    assert_eq!(found, (vec![], Time::MAX));
}

#[test]
fn a_threshold_of_no_packets_is_refused() {
    let detection = |packets| {
        LossDetection::from(Reordering {
            packets,
            time: US(1),
        })
    };
    assert!(detection(1).check().is_ok());
    assert!(detection(0).check().is_err());
}

const NOTHING: [u64; 0] = [];

/// The sender's knowledge of a flow, besides its transmissions.
#[derive(Copy, Clone)]
struct KnownBySender {
    expected: u32,
    early: u32,
    lost: u32,
    window: u64,
    is_probed: bool,
}

/// Applies the rule of `early-count`, with a window of 4000 B.
fn lost_by_count(
    rule: &mut Box<dyn LossRule>,
    sent: &[(u32, bool)],
    expected: u32,
    early: u32,
    lost: u32,
) -> Vec<u64> {
    let known = KnownBySender {
        expected,
        early,
        lost,
        window: 4_000,
        is_probed: false,
    };
    judged(rule, sent, known)
}

/// Applies the rule of `early-count` to packets of 1000 B.
fn judged(rule: &mut Box<dyn LossRule>, sent: &[(u32, bool)], known: KnownBySender) -> Vec<u64> {
    let transmission = |(psn, is_open): &(u32, bool)| Transmission {
        sent: US(0),
        psn: *psn,
        payload: 1_000,
        entropy: 0,
        requests_ack: false,
        is_open: *is_open,
    };
    let sent: VecDeque<_> = sent.iter().map(transmission).collect();
    let evidence = Evidence {
        now: US(1),
        expected: known.expected,
        next_new: 8,
        early: known.early,
        lost: known.lost,
        window: known.window,
        mtu: 1_000,
        is_probed: known.is_probed,
        newest: None,
        sent: &sent,
        first: 0,
    };
    let mut found = Vec::new();
    rule.find(&evidence, &mut |number| found.push(number));
    found
}

/// Packets 0 to 7 left as transmissions 0 to 7, and the window is 4000 B. 1.5 windows are six
/// packets, if the window was larger before. With 1.0 windows the minimum of five packets applies.
/// Packets 0, 1 and 5 are open. Packets 0 to 3 are within a window of the expected packet, so 0 and
/// 1 are lost. Each packet is lost once: 0, sent again as transmission 8, is not lost again. When 0
/// and 1 have arrived, 2 is expected, and the window reaches packet 5.
#[test]
fn many_early_packets_show_a_loss() {
    let options = |window| EarlyCount {
        window,
        ..EarlyCount::default()
    };
    let rule = |window| LossDetection::from(options(window)).rule().expect("a rule");
    let mut sent: Vec<_> = (0..8).map(|psn| (psn, [0, 1, 5].contains(&psn))).collect();
    let mut by_more = rule(1.5);
    let first = KnownBySender {
        expected: 0,
        early: 0,
        lost: 0,
        window: 8_000,
        is_probed: false,
    };
    assert_eq!(judged(&mut by_more, &sent, first), NOTHING);
    assert_eq!(lost_by_count(&mut by_more, &sent, 0, 5, 0), NOTHING);
    assert_eq!(lost_by_count(&mut by_more, &sent, 0, 6, 0), [0, 1]);
    // 1.5 times the largest window would be six packets, but the largest window is four.
    assert_eq!(lost_by_count(&mut rule(1.5), &sent, 0, 5, 0), [0, 1]);
    assert_eq!(lost_by_count(&mut rule(1.0), &sent, 0, 4, 0), NOTHING);
    let mut rule = rule(1.0);
    // A packet waits to be sent again.
    assert_eq!(lost_by_count(&mut rule, &sent, 0, 5, 1), NOTHING);
    assert_eq!(lost_by_count(&mut rule, &sent, 0, 5, 0), [0, 1]);
    (sent[0].1, sent[1].1) = (false, false);
    sent.extend([(0, true), (1, true)]);
    assert_eq!(lost_by_count(&mut rule, &sent, 0, 5, 0), NOTHING);
    assert_eq!(lost_by_count(&mut rule, &sent, 2, 3, 0), [5]);
    // All packets up to the end of the repair have arrived: a new repair needs new evidence.
    assert_eq!(lost_by_count(&mut rule, &[(8, true)], 8, 1, 0), NOTHING);
}

/// One of packets 0 to 7 is early, and a probe shows losses: packets 0 and 1, which are within a
/// window of the expected packet. Packet 0, sent again as transmission 8, counts as lost only after
/// another probe.
#[test]
fn a_probe_shows_a_loss() {
    let options = EarlyCount::default();
    let mut rule = LossDetection::from(options).rule().expect("a rule");
    let mut sent: Vec<_> = (0..8).map(|psn| (psn, [0, 1, 5].contains(&psn))).collect();
    assert_eq!(lost_by_count(&mut rule, &sent, 0, 1, 0), NOTHING);
    let probed = KnownBySender {
        expected: 0,
        early: 1,
        lost: 0,
        window: 4_000,
        is_probed: true,
    };
    assert_eq!(judged(&mut rule, &sent, probed), [0, 1]);
    (sent[0].1, sent[1].1) = (false, false);
    sent.push((0, true));
    assert_eq!(lost_by_count(&mut rule, &sent, 0, 1, 0), NOTHING);
    assert_eq!(judged(&mut rule, &sent, probed), [8]);
}

#[test]
fn counts_out_of_range_are_refused() {
    let check = |window, packets| {
        let options = EarlyCount {
            window,
            packets,
            probes: None,
        };
        LossDetection::from(options).check()
    };
    assert!(check(1.5, 5).is_ok());
    assert!(check(0.0, 5).is_err());
    assert!(check(f64::NAN, 5).is_err());
    assert!(check(1.5, 0).is_err());
}
