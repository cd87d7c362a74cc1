use super::*;
use crate::example::{Acked, context, pass_time, send};

const GAIN: f64 = 1.0 / 256.0;

fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn flow(config: DcqcnConfig) -> Dcqcn {
    Dcqcn::new(&config, &context())
}

/// An ACK with a mark arrives at `now`, after all timers that expire before.
fn echo(flow: &mut Dcqcn, now: Time) {
    pass_time(flow, now.saturating_sub(Time::from_ps(1)));
    Acked::marked(1, 100).give(flow, now);
}

/// A CNP arrives at `now`, after all timers that expire before.
fn cnp(flow: &mut Dcqcn, now: Time) {
    pass_time(flow, now.saturating_sub(Time::from_ps(1)));
    flow.on_cnp(now, &Cnp::default());
}

fn close(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() <= 1e-12 * expected.abs(),
        "{actual} instead of {expected}"
    );
}

mod connectx {
    use super::*;

    #[test]
    fn without_marks_a_flow_sets_no_timer() {
        let mut flow = flow(DcqcnConfig::artifact());
        send(&mut flow, 1);
        Acked::plain(1, 100).give(&mut flow, us(5));
        assert_eq!(flow.next_timer(), None);
        assert_eq!(flow.limit(), SendLimit::paced(Rate::from_gbps(100)));
    }

    /// The first notification at 10 µs decreases nothing. The first check comes T_d + 1 ns later,
    /// after the updates of α at 11, 12, 13 and 14 µs, in which the first notification does not
    /// count: α = (255/256)⁴ = 0.98446631, R = 100·(1 − 0.49223315) = 50.776684 Gb/s.
    #[test]
    fn the_first_cut_waits_for_the_first_check() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        assert_eq!(flow.rate, Rate::from_gbps(100));
        assert_eq!(flow.next_timer(), Some(us(14) + Time::from_ns(1)));
        pass_time(&mut flow, us(15));
        close(flow.alpha, (255.0_f64 / 256.0).powi(4));
        assert_eq!(flow.rate.as_bps() / 1_000, 50_776_684);
        assert_eq!(flow.target, Rate::from_gbps(100));
    }

    /// With T_d = 3.999 µs the check comes at 14 µs, at the same time as an update of α, which goes
    /// before it: four updates, as above.
    #[test]
    fn an_update_comes_before_a_check_at_the_same_time() {
        let mut flow = flow(DcqcnConfig {
            decrease_interval: Time::from_ns(3_999),
            ..DcqcnConfig::artifact()
        });
        echo(&mut flow, us(10));
        pass_time(&mut flow, us(14));
        assert_eq!(flow.rate.as_bps() / 1_000, 50_776_684);
    }

    /// A second mark at 10.5 µs counts at 11 µs: α = 1·255/256 + 1/256 = 1, then (255/256)³ at 14
    /// µs.
    #[test]
    fn marks_between_two_updates_count_once() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        echo(&mut flow, Time::from_ns(10_500));
        echo(&mut flow, Time::from_ns(10_600));
        pass_time(&mut flow, us(15));
        close(flow.alpha, (255.0_f64 / 256.0).powi(3));
    }

    /// A mark at 11 µs counts in the update of α at the same time.
    #[test]
    fn a_mark_comes_before_an_update_at_the_same_time() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        echo(&mut flow, us(11));
        pass_time(&mut flow, us(15));
        close(flow.alpha, (255.0_f64 / 256.0).powi(3));
    }

    /// Without marks the checks at 18, 22, … µs decrease nothing.
    #[test]
    fn a_check_without_marks_cuts_nothing() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        pass_time(&mut flow, us(15));
        let rate = flow.rate;
        pass_time(&mut flow, us(300));
        assert_eq!(flow.rate, rate);
    }

    /// Decreases at 14 and 18 µs without an increase between them: the target stays at 100 Gb/s.
    /// With `clamp_target` the target becomes the rate before the second decrease.
    #[test]
    fn only_the_first_cut_after_an_increase_moves_the_target() {
        for clamp_target in [false, true] {
            let config = DcqcnConfig {
                clamp_target,
                ..DcqcnConfig::artifact()
            };
            let mut flow = flow(config);
            echo(&mut flow, us(10));
            pass_time(&mut flow, us(15));
            let first = flow.rate;
            echo(&mut flow, us(15));
            pass_time(&mut flow, us(19));
            let expected = if clamp_target {
                first
            } else {
                Rate::from_gbps(100)
            };
            assert_eq!(flow.target, expected);
            assert!(flow.rate < first);
        }
    }

    /// T = 300 µs after the decrease at 14.001 µs, R ← (R + 100)/2. Then R_T rises by R_AI and
    /// twice by R_HAI, but not above 100 Gb/s. From 50.776 684 Gb/s R rises to 75.388 342, 87.694
    /// 171 and 93.847 086 Gb/s.
    #[test]
    fn the_rate_recovers_by_halves_towards_the_target() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        pass_time(&mut flow, us(15));
        let mut rates = Vec::new();
        for expiry in 1..=3 {
            pass_time(&mut flow, us(15 + 300 * expiry));
            rates.push(flow.rate.as_bps() / 1_000_000);
            assert_eq!(flow.time_stage, expiry as u32);
        }
        assert_eq!(rates, [75_388, 87_694, 93_847]);
    }

    /// From R = R_T = 10 Gb/s with F = 1: recovery adds nothing to the target. Then the target
    /// rises by 20 Mb/s, by 200 Mb/s and by 200 Mb/s.
    #[test]
    fn the_target_rises_in_steps() {
        let mut flow = flow(DcqcnConfig::artifact());
        flow.rate = Rate::from_gbps(10);
        flow.target = flow.rate;
        let mut targets = Vec::new();
        for _ in 0..4 {
            flow.increase();
            flow.time_stage += 1;
            targets.push(flow.target.as_bps() / 1_000_000);
        }
        assert_eq!(targets, [10_000, 10_020, 10_220, 10_420]);
    }

    /// A check and the rate timer expire together at 314.001 µs. The increase comes first and makes
    /// the stage 1, so the decrease sets the target to the increased rate.
    #[test]
    fn the_rate_timer_goes_before_the_check() {
        let mut flow = flow(DcqcnConfig::artifact());
        echo(&mut flow, us(10));
        echo(&mut flow, us(312));
        pass_time(&mut flow, us(315));
        assert_eq!(flow.target.as_bps() / 1_000_000, 75_388);
        assert_eq!(flow.time_stage, 0);
    }

    /// α = 0.5, R = 1.2 Gb/s: 1.2·(1 − 0.25) = 0.9 is below R_min = 1 Gb/s.
    #[test]
    fn no_rate_is_below_the_lowest() {
        let mut flow = flow(DcqcnConfig::artifact());
        (flow.alpha, flow.rate) = (0.5, Rate::from_mbps(1_200));
        flow.decrease(us(1));
        assert_eq!(flow.rate, Rate::from_gbps(1));
    }

    /// ρ = ¾: the first mark lowers rate and target to 75 Gb/s.
    #[test]
    fn the_first_mark_may_cut_at_once() {
        let config = DcqcnConfig {
            first_cut: 0.75,
            ..DcqcnConfig::artifact()
        };
        let mut flow = flow(config);
        echo(&mut flow, us(10));
        let expected = Rate::from_gbps(75);
        assert_eq!((flow.rate, flow.target), (expected, expected));
    }

    /// W = 52 000 B · 50.776 684/100 = 26 403 B.
    #[test]
    fn a_window_follows_the_rate() {
        let config = DcqcnConfig {
            window: RateWindow::Variable,
            ..DcqcnConfig::artifact()
        };
        let mut flow = flow(config);
        assert_eq!(flow.limit().window, Bytes::new(52_000));
        echo(&mut flow, us(10));
        pass_time(&mut flow, us(15));
        assert_eq!(flow.limit().window, Bytes::new(26_403));
    }

    #[test]
    fn cnps_count_only_where_they_are_what_notifies() {
        let mut by_acks = flow(DcqcnConfig::artifact());
        cnp(&mut by_acks, us(1));
        assert_eq!(by_acks.next_timer(), None);
        let mut by_cnps = flow(DcqcnConfig::connectx());
        echo(&mut by_cnps, us(1));
        assert_eq!(by_cnps.next_timer(), None);
        cnp(&mut by_cnps, us(1));
        assert!(by_cnps.next_timer().is_some());
    }

    /// From α = 1023/1024: 1019/1024·α after a microsecond without a CNP, 1019/1024·α + 5/1024
    /// after one with a CNP.
    #[test]
    fn the_vendors_alpha() {
        let mut flow = flow(DcqcnConfig::connectx());
        cnp(&mut flow, us(10));
        flow.update_alpha(us(11) + Time::from_ps(1));
        close(flow.alpha, 1023.0 / 1024.0 * 1019.0 / 1024.0);
        flow.alpha_notified = true;
        let before = flow.alpha;
        flow.update_alpha(us(12) + Time::from_ps(1));
        close(flow.alpha, before * 1019.0 / 1024.0 + 5.0 / 1024.0);
    }
}

mod paper {
    use super::*;

    /// α = 1: R_T = 100, R = 100·(1 − ½) = 50 Gb/s, and α = 255/256 + 1/256 = 1 again. The second
    /// CNP halves R again, and R_T becomes 50 Gb/s.
    #[test]
    fn each_cnp_cuts_at_once() {
        let mut flow = flow(DcqcnConfig::paper());
        cnp(&mut flow, us(10));
        assert_eq!(flow.rate, Rate::from_gbps(50));
        assert_eq!(flow.target, Rate::from_gbps(100));
        close(flow.alpha, 1.0);
        cnp(&mut flow, us(20));
        assert_eq!(flow.rate, Rate::from_gbps(25));
        assert_eq!(flow.target, Rate::from_gbps(50));
    }

    /// Without CNPs α decays at 65, 120 and 175 µs. At a CNP at 200 µs α is (255/256)³ =
    /// 0.98832697. The rate decreases by half of α, and α becomes α·255/256 + 1/256.
    #[test]
    fn alpha_decays_between_cnps() {
        let mut flow = flow(DcqcnConfig::paper());
        cnp(&mut flow, us(10));
        pass_time(&mut flow, us(199));
        flow.rate = Rate::from_gbps(40);
        cnp(&mut flow, us(200));
        let alpha = (1.0 - GAIN).powi(3);
        assert_eq!(flow.rate, scaled(Rate::from_gbps(40), 1.0 - alpha / 2.0));
        close(flow.alpha, (1.0 - GAIN) * alpha + GAIN);
    }

    /// A CNP at the very end of the α timer's period restarts it.
    #[test]
    fn a_cnp_restarts_the_alpha_timer() {
        let mut flow = flow(DcqcnConfig::paper());
        cnp(&mut flow, us(10));
        cnp(&mut flow, us(65));
        close(flow.alpha, 1.0);
        flow.update_alpha(us(120));
        close(flow.alpha, 1.0);
        flow.update_alpha(us(120) + Time::from_ps(1));
        close(flow.alpha, 1.0 - GAIN);
    }

    /// F = 5 halvings by the timer alone, at 65, 120, … µs: 75, 87.5, 93.75, 96.875, 98.4375 Gb/s.
    #[test]
    fn fast_recovery_takes_five_halves() {
        let mut flow = flow(DcqcnConfig::paper());
        cnp(&mut flow, us(10));
        pass_time(&mut flow, us(10 + 5 * 55));
        assert_eq!(flow.rate.as_bps(), 98_437_500_000);
        assert_eq!((flow.time_stage, flow.byte_stage), (5, 0));
    }

    /// R_T = 10 Gb/s. With T's stage 5 and B's below 5 the target rises by 40 Mb/s; with both at 5
    /// by 400 Mb/s; with both at 6, or 6 and 9, by 800 Mb/s.
    #[test]
    fn both_counters_decide_the_step() {
        let mut flow = flow(DcqcnConfig::paper());
        let cases = [
            ((4, 4), 0),
            ((5, 0), 40),
            ((0, 5), 40),
            ((9, 4), 40),
            ((5, 5), 400),
            ((6, 6), 800),
            ((6, 9), 800),
        ];
        for ((time, bytes), mbps) in cases {
            (flow.time_stage, flow.byte_stage) = (time, bytes);
            assert_eq!(flow.step(), Rate::from_mbps(mbps), "stages {time} {bytes}");
        }
    }

    /// 10 MB at 1048 B per packet: after the 9 542nd packet 10 000 016 B have been sent.
    #[test]
    fn bytes_sent_increase_the_rate_too() {
        let mut flow = flow(DcqcnConfig::paper());
        for _ in 0..20_000 {
            send(&mut flow, 1);
        }
        assert_eq!(
            flow.byte_stage, 0,
            "nothing to recover before the first decrease"
        );
        cnp(&mut flow, us(10));
        for _ in 0..9_541 {
            send(&mut flow, 1);
        }
        assert_eq!((flow.byte_stage, flow.rate), (0, Rate::from_gbps(50)));
        send(&mut flow, 1);
        assert_eq!((flow.byte_stage, flow.rate), (1, Rate::from_gbps(75)));
        assert_eq!(flow.sent, Bytes::new(9_542 * 1_048 - 10_000_000));
        cnp(&mut flow, us(20));
        assert_eq!((flow.byte_stage, flow.sent), (0, Bytes::ZERO));
    }
}
