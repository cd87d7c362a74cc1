//! The control law against hand-computed values.
//!
//! A port of 100 Gb/s has F_max = 10 000 units, F_min = 10 units, Q_ref = 300 KB (500 units of 600
//! B), Q_mid = 600 KB, Q_max = 660 KB, α̃ = 0.45, β̃ = 2.25.

use super::*;

fn controller(rate: f64, queue: u64) -> Controller {
    let law = FairRateOptions::default().law(Rate::from_gbps(100));
    Controller {
        rate,
        queue,
        ..Controller::new(law)
    }
}

#[track_caller]
fn assert_update(before: (f64, u64), queue: u64, expected: f64) {
    let mut controller = controller(before.0, before.1);
    controller.update(queue);
    let error = (controller.rate - expected).abs();
    assert!(error < 1e-9, "{}, expected {expected}", controller.rate);
    assert_eq!(controller.queue, queue);
}

#[test]
fn a_port_begins_at_its_links_rate() {
    let law = FairRateOptions::default().law(Rate::from_gbps(100));
    assert_eq!(Controller::new(law).rate, 10_000.0);
}

/// Eq. (3) with F = 6000 ≥ F_max/2, so r = 1. From 330 KB to 360 KB the queue grows by 50 units, to
/// 100 units above Q_ref: 6000 − 0.45·100 − 2.25·50 = 5842.5.
#[test]
fn above_the_reference_the_rate_falls() {
    assert_update((6_000.0, 330_000), 360_000, 5_842.5);
}

/// From 120 KB to 60 KB the queue shrinks by 100 units, to 400 units below Q_ref: 6000 + 0.45·400 +
/// 2.25·100 = 6405.
#[test]
fn below_the_reference_the_rate_rises() {
    assert_update((6_000.0, 120_000), 60_000, 6_405.0);
}

/// Eq. (4): F_max/2 is 5000, F_max/4 is 2500, F_max/64 is 156.25.
#[test]
fn gains_follow_the_rate() {
    let cases = [
        (10_000.0, 1.0),
        (5_000.0, 1.0),
        (4_999.0, 2.0),
        (2_500.0, 2.0),
        (2_499.0, 4.0),
        (1_250.0, 4.0),
        (625.0, 8.0),
        (312.5, 16.0),
        (156.25, 32.0),
        (156.0, 32.0),
        (10.0, 32.0),
    ];
    for (rate, expected) in cases {
        assert_eq!(ratio(rate, 10_000.0), expected, "{rate}");
    }
    // F = 1000, r = 8: 330 to 360 KB takes 157.5/8 = 19.6875 away.
    assert_update((1_000.0, 330_000), 360_000, 980.3125);
}

/// Eq. (2): from 30 KB to 630 KB is 600 KB; F_max/8 is 1250. At 1250 the rate falls by (3), with
/// r = 4: (0.45·550 + 2.25·1000)/4 = 624.375.
#[test]
fn a_queue_that_grows_fast_halves_the_rate() {
    assert_update((8_000.0, 30_000), 630_000, 4_000.0);
    assert_update((1_250.0, 30_000), 630_000, 625.625);
}

/// Eq. (1) takes precedence over (2).
#[test]
fn a_very_long_queue_brings_the_minimum() {
    assert_update((8_000.0, 600_000), 660_000, 10.0);
    assert_update((8_000.0, 0), 660_000, 10.0);
    // F = 1000, r = 8: (0.45·600 + 2.25·100)/8 = 61.875.
    assert_update((1_000.0, 600_000), 660_000, 938.125);
}

#[test]
fn rates_keep_within_their_bounds() {
    // 11 − (0.45·500 + 2.25·0)/32 = 3.97.
    assert_update((11.0, 600_000), 600_000, 10.0);
    assert_update((9_990.0, 0), 0, 10_000.0);
}

/// From F = 1000 with 60 KB, the queue is found empty three periods later: two missed periods have
/// an empty queue, and so has the present one.
#[test]
fn missed_periods_had_an_empty_queue() {
    let mut late = controller(1_000.0, 60_000);
    late.end_period(Time::from_us(120), 0);
    let mut timely = controller(1_000.0, 60_000);
    for period in 1..=3 {
        timely.end_period(Time::from_us(40 * period), 0);
    }
    assert_eq!(late.rate, timely.rate);
    // (0.45·500 + 2.25·100)/8 = 56.25, then twice 28.125.
    assert_eq!(late.rate, 1_112.5);
}

#[test]
fn an_idle_port_soon_has_its_whole_rate() {
    let mut controller = controller(10.0, 600_000);
    assert_eq!(controller.end_period(Time::from_ms(40), 0), None);
    assert_eq!(controller.rate, 10_000.0);
}

/// At F_max with the queue below Q_ref no CNP is sent; with the queue at Q_ref a CNP is sent.
#[test]
fn an_unlimited_rate_is_not_told() {
    let told = |rate: f64, queue| controller(rate, queue).end_period(Time::from_us(40), queue);
    assert_eq!(told(10_000.0, 299_999), None);
    assert_eq!(told(10_000.0, 300_000), Some(Rate::from_gbps(100)));
    // 5000 + 0.45 · 0.
    assert_eq!(told(5_000.0, 300_000), Some(Rate::from_gbps(50)));
}
