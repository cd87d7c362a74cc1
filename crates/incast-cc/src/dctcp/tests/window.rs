use incast_units::Bytes;

use crate::dctcp::*;
use crate::example::{Acked, context, send};
use crate::{LossKind, Parameters};

fn flow(config: DctcpConfig) -> DctcpWindow {
    DctcpWindow::new(&config, &context())
}

fn congestion_avoidance() -> DctcpWindow {
    flow(DctcpConfig {
        slow_start: false,
        ..DctcpConfig::default()
    })
}

fn give(flow: &mut DctcpWindow, packets: u64, sent: u64, marked: bool) {
    send(flow, sent);
    let acked = Acked {
        marked,
        ..Acked::plain(packets, sent)
    };
    acked.give(flow, Time::ZERO);
}

fn close(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-9,
        "{actual} instead of {expected}"
    );
}

/// RFC 8257 §3.3: WindowEnd is initially SND.UNA, so the first ACK ends a window of data. The
/// second window ends with the ACK of packet 11, after the 10 packets sent by then. F = 4/10.
#[test]
fn alpha_is_estimated_once_per_window_of_data() {
    let mut flow = congestion_avoidance();
    give(&mut flow, 1, 10, false);
    close(flow.alpha, 15.0 / 16.0);
    for packet in 2..=10 {
        give(&mut flow, packet, 9 + packet, packet <= 5);
        close(flow.alpha, 15.0 / 16.0);
    }
    give(&mut flow, 11, 20, false);
    close(flow.alpha, 15.0 / 16.0 * 15.0 / 16.0 + 0.4 / 16.0);
    assert_eq!((flow.acked, flow.marked, flow.window_end), (0, 0, 20_000));
}

/// F counts bytes: 1000 B of 3000 B are marked.
#[test]
fn the_share_is_one_of_bytes() {
    let mut flow = congestion_avoidance();
    give(&mut flow, 1, 10, false);
    flow.alpha = 0.0;
    flow.window_end = 3_000;
    send(&mut flow, 10);
    let two = Acked {
        newly: 2,
        ..Acked::plain(3, 10)
    };
    two.give(&mut flow, Time::ZERO);
    give(&mut flow, 4, 10, true);
    close(flow.alpha, 1.0 / 3.0 / 16.0);
}

/// Eq. (2) with α = ½: W = 10 000·(1 − ¼) = 7500 B. No further decrease until an ACK passes packet
/// 10, the last one sent. The next decrease uses α of that time.
#[test]
fn one_cut_per_window_of_data() {
    let mut flow = congestion_avoidance();
    flow.alpha = 0.5;
    flow.window_end = 10_000;
    give(&mut flow, 1, 10, true);
    close(flow.window.bytes(), 7_500.0);
    give(&mut flow, 10, 10, true);
    close(flow.window.bytes(), 7_500.0);
    flow.alpha = 0.5;
    flow.window_end = 100_000;
    give(&mut flow, 11, 17, true);
    close(flow.window.bytes(), 5_625.0);
}

/// A decrease ends slow start. The window also does not grow within the decrease's window of data.
#[test]
fn a_cut_ends_slow_start() {
    let mut flow = flow(DctcpConfig::default());
    give(&mut flow, 1, 10, false);
    close(flow.window.bytes(), 11_000.0);
    flow.alpha = 0.0;
    flow.window_end = 100_000;
    give(&mut flow, 2, 10, true);
    give(&mut flow, 3, 10, false);
    close(flow.window.bytes(), 11_000.0);
    // After the window of data: eq. (2) of the window, 1000·1000/11 000.
    give(&mut flow, 11, 21, false);
    close(flow.window.bytes(), 11_000.0 + 1_000.0 / 11.0);
}

/// A loss halves W and does not change α.
#[test]
fn a_loss_is_tcps() {
    let mut flow = congestion_avoidance();
    send(&mut flow, 10);
    flow.on_loss(Time::ZERO, &Loss::new(LossKind::Nack, 1_000));
    close(flow.window.bytes(), 5_000.0);
    assert_eq!(flow.alpha, 1.0);
}

/// W = 10 packets: with 9001 B in flight the tenth packet may still be sent.
#[test]
fn the_nics_limit_lets_whole_packets_go() {
    let limit = DctcpConfig::default().build(&context()).limit();
    assert_eq!(limit.window, Bytes::new(9_001));
    assert_eq!(limit.rate, context().line_rate);
}

#[test]
fn probes_name_alpha_and_window() {
    let mut values = Vec::new();
    congestion_avoidance().probe(&mut |name, value| values.push((name, value)));
    let expected = [("alpha", 1.0), ("congestion_window_bytes", 10_000.0)];
    assert_eq!(values, expected);
}
