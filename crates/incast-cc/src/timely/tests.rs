use super::*;
use crate::example::{Acked, context};

const LINE: Rate = Rate::from_gbps(100);

fn flow(config: TimelyConfig) -> Timely {
    Timely::new(&config, &context())
}

/// The ACK of the last of `packets` packets, with the same number in flight. So each call with
/// twice the packets is a new round trip.
fn acknowledge(flow: &mut Timely, packets: u64, rtt: Time, now: Time) {
    let acked = Acked {
        round_trip: Some(rtt),
        ..Acked::plain(packets, 2 * packets)
    };
    acked.give(flow, now);
}

/// A flow at `rate` with a last sample of `rtt` µs and gradient 0.
fn settled(config: TimelyConfig, rate: Rate, rtt: u64) -> Timely {
    let mut flow = flow(config);
    flow.rate = rate;
    flow.last = Some((ns(Time::from_us(rtt)), Time::ZERO));
    flow
}

/// One update with a sample of `rtt` µs, `elapsed` µs after the last sample.
fn update(flow: &mut Timely, rtt: u64, elapsed: u64) -> Rate {
    let (last, _) = flow.last.unwrap();
    let rtt = ns(Time::from_us(rtt));
    flow.update(rtt, rtt - last, Time::from_us(elapsed));
    flow.last = Some((rtt, Time::ZERO));
    flow.rate
}

#[test]
fn the_first_sample_sets_no_rate() {
    let mut flow = flow(TimelyConfig::artifact());
    acknowledge(&mut flow, 1, Time::from_us(900), Time::from_us(900));
    assert_eq!(flow.limit(), SendLimit::paced(LINE));
    assert_eq!(flow.last, Some((900_000.0, Time::from_us(900))));
}

/// By the first ACK two packets were sent: the second ACK belongs to the same round trip, the third
/// does not.
#[test]
fn a_round_trip_ends_with_what_was_sent_after_the_last_update() {
    let mut flow = flow(TimelyConfig::artifact());
    flow.rate = Rate::from_gbps(10);
    for (packets, mbps) in [(1, 10_000), (2, 10_000), (3, 10_100)] {
        let acked = Acked {
            round_trip: Some(Time::from_us(5)),
            ..Acked::plain(packets, packets + 1)
        };
        acked.give(&mut flow, Time::from_us(packets));
        assert_eq!(flow.rate, Rate::from_mbps(mbps), "packet {packets}");
    }
}

/// Updates at 1 kB (the first sample), 17 kB, 33 kB.
#[test]
fn a_segment_ends_when_its_bytes_are_acknowledged() {
    let mut flow = flow(TimelyConfig::paper());
    flow.rate = Rate::from_gbps(1);
    let mut updates = Vec::new();
    for packet in 1..=40 {
        let before = flow.update_at;
        acknowledge(
            &mut flow,
            packet,
            Time::from_us(5),
            Time::from_us(100 * packet),
        );
        if flow.update_at != before {
            updates.push(packet);
        }
    }
    assert_eq!(updates, [1, 17, 33]);
}

/// Eq. (1) with α = 0.875, D = 20 µs: d = 0.875·8 µs = 7 µs, g = 0.35; then d = 0.125·7 + 0.875·0 =
/// 0.875 µs.
#[test]
fn the_gradient_is_an_average() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 100);
    update(&mut flow, 108, 1);
    assert!((flow.gradient() - 0.35).abs() < 1e-12);
    update(&mut flow, 108, 1);
    assert!((flow.gradient() - 0.043_75).abs() < 1e-12);
}

/// Eq. (2): 49 µs < T_low, however steep the gradient. From the sixth step on, steps are 500 Mb/s.
#[test]
fn below_the_low_threshold_the_rate_rises() {
    let mut flow = settled(TimelyConfig::artifact(), Rate::from_gbps(10), 4);
    let rates: Vec<_> = (0..7)
        .map(|_| update(&mut flow, 49, 1).as_bps() / 1_000_000)
        .collect();
    let expected = [10_100, 10_200, 10_300, 10_400, 10_500, 11_000, 11_500];
    assert_eq!(rates, expected);
}

/// In the paper's form increases below T_low do not count as increases in a row, so steps stay
/// small.
#[test]
fn the_paper_takes_no_large_steps_below_the_low_threshold() {
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(1), 49);
    for _ in 0..20 {
        update(&mut flow, 49, 20);
    }
    assert_eq!((flow.rate, flow.increases), (Rate::from_mbps(1_200), 0));
}

/// Eq. (3) with 1000 µs and β = 0.8: 1 − 0.8·(1 − ½) = 0.6. The count of increases restarts.
#[test]
fn above_the_high_threshold_the_rate_falls() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 1_000);
    flow.increases = 7;
    assert_eq!(update(&mut flow, 1_000, 1), Rate::from_gbps(60));
    assert_eq!(flow.increases, 0);
}

/// Eq. (4), between the thresholds with g = 0: four steps of 10 Mb/s, then steps of 50 Mb/s (N =
/// 5).
#[test]
fn a_level_rtt_lets_the_rate_rise() {
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(1), 100);
    let rates: Vec<_> = (0..6)
        .map(|_| update(&mut flow, 100, 20).as_bps() / 1_000_000)
        .collect();
    assert_eq!(rates, [1_010, 1_020, 1_030, 1_040, 1_090, 1_140]);
}

/// Eq. (5) with g = 0.35, as above: 1 − 0.8·0.35 = 0.72.
#[test]
fn a_rising_rtt_lets_the_rate_fall() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 100);
    flow.increases = 3;
    let rate = update(&mut flow, 108, 1);
    assert_eq!(rate.as_bps().div_ceil(10), 7_200_000_000);
    assert_eq!(flow.increases, 0);
}

/// Eq. (5): g = 0.875·80/20 = 3.5, and 1 − 2.8 < 0: the factor is 0, and R_min = 1 Gb/s applies.
#[test]
fn no_rate_is_below_the_lowest() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 100);
    assert_eq!(update(&mut flow, 180, 1), Rate::from_gbps(1));
}

#[test]
fn no_rate_is_above_the_lines() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 4);
    assert_eq!(update(&mut flow, 4, 1), LINE);
}

/// Eq. (7): after 5 of 20 µs, δ = 10 Mb/s becomes 2.5 Mb/s and β = 0.8 becomes 0.2: at 1000 µs the
/// factor is 1 − 0.2·½ = 0.9. After 40 µs s is still 1.
#[test]
fn steps_scale_with_the_time_since_the_last() {
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(1), 100);
    assert_eq!(update(&mut flow, 100, 5), Rate::from_bps(1_002_500_000));
    assert_eq!(update(&mut flow, 100, 40), Rate::from_bps(1_012_500_000));
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(1), 1_000);
    assert_eq!(update(&mut flow, 1_000, 5), Rate::from_mbps(900));
}

/// Eq. (7): with g = 3.5 the factor would be 0; half of the rate remains.
#[test]
fn scaled_steps_lose_half_at_most() {
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(8), 100);
    assert_eq!(update(&mut flow, 180, 20), Rate::from_gbps(4));
}

/// Eq. (6), R = 1 Gb/s, δ = 10 Mb/s, β = 0.008, T_ref = 50 µs.
///
/// | rtt   | before  | d       | g      | w    | e | R·(1 − β·w·e) + δ·(1 − w)    |
/// |-------|---------|---------|--------|------|---|------------------------------|
/// | 100   | 100     | 0       | 0      | 0.5  | 1 | 1000·0.996 + 5 = 1001        |
/// | 100   | 98      | 1.75    | 0.0875 | .675 | 1 | 1000·0.9946 + 3.25 = 997.85  |
/// | 100   | 90      | 8.75    | 0.4375 | 1    | 1 | 1000·0.992 = 992             |
/// | 100   | 110     | −8.75   | −0.44  | 0    | 1 | 1000 + 10 = 1010             |
/// | 50    | 50      | 0       | 0      | 0.5  | 0 | 1000 + 5 = 1005              |
#[test]
fn patched_timely_blends_gradient_and_distance() {
    let cases = [
        (100, 100, 1_001_000),
        (98, 100, 997_850),
        (90, 100, 992_000),
        (110, 100, 1_010_000),
        (50, 50, 1_005_000),
    ];
    for (before, rtt, kbps) in cases {
        let mut flow = settled(TimelyConfig::patched(), Rate::from_gbps(1), before);
        let rate = update(&mut flow, rtt, 20).as_bps();
        let difference = rate.abs_diff(kbps * 1_000);
        assert!(difference <= 1, "{before} to {rtt} µs: {rate} b/s");
    }
}

/// Eqs. (6) and (7), 5 of 20 µs after the last update: s = ¼, w = ½, e = 1.
///
/// ```text
/// R = 1000·(1 − 0.008/4·½) + 10/4·½ = 1000.25 Mb/s
/// ```
#[test]
fn patched_steps_scale_too() {
    let mut flow = settled(TimelyConfig::patched(), Rate::from_gbps(1), 100);
    assert_eq!(update(&mut flow, 100, 5), Rate::from_bps(1_000_250_000));
}

/// Outside the thresholds patched TIMELY equals TIMELY with its own β: at 1000 µs 1 − 0.008·½ =
/// 0.996.
#[test]
fn patched_timely_keeps_the_thresholds() {
    let mut flow = settled(TimelyConfig::patched(), Rate::from_gbps(1), 49);
    assert_eq!(update(&mut flow, 49, 20), Rate::from_mbps(1_010));
    let mut flow = settled(TimelyConfig::patched(), Rate::from_gbps(1), 1_000);
    assert_eq!(update(&mut flow, 1_000, 20), Rate::from_mbps(996));
}

#[test]
fn acks_without_timestamp_say_nothing() {
    let mut flow = flow(TimelyConfig::artifact());
    Acked::plain(1, 2).give(&mut flow, Time::from_us(5));
    assert_eq!(flow.last, None);
}

#[test]
fn probes_name_gradient_and_rtt() {
    let mut flow = settled(TimelyConfig::artifact(), LINE, 100);
    update(&mut flow, 108, 1);
    let mut values = Vec::new();
    flow.probe(&mut |name, value| values.push((name, (value * 1e6).round() / 1e6)));
    assert_eq!(values, [("rtt_gradient", 0.35), ("rtt_us", 108.0)]);
}

/// At exactly T_high, 500 µs, Eq. (4) holds, as g = 0: 10 Gb/s + 100 Mb/s. One picosecond more, and
/// Eq. (3) takes 0.8·2·10⁻⁹ of 10 Gb/s, 16 bit/s, and ends the increases in a row.
#[test]
fn the_high_threshold_itself_is_not_above_it() {
    let mut flow = settled(TimelyConfig::artifact(), Rate::from_gbps(10), 500);
    assert_eq!(update(&mut flow, 500, 1), Rate::from_mbps(10_100));
    assert_eq!(flow.increases, 1);
    flow.rate = Rate::from_gbps(10);
    flow.update(500_000.001, 0.001, Time::from_us(1));
    assert_eq!(flow.rate, Rate::from_bps(9_999_999_984));
    assert_eq!(flow.increases, 0);
}

/// At exactly T_low, 50 µs, Eq. (5) holds: from 42 µs d = 0.875·8 = 7 µs, g = 0.35, and the rate
/// falls by the factor 0.72. One picosecond less, and Eq. (2) adds 100 Mb/s.
#[test]
fn the_low_threshold_itself_is_not_below_it() {
    let mut flow = settled(TimelyConfig::artifact(), Rate::from_gbps(10), 42);
    assert_eq!(update(&mut flow, 50, 1), Rate::from_mbps(7_200));
    let mut flow = settled(TimelyConfig::artifact(), Rate::from_gbps(10), 42);
    flow.update(49_999.999, 7_999.999, Time::from_us(1));
    assert_eq!(flow.rate, Rate::from_mbps(10_100));
}

/// In the paper's form four increases in a row by Eq. (4) make the next one by Eq. (4) large, but
/// not one by Eq. (2). At 49 µs 1040 Mb/s become 1050 Mb/s. At 100 µs they then become 1100 Mb/s.
#[test]
fn steps_below_the_low_threshold_stay_small() {
    let mut flow = settled(TimelyConfig::paper(), Rate::from_gbps(1), 100);
    for _ in 0..4 {
        update(&mut flow, 100, 20);
    }
    flow.last = Some((49_000.0, Time::ZERO));
    assert_eq!(update(&mut flow, 49, 20), Rate::from_mbps(1_050));
    flow.last = Some((100_000.0, Time::ZERO));
    assert_eq!(update(&mut flow, 100, 20), Rate::from_mbps(1_100));
}

/// Eq. (5) from ACKs: 100 µs, then 108 µs, one round trip later: g = 0.35, as above.
#[test]
fn acks_bring_samples_and_their_difference() {
    let mut flow = flow(TimelyConfig::artifact());
    flow.rate = Rate::from_gbps(10);
    acknowledge(&mut flow, 1, Time::from_us(100), Time::from_us(100));
    acknowledge(&mut flow, 3, Time::from_us(108), Time::from_us(208));
    assert_eq!(flow.rate, Rate::from_mbps(7_200));
    assert_eq!(flow.last, Some((108_000.0, Time::from_us(208))));
}

/// W₀·R/C at 60 Gb/s after Eq. (3): 52 000 B · 0.6 = 31 200 B.
#[test]
fn a_window_may_follow_the_rate() {
    let config = TimelyConfig {
        window: RateWindow::Variable,
        ..TimelyConfig::artifact()
    };
    let mut flow = settled(config, LINE, 1_000);
    assert_eq!(flow.limit().window, Bytes::new(52_000));
    update(&mut flow, 1_000, 1);
    assert_eq!(flow.limit().window, Bytes::new(31_200));
}
