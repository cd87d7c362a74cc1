//! Last-hop speedup through the trait, against hand-computed values. The tests of HPCC cover the
//! shared parts.
//!
//! One flow at C = 100 Gb/s, T = 4 µs, so W₀ = 50 000 B. In 4 µs a link of 100 Gb/s sends 50 000 B.
//! With records 4 µs apart, U is the u of the busiest hop, because τ/T = 1 in Eq. (2).

use incast_signals::int::{IntFormat, IntLayout, IntRecord, Telemetry};
use incast_units::Time;

use super::*;
use crate::AckNews;

const LINE_RATE: Rate = Rate::from_gbps(100);
const PACKET: u64 = 1_000;

struct Flow {
    controller: Box<dyn FlowController>,
    layout: IntLayout,
    /// The RTT ends when an ACK passes this sequence number.
    rtt_ends_at: u64,
}

impl Flow {
    /// A flow after a first ACK, at time 0, with empty queues at two hops.
    fn new(config: &FnccConfig) -> Self {
        Self::with_records(config, IntFormat::Exact)
    }

    /// A flow with records of this format.
    fn with_records(config: &FnccConfig, format: IntFormat) -> Self {
        let context = FlowContext {
            flow: <_>::default(),
            line_rate: LINE_RATE,
            base_rtt: Time::from_us(4),
            base_window: Bytes::new(50_000),
            mtu: Bytes::new(PACKET),
            wire_mtu: Bytes::new(1_048),
            size: Bytes::new(1_000_000),
            trims: false,
            seed: 1,
        };
        let rates = vec![LINE_RATE, Rate::from_gbps(400)];
        let mut flow = Self {
            controller: config.build(&context),
            layout: IntLayout::new(format, rates).unwrap(),
            rtt_ends_at: PACKET + 50_000,
        };
        flow.ack(
            PACKET,
            flow.rtt_ends_at,
            1,
            &[record(0, 0, 0), record(0, 0, 0)],
        );
        flow
    }

    fn ack(&mut self, next_expected: u64, next_to_send: u64, flows: u16, records: &[IntRecord]) {
        let words = self.layout.pack(records);
        let ack = Ack {
            newly_acked: Bytes::new(PACKET),
            next_expected,
            next_to_send,
            flow_size: Bytes::new(1 << 40),
            marked: false,
            round_trip: None,
            switch_hops: records.len() as u8,
            telemetry: Telemetry::new(&words, &self.layout),
            receiver_flows: Some(flows),
            news: AckNews::default(),
        };
        self.controller.on_ack(Time::ZERO, &ack);
    }

    /// The last ACK of the RTT.
    fn within_the_rtt(&mut self, flows: u16, records: &[IntRecord]) {
        let sent = self.rtt_ends_at + PACKET;
        self.ack(self.rtt_ends_at, sent, flows, records);
    }

    /// The first ACK after the RTT, which updates the reference.
    fn update_reference(&mut self, flows: u16, records: &[IntRecord]) {
        let next_expected = self.rtt_ends_at + PACKET;
        self.rtt_ends_at = next_expected + 50_000;
        self.ack(next_expected, self.rtt_ends_at, flows, records);
    }

    fn gbps(&self) -> f64 {
        self.controller.limit().rate.as_bps() as f64 / 1e9
    }

    fn reference_gbps(&self) -> f64 {
        self.probe("reference_rate_bps") / 1e9
    }

    /// U.
    fn utilisation(&self) -> f64 {
        self.probe("utilisation")
    }

    fn probe(&self, asked: &str) -> f64 {
        let mut found = 0.0;
        self.controller.probe(&mut |name, value| {
            if name == asked {
                found = value;
            }
        });
        found
    }
}

/// A record at a link of 100 Gb/s: time in µs, bytes sent, bytes in the queue.
fn record(us: u64, sent: u64, queue: u64) -> IntRecord {
    IntRecord {
        clock: us * 1_000_000,
        sent,
        queue: Bytes::new(queue),
        rate: LINE_RATE,
    }
}

#[track_caller]
fn assert_gbps(value: f64, expected: f64) {
    // Rates are whole bits per second.
    assert!(
        (value - expected).abs() < 2e-9,
        "{value}, expected {expected}"
    );
}

/// Records of a queue that stays constant from now on, because min(q, q') counts. The link has sent
/// at full rate for 4 µs.
fn busy(queue: u64) -> [IntRecord; 2] {
    [record(4, 50_000, queue), record(4, 0, 0)]
}

fn with_standing_queue(config: &FnccConfig, queue: u64) -> Flow {
    let mut flow = Flow::new(config);
    // Makes q' this queue, too. At time 0 no time has passed since the first ACK, so U does not
    // change.
    flow.within_the_rtt(1, &[record(0, 0, queue), record(0, 0, 0)]);
    flow
}

#[test]
fn parameters_are_the_published_ones() {
    let config = FnccConfig::default();
    assert_eq!(
        (config.last_hop_threshold, config.last_hop_target),
        (1.05, 0.9)
    );
    assert!(config.last_hop_speedup);
    assert_eq!(config.last_hop_form, LastHopForm::Printed);
    assert_eq!(config.last_hop_measure, LastHopMeasure::Latest);
    assert_eq!(
        (config.average, config.averaging_rtts),
        (UtilisationAverage::Printed, 1.0)
    );
    assert_eq!(config.sender(), HpccConfig::default());
}

/// The window is a setting of its own, W₀·R/C by default.
#[test]
fn the_rate_alone_may_limit_a_flow() {
    let without = FnccConfig {
        window: RateWindow::None,
        ..FnccConfig::default()
    };
    for (config, window) in [
        (FnccConfig::default(), Bytes::new(50_000)),
        (without, Bytes::MAX),
    ] {
        assert_eq!(Flow::new(&config).controller.limit().window, window);
    }
}

/// u = 1 + 5000/50 000 = 1.1 > 1.05 at the last hop, with 4 flows: R_c ← 100·0.9/4 = 22.5 Gb/s. The
/// printed form gives R ← 22.5·0.95/1.1 + 0.05 = 19.481 818 181 Gb/s. Within the RTT R_c stays 22.5
/// Gb/s.
#[test]
fn the_printed_form_goes_on_from_the_fair_share() {
    let mut flow = with_standing_queue(&FnccConfig::default(), 5_000);
    flow.within_the_rtt(4, &busy(5_000));
    assert_gbps(flow.gbps(), 19.481_818_181);
    assert_gbps(flow.reference_gbps(), 22.5);
}

/// The same utilisation at the end of an RTT: the update overwrites R_c with R.
#[test]
fn a_reference_update_overwrites_the_fair_share() {
    let mut flow = with_standing_queue(&FnccConfig::default(), 5_000);
    flow.update_reference(4, &busy(5_000));
    assert_gbps(flow.gbps(), 19.481_818_181);
    assert_gbps(flow.reference_gbps(), 19.481_818_181);
}

#[test]
fn the_direct_form_takes_the_fair_share_as_it_is() {
    let config = FnccConfig {
        last_hop_form: LastHopForm::Direct,
        ..FnccConfig::default()
    };
    let mut flow = with_standing_queue(&config, 5_000);
    flow.within_the_rtt(4, &busy(5_000));
    assert_gbps(flow.gbps(), 22.5);
    flow.update_reference(4, &[record(8, 100_000, 5_000), record(8, 0, 0)]);
    assert_gbps(flow.gbps(), 22.5);
    assert_gbps(flow.reference_gbps(), 22.5);
    // Then the normal law starts from there: u = U = 0.5, so R = 22.5 + 0.05.
    flow.update_reference(4, &[record(12, 125_000, 0), record(12, 0, 0)]);
    assert_gbps(flow.gbps(), 22.55);
}

/// N = 3: 100·0.9/3 = 30 Gb/s. Without a flow count in the ACK, N = 1: 90 Gb/s.
#[test]
fn the_share_is_that_of_the_receivers_flows() {
    let config = FnccConfig {
        last_hop_form: LastHopForm::Direct,
        ..FnccConfig::default()
    };
    for (flows, expected) in [(3, 30.0), (1, 90.0), (0, 90.0)] {
        let mut flow = with_standing_queue(&config, 5_000);
        flow.within_the_rtt(flows, &busy(5_000));
        assert_gbps(flow.gbps(), expected);
    }
}

/// u = 1 + 2500/50 000 = 1.05 is not above α, so HPCC's step follows: 100·0.95/1.05 + 0.05 = 90.526
/// 190 476.
#[test]
fn up_to_the_threshold_the_law_is_hpccs() {
    let mut flow = with_standing_queue(&FnccConfig::default(), 2_500);
    flow.within_the_rtt(4, &busy(2_500));
    assert_gbps(flow.gbps(), 90.526_190_476);
    assert_gbps(flow.reference_gbps(), 100.0);
}

/// The other hop is the busiest: u is 1.2 there and 1.1 at the last hop. 100·0.95/1.2 + 0.05 =
/// 79.216 666 666.
#[test]
fn congestion_elsewhere_is_hpccs_business() {
    let mut flow = Flow::new(&FnccConfig::default());
    flow.within_the_rtt(4, &[record(0, 0, 5_000), record(0, 0, 10_000)]);
    flow.within_the_rtt(4, &[record(4, 50_000, 5_000), record(4, 50_000, 10_000)]);
    assert_gbps(flow.gbps(), 79.216_666_666);
}

/// Without speedup: 100·0.95/1.1 + 0.05 = 86.413 636 363.
#[test]
fn without_speedup_it_is_hpcc() {
    let config = FnccConfig {
        last_hop_speedup: false,
        ..FnccConfig::default()
    };
    let mut flow = with_standing_queue(&config, 5_000);
    flow.within_the_rtt(4, &busy(5_000));
    assert_gbps(flow.gbps(), 86.413_636_363);
}

/// With 1000 flows 90 Mb/s is below the minimum of 100 Mb/s.
#[test]
fn the_share_keeps_to_the_lowest_rate() {
    let mut flow = with_standing_queue(&FnccConfig::default(), 5_000);
    flow.within_the_rtt(1_000, &busy(5_000));
    assert_gbps(flow.reference_gbps(), 0.1);
}

/// A path without switches has no INT: the rate stays.
#[test]
fn nothing_follows_from_no_records() {
    let mut flow = Flow::new(&FnccConfig::default());
    flow.within_the_rtt(4, &[]);
    assert_gbps(flow.gbps(), 100.0);
}

mod averages {
    use super::*;

    const FORMS: [UtilisationAverage; 3] = [
        UtilisationAverage::Printed,
        UtilisationAverage::Single,
        UtilisationAverage::PerHop,
    ];

    fn averaging(average: UtilisationAverage) -> FnccConfig {
        FnccConfig {
            average,
            last_hop_speedup: false,
            ..FnccConfig::default()
        }
    }

    #[track_caller]
    fn assert_utilisation(flow: &Flow, expected: f64) {
        let found = flow.utilisation();
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    /// τ = 1 µs, so τ/T = ¼, and U = 1 before. First u = (0.8, 1.0), from 10 000 and 12 500 B:
    ///
    /// - printed, twice: ¾·1 + ¼·0.8 = 0.95, then ¾·0.95 + ¼·1 = 0.9625;
    /// - single: ¾·1 + ¼·1 = 1;
    /// - per hop: U_i = (0.95, 1), the largest is 1.
    ///
    /// Then u = (1.0, 0.8):
    ///
    /// - printed, only at the first hop: ¾·0.9625 + ¼·1 = 0.971 875;
    /// - single: 1;
    /// - per hop: U_i = (¾·0.95 + ¼·1, ¾·1 + ¼·0.8) = (0.9625, 0.95).
    ///
    /// Both links are 90 % busy in these 2 µs. As long as they are busy in turn, `single` stays at
    /// 1.
    #[test]
    fn three_averages_of_hops_that_take_turns() {
        for (form, first, second) in [
            (UtilisationAverage::Printed, 0.9625, 0.971_875),
            (UtilisationAverage::Single, 1.0, 1.0),
            (UtilisationAverage::PerHop, 1.0, 0.9625),
        ] {
            let mut flow = Flow::new(&averaging(form));
            flow.within_the_rtt(1, &[record(1, 10_000, 0), record(1, 12_500, 0)]);
            assert_utilisation(&flow, first);
            flow.within_the_rtt(1, &[record(2, 22_500, 0), record(2, 22_500, 0)]);
            assert_utilisation(&flow, second);
        }
    }

    /// U over T/4 = 1 µs: a record of 1 µs replaces U. A record of 0.5 µs (6250 B, u = 1) has
    /// weight ½: ½·0.8 + ½·1 = 0.9.
    #[test]
    fn the_average_may_be_over_a_part_of_the_rtt() {
        for form in FORMS {
            let config = FnccConfig {
                averaging_rtts: 0.25,
                ..averaging(form)
            };
            let mut flow = Flow::new(&config);
            let idle = |clock| IntRecord {
                clock,
                ..record(0, 0, 0)
            };
            flow.within_the_rtt(1, &[record(1, 10_000, 0), idle(1_000_000)]);
            assert_utilisation(&flow, 0.8);
            let half_later = IntRecord {
                clock: 1_500_000,
                ..record(1, 16_250, 0)
            };
            flow.within_the_rtt(1, &[half_later, idle(1_500_000)]);
            assert_utilisation(&flow, 0.9);
        }
    }

    /// Only hop 2's table row is refreshed. The row of hop 1, the busiest at u = 1, is the same as
    /// in the previous ACK. So hop 1 stays the busiest, and U = 1 in every form. If the row were
    /// read as no throughput, hop 2 would be the busiest, with u = 0.4 from 5000 B in 1 µs:
    /// U = ¾·1 + ¼·0.4 = 0.85.
    #[test]
    fn a_row_that_was_not_refreshed_is_no_news() {
        for form in FORMS {
            let mut flow = Flow::new(&averaging(form));
            flow.within_the_rtt(1, &[record(4, 50_000, 0), record(4, 20_000, 0)]);
            assert_utilisation(&flow, 1.0);
            flow.within_the_rtt(1, &[record(4, 50_000, 0), record(5, 25_000, 0)]);
            assert_utilisation(&flow, 1.0);
            // No row is refreshed, so nothing changes.
            flow.within_the_rtt(1, &[record(4, 50_000, 0), record(5, 25_000, 0)]);
            assert_utilisation(&flow, 1.0);
            // The next row of hop 1 covers both times: 10 000 B in 2 µs, u = 0.4, as at hop 2. With
            // τ/T = ½: ½·1 + ½·0.4 = 0.7. Hop 2's own average is ¾·(¾·0.4 + ¼·0.4) + ¼·0.4 = 0.4.
            flow.within_the_rtt(1, &[record(6, 60_000, 0), record(6, 30_000, 0)]);
            assert_utilisation(&flow, 0.7);
        }
    }

    /// Idle hops have no throughput: in every form an ACK with records of the same time leaves U
    /// unchanged.
    #[test]
    fn before_the_first_refresh_u_stays() {
        for form in FORMS {
            let mut flow = Flow::new(&averaging(form));
            flow.within_the_rtt(1, &[record(0, 0, 0), record(0, 0, 0)]);
            assert_utilisation(&flow, 1.0);
        }
    }
}

mod last_hop {
    use super::*;

    /// Quantised to 128 B and 1 ns: 13 units, 1664 B, in 121 ns are 110 Gb/s, so u = 1.10 > α at an
    /// empty port. The throughput is capped at the link's rate, so there is no speedup with N = 4,
    /// and R follows U alone. With a queue of 63 units of 80 B, 5040 B, u_h = 1 + 5040/50 000 =
    /// 1.1008: R_c ← 22.5 Gb/s.
    #[test]
    fn rounding_of_the_record_is_no_congestion() {
        let mut flow = Flow::with_records(&FnccConfig::default(), IntFormat::quantised(1, 16));
        let units = |clock, sent, queue| IntRecord {
            clock,
            sent,
            queue: Bytes::new(queue),
            rate: LINE_RATE,
        };
        flow.within_the_rtt(4, &[units(121, 13, 0), units(121, 0, 0)]);
        assert!(flow.utilisation() > 1.0);
        assert_gbps(flow.reference_gbps(), 100.0);
        flow.within_the_rtt(4, &[units(242, 26, 5_040), units(242, 0, 0)]);
        assert_gbps(flow.reference_gbps(), 100.0);
        flow.within_the_rtt(4, &[units(363, 39, 5_040), units(363, 0, 0)]);
        assert_gbps(flow.reference_gbps(), 22.5);
    }

    /// u_h = 1 + 5000/50 000 = 1.1 over 1 µs: U = ¾·1 + ¼·1.1 = 1.025, then 1.043 75, then 1.057
    /// 812 5 > α. R_c is 100 Gb/s after two ACKs, and 90/4 = 22.5 Gb/s after the third.
    #[test]
    fn speedup_may_wait_for_the_average() {
        for average in [UtilisationAverage::PerHop, UtilisationAverage::Single] {
            let config = FnccConfig {
                average,
                last_hop_measure: LastHopMeasure::Average,
                ..FnccConfig::default()
            };
            let mut flow = with_standing_queue(&config, 5_000);
            for (us, expected) in [(1, 100.0), (2, 100.0), (3, 22.5)] {
                let busy = record(us, 12_500 * us, 5_000);
                flow.within_the_rtt(4, &[busy, record(us, 0, 0)]);
                assert_gbps(flow.reference_gbps(), expected);
            }
        }
    }

    /// No port has sent anything: there is no busiest hop, whatever U is.
    #[test]
    fn an_idle_path_has_no_congested_hop() {
        let config = FnccConfig {
            initial_utilisation: 2.0,
            average: UtilisationAverage::Single,
            last_hop_measure: LastHopMeasure::Average,
            ..FnccConfig::default()
        };
        let mut flow = Flow::new(&config);
        flow.within_the_rtt(4, &[record(1, 0, 0), record(1, 0, 0)]);
        assert_gbps(flow.reference_gbps(), 100.0);
    }
}
