//! LGC against hand-computed values; K = 100 Gb/s, the NIC's rate, unless a test sets another.

use super::*;
use crate::example::{Acked, assert_close, context, pass_time, send};

fn flow(config: &LgcConfig) -> Lgc {
    let mut flow = Lgc::new(config, &context());
    send(&mut flow, 1);
    flow
}

/// Runs an interval with `acks` ACKs, `marked` of them marked.
fn interval(flow: &mut Lgc, marked: u64, acks: u64) {
    let end = flow.next_timer().expect("it has sent");
    for number in 0..acks {
        let ack = match number < marked {
            true => Acked::marked(number + 1, acks),
            false => Acked::plain(number + 1, acks),
        };
        ack.give(flow, end - Time::from_us(1));
    }
    pass_time(flow, end);
}

/// 0.006 · 100 Gb/s = 600 Mb/s without a window. The first interval ends 200 us after the first
/// packet.
#[test]
fn flows_start_at_their_initial_share() {
    let mut flow = Lgc::new(&LgcConfig::default(), &context());
    assert_eq!(flow.next_timer(), None);
    assert_eq!(flow.limit().rate, Rate::from_mbps(600));
    assert_eq!(flow.limit().pacing, Pacing::Exponential);
    send(&mut flow, 1);
    assert_eq!(flow.next_timer(), Some(Time::from_us(200)));
}

/// Eq. (4) without marks, x = 0.006, l = 0: x̂ = 1 is far away, so r = 0.3. x = 0.006 + 0.3 · 0.006
/// · 0.994 = 0.0077892, or 778.92 Mb/s. Then 0.3 · 0.0077892 · 0.9922108 is added: x =
/// 0.0101077573.
#[test]
fn without_marks_the_share_grows_logistically() {
    let mut flow = flow(&LgcConfig::default());
    interval(&mut flow, 0, 4);
    assert_close(flow.share, 0.007_789_2);
    assert_eq!(flow.limit().rate, Rate::from_bps(778_920_000));
    interval(&mut flow, 0, 4);
    assert_close(flow.share, 0.010_107_758_63);
}

/// Eqs. (1) and (4): 3 of 4 ACKs are marked, l = 0.75, x = 0.5, r = 0.2: 0.5 + 0.2 · 0.5 · (1 − 0.5
/// − 0.75) = 0.475.
#[test]
fn marks_are_competitors() {
    let mut flow = flow(&LgcConfig {
        initial_share: 0.5,
        fixed_growth: Some(0.2),
        ..LgcConfig::default()
    });
    flow.least = 0.1;
    interval(&mut flow, 3, 4);
    assert_close(flow.share, 0.475);
}

/// With S = 5 flows, x = 1/S and l = (S − 1)/S do not change.
#[test]
fn the_fair_share_is_a_fixed_point() {
    let mut flow = flow(&LgcConfig {
        initial_share: 0.2,
        ..LgcConfig::default()
    });
    for _ in 0..100 {
        interval(&mut flow, 4, 5);
    }
    assert_close(flow.share, 0.2);
    assert_eq!(flow.growth, 0.1);
}

/// l = 1, x = 0.5, r = 0.3: 0.5 · (1 − 0.3 · 0.5) = 0.425; x never falls below the initial share.
#[test]
fn the_initial_share_is_the_lowest() {
    let mut flow = flow(&LgcConfig {
        initial_share: 0.5,
        ..LgcConfig::default()
    });
    flow.least = 0.42;
    interval(&mut flow, 1, 1);
    assert_close(flow.share, 0.425);
    interval(&mut flow, 1, 1);
    assert_close(flow.share, 0.42);
}

#[test]
fn an_interval_without_acks_changes_nothing() {
    let mut flow = flow(&LgcConfig::default());
    interval(&mut flow, 0, 0);
    assert_eq!(flow.share, 0.006);
    assert!(flow.loads.is_empty());
    assert_eq!(flow.next_timer(), Some(Time::from_us(400)));
}

/// Eq. (2) over two intervals with l = 1, 0.5, 0.25: the means are 1, then 0.75, then 0.375.
#[test]
fn the_fair_share_is_a_moving_average() {
    let mut flow = flow(&LgcConfig {
        average_over: 2,
        ..LgcConfig::default()
    });
    let mut estimates = Vec::new();
    for marked in [4, 2, 1] {
        interval(&mut flow, marked, 4);
        estimates.push(flow.fair_share());
    }
    assert_eq!(estimates, [0.0, 0.25, 0.625]);
}

/// Eq. (3) with g₁ = 0.015, g₂ = 0.045, r from 0.1 to 0.3. Half-way, at d = 0.03: 0.1 + 0.015 ·
/// 0.2/0.03 = 0.2. At d = 0.021: 0.1 + 0.006 · 0.2/0.03 = 0.14. As printed, at d = 0.021: 0.1 +
/// 0.021 · 0.2/0.03 = 0.24; at d = 0.03 0.3, and above that r is capped.
#[test]
fn the_growth_rate_follows_the_distance() {
    let mut flow = flow(&LgcConfig::default());
    let growths = [0.0, 0.015, 0.021, 0.03, 0.045, 0.9].map(|d| flow.growth_at(d));
    let expected = [0.1, 0.1, 0.14, 0.2, 0.3, 0.3];
    for (growth, expected) in growths.into_iter().zip(expected) {
        assert_close(growth, expected);
    }
    flow.config.interpolation = Interpolation::Printed;
    let growths = [0.015, 0.021, 0.03, 0.04, 0.045].map(|d| flow.growth_at(d));
    for (growth, expected) in growths.into_iter().zip([0.1, 0.24, 0.3, 0.3, 0.3]) {
        assert_close(growth, expected);
    }
}

/// K = 10 Gb/s at a NIC of 100 Gb/s: 0.006 · 10 Gb/s. K is at most the NIC's rate.
#[test]
fn the_capacity_is_that_of_the_path() {
    let mut config = LgcConfig {
        capacity: Some(Rate::from_gbps(10)),
        pacing: LgcPacing::Regular,
        ..LgcConfig::default()
    };
    let limit = flow(&config).limit();
    assert_eq!(
        (limit.rate, limit.pacing),
        (Rate::from_mbps(60), Pacing::Regular)
    );
    config.capacity = Some(Rate::from_gbps(400));
    assert_eq!(flow(&config).limit().rate, Rate::from_mbps(600));
}

#[test]
fn impossible_values_are_refused() {
    for (config, parameter) in [
        (
            LgcConfig {
                interval: Time::ZERO,
                ..LgcConfig::default()
            },
            "interval",
        ),
        (
            LgcConfig {
                interval: Time::from_ps(99_999),
                ..LgcConfig::default()
            },
            "interval",
        ),
        (
            LgcConfig {
                initial_window: Some(Window::Packets(0.0)),
                ..LgcConfig::default()
            },
            "initial_window",
        ),
        (
            LgcConfig {
                initial_window: Some(Window::Packets(10.0)),
                initial_share: 0.06,
                ..LgcConfig::default()
            },
            "initial_window",
        ),
        (
            LgcConfig {
                fixed_growth: Some(0.1),
                converged_growth: 0.2,
                ..LgcConfig::default()
            },
            "fixed_growth",
        ),
        (
            LgcConfig {
                converged_growth: 0.31,
                ..LgcConfig::default()
            },
            "converged_growth",
        ),
        (
            LgcConfig {
                capacity: Some(Rate::ZERO),
                ..LgcConfig::default()
            },
            "capacity",
        ),
        (
            LgcConfig {
                near: 0.045,
                ..LgcConfig::default()
            },
            "near",
        ),
    ] {
        assert_eq!(config.check().unwrap_err().place.key, parameter);
    }
    let equal = LgcConfig {
        interval: Time::from_ns(100),
        converged_growth: 0.3,
        ..LgcConfig::default()
    };
    assert_eq!(equal.check(), Ok(()));
}

/// 10 packets of 1048 B in 4.16 us at 100 Gb/s are 83 840 bits of 416 000: 0.20154. At K = 10 Gb/s
/// they exceed the capacity, so the share is 1.
#[test]
fn a_window_may_be_the_initial_share() {
    let mut config = LgcConfig {
        initial_window: Some(Window::Packets(10.0)),
        ..LgcConfig::default()
    };
    let mut flow = flow(&config);
    assert_close(flow.share, 0.201_538_461_5);
    for _ in 0..100 {
        interval(&mut flow, 1, 1);
    }
    assert_close(flow.share, 0.201_538_461_5);
    config.capacity = Some(Rate::from_gbps(10));
    assert_eq!(Lgc::new(&config, &context()).share, 1.0);
}
