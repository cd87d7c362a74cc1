//! The share of its link's rate that a receiver grants in an oversubscribed network: less while
//! packets are marked, or trimmed before their last hop. The equations are those of RCCC's page.
//!
//! Source: uet-htsim (commit 40ccb05), `oversubscribed_cc.cpp`. Periods follow each other from the
//! start of the run on. While nothing can change, no timer wakes the host: the periods of this time
//! are drawn when the next packet arrives.

use incast_random::{NetworkPurpose, RandomStream};
use incast_units::Time;

/// Mean length of a period, in base RTTs.
const PERIOD: f64 = 1.5;
/// Largest share of marked packets that does not decrease the rate.
const TARGET: f64 = 0.3;
/// Relative decrease of the rate per share of marked packets above the target.
const DECREASE: f64 = 0.5;
const INCREASE: f64 = 0.01;
/// Weight of a period in the average of marks.
const WEIGHT: f64 = 0.5;
/// Smallest granted share, times the oversubscription.
const LEAST: f64 = 0.9;
/// An average share of marks below this counts as zero.
const NO_MARKS: f64 = 1e-6;

/// The share of its link's rate that one receiver grants.
#[derive(Clone, Debug)]
pub(super) struct GrantedShare {
    base_rtt: Time,
    least: f64,
    random: RandomStream,
    /// End of the current period, or of the last one if periods have stopped.
    end: Time,
    has_stopped: bool,
    /// R.
    share: f64,
    /// g.
    marks: f64,
    /// k.
    increases: i32,
    arrived: PeriodCount,
}

/// Packets that have arrived in the current period.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct PeriodCount {
    packets: u32,
    marked: u32,
    /// Headers of trimmed packets, wherever they were trimmed.
    trimmed: u32,
    trimmed_before: u32,
}

/// A packet that arrives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum CountedArrival {
    Unmarked,
    Marked,
    /// The header of a packet that was trimmed at its last hop.
    TrimmedAtLastHop,
    TrimmedBefore,
}

impl GrantedShare {
    /// The share of one host, in a network of this oversubscription.
    pub(super) fn new(oversubscription: f64, base_rtt: Time, seed: u64, host: u32) -> Self {
        Self {
            base_rtt,
            least: (LEAST / oversubscription).clamp(0.01, 1.0),
            random: RandomStream::of_network(seed, host.into(), NetworkPurpose::CreditPeriods),
            end: Time::ZERO,
            has_stopped: true,
            share: 1.0,
            marks: 0.0,
            increases: 0,
            arrived: PeriodCount::default(),
        }
    }

    /// Time at which the share may change next; [`Time::MAX`] if it cannot.
    #[inline]
    pub(super) fn due(&self) -> Time {
        match self.has_stopped {
            true => Time::MAX,
            false => self.end,
        }
    }

    /// A packet arrives now.
    pub(super) fn count(&mut self, arrival: CountedArrival, now: Time) {
        let arrived = &mut self.arrived;
        arrived.packets += 1;
        match arrival {
            CountedArrival::Unmarked => {}
            CountedArrival::Marked => arrived.marked += 1,
            CountedArrival::TrimmedAtLastHop => arrived.trimmed += 1,
            CountedArrival::TrimmedBefore => {
                arrived.trimmed += 1;
                arrived.trimmed_before += 1;
            }
        }
        while self.has_stopped && self.end <= now {
            self.begin_period();
        }
        self.has_stopped = false;
    }

    /// Draws the length of the period after the last one.
    fn begin_period(&mut self) {
        let rtts = PERIOD * (0.75 + self.random.uniform() / 2.0);
        self.end += Time::from_ps((self.base_rtt.as_ps() as f64 * rtts) as u64);
    }

    /// Ends a period. Returns the share from now on.
    pub(super) fn end_period(&mut self) -> f64 {
        let arrived = std::mem::take(&mut self.arrived);
        self.change(arrived);
        let is_still = arrived == PeriodCount::default() && self.share == 1.0;
        self.has_stopped = is_still && self.marks < NO_MARKS;
        if self.has_stopped {
            self.marks = 0.0;
        } else {
            self.begin_period();
        }
        self.share
    }

    /// Applies equations (7) to (12) at the end of a period.
    fn change(&mut self, arrived: PeriodCount) {
        let whole = arrived.packets - arrived.trimmed;
        let marked = match whole {
            0 => 0.0,
            whole => f64::from(arrived.marked) / f64::from(whole),
        };
        let mut decreases = arrived.trimmed_before > 0;
        if decreases {
            self.share -= f64::from(arrived.trimmed_before) / f64::from(arrived.packets);
        }
        self.marks = self.marks * (1.0 - WEIGHT) + marked * WEIGHT;
        if self.marks > TARGET {
            self.share *= 1.0 - (self.marks - TARGET) * DECREASE;
            decreases = true;
        }
        if decreases {
            self.increases = 0;
        } else {
            self.share += match arrived.marked {
                0 => INCREASE * 2_f64.powi(self.increases),
                _ => INCREASE,
            };
            self.increases = (self.increases + 1).min(7);
        }
        self.share = self.share.max(self.least).min(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    fn share() -> GrantedShare {
        GrantedShare::new(4.0, US(10), 1, 7)
    }

    fn arrived(packets: u32, marked: u32, trimmed: u32, trimmed_before: u32) -> PeriodCount {
        PeriodCount {
            packets,
            marked,
            trimmed,
            trimmed_before,
        }
    }

    fn assert_is(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value}, {expected}");
    }

    /// 10 of 100 packets are trimmed, 5 of them before the last hop: R = 1 − 0.05. 45 of the other
    /// 90 packets are marked: g = 0.25. Then 10 of 10 are marked: g = 0.625 and R = 0.95 · (1 −
    /// 0.325/2) = 0.795625. Then none: g = 0.3125, R = 0.795625 · (1 − 0.0125/2) = 0.79065234375.
    #[test]
    fn trims_and_marks_take_from_the_share() {
        let mut share = share();
        share.change(arrived(100, 45, 10, 5));
        assert_is(share.share, 0.95);
        assert_is(share.marks, 0.25);
        share.change(arrived(10, 10, 0, 0));
        assert_is(share.share, 0.795_625);
        share.change(arrived(10, 0, 0, 0));
        assert_is(share.share, 0.790_652_343_75);
    }

    /// All packets are trimmed: R falls to 0.9/4. Without marks R rises by 0.01, 0.02, 0.04. With
    /// one mark of ten it rises by 0.01, but counts as the fourth period: then it rises by 0.16,
    /// and 0.32.
    #[test]
    fn the_share_rises_faster_and_faster() {
        let mut share = share();
        share.change(arrived(8, 0, 8, 8));
        assert_is(share.share, 0.225);
        let none = arrived(10, 0, 0, 0);
        for (arrived, expected) in [
            (none, 0.235),
            (none, 0.255),
            (none, 0.295),
            (arrived(10, 1, 0, 0), 0.305),
            (none, 0.465),
            (none, 0.785),
            (none, 1.0),
        ] {
            share.change(arrived);
            assert_is(share.share, expected);
        }
    }

    /// Periods take 1.125 to 1.875 base RTTs, the first one from 0 on. They stop when R is 1 and no
    /// mark is left. A later packet falls into the period in which it would be without the stop.
    #[test]
    fn it_stops_when_nothing_changes() {
        let mut share = share();
        assert_eq!(share.due(), Time::MAX);
        share.count(CountedArrival::TrimmedBefore, US(5));
        let mut begin = Time::ZERO;
        let mut periods = 0;
        while share.due() < Time::MAX {
            let length = share.due() - begin;
            assert!((Time::from_ns(11_250)..=Time::from_ns(18_750)).contains(&length));
            begin = share.due();
            share.end_period();
            periods += 1;
        }
        // 0.225 + 0.01 · (2⁷ − 1) > 1: one period for the header, seven to rise to 1.
        assert_eq!((periods, share.share), (8, 1.0));
        share.count(CountedArrival::Unmarked, US(900));
        assert!(US(900) < share.due() && share.due() < US(919));
    }

    /// A packet that is trimmed at its last hop does not lower the share, a marked packet does.
    #[test]
    fn arrivals_are_counted_by_kind() {
        let mut share = share();
        for arrival in [
            CountedArrival::Unmarked,
            CountedArrival::Marked,
            CountedArrival::TrimmedAtLastHop,
            CountedArrival::TrimmedBefore,
        ] {
            share.count(arrival, US(1));
        }
        assert_eq!(share.arrived, arrived(4, 1, 2, 1));
    }
}
