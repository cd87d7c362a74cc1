use super::*;
use crate::example::{Acked, context, send};

fn flow() -> EcnTcp {
    EcnTcp::new(
        &EcnTcpConfig {
            slow_start: false,
            ..EcnTcpConfig::default()
        },
        &context(),
    )
}

fn give(flow: &mut EcnTcp, packets: u64, sent: u64, marked: bool) {
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

/// Eq. (1): 10 000 B become 5000 B at the first mark. Further marks of the same window of data, up
/// to packet 10, change nothing. Packet 11 halves W again.
#[test]
fn any_mark_halves_once_per_window_of_data() {
    let mut flow = flow();
    give(&mut flow, 1, 10, true);
    close(flow.window.bytes(), 5_000.0);
    for packet in 2..=10 {
        give(&mut flow, packet, 10, true);
    }
    close(flow.window.bytes(), 5_000.0);
    give(&mut flow, 11, 15, true);
    close(flow.window.bytes(), 2_500.0);
}

/// Without marks W grows from 10 000 B with 10 packets in flight: 1000·1000/10 000 = 100 B, then
/// 1000²/10 100.
#[test]
fn without_marks_the_window_grows() {
    let mut flow = flow();
    give(&mut flow, 1, 10, false);
    close(flow.window.bytes(), 10_100.0);
    give(&mut flow, 2, 12, false);
    close(flow.window.bytes(), 10_100.0 + 1e6 / 10_100.0);
}
