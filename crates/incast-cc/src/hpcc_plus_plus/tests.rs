//! HPCC++ against hand-computed values: C = 100 Gb/s, T = 4.16 µs, W_init = 52 000 B, W_ai = 52
//! 000·0.05/100 = 26 B.

use incast_signals::int::{IntFormat, IntLayout, IntRecord, Telemetry};

use super::*;
use crate::example::{ack, assert_close, context, record};

/// The record of a link that has been fully used since time 0, with this queue.
fn full(ns: u64, queue: u64) -> IntRecord {
    record(ns, ns * 25 / 2, queue)
}

struct TestFlow(Box<dyn FlowController>);

impl TestFlow {
    fn new(config: &HpccPlusPlusConfig) -> Self {
        Self(config.build(&context()))
    }

    /// Handles an ACK at the time of its first record, with 52 000 B in flight. Returns the rate in
    /// Gb/s.
    fn tell(&mut self, acked: u64, records: &[IntRecord]) -> f64 {
        let rates = vec![Rate::from_gbps(100)];
        let layout = IntLayout::new(IntFormat::Exact, rates).expect("one rate");
        let words = layout.pack(records);
        let ack = Ack {
            telemetry: Telemetry::new(&words, &layout),
            ..ack(acked, acked + 52_000)
        };
        self.0.on_ack(Time::from_ps(records[0].clock), &ack);
        self.0.limit().rate.as_bps() as f64 * 1e-9
    }

    /// W in whole bytes, U and W_c.
    fn state(&self) -> (u64, f64, f64) {
        let mut probed = Vec::new();
        self.0.probe(&mut |_, value| probed.push(value));
        (self.0.limit().window.as_u64(), probed[0], probed[1])
    }
}

/// Hop 1 sends at 100 Gb/s. With min(0, 5200) its queue does not count at first: u = 1. Half an RTT
/// after the first ACK U = (1 + 1)/2 and W = 52 000·0.95 + 26 = 49 426 B, R = W·8/4.16 µs. Then u =
/// 1 + 5200/52 000 = 1.1, U = 1.05, and W = 52 000·0.95/1.05 + 26 = 47 073.6 B, as W_c still has
/// its initial value. The second hop is half as busy.
#[test]
fn windows_follow_the_busiest_hop() {
    let mut flow = TestFlow::new(&HpccPlusPlusConfig::default());
    let start = [full(1_000, 0), record(1_500, 0, 0)];
    assert_close(flow.tell(1_000, &start), 100.0);
    let second = [full(3_080, 5_200), record(3_580, 13_000, 0)];
    assert_close(flow.tell(2_000, &second), 95.05);
    assert_eq!(flow.state(), (49_426, 1.0, 52_000.0));
    let third = [full(5_160, 5_200), record(5_660, 26_000, 0)];
    assert_close(flow.tell(3_000, &third), 90.526_190);
    let (window, utilisation, reference) = flow.state();
    assert_eq!((window, reference), (47_073, 52_000.0));
    assert_close(utilisation, 1.05);
}

/// One RTT after the first ACK byte 53 001 is acknowledged, and W_c is updated. Then the link is
/// half used, so U = 0.5 in each RTT: 5 steps of 26 B, then W = W_c·0.95/0.5 + 26, at most W_init.
#[test]
fn additive_steps_come_before_a_multiplicative_one() {
    let mut flow = TestFlow::new(&HpccPlusPlusConfig::default());
    flow.tell(1_000, &[full(0, 0)]);
    flow.tell(53_001, &[full(4_160, 0)]);
    assert_eq!(flow.state(), (49_426, 1.0, 49_426.0));
    for stage in 1..=5 {
        let half = record(4_160 * (stage + 1), 52_000 + 26_000 * stage, 0);
        flow.tell(53_001 * (stage + 1), &[half]);
        assert_eq!(flow.state().0, 49_426 + 26 * stage, "stage {stage}");
    }
    flow.tell(53_001 * 7, &[record(4_160 * 7, 52_000 + 26_000 * 6, 0)]);
    assert_eq!(flow.state(), (52_000, 0.5, 52_000.0));
}

/// Records of another path are compared with nothing: W stays after the first of them, whatever its
/// queue. The second, half an RTT later, gives u = 1 + 20 800/52 000 = 1.4, U = 1.2, and W = 52
/// 000·0.95/1.2 + 26 = 41 192.7 B.
#[test]
fn another_path_begins_anew() {
    let mut flow = TestFlow::new(&HpccPlusPlusConfig::default());
    flow.tell(1_000, &[full(0, 0)]);
    flow.0.on_path_change();
    flow.tell(2_000, &[full(9_000, 20_800)]);
    assert_eq!(flow.state(), (52_000, 1.0, 52_000.0));
    flow.tell(3_000, &[full(11_080, 20_800)]);
    assert_eq!(flow.state().0, 41_192);
}

/// W_ai by Eq. (7) with 10 flows and a target of 0.9: 52 000·0.1/10 = 520 B; as set: 80 B.
#[test]
fn the_additive_increase_leaves_room_for_so_many_flows() {
    let ten = HpccPlusPlusConfig {
        flows: 10,
        target_utilisation: 0.9,
        ..HpccPlusPlusConfig::default()
    };
    let told = HpccPlusPlusConfig {
        additive_increase: Some(Window::Size(Bytes::new(80))),
        ..ten.clone()
    };
    for (config, window) in [(ten, 46_800 + 520), (told, 46_800 + 80)] {
        let mut flow = TestFlow::new(&config);
        flow.tell(1_000, &[full(0, 0)]);
        flow.tell(2_000, &[full(4_160, 0)]);
        assert_eq!(flow.state().0, window);
    }
}

/// ACKs come a quarter RTT apart. Only the ACK of a probe counts: the first probe was sent with
/// byte 53 000, so its records come an RTT later.
#[test]
fn probes_bring_records_once_per_rtt() {
    let mut flow = TestFlow::new(&HpccPlusPlusConfig {
        feedback: HpccFeedback::Probes,
        ..HpccPlusPlusConfig::default()
    });
    flow.tell(1_000, &[full(0, 0)]);
    for quarter in 1..=4 {
        flow.tell(13_000 * quarter + 1_000, &[full(1_040 * quarter, 9_999)]);
        assert_eq!(flow.state(), (52_000, 1.0, 52_000.0));
    }
    flow.tell(53_001, &[full(4_160, 10_400)]);
    // min(0, 10 400): the previous record is that of the first ACK.
    assert_eq!(flow.state(), (49_426, 1.0, 49_426.0));
}

/// U follows every record, W changes only after more than 4.16 µs. Queues are 5200 B from the
/// second ACK on: u = 1, 1.1, 1.1 half an RTT apart; U = 1, 1.05, 1.075; W = 52 000·0.95/1.075 + 26
/// = 45 979.5.
#[test]
fn a_receiver_sends_windows_once_per_rtt() {
    let mut flow = TestFlow::new(&HpccPlusPlusConfig {
        feedback: HpccFeedback::Receiver,
        ..HpccPlusPlusConfig::default()
    });
    flow.tell(1_000, &[full(0, 0)]);
    for (ns, utilisation) in [(2_080, 1.0), (4_160, 1.05)] {
        flow.tell(2_000, &[full(ns, 5_200)]);
        let (window, told, reference) = flow.state();
        assert_eq!((window, reference), (52_000, 52_000.0));
        assert_close(told, utilisation);
    }
    flow.tell(3_000, &[full(6_240, 5_200)]);
    assert_eq!(flow.state().0, 45_979);
    assert_close(flow.state().2, 45_979.488);
    // The next window comes after more than 6.24 + 4.16 µs.
    flow.tell(4_000, &[full(10_400, 5_200)]);
    assert_eq!(flow.state().0, 45_979);
    flow.tell(5_000, &[full(10_401, 5_200)]);
    assert!(flow.state().0 < 45_979);
}
