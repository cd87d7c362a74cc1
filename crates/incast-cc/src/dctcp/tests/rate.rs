use crate::dctcp::*;
use crate::example::{Acked, context};

fn flow() -> DctcpRate {
    DctcpRate::new(&DctcpConfig::artifact(), &context())
}

fn close(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-12,
        "{actual} instead of {expected}"
    );
}

fn plain(flow: &mut DctcpRate, packets: u64, sent: u64) {
    Acked::plain(packets, sent).give(flow, Time::ZERO);
}

fn marked(flow: &mut DctcpRate, packets: u64, sent: u64) {
    Acked::marked(packets, sent).give(flow, Time::ZERO);
}

/// At line rate W = 52 000 B.
#[test]
fn a_flow_starts_at_line_rate_with_a_full_window() {
    let limit = flow().limit();
    assert_eq!(limit.rate, Rate::from_gbps(100));
    assert_eq!(limit.window, Bytes::new(52_000));
}

/// Eq. (1): the first ACK starts a round trip with the 10 packets sent by then, counted as
/// ⌊10⌋ + 1. The round trip ends with packet 11. Two packets are marked: α = 15/16 + 1/16·2/11.
#[test]
fn alpha_averages_the_marked_share() {
    let mut flow = flow();
    plain(&mut flow, 1, 10);
    assert_eq!((flow.alpha, flow.packets), (1.0, 11));
    marked(&mut flow, 2, 11);
    marked(&mut flow, 3, 12);
    plain(&mut flow, 10, 19);
    assert_eq!(flow.alpha, 1.0);
    plain(&mut flow, 11, 20);
    close(flow.alpha, 15.0 / 16.0 + 2.0 / 11.0 / 16.0);
    // The next round trip: 20 − 11 packets in flight, plus one.
    assert_eq!((flow.packets, flow.marked), (10, 0));
}

/// With more marks than packets counted, F = 1.
#[test]
fn the_share_is_one_at_most() {
    let mut flow = flow();
    plain(&mut flow, 1, 2);
    (flow.marked, flow.packets, flow.alpha) = (9, 3, 0.5);
    plain(&mut flow, 3, 4);
    close(flow.alpha, 0.5 * 15.0 / 16.0 + 1.0 / 16.0);
}

/// Eq. (3): α = 1 halves R. The next mark counts only after packet 10, the last one sent by the
/// decrease.
#[test]
fn one_cut_per_window_of_data() {
    let mut flow = flow();
    marked(&mut flow, 1, 10);
    assert_eq!(flow.rate, Rate::from_gbps(50));
    assert_eq!(flow.limit().window, Bytes::new(26_000));
    marked(&mut flow, 10, 19);
    assert_eq!(flow.rate, Rate::from_gbps(50));
    flow.alpha = 1.0;
    marked(&mut flow, 11, 20);
    // 50·(1 − α/2), with α = 15/16 + 1/16·3/11: of 11 packets, 1, 10 and 11 are marked.
    let alpha = 15.0 / 16.0 + 3.0 / 11.0 / 16.0;
    assert_eq!(flow.rate, scaled(Rate::from_gbps(50), 1.0 - alpha / 2.0));
}

/// Eq. (4): R rises by 615 Mb/s at the end of each round trip without a decrease, not earlier.
#[test]
fn the_rate_rises_once_per_round_trip() {
    let mut flow = flow();
    flow.rate = Rate::from_gbps(10);
    plain(&mut flow, 1, 10);
    assert_eq!(flow.rate, Rate::from_mbps(10_615));
    plain(&mut flow, 10, 19);
    assert_eq!(flow.rate, Rate::from_mbps(10_615));
    plain(&mut flow, 11, 20);
    assert_eq!(flow.rate, Rate::from_mbps(11_230));
    marked(&mut flow, 21, 30);
    assert!(
        flow.rate < Rate::from_mbps(11_230),
        "a decrease, and no increase"
    );
}

/// 1.2 Gb/s · ½ is below R_min = 1 Gb/s. Line rate + 615 Mb/s is above C.
#[test]
fn the_rate_stays_within_its_bounds() {
    let mut flow = flow();
    plain(&mut flow, 1, 10);
    assert_eq!(flow.rate, Rate::from_gbps(100));
    flow.rate = Rate::from_mbps(1_200);
    marked(&mut flow, 2, 11);
    assert_eq!(flow.rate, Rate::from_gbps(1));
}

#[test]
fn probes_name_alpha() {
    let mut values = Vec::new();
    flow().probe(&mut |name, value| values.push((name, value)));
    assert_eq!(values, [("alpha", 1.0)]);
}
