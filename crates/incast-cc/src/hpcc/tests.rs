//! HPCC through its trait, against hand-computed values.
//!
//! One flow at C = 100 Gb/s, T = 4 µs, so W₀ = 50 000 B. In 4 µs a link of 100 Gb/s sends 50 000 B.
//! After a record 4 µs later than the previous record, U is the u of this record alone, because τ/T
//! = 1 in Eq. (2).

use incast_signals::int::{IntFormat, IntLayout, IntRecord, Telemetry};
use incast_units::{Bytes, Rate, Time};

use super::HpccConfig;
use crate::{Ack, AckNews, FlowContext, FlowController, Parameters, RateWindow, SendLimit};

mod parts;

const LINE_RATE: Rate = Rate::from_gbps(100);
const BASE_RTT: Time = Time::from_us(4);
const BASE_WINDOW: Bytes = Bytes::new(50_000);
const PACKET: u64 = 1_000;

/// A flow under HPCC, and the state of its NIC.
struct Flow {
    controller: Box<dyn FlowController>,
    format: IntFormat,
    /// The RTT ends when an ACK passes this sequence number.
    rtt_ends_at: u64,
}

impl Flow {
    fn new(config: HpccConfig) -> Self {
        Self::with_window(config, BASE_WINDOW)
    }

    fn with_window(config: HpccConfig, base_window: Bytes) -> Self {
        let context = FlowContext {
            flow: <_>::default(),
            line_rate: LINE_RATE,
            base_rtt: BASE_RTT,
            base_window,
            mtu: Bytes::new(PACKET),
            wire_mtu: Bytes::new(1_090),
            size: Bytes::new(1_000_000),
            trims: false,
            seed: 1,
        };
        Self {
            controller: config.build(&context),
            format: IntFormat::Exact,
            rtt_ends_at: 0,
        }
    }

    /// A flow, after a first ACK with these records.
    fn after_first_ack(config: HpccConfig, records: &[IntRecord]) -> Self {
        let mut flow = Self::new(config);
        flow.first(records);
        flow
    }

    fn ack(&mut self, next_expected: u64, next_to_send: u64, records: &[IntRecord]) {
        let rates = records.iter().map(|record| record.rate).collect();
        let layout = IntLayout::new(self.format, rates).unwrap();
        let words = layout.pack(records);
        let ack = Ack {
            newly_acked: Bytes::new(PACKET),
            next_expected,
            next_to_send,
            flow_size: Bytes::new(1 << 40),
            marked: false,
            round_trip: None,
            switch_hops: records.len() as u8,
            telemetry: Telemetry::new(&words, &layout),
            receiver_flows: None,
            news: AckNews::default(),
        };
        self.controller.on_ack(Time::ZERO, &ack);
    }

    /// The first ACK, which comes one window after the first packet.
    fn first(&mut self, records: &[IntRecord]) {
        self.rtt_ends_at = PACKET + BASE_WINDOW.as_u64();
        self.ack(PACKET, self.rtt_ends_at, records);
    }

    /// The last ACK of the RTT: ack.seq = lastUpdateSeq.
    fn within_the_rtt(&mut self, records: &[IntRecord]) {
        self.ack(self.rtt_ends_at, self.rtt_ends_at + PACKET, records);
    }

    /// The first ACK after the RTT, one packet later, which updates the reference.
    fn update_reference(&mut self, records: &[IntRecord]) {
        let next_expected = self.rtt_ends_at + PACKET;
        self.rtt_ends_at = next_expected + BASE_WINDOW.as_u64();
        self.ack(next_expected, self.rtt_ends_at, records);
    }

    fn limit(&self) -> SendLimit {
        self.controller.limit()
    }

    fn rate(&self) -> Rate {
        self.limit().rate
    }

    fn probe(&self, wanted: &str) -> f64 {
        let mut found = None;
        self.controller.probe(&mut |name, value| {
            if name == wanted {
                found = Some(value);
            }
        });
        found.unwrap_or_else(|| panic!("{wanted} is not probed"))
    }

    /// U.
    fn utilisation(&self) -> f64 {
        self.probe("utilisation")
    }

    /// R_c.
    fn reference(&self) -> f64 {
        self.probe("reference_rate_bps")
    }
}

/// A record at a link of 100 Gb/s: time in µs, bytes sent, bytes in the queue.
fn record(us: u64, sent: u64, queue: u64) -> IntRecord {
    at_rate(LINE_RATE, us, sent, queue)
}

fn at_rate(rate: Rate, us: u64, sent: u64, queue: u64) -> IntRecord {
    IntRecord {
        clock: us * 1_000_000,
        sent,
        queue: Bytes::new(queue),
        rate,
    }
}

const START: IntRecord = IntRecord {
    clock: 0,
    sent: 0,
    queue: Bytes::ZERO,
    rate: LINE_RATE,
};

/// U stays: the record is `START` again, so τ = 0.
const NOTHING_NEW: [IntRecord; 1] = [START];

fn starting_at(initial_utilisation: f64) -> HpccConfig {
    HpccConfig {
        initial_utilisation,
        ..HpccConfig::default()
    }
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    let error = (value - expected).abs() / expected.abs().max(1e-9);
    assert!(error < 1e-9, "{value}, expected {expected}");
}

/// Compares a rate, which is whole bits per second, with a float rounded down.
#[track_caller]
fn assert_gbps(rate: Rate, expected: f64) {
    assert_close(rate.as_bps() as f64 / 1e9, expected);
}

#[test]
fn parameters_are_the_published_ones() {
    let fairness = HpccConfig::default();
    assert_eq!(fairness.target_utilisation, 0.95);
    assert_eq!(fairness.max_stage, 5);
    assert_eq!(fairness.additive_increase, Rate::from_mbps(50));
    assert_eq!(fairness.min_rate, Rate::from_mbps(100));
    assert_eq!(fairness.initial_utilisation, 1.0);
    let modes = [
        fairness.fast_react,
        fairness.multi_rate,
        fairness.sample_feedback,
    ];
    assert_eq!(modes, [true, false, false]);
    assert_eq!(fairness.window, RateWindow::Variable);
    let artifact = HpccConfig {
        max_stage: 0,
        additive_increase: Rate::from_mbps(40),
        min_rate: Rate::from_gbps(1),
        ..fairness.clone()
    };
    let named: Vec<_> = HpccConfig::SETS
        .iter()
        .map(|set| (set.name, (set.values)()))
        .collect();
    assert_eq!(named, [("fairness", fairness), ("artifact", artifact)]);
}

#[test]
fn a_flow_starts_at_line_rate_with_a_window_of_one_bdp() {
    let flow = Flow::new(HpccConfig::default());
    let expected = SendLimit {
        window: BASE_WINDOW,
        ..SendLimit::paced(LINE_RATE)
    };
    assert_eq!(flow.limit(), expected);
    assert_eq!(flow.utilisation(), 1.0);
    assert_eq!(flow.reference(), 100e9);
}

/// With the first record no difference can be taken.
#[test]
fn the_first_ack_is_only_stored() {
    let mut flow = Flow::new(HpccConfig::default());
    let before = flow.limit();
    flow.first(&[record(100, 5_000_000, 400_000)]);
    assert_eq!(flow.limit(), before);
    assert_eq!(flow.utilisation(), 1.0);
    // 4 µs later 25 000 B more have been sent: u = 50 Gb/s / 100 Gb/s + 400 000 / 50 000.
    flow.within_the_rtt(&[record(104, 5_025_000, 400_000)]);
    assert_close(flow.utilisation(), 0.5 + 8.0);
}

mod measuring {
    use super::*;

    /// U after a record 4 µs later than another, which equals u.
    fn measured(old: IntRecord, new: IntRecord) -> f64 {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[old]);
        flow.within_the_rtt(&[new]);
        flow.utilisation()
    }

    /// Eq. (1) without a queue: 25 000 B in 4 µs are 50 Gb/s: u is ½ at a link of 100 Gb/s, 1 at 50
    /// Gb/s, ⅛ at 400 Gb/s.
    #[test]
    fn throughput_counts_against_the_link_it_was_measured_at() {
        for (gbps, expected) in [(100, 0.5), (50, 1.0), (400, 0.125)] {
            let link = Rate::from_gbps(gbps);
            let (old, new) = (at_rate(link, 0, 0, 0), at_rate(link, 4, 25_000, 0));
            assert_close(measured(old, new), expected);
        }
    }

    /// Eq. (1): of queues of 10 000 and 20 000 B the smaller counts, in either order. 80 000 bit
    /// are 0.2 of 100 Gb/s · 4 µs, 0.4 of 50 Gb/s · 4 µs and 0.05 of 400 Gb/s · 4 µs.
    #[test]
    fn the_smaller_of_two_queues_counts_against_what_the_link_sends_in_one_rtt() {
        for (gbps, expected) in [(100, 0.2), (50, 0.4), (400, 0.05)] {
            let link = Rate::from_gbps(gbps);
            for (before, after) in [(10_000, 20_000), (20_000, 10_000)] {
                let (old, new) = (at_rate(link, 0, 0, before), at_rate(link, 4, 0, after));
                assert_close(measured(old, new), expected);
            }
        }
    }

    /// Eq. (1): 50 000 B in 4 µs are 100 Gb/s; u = 1 + 10 000 / 50 000.
    #[test]
    fn throughput_and_queue_add_up() {
        let u = measured(record(0, 0, 10_000), record(4, 50_000, 10_000));
        assert_close(u, 1.2);
    }

    /// A queue that is empty in one of the two records was a burst, not a standing queue.
    #[test]
    fn a_queue_seen_once_does_not_count() {
        for (before, after) in [(0, 30_000), (30_000, 0)] {
            let u = measured(record(0, 0, before), record(4, 25_000, after));
            assert_close(u, 0.5);
        }
    }

    /// Eq. (2) with τ = 1 µs: 6 250 B are 50 Gb/s, u = 0.5, and U = ¾·1 + ¼·0.5 = 0.875. The next
    /// record gives ¾·0.875 + ¼·0.5 = 0.781 25.
    #[test]
    fn the_average_weighs_a_record_by_the_time_it_covers() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[START]);
        flow.within_the_rtt(&[record(1, 6_250, 0)]);
        assert_close(flow.utilisation(), 0.875);
        flow.within_the_rtt(&[record(2, 12_500, 0)]);
        assert_close(flow.utilisation(), 0.781_25);
    }

    /// Eq. (2), τ = 40 µs counts as T: 250 000 B are 50 Gb/s, U = 0·1 + 1·0.5.
    #[test]
    fn no_record_counts_for_more_than_one_rtt() {
        assert_close(measured(START, record(40, 250_000, 0)), 0.5);
    }

    /// Hop 1: τ = 2 µs, 12 500 B are 50 Gb/s, u = 0.5. Hop 2: τ = 1 µs, 10 000 B are 80 Gb/s, u =
    /// 0.8. Hop 3: τ = 3 µs, nothing sent. Hop 2 is the busiest, so its τ is used: U = ¾·1 + ¼·0.8
    /// = 0.95. With τ of hop 1 U would be 0.9, with τ of hop 3 0.85.
    #[test]
    fn the_busiest_hop_counts_with_its_own_time() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[START; 3]);
        flow.within_the_rtt(&[record(2, 12_500, 0), record(1, 10_000, 0), record(3, 0, 0)]);
        assert_close(flow.utilisation(), 0.95);
    }

    /// τ = 0: no throughput can be computed, and the record has no weight: U = 1·1 + 0·u.
    #[test]
    fn two_records_of_one_instant_change_nothing() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[record(7, 1_000, 20_000)]);
        flow.within_the_rtt(&[record(7, 9_000, 20_000)]);
        assert_eq!(flow.utilisation(), 1.0);
    }

    /// u = 0 at every hop: there is no busiest hop, so τ = 0. The artifact has the same result: its
    /// search for the maximum starts from 0 with τ = 0.
    #[test]
    fn a_path_without_traffic_leaves_the_average_alone() {
        assert_eq!(measured(START, record(4, 0, 0)), 1.0);
    }

    /// Every ACK's record is compared with the previous ACK's: 6 250 B in 1 µs, then 18 750 B in 3
    /// µs are 50 Gb/s twice: U = ¾·1 + ¼·½ = 0.875, then ¼·0.875 + ¾·½ = 0.593 75. Compared with
    /// the first record, 25 000 B in 4 µs would give U = ½.
    #[test]
    fn differences_are_from_the_ack_before_not_from_the_rtt_before() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[START]);
        flow.within_the_rtt(&[record(1, 6_250, 0)]);
        flow.within_the_rtt(&[record(4, 25_000, 0)]);
        assert_close(flow.utilisation(), 0.593_75);
    }

    /// Fields of 24 and 20 bits, units of 1 ns and 4·128 B. From 2^24 − 2000 to 2000 are 4000 ns.
    /// From 2^20 − 24 to 24 are 48 units or 24 576 B: 49.152 Gb/s, U = 0.491 52.
    #[test]
    fn clock_and_counter_may_wrap() {
        let mut flow = Flow::new(HpccConfig::default());
        flow.format = IntFormat::quantised(4, 17);
        let old = IntRecord {
            clock: (1 << 24) - 2_000,
            sent: (1 << 20) - 24,
            ..START
        };
        let new = IntRecord {
            clock: 2_000,
            sent: 24,
            ..START
        };
        flow.first(&[old]);
        flow.within_the_rtt(&[new]);
        assert_close(flow.utilisation(), 0.491_52);
    }

    /// Only hops with a record in both ACKs are measured.
    #[test]
    fn a_hop_without_an_old_record_is_not_measured() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[START]);
        flow.within_the_rtt(&[record(4, 25_000, 0), record(4, 50_000, 50_000)]);
        assert_close(flow.utilisation(), 0.5);
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[START; 2]);
        flow.within_the_rtt(&[record(4, 25_000, 0)]);
        assert_close(flow.utilisation(), 0.5);
    }

    #[test]
    fn acks_without_records_change_nothing() {
        let mut flow = Flow::after_first_ack(HpccConfig::default(), &[]);
        let before = flow.limit();
        flow.within_the_rtt(&[]);
        flow.update_reference(&[]);
        assert_eq!(flow.limit(), before);
        assert_eq!(flow.reference(), 100e9);
    }
}

mod stepping {
    use super::*;

    /// A flow with U = 1.9 and no new records: c = 1.9 / 0.95 = 2.
    fn at_twice_the_target(config: HpccConfig) -> Flow {
        let config = HpccConfig {
            initial_utilisation: 1.9,
            ..config
        };
        Flow::after_first_ack(config, &[START])
    }

    /// A flow with R_c = 100 / 2 + 0.05 = 50.05 Gb/s, at stage 0.
    fn halved(max_stage: u32) -> Flow {
        let config = HpccConfig {
            max_stage,
            ..HpccConfig::default()
        };
        let mut flow = at_twice_the_target(config);
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.reference(), 50.05e9);
        flow
    }

    /// 38 000 B in every 4 µs: 76 Gb/s, U = 0.76, c = 0.8.
    fn at_four_fifths(rtts: u64) -> [IntRecord; 1] {
        [record(4 * rtts, 38_000 * rtts, 0)]
    }

    /// Eq. (3), c = 2: R = 100 / 2 + 0.05 = 50.05 Gb/s, W = 50 000 · 0.5005 = 25 025 B.
    #[test]
    fn above_the_target_the_rate_is_divided_by_c() {
        let mut flow = at_twice_the_target(HpccConfig::default());
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.rate(), Rate::from_mbps(50_050));
        assert_eq!(flow.limit().window, Bytes::new(25_025));
    }

    /// Eqs. (3) and (5): within an RTT every step starts from R_c = 100 Gb/s, so two steps have the
    /// effect of one. After the update steps start from R_c = 50.05 Gb/s: 50.05 / 2 + 0.05 = 25.075
    /// Gb/s.
    #[test]
    fn steps_of_one_rtt_do_not_compound() {
        let mut flow = at_twice_the_target(HpccConfig::default());
        for _ in 0..3 {
            flow.within_the_rtt(&NOTHING_NEW);
            assert_eq!(flow.rate(), Rate::from_mbps(50_050));
            assert_eq!(flow.reference(), 100e9);
        }
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.rate(), Rate::from_mbps(50_050));
        assert_eq!(flow.reference(), 50.05e9);
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.rate(), Rate::from_mbps(25_075));
        assert_eq!(flow.reference(), 50.05e9);
    }

    /// An RTT ends with the first ACK beyond the snd_nxt of the RTT's start, not at this snd_nxt.
    #[test]
    fn a_reference_update_needs_an_ack_beyond_the_end_of_the_rtt() {
        let mut flow = at_twice_the_target(HpccConfig::default());
        let end = flow.rtt_ends_at;
        flow.ack(end, end + 1, &NOTHING_NEW);
        assert_eq!(flow.reference(), 100e9);
        flow.ack(end + 1, end + 10, &NOTHING_NEW);
        assert_eq!(flow.reference(), 50.05e9);
        // The next RTT ends beyond the snd_nxt at that ACK.
        flow.ack(end + 10, end + 20, &NOTHING_NEW);
        assert_eq!(flow.reference(), 50.05e9);
        flow.ack(end + 11, end + 20, &NOTHING_NEW);
        assert_eq!(flow.reference(), 25.075e9);
    }

    /// After a loss snd_nxt falls back, because the NIC retransmits. lastUpdateSeq does not.
    #[test]
    fn the_end_of_an_rtt_never_goes_back() {
        let mut flow = at_twice_the_target(HpccConfig::default());
        let end = flow.rtt_ends_at;
        flow.ack(end + 1, end - 20, &NOTHING_NEW);
        assert_eq!(flow.reference(), 50.05e9);
        flow.ack(end - 10, end - 5, &NOTHING_NEW);
        assert_eq!(
            flow.reference(),
            50.05e9,
            "an ACK before the end of the RTT"
        );
        flow.ack(end + 1, end + 5, &NOTHING_NEW);
        assert_eq!(flow.reference(), 25.075e9);
    }

    /// Eq. (4), c = 0.8: 50.05 + 0.05 = 50.1 Gb/s; W = 50 000 · 0.501 = 25 050 B.
    #[test]
    fn below_the_target_the_rate_grows_by_the_additive_increase() {
        let mut flow = halved(5);
        flow.within_the_rtt(&at_four_fifths(1));
        assert_eq!(flow.rate(), Rate::from_mbps(50_100));
        assert_eq!(flow.limit().window, Bytes::new(25_050));
    }

    /// Two additive updates give 50.10 and 50.15 Gb/s. Then, although c = 0.8 < 1, Eq. (3) gives
    /// 50.15 / 0.8 + 0.05 = 62.7375 Gb/s. Two additive updates give 62.7875 and 62.8375 Gb/s; then
    /// 62.8375 / 0.8 + 0.05 = 78.596 875 Gb/s.
    #[test]
    fn after_max_stage_additive_steps_comes_a_multiplicative_one() {
        let mut flow = halved(2);
        let expected = [50.1, 50.15, 62.7375, 62.7875, 62.8375, 78.596_875];
        for (rtts, expected) in (1..).zip(expected) {
            flow.update_reference(&at_four_fifths(rtts));
            assert_gbps(flow.rate(), expected);
            assert_close(flow.reference() / 1e9, expected);
        }
    }

    /// maxStage = 0: every step is Eq. (3). 50.05 / 0.8 + 0.05 = 62.6125 Gb/s.
    #[test]
    fn without_stages_every_step_is_multiplicative() {
        let mut flow = halved(0);
        flow.update_reference(&at_four_fifths(1));
        assert_gbps(flow.rate(), 62.6125);
    }

    /// ACKs within an RTT do not count as stages: after three such ACKs and one update the stage is
    /// 1 < 2, so the next update is additive, too.
    #[test]
    fn only_reference_updates_count_as_stages() {
        let mut flow = halved(2);
        for rtts in 1..=3 {
            flow.within_the_rtt(&at_four_fifths(rtts));
            assert_gbps(flow.rate(), 50.1);
        }
        flow.update_reference(&at_four_fifths(4));
        assert_gbps(flow.rate(), 50.1);
        flow.update_reference(&at_four_fifths(5));
        assert_gbps(flow.rate(), 50.15);
    }

    /// maxStage = 2. After one additive update (50.1 Gb/s) c = 1.6 from 76 000 B in 4 µs: 50.1 /
    /// 1.6 + 0.05 = 31.3625 Gb/s. Then two additive updates follow, not one: 31.4125, 31.4625.
    #[test]
    fn a_decrease_starts_the_stages_anew() {
        let mut flow = halved(2);
        flow.update_reference(&at_four_fifths(1));
        assert_gbps(flow.rate(), 50.1);
        flow.update_reference(&[record(8, 38_000 + 76_000, 0)]);
        assert_gbps(flow.rate(), 31.3625);
        for (rtts, expected) in [(3, 31.4125), (4, 31.4625)] {
            flow.update_reference(&[record(4 * rtts, 38_000 * (rtts + 1), 0)]);
            assert_gbps(flow.rate(), expected);
        }
    }

    /// With η = ½ and a standing queue of 25 000 B, U = ½ and c = 1 exactly, so Eq. (3) applies and
    /// the stage is 0. With maxStage = 1 the next update is therefore Eq. (4), 50.15 Gb/s. If c = 1
    /// were additive, it would be 50.1 / c + 0.05.
    #[test]
    fn at_the_target_the_step_is_multiplicative() {
        let config = HpccConfig {
            target_utilisation: 0.5,
            initial_utilisation: 1.0,
            max_stage: 1,
            ..HpccConfig::default()
        };
        let mut flow = Flow::after_first_ack(config, &[record(0, 0, 25_000)]);
        flow.update_reference(&[record(0, 0, 25_000)]);
        assert_eq!(flow.reference(), 50.05e9, "100 / 2 + 0.05");
        flow.update_reference(&[record(4, 0, 25_000)]);
        assert_eq!(flow.utilisation(), 0.5);
        assert_eq!(flow.rate(), Rate::from_mbps(50_100), "50.05 / 1 + 0.05");
        flow.update_reference(&[record(8, 0, 12_500)]);
        assert_eq!(flow.utilisation(), 0.25);
        assert_eq!(flow.rate(), Rate::from_mbps(50_150));
    }

    /// U = 9500, c = 10 000: 100 Gb/s / 10 000 + 50 Mb/s = 60 Mb/s, below R_min = 100 Mb/s.
    /// W = 50 000 · 0.001 = 50 B.
    #[test]
    fn the_rate_never_falls_below_the_lowest() {
        let mut flow = Flow::after_first_ack(starting_at(9_500.0), &[START]);
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.rate(), Rate::from_mbps(100));
        assert_eq!(flow.reference(), 100e6);
        assert_eq!(flow.limit().window, Bytes::new(50));
    }

    /// c = 0.5 and no stages left: 100 / 0.5 + 0.05 = 200.05 Gb/s, above the line rate.
    #[test]
    fn the_rate_never_rises_above_the_line() {
        let config = HpccConfig {
            max_stage: 0,
            ..starting_at(0.475)
        };
        let mut flow = Flow::after_first_ack(config, &[START]);
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.rate(), LINE_RATE);
        assert_eq!(flow.reference(), 100e9);
        assert_eq!(flow.limit().window, BASE_WINDOW);
    }
}

mod windows {
    use super::*;

    /// W₀ = 333 B: 333 · 50.05 / 100 = 166.67, rounded down.
    #[test]
    fn the_window_is_rounded_down() {
        let mut flow = Flow::with_window(starting_at(1.9), Bytes::new(333));
        flow.first(&[START]);
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.limit().window, Bytes::new(166));
    }

    /// W₀ = 333 B at 0.1 of 100 Gb/s is 0.333 B. A window of one byte lets one packet go.
    #[test]
    fn a_window_is_never_closed() {
        let mut flow = Flow::with_window(starting_at(9_500.0), Bytes::new(333));
        flow.first(&[START]);
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.limit().window, Bytes::new(1));
        assert_eq!(
            Flow::with_window(starting_at(1.0), Bytes::ZERO)
                .limit()
                .window,
            Bytes::new(1)
        );
    }

    /// 1 GB · 50.05 Gb/s is more than 2^64; still, the window is 500.5 MB.
    #[test]
    fn windows_may_be_large() {
        let mut flow = Flow::with_window(starting_at(1.9), Bytes::new(1_000_000_000));
        flow.first(&[START]);
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.limit().window, Bytes::new(500_500_000));
    }

    #[test]
    fn a_fixed_window_stays_what_it_was() {
        let config = HpccConfig {
            window: RateWindow::Fixed,
            ..starting_at(1.9)
        };
        let mut flow = Flow::after_first_ack(config, &[START]);
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.rate(), Rate::from_mbps(50_050));
        assert_eq!(flow.limit().window, BASE_WINDOW);
    }

    /// R = 50.05 Gb/s as with a window, and nothing limits the bytes in flight.
    #[test]
    fn without_a_window_the_rate_alone_limits_the_flow() {
        let config = HpccConfig {
            window: RateWindow::None,
            ..starting_at(1.9)
        };
        let mut flow = Flow::after_first_ack(config, &[START]);
        assert_eq!(flow.limit().window, Bytes::MAX);
        flow.update_reference(&NOTHING_NEW);
        assert_eq!(flow.limit(), SendLimit::paced(Rate::from_mbps(50_050)));
    }
}

mod modes {
    use super::*;
    use crate::Part;

    /// τ = 1 µs, u = 0.08192: U = ¾·1 + ¼·0.08192 = 0.770 48 < η. The second ACK adds R_AI to a
    /// rate that is already at its maximum.
    #[test]
    fn the_second_ack_reacts_already() {
        let mut flow = Flow::new(HpccConfig::default());
        flow.first(&[START]);
        flow.within_the_rtt(&[record(1, 1_024, 0)]);
        assert_eq!(flow.rate(), LINE_RATE);
        assert_close(flow.utilisation(), 0.770_48);
        // An ACK without records changes nothing.
        flow.within_the_rtt(&[]);
        assert_close(flow.utilisation(), 0.770_48);
    }

    /// Between updates rate, U and the old record stay: the update sees 25 000 B in 4 µs, U = 0.5.
    /// From the record at 1 µs it would see 12 500 B in 3 µs.
    #[test]
    fn without_fast_reaction_acks_between_updates_are_ignored() {
        let config = HpccConfig {
            fast_react: false,
            ..starting_at(1.9)
        };
        let mut flow = Flow::after_first_ack(config, &[START]);
        flow.within_the_rtt(&[record(1, 12_500, 50_000)]);
        assert_eq!(flow.rate(), LINE_RATE);
        assert_eq!(flow.utilisation(), 1.9);
        flow.update_reference(&[record(4, 25_000, 0)]);
        assert_close(flow.utilisation(), 0.5);
    }

    /// c = 2 between updates: with parts, too, the rate stays at line rate.
    #[test]
    fn without_fast_reaction_parts_do_not_change_the_rate_either() {
        let mut config = HpccConfig {
            fast_react: false,
            ..starting_at(1.9)
        };
        config.add(Part::SamplingFrequency);
        let mut flow = Flow::after_first_ack(config.clone(), &[START]);
        flow.within_the_rtt(&[record(1, 12_500, 0)]);
        assert_eq!(flow.rate(), LINE_RATE);
        config.fast_react = true;
        let mut fast = Flow::after_first_ack(config, &[START]);
        fast.within_the_rtt(&[record(1, 12_500, 0)]);
        assert!(fast.rate() < LINE_RATE);
    }

    /// Both hops at c = 2: 50.05 Gb/s. After a change of path each hop begins at this rate, not at
    /// line rate: at c = 0.8 the rate grows by 0.05.
    #[test]
    fn in_multi_rate_mode_hops_of_a_new_path_begin_at_the_rate() {
        let mut flow = Flow::after_first_ack(multi_rate(), &[START; 2]);
        flow.update_reference(&[record(4, 95_000, 0); 2]);
        assert_gbps(flow.rate(), 50.05);
        flow.controller.on_path_change();
        flow.first(&[record(8, 0, 0); 2]);
        assert_gbps(flow.rate(), 50.05);
        flow.update_reference(&[record(12, 38_000, 0); 2]);
        assert_gbps(flow.rate(), 50.1);
    }

    fn sampled() -> HpccConfig {
        HpccConfig {
            sample_feedback: true,
            ..HpccConfig::default()
        }
    }

    /// Between updates a hop without a queue is skipped. The hop's old record stays: the update at
    /// 4 µs sees 25 000 B in 4 µs, U = 0.5.
    #[test]
    fn sampled_feedback_skips_empty_hops_between_updates() {
        let mut flow = Flow::after_first_ack(sampled(), &[START]);
        flow.within_the_rtt(&[record(1, 12_500, 0)]);
        assert_eq!(flow.utilisation(), 1.0);
        flow.update_reference(&[record(4, 25_000, 0)]);
        assert_close(flow.utilisation(), 0.5);
    }

    /// Hop 1 has no queue, so it is skipped, though it is busier (12 500 B in 1 µs, u = 1). Hop 2
    /// has a queue now, but had none before: 6 250 B in 1 µs, u = 0.5; U = ¾ + ¼·0.5 = 0.875.
    #[test]
    fn sampled_feedback_measures_hops_with_a_queue() {
        let mut flow = Flow::after_first_ack(sampled(), &[START; 2]);
        flow.within_the_rtt(&[record(1, 12_500, 0), record(1, 6_250, 80)]);
        assert_close(flow.utilisation(), 0.875);
    }

    fn multi_rate() -> HpccConfig {
        HpccConfig {
            multi_rate: true,
            ..HpccConfig::default()
        }
    }

    /// Hop 1: 38 000 B in 4 µs, c = 0.8, additive from 100 Gb/s: line rate. Hop 2: 95 000 B in 4
    /// µs, u = 1.9, c = 2: 100 / 2 + 0.05 = 50.05 Gb/s. The lowest rate is used.
    ///
    /// Then the roles change. Hop 1 goes from its own R_c = 100 to 50.05; hop 2 goes from its own
    /// R_c = 50.05 to 50.1. One reference for both hops would give 50.05 / 2 + 0.05 = 25.075 Gb/s.
    #[test]
    fn in_multi_rate_mode_each_hop_has_its_own_reference() {
        let mut flow = Flow::after_first_ack(multi_rate(), &[START; 2]);
        flow.update_reference(&[record(4, 38_000, 0), record(4, 95_000, 0)]);
        assert_gbps(flow.rate(), 50.05);
        flow.update_reference(&[record(8, 38_000 + 95_000, 0), record(8, 95_000 + 38_000, 0)]);
        assert_gbps(flow.rate(), 50.05);
        // Both hops at c = 0.8: hop 1 has 50.05 + 0.05, hop 2 has 50.1 + 0.05.
        flow.update_reference(&[
            record(12, 38_000 + 95_000 + 38_000, 0),
            record(12, 95_000 + 38_000 + 38_000, 0),
        ]);
        assert_gbps(flow.rate(), 50.1);
    }

    /// Hop 1, τ = 1 µs: 12 500 B sent and a queue of 45 000 B, u = 1 + 0.9 = 1.9; U₁ = ¾·1 + ¼·1.9
    /// = 1.225, c = 1.225 / 0.95, R₁ = 95 / 1.225 + 0.05 = 77.601 020 408 Gb/s. Hop 2, τ = 4 µs: u
    /// = 1.14 from 57 000 B, c = 1.2, R₂ = 100 / 1.2 + 0.05 = 83.383 Gb/s.
    #[test]
    fn in_multi_rate_mode_each_hop_has_its_own_average() {
        let old = [record(0, 0, 45_000), START];
        let mut flow = Flow::after_first_ack(multi_rate(), &old);
        flow.within_the_rtt(&[record(1, 12_500, 45_000), record(4, 57_000, 0)]);
        assert!((flow.rate().as_bps() as f64 / 1e9 - 77.601_020_408).abs() < 1e-8);
    }

    /// c = 2 at both hops throughout: within the RTT each step starts from 100 Gb/s, after the
    /// update from 50.05 Gb/s.
    #[test]
    fn in_multi_rate_mode_too_only_updates_move_references() {
        let config = HpccConfig {
            multi_rate: true,
            ..starting_at(1.9)
        };
        let mut flow = Flow::after_first_ack(config, &[START; 2]);
        for _ in 0..3 {
            flow.within_the_rtt(&[START; 2]);
            assert_gbps(flow.rate(), 50.05);
        }
        flow.update_reference(&[START; 2]);
        assert_gbps(flow.rate(), 50.05);
        flow.within_the_rtt(&[START; 2]);
        assert_gbps(flow.rate(), 25.075);
    }

    /// τ = 40 µs counts as T: 760 000 B are 152 Gb/s, U = 0·1 + 1·1.52, c = 1.6,
    /// 100 / 1.6 + 0.05 = 62.55 Gb/s.
    #[test]
    fn in_multi_rate_mode_too_no_record_counts_for_more_than_one_rtt() {
        let mut flow = Flow::after_first_ack(multi_rate(), &[START]);
        flow.within_the_rtt(&[record(40, 760_000, 0)]);
        assert_gbps(flow.rate(), 62.55);
    }

    /// Each hop has its own stage. Hop 1 starts with a decrease, hop 2 with an additive step. With
    /// maxStage = 1 hop 2's multiplicative step comes at the second update, hop 1's at the third:
    /// 50.05, then 50.05 + 0.05 (hop 1, stage 1), then 50.1 / 0.8 + 0.05 = 62.675 Gb/s.
    #[test]
    fn in_multi_rate_mode_each_hop_has_its_own_stage() {
        let config = HpccConfig {
            max_stage: 1,
            ..multi_rate()
        };
        let mut flow = Flow::after_first_ack(config, &[START; 2]);
        for (rtts, expected) in [(1, 50.05), (2, 50.1), (3, 62.675)] {
            let first = record(4 * rtts, 95_000 + 38_000 * (rtts - 1), 0);
            let second = record(4 * rtts, 38_000 * rtts, 0);
            flow.update_reference(&[first, second]);
            assert_gbps(flow.rate(), expected);
        }
    }

    /// Between updates only hop 1 has a queue: 38 000 B in 4 µs, an additive step, line rate. Hop 2
    /// is skipped, and its R_c = 50.05 Gb/s limits the flow.
    #[test]
    fn a_skipped_hop_still_limits_the_rate_by_its_reference() {
        let config = HpccConfig {
            sample_feedback: true,
            ..multi_rate()
        };
        let mut flow = Flow::after_first_ack(config, &[START; 2]);
        flow.update_reference(&[record(4, 38_000, 0), record(4, 95_000, 0)]);
        assert_gbps(flow.rate(), 50.05);
        flow.within_the_rtt(&[record(8, 76_000, 80), record(8, 133_000, 0)]);
        assert_gbps(flow.rate(), 50.05);
        // Both queues are empty: the rate stays.
        flow.within_the_rtt(&[record(9, 80_000, 0), record(9, 133_000, 0)]);
        assert_gbps(flow.rate(), 50.05);
        // Hop 2 has a queue: 38 000 B in the 4 µs since its last record, an additive step.
        flow.within_the_rtt(&[record(8, 76_000, 0), record(8, 133_000, 80)]);
        assert_gbps(flow.rate(), 50.1);
    }
}
