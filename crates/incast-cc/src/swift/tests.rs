//! Swift against hand-computed values: every equation and branch.

use incast_units::Bytes;

use super::*;
use crate::CongestionControl as _;
use crate::example::{ack, assert_close, context, delayed};
use crate::{Ack, Loss, LossKind, SendLimit};

const US: f64 = 1e6;

fn fairness(parts: &[Part]) -> SwiftConfig {
    let mut config = SwiftConfig::fairness();
    parts.iter().for_each(|part| config.add(*part));
    config
}

/// A flow across the star, with a window of `window` bytes.
fn flow(config: &SwiftConfig, window: f64) -> Swift<NoParts> {
    let mut swift = Swift::new(config, &context(), NoParts);
    swift.set_window(window);
    swift
}

/// Swift with parts.
fn composed(config: &SwiftConfig, window: f64) -> Swift<Parts> {
    let (vai, sf, prob) = (
        config.vai.as_ref(),
        config.sf.as_ref(),
        config.prob.as_ref(),
    );
    let parts = Parts::new(vai, sf, prob, &context()).expect("there are parts");
    let mut swift = Swift::new(config, &context(), parts);
    swift.set_window(window);
    swift
}

fn us(time: f64) -> Time {
    Time::from_ps((time * US) as u64)
}

/// An ACK with this delay, within the first round trip.
fn after(delay: f64) -> Ack<'static> {
    delayed(1_000, 60_000, us(delay))
}

/// fs_range 25 us, fs_min 0.1, fs_max 50: a = 25/(3.1623 − 0.14142) = 8.2758 us, b = −1.1704 us.
/// Through one switch the target is 5 + 2 us. Flow scaling adds 8.2758/1.80278 − 1.1704 = 3.4202 us
/// for 3.25 packets, 7.1054 us for 1, nothing from 50 on, and the whole range up to 0.1. With
/// fs_max 100, a = 25/(3.1623 − 0.1) = 8.1639: 7.3475 us for 1 packet. Five switches add 8 us.
#[test]
fn the_target_fits_path_and_window() {
    let star = target::TargetDelay::new(&fairness(&[]));
    for (hops, packets, target) in [
        (1, 3.25, 10.420_2),
        (1, 1.0, 14.105_4),
        (1, 50.0, 7.0),
        (1, 52.0, 7.0),
        (1, 0.1, 32.0),
        (1, 0.05, 32.0),
        (5, 52.0, 15.0),
        (3, 3.25, 14.420_2),
    ] {
        let delay = star.delay(hops, packets) / US;
        assert!((delay - target).abs() < 1e-4, "{packets}: {delay}");
    }
    let fat_tree = SwiftConfig {
        fs_max_packets: 100.0,
        ..fairness(&[])
    };
    let delay = target::TargetDelay::new(&fat_tree).delay(5, 1.0) / US;
    assert!((delay - 22.347_5).abs() < 1e-4, "{delay}");
    let off = target::TargetDelay::new(&fairness(&[Part::VariableAi]));
    assert_eq!(off.delay(1, 1.0), 7.0 * US);
}

/// The window at which flow scaling ends must be larger than the window at which it begins.
#[test]
fn flow_scaling_has_a_range_of_windows() {
    assert_eq!(fairness(&[]).check(), Ok(()));
    let empty = SwiftConfig {
        fs_min_packets: 2.0,
        fs_max_packets: 2.0,
        ..fairness(&[])
    };
    let diagnostic = empty.check().unwrap_err();
    assert_eq!(diagnostic.place.key, "fs_max_packets");
    assert_eq!(diagnostic.what, "2 is not more than fs_min_packets, 2");
    assert_eq!(diagnostic.hint, "write e.g. 1000");
}

/// AI is 50 Mb/s · 4.16 us / 8 = 26 B in a round trip of 26 packets: 1 B per packet. Below one
/// packet the window grows by 26 B per packet.
#[test]
fn windows_grow_by_ai_in_a_round_trip() {
    let mut swift = flow(&fairness(&[]), 26_000.0);
    swift.on_ack(us(10.0), &after(5.0));
    assert_close(swift.window, 26_001.0);
    let mut swift = flow(&fairness(&[]), 500.0);
    swift.on_ack(us(10.0), &after(5.0));
    assert_close(swift.window, 526.0);
}

/// `published`: 1 packet in a round trip of 4 packets is 250 B per packet. An ACK of two packets
/// counts twice.
#[test]
fn cumulative_acks_count_by_their_bytes() {
    let mut swift = flow(&SwiftConfig::default(), 4_000.0);
    swift.on_ack(us(10.0), &after(5.0));
    assert_close(swift.window, 4_250.0);
    let mut swift = flow(&SwiftConfig::default(), 4_000.0);
    let both = Ack {
        newly_acked: Bytes::new(2_000),
        ..after(5.0)
    };
    swift.on_ack(us(10.0), &both);
    assert_close(swift.window, 4_500.0);
}

/// Target 7 us, delay 8 us: 1 − 0.8 · 1/8 = 0.9. Delay 28 us: 1 − 0.8 · 21/28 = 0.4, but at least 1
/// − 0.5. At the target: 1.
#[test]
fn windows_decrease_by_how_late_an_ack_is() {
    for (delay, window) in [(8.0, 46_800.0), (28.0, 26_000.0), (7.0, 52_000.0)] {
        let mut swift = flow(&fairness(&[]), 52_000.0);
        swift.on_ack(us(50.0), &after(delay));
        assert_close(swift.window, window);
    }
}

/// At 50 us W decreases by the factor 0.9. The RTT is 8 us, so the next decrease does not come at
/// 57.9 us, but at 58 us. For 46.8 packets the target is then 7 + 8.2758/6.8411 − 1.1704 = 7.0393
/// us: 1 − 0.8 · 0.9607/8 = 0.90393.
#[test]
fn windows_decrease_once_in_a_round_trip() {
    let mut swift = flow(&fairness(&[]), 52_000.0);
    swift.on_ack(us(50.0), &after(8.0));
    swift.on_ack(us(57.9), &after(8.0));
    assert_close(swift.window, 46_800.0);
    swift.on_ack(us(58.0), &after(8.0));
    assert!(
        (swift.window - 46_800.0 * 0.903_93).abs() < 1.0,
        "{}",
        swift.window
    );
}

/// Without flow scaling the target is 7 us for any window: at exactly 7 us the window stays, a
/// picosecond below it grows by 1 B.
#[test]
fn the_target_itself_is_not_below_it() {
    let config = SwiftConfig {
        flow_scaling: false,
        ..fairness(&[])
    };
    for (delay, window) in [(7_000_000, 26_000.0), (6_999_999, 26_001.0)] {
        let mut swift = flow(&config, 26_000.0);
        swift.on_ack(us(50.0), &delayed(1_000, 60_000, Time::from_ps(delay)));
        assert_close(swift.window, window);
    }
}

/// An ACK at the target does not change the window, and does not postpone a decrease.
#[test]
fn an_ack_that_changes_nothing_dates_nothing() {
    let mut swift = flow(&fairness(&[]), 52_000.0);
    swift.on_ack(us(50.0), &after(7.0));
    swift.on_ack(us(50.1), &after(8.0));
    assert_close(swift.window, 46_800.0);
}

/// W_min is 100 Mb/s · 4.16 us / 8 = 52 B; W_max is the BDP.
#[test]
fn windows_stay_in_their_range() {
    let mut swift = flow(&fairness(&[]), 60.0);
    swift.on_ack(us(50.0), &after(100.0));
    assert_close(swift.window, 52.0);
    let mut swift = flow(&fairness(&[]), 51_999.9);
    swift.on_ack(us(50.0), &after(5.0));
    assert_close(swift.window, 52_000.0);
}

fn lose(swift: &mut Swift<NoParts>, kind: LossKind, now: f64) {
    swift.on_loss(us(now), &Loss::new(kind, 0));
}

/// A loss halves the window, once in a round trip of 5 us.
#[test]
fn losses_decrease_by_the_largest_part() {
    let mut swift = flow(&SwiftConfig::default(), 8_000.0);
    swift.on_ack(us(1.0), &after(5.0));
    swift.set_window(8_000.0);
    lose(&mut swift, LossKind::Nack, 10.0);
    assert_close(swift.window, 4_000.0);
    lose(&mut swift, LossKind::Nack, 14.9);
    assert_close(swift.window, 4_000.0);
    lose(&mut swift, LossKind::Timeout, 15.0);
    assert_close(swift.window, 2_000.0);
}

/// The fifth timeout in a row sets W to 0.001 packets. An ACK or a NACK restarts the count.
#[test]
fn timeouts_in_a_row_end_at_the_smallest_window() {
    for interrupted in [false, true] {
        let mut swift = flow(&SwiftConfig::default(), 800_000.0);
        for number in 1..=5 {
            if interrupted && number == 3 {
                lose(&mut swift, LossKind::Nack, 250.0);
            }
            lose(&mut swift, LossKind::Timeout, 100.0 * f64::from(number));
        }
        let expected = if interrupted { 12_500.0 } else { 1.0 };
        assert_close(swift.window, expected);
    }
    let mut swift = flow(&SwiftConfig::default(), 800_000.0);
    (0..4).for_each(|_| lose(&mut swift, LossKind::Timeout, 100.0));
    swift.on_ack(us(200.0), &after(5.0));
    lose(&mut swift, LossKind::Timeout, 300.0);
    assert!(swift.window > 1.0);
}

/// `published`: the window's whole packets leave without pacing.
#[test]
fn windows_of_packets_are_not_paced() {
    let swift = flow(&SwiftConfig::default(), 2_900.0);
    let limit = swift.send_limit();
    assert_eq!(limit.window, Bytes::new(2_000));
    assert_eq!(limit.rate, Rate::from_gbps(100));
}

/// A quarter of a packet in an RTT of 5 us: 1048 B in 20 us, 419.2 Mb/s.
#[test]
fn windows_below_a_packet_are_paced() {
    let mut swift = flow(&SwiftConfig::default(), 250.0);
    swift.round_trip = us(5.0);
    let limit = swift.send_limit();
    assert_eq!(limit.window, Bytes::new(1));
    assert_eq!(limit.rate, Rate::from_bps(419_200_000));
}

/// `fairness`: 13 000 B of a BDP of 52 000 B give a quarter of 100 Gb/s; 540 B give 1.0385 Gb/s.
#[test]
fn all_windows_may_be_paced() {
    for (window, bytes, bps) in [
        (52_000.0, 52_000, 100_000_000_000),
        (13_000.0, 13_000, 25_000_000_000),
        (540.0, 540, 1_038_461_538),
    ] {
        let limit: SendLimit = flow(&fairness(&[]), window).send_limit();
        assert_eq!(limit.window, Bytes::new(bytes));
        assert_eq!(limit.rate, Rate::from_bps(bps));
    }
}

/// With a base RTT of 4.161 us the BDP is 52 012.5 B, rounded down. It is sent at line rate all the
/// same; a byte less at 52 011·8/4.161 us.
#[test]
fn a_window_of_the_bdp_is_line_rate() {
    let context = FlowContext {
        base_rtt: Time::from_ns(4_161),
        base_window: Bytes::new(52_012),
        ..context()
    };
    let mut swift = Swift::new(&fairness(&[]), &context, NoParts);
    assert_eq!(swift.send_limit().rate, Rate::from_gbps(100));
    swift.set_window(52_011.0);
    assert_eq!(swift.send_limit().rate, Rate::from_bps(99_997_116_077));
}

/// The initial window is 12 packets, or the BDP at line rate.
#[test]
fn flows_start_as_their_parameters_say() {
    let published = Swift::new(&SwiftConfig::default(), &context(), NoParts);
    assert_eq!(published.limit().window, Bytes::new(12_000));
    let fair = Swift::new(&fairness(&[]), &context(), NoParts).limit();
    let line_rate = Rate::from_gbps(100);
    assert_eq!((fair.window, fair.rate), (Bytes::new(52_000), line_rate));
}

/// An ACK without a timestamp has no delay and changes nothing.
#[test]
fn an_ack_without_a_delay_says_nothing() {
    let mut swift = flow(&fairness(&[]), 26_000.0);
    swift.on_ack(us(10.0), &ack(1_000, 60_000));
    assert_close(swift.window, 26_000.0);
}

/// With `sf`, AI is added also at a decrease: 26 000 · 0.9 + 26 = 23 426, and each ACK starts from
/// the reference. The 30th ACK updates the reference: 23 426 · 0.9 + 26 = 21 109.4.
#[test]
fn the_reference_decreases_after_so_many_acks() {
    let mut swift = composed(&fairness(&[Part::SamplingFrequency]), 26_000.0);
    for _ in 0..29 {
        swift.on_ack(us(50.0), &after(8.0));
        assert_close(swift.window, 23_426.0);
        assert_close(swift.reference, 26_000.0);
    }
    swift.on_ack(us(50.0), &after(8.0));
    assert_close(swift.reference, 23_426.0);
    swift.on_ack(us(50.0), &after(8.0));
    assert_close(swift.window, 21_109.4);
}

/// Each ACK without congestion gives W_r + 26 B. The reference is updated at the end of a round
/// trip; the next update comes at least one round trip later.
#[test]
fn the_reference_increases_once_in_a_round_trip() {
    let mut swift = composed(&fairness(&[Part::SamplingFrequency]), 26_000.0);
    // The first round trip ends after byte 30 000.
    for packet in 1..=30 {
        swift.on_ack(us(50.0), &delayed(packet * 1_000, 30_000, us(5.0)));
        assert_close(swift.window, 26_026.0);
        assert_close(swift.reference, 26_000.0);
    }
    swift.on_ack(us(50.0), &delayed(31_000, 60_000, us(5.0)));
    assert_close(swift.reference, 26_026.0);
    swift.on_ack(us(50.0), &delayed(60_000, 90_000, us(5.0)));
    assert_close(swift.window, 26_052.0);
    assert_close(swift.reference, 26_026.0);
}

/// Here ACKs with congestion count towards a decrease of the reference. An ACK at exactly the
/// target of 7 us has none, so the reference rises at the end of the round trip.
#[test]
fn the_target_itself_is_no_congestion() {
    let mut config = fairness(&[Part::SamplingFrequency]);
    config.sf = Some(SamplingFrequencyConfig {
        decrease: crate::CountedDecrease::Congestion,
        ..SamplingFrequencyConfig::default()
    });
    let mut swift = composed(&config, 26_000.0);
    swift.on_ack(us(50.0), &delayed(1_000, 30_000, us(7.0)));
    swift.on_ack(us(50.0), &delayed(31_000, 60_000, us(7.0)));
    assert_close(swift.reference, 26_026.0);
}

/// A decrease of the reference also starts a round trip, during which the reference does not
/// increase.
#[test]
fn an_increase_follows_a_decrease_after_a_round_trip() {
    let mut swift = composed(&fairness(&[Part::SamplingFrequency]), 26_000.0);
    for packet in 1..=30 {
        swift.on_ack(
            us(50.0),
            &delayed(packet * 1_000, 30_000 + packet * 1_000, us(8.0)),
        );
    }
    assert_close(swift.reference, 23_426.0);
    // Byte 31 000 would end the first round trip, but the decrease's round trip ends at 60 000.
    swift.on_ack(us(50.0), &delayed(60_000, 90_000, us(5.0)));
    assert_close(swift.reference, 23_426.0);
    swift.on_ack(us(50.0), &delayed(61_000, 90_000, us(5.0)));
    assert_close(swift.reference, 23_452.0);
}

/// A delay of 19 us is 12 us above the target: 12 000/30 = 400 tokens, dampener 12/4 = 3. A
/// reference update uses 100 tokens and adds 100/(3/8 + 1) = 72.727 times 26 B.
#[test]
fn variable_ai_adds_to_the_reference() {
    let parts = [Part::VariableAi, Part::SamplingFrequency];
    let mut swift = composed(&fairness(&parts), 26_000.0);
    swift.on_ack(us(50.0), &delayed(1_000, 30_000, us(19.0)));
    swift.on_ack(us(51.0), &delayed(31_000, 60_000, us(5.0)));
    assert_close(swift.reference, 26_000.0 + 26.0 * 100.0 / 1.375);
    swift.on_ack(us(52.0), &delayed(61_000, 90_000, us(5.0)));
    assert_close(swift.reference, 26_000.0 + 2.0 * 26.0 * 100.0 / 1.375);
}

/// Without `sf` the tokens of a round trip are drawn at the end of the previous one. Every ACK of a
/// window of 26 packets then adds 72.727 B.
#[test]
fn variable_ai_alone_adds_ack_by_ack() {
    let mut swift = composed(&fairness(&[Part::VariableAi]), 26_000.0);
    swift.last_decrease = Some(us(49.0));
    swift.on_ack(us(50.0), &delayed(1_000, 30_000, us(19.0)));
    swift.on_ack(us(51.0), &delayed(31_000, 60_000, us(5.0)));
    assert_close(swift.window, 26_000.0 + 100.0 / 1.375);
    let before = swift.window;
    swift.on_ack(us(52.0), &delayed(32_000, 61_000, us(5.0)));
    assert_close(swift.window - before, 26_000.0 / before * 100.0 / 1.375);
}

/// The first round trip makes 400 tokens and a dampener of 12/4 = 3, as above. Its end and the next
/// three take 100 tokens each. Once the bank is empty, the dampener falls by 1 in a round trip with
/// an ACK above the target of 7 us, and to 0 in one without.
#[test]
fn congestion_below_the_threshold_keeps_the_dampener() {
    for (delay, dampener) in [(8.0, 2.0), (7.0, 0.0), (5.0, 0.0)] {
        let mut swift = composed(&fairness(&[Part::VariableAi]), 26_000.0);
        swift.on_ack(us(50.0), &delayed(1_000, 30_000, us(19.0)));
        for (packet, delay, bank, dampener) in [
            (31, 5.0, 300.0, 3.0),
            (61, 5.0, 200.0, 3.0),
            (91, 5.0, 100.0, 3.0),
            (121, 5.0, 0.0, 3.0),
            (151, delay, 0.0, dampener),
        ] {
            let ack = delayed(packet * 1_000, packet * 1_000 + 29_000, us(delay));
            swift.on_ack(us(50.0), &ack);
            let mut found = Vec::new();
            swift.probe(&mut |name, value| found.push((name, value)));
            let expected = [("ai_bank_tokens", bank), ("ai_dampener", dampener)];
            assert_eq!(found[3..], expected, "packet {packet}");
        }
    }
}

/// An ACK 12 us above the target of 7 us, at T = 4.16 us, as each reading has it:
///
/// | congestion        | amount | threshold    | dampener |
/// |-------------------|--------|--------------|----------|
/// | above the target  | 12     | 4            | 3        |
/// | above T           | 14.84  | 4 + 2.84     | 2.169591 |
/// | the RTT           | 19     | 4 + 7        | 1.727273 |
#[test]
fn congestion_has_three_readings() {
    for (congestion, dampener) in [
        (DelayReading::AboveTarget, 3.0),
        (DelayReading::AboveBaseRtt, 2.169_591),
        (DelayReading::RoundTrip, 1.727_273),
    ] {
        let config = SwiftConfig {
            congestion,
            ..fairness(&[Part::VariableAi])
        };
        let mut swift = composed(&config, 26_000.0);
        swift.on_ack(us(50.0), &delayed(1_000, 30_000, us(19.0)));
        swift.on_ack(us(51.0), &delayed(31_000, 60_000, us(5.0)));
        let mut found = Vec::new();
        swift.probe(&mut |name, value| found.push((name, value)));
        assert_eq!(found[2], ("target_delay_us", 7.0));
        assert_eq!(found[4].0, "ai_dampener");
        assert_close(found[4].1, dampener);
    }
}

/// A window near zero never follows: with `every-ack` each ACK draws again. A window of the BDP
/// always follows.
#[test]
fn probabilistic_feedback_ignores_decreases_of_slow_flows() {
    let mut slow = composed(&fairness(&[Part::Probabilistic]), 100.0);
    slow.on_ack(us(50.0), &after(100.0));
    assert_close(slow.window, 100.0);
    assert_eq!(slow.last_decrease, None);
    let mut fast = composed(&fairness(&[Part::Probabilistic]), 52_000.0);
    fast.on_ack(us(50.0), &after(8.0));
    assert_close(fast.window, 46_800.0);
}

/// With `every-rtt` an ignored decrease sets the time of the last decrease, as if followed.
#[test]
fn probabilistic_feedback_may_draw_once_in_a_round_trip() {
    let mut config = fairness(&[Part::Probabilistic]);
    config.prob = Some(ProbabilisticConfig {
        draws: crate::Draws::EveryRtt,
    });
    let mut slow = composed(&config, 100.0);
    slow.on_ack(us(50.0), &after(100.0));
    assert_close(slow.window, 100.0);
    assert_eq!(slow.last_decrease, Some(us(50.0)));
}

/// Increases are never ignored.
#[test]
fn probabilistic_feedback_lets_increases_be() {
    let mut slow = composed(&fairness(&[Part::Probabilistic]), 500.0);
    slow.on_ack(us(10.0), &after(5.0));
    assert_close(slow.window, 526.0);
}
