//! PowerTCP against hand-computed values: C = 100 Gb/s, τ = 4.16 µs.

use incast_signals::int::{IntFormat, IntLayout, IntRecord, Telemetry};

use super::*;
use crate::example::{ack, assert_close, context, record};

fn tell(flow: &mut dyn FlowController, acked: u64, records: &[IntRecord]) -> f64 {
    let layout = IntLayout::new(IntFormat::Exact, vec![Rate::from_gbps(100)]).expect("one rate");
    let words = layout.pack(records);
    let next_to_send = acked + 52_000;
    let ack = Ack {
        telemetry: Telemetry::new(&words, &layout),
        ..ack(acked, next_to_send)
    };
    flow.on_ack(Time::ZERO, &ack);
    flow.limit().rate.as_bps() as f64 * 1e-9
}

/// Two hops, 2080 ns = τ/2 after the first ACK. The first hop sent 26 000 B, which is 100 Gb/s, and
/// its queue grew to 5200 B: λ = 120 Gb/s, ν is 57 200 B where b·τ = 52 000 B, Γ = 1.2 · 1.1 =
/// 1.32. The second hop is half as busy: Γ = 0.5. Γ_s = (1 + 1.32)/2 = 1.16 and R =
/// 0.9·(100·0.95/1.16 + 0.15) + 0.1·100 = 83.841897 Gb/s.
#[test]
fn the_rate_by_hand() {
    let mut flow = PowerTcpConfig::default().build(&context());
    let first = [record(1_000, 0, 0), record(1_500, 0, 0)];
    assert_close(tell(&mut *flow, 1_000, &first), 100.0);
    let second = [record(3_080, 26_000, 5_200), record(3_580, 13_000, 0)];
    assert_close(tell(&mut *flow, 2_000, &second), 83.841_897);
    let mut probed = Vec::new();
    flow.probe(&mut |name, value| probed.push((name, value)));
    assert_close(probed[0].1, 1.16);
    assert_eq!(probed[1], ("reference_rate_bps", 1e11));
}

/// Records of another path are compared with nothing, whatever their queue. Half a base RTT later
/// the same queue of 20 000 B counts.
///
/// ```text
/// λ = 100 Gb/s, ν is 72 000 B where b·τ = 52 000 B
/// Γ = 72/52 = 1.384615, Γ_s = (1 + 1.384615)/2 = 1.192308
/// R = 0.9·(100·0.95/1.192308 + 0.15) + 10 = 81.844677 Gb/s
/// ```
#[test]
fn another_path_begins_anew() {
    let mut flow = PowerTcpConfig::default().build(&context());
    tell(&mut *flow, 1_000, &[record(0, 0, 0)]);
    flow.on_path_change();
    assert_close(
        tell(&mut *flow, 2_000, &[record(2_080, 26_000, 20_000)]),
        100.0,
    );
    let rate = tell(&mut *flow, 3_000, &[record(4_160, 52_000, 20_000)]);
    assert_close(rate, 81.844_677);
}

/// At the first ACK 53 000 B had been sent. The ACK of a later byte updates the reference.
#[test]
fn the_reference_moves_once_per_rtt() {
    let mut flow = PowerTcpConfig::default().build(&context());
    let reference = |flow: &dyn FlowController| {
        let mut found = 0.0;
        flow.probe(&mut |_, value| found = value);
        found * 1e-9
    };
    tell(&mut *flow, 1_000, &[record(0, 0, 0)]);
    let busy = |ns: u64| [record(ns, ns * 25 / 2, 20_000)];
    assert!(tell(&mut *flow, 53_000, &busy(2_080)) < 100.0);
    assert_close(reference(&*flow), 100.0);
    let after = tell(&mut *flow, 54_000, &busy(4_160));
    assert_close(reference(&*flow), after);
}

/// Records of the same time change nothing. An idle path leaves a flow at line rate. With any power
/// a flow keeps its additive increase.
#[test]
fn bounds() {
    let mut flow = PowerTcpConfig::default().build(&context());
    tell(&mut *flow, 1_000, &[record(100, 0, 0)]);
    assert_close(tell(&mut *flow, 2_000, &[record(100, 0, 0)]), 100.0);
    assert_close(tell(&mut *flow, 3_000, &[record(9_000, 0, 0)]), 100.0);
    let mut now = 9_000;
    for acked in (0..40).map(|number| 60_000 * (number + 1)) {
        now += 4_160;
        let record = record(now, now * 25 / 2, 1 << 30);
        tell(&mut *flow, acked, &[record]);
    }
    let rate = flow.limit().rate.as_bps() as f64 * 1e-9;
    assert!((0.15..0.151).contains(&rate), "{rate}");
}
