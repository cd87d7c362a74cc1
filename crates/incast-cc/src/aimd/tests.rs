use incast_signals::int::Telemetry;
use incast_units::Time;

use super::*;
use crate::AckNews;
use crate::example::context;

/// 10 packets of 1000 B initially, at least 2, one more per round trip, no slow start.
fn growth() -> Growth {
    Growth {
        initial: Window::Packets(10.0),
        min: Window::Packets(2.0),
        max: None,
        per_round_trip: Window::Packets(1.0),
        slow_start: false,
    }
}

fn window(growth: Growth) -> CongestionWindow {
    CongestionWindow::new(&growth, &context())
}

fn send(window: &mut CongestionWindow, packets: u64) {
    window.on_sent(&Sent {
        payload: Bytes::new(1_000),
        wire: Bytes::new(1_048),
        next_to_send: packets * 1_000,
        retransmission: false,
    });
}

/// The ACK of packet number `packets`, after all packets that the window allowed were sent.
fn with_ack<R>(packets: u64, act: impl FnOnce(&Ack<'_>) -> R) -> R {
    act(&Ack {
        newly_acked: Bytes::new(1_000),
        next_expected: packets * 1_000,
        next_to_send: packets * 1_000,
        flow_size: Bytes::new(1_000_000),
        marked: false,
        round_trip: Some(Time::from_us(4)),
        switch_hops: 1,
        telemetry: Telemetry::NONE,
        receiver_flows: None,
        news: AckNews::default(),
    })
}

fn grow(window: &mut CongestionWindow, packets: u64) {
    with_ack(packets, |ack| window.grow(ack));
}

fn loss(kind: LossKind) -> Loss {
    Loss::new(kind, 0)
}

fn close(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-9,
        "{actual} instead of {expected}"
    );
}

/// Eq. (1): one packet for each packet acknowledged.
#[test]
fn slow_start_doubles() {
    let mut window = window(Growth {
        slow_start: true,
        ..growth()
    });
    send(&mut window, 10);
    grow(&mut window, 1);
    close(window.bytes(), 11_000.0);
}

/// Eq. (2), a = 31: 31·1000·1000/10 000 = 3100 B.
#[test]
fn growth_is_per_round_trip() {
    let mut window = window(Growth {
        per_round_trip: Window::Packets(31.0),
        ..growth()
    });
    send(&mut window, 10);
    grow(&mut window, 1);
    close(window.bytes(), 13_100.0);
}

/// With 9 of 10 packets in flight the window does not limit the flow. In slow start the window
/// grows if more than half of it is in flight.
#[test]
fn a_window_that_does_not_limit_does_not_grow() {
    let mut steady = window(growth());
    send(&mut steady, 9);
    grow(&mut steady, 1);
    close(steady.bytes(), 10_000.0);
    for (packets, expected) in [(5, 10_000.0), (6, 11_000.0)] {
        let mut starting = window(Growth {
            slow_start: true,
            ..growth()
        });
        send(&mut starting, packets);
        grow(&mut starting, 1);
        close(starting.bytes(), expected);
    }
}

/// W₀ = 52 000 B.
#[test]
fn growth_ends_at_the_bdp() {
    let mut window = window(Growth {
        max: Some(Window::Bdp),
        per_round_trip: Window::Packets(1_000.0),
        ..growth()
    });
    send(&mut window, 10);
    grow(&mut window, 1);
    close(window.bytes(), 52_000.0);
}

/// Eq. (3): ¾ of 10 000 B, but at least 2 packets.
#[test]
fn a_cut_leaves_a_fraction_and_two_packets() {
    let mut window = window(growth());
    window.decrease(0.75);
    close(window.bytes(), 7_500.0);
    window.decrease(0.0);
    close(window.bytes(), 2_000.0);
}

/// 10 packets were sent by the decrease, so its window of data ends with the ACK of packet 11.
#[test]
fn a_cut_lasts_for_a_window_of_data() {
    let mut window = window(growth());
    send(&mut window, 10);
    window.decrease(0.5);
    with_ack(10, |ack| window.advance(ack));
    assert!(window.has_decreased());
    with_ack(11, |ack| window.advance(ack));
    assert!(!window.has_decreased());
}

/// Eq. (3) with f = ½ for the first NACK of a window of data; the second NACK changes nothing.
#[test]
fn nacks_halve_once() {
    let mut window = window(growth());
    send(&mut window, 10);
    window.on_loss(&loss(LossKind::Nack));
    window.on_loss(&loss(LossKind::Nack));
    close(window.bytes(), 5_000.0);
}

/// Eq. (4): one packet, then slow start up to half of the previous window.
#[test]
fn a_timeout_starts_again() {
    let mut window = window(growth());
    send(&mut window, 10);
    window.on_loss(&loss(LossKind::Timeout));
    close(window.bytes(), 1_000.0);
    close(window.slow_start_until, 5_000.0);
    assert_eq!(window.limit().window, Bytes::new(1));
}

/// 2500 B: two packets may be in flight, a third does not fit. Below one packet, one packet may be
/// in flight.
#[test]
fn the_limit_counts_whole_packets() {
    let mut window = window(growth());
    window.window = 2_500.0;
    assert_eq!(window.limit().window, Bytes::new(1_501));
    window.window = 1.0;
    assert_eq!(window.limit().window, Bytes::new(1));
}
