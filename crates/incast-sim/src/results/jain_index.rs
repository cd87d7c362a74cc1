//! Jain's index: how equally flows share the network, over time.

use incast_net::{MeasuringWindow, Tick};
use incast_units::Time;
use serde::{Deserialize, Serialize};

use super::arrivals::FlowArrivals;
use super::distribution::Distribution;

/// The Jain index from which on sharing counts as fair.
const FAIR: f64 = 0.95;

/// Jain's index over a run. Only samples count at which at least two flows have been under way
/// since the sample before, because a lone flow is always fair.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// Mean over the counted samples in the measuring window.
    pub mean: f64,
    /// The least counted sample in the measuring window.
    pub min: f64,
    /// The last counted sample in the measuring window.
    pub r#final: f64,
    /// Time from the last arrival until the index reaches 0.95 and stays there up to the last
    /// sample; `None` if it never does.
    pub time_to_095_ps: Option<u64>,
    /// The index after each arrival.
    pub after_arrivals: Settling,
}

/// The time from each arrival until sharing was fair again, and stayed fair up to the next arrival.
///
/// An arrival counts only if the whole interval of some counted sample lies between it and the next
/// arrival.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settling {
    /// Number of counted arrivals; flows that arrive at one time are one arrival.
    pub arrivals: u64,
    /// Number of arrivals after which the index reached 0.95, and stayed there up to the last
    /// sample before the next arrival.
    pub settled: u64,
    /// Of settled arrivals: the time from the arrival to the first sample that stayed fair, in ps.
    pub time_to_095_ps: Distribution,
}

impl Fairness {
    /// From the samples of a run whose flows started at `arrivals`; `None` if no two flows were
    /// ever under way together. Each sample covers the `interval` before it, also in a thinned
    /// series.
    pub(crate) fn of(
        ticks: &[Tick],
        interval: Time,
        arrivals: &FlowArrivals,
        window: MeasuringWindow,
    ) -> Option<Self> {
        let shared = ticks.iter().filter(|tick| tick.whole >= 2);
        let indices: Vec<(Time, f64)> = shared
            .filter_map(|tick| Some((tick.time, jain_index(tick)?)))
            .collect();
        let last_arrival = arrivals.last();
        let measured: Vec<f64> = indices
            .iter()
            .filter(|(time, _)| window.contains(*time))
            .map(|(_, index)| *index)
            .collect();
        let values = || measured.iter().copied();
        Some(Self {
            mean: values().sum::<f64>() / measured.len() as f64,
            min: values().min_by(f64::total_cmp)?,
            r#final: values().next_back()?,
            time_to_095_ps: fair_from(&indices, last_arrival)
                .map(|time| time.saturating_sub(last_arrival).as_ps()),
            after_arrivals: Settling::of(&indices, interval, arrivals),
        })
    }
}

impl Settling {
    fn of(indices: &[(Time, f64)], interval: Time, arrivals: &FlowArrivals) -> Self {
        let (mut judged, mut times) = (0, Vec::new());
        let mut rest = indices;
        for (arrival, next) in arrivals.followed() {
            let next = next.unwrap_or(Time::MAX);
            let begin = rest.partition_point(|(time, _)| *time < arrival + interval);
            rest = &rest[begin..];
            let count = rest.partition_point(|(time, _)| *time <= next);
            let (after, _) = rest.split_at(count);
            judged += u64::from(!after.is_empty());
            times.extend(fair_from(after, arrival).map(|time| (time - arrival).as_ps() as f64));
        }
        Self {
            arrivals: judged,
            settled: times.len() as u64,
            time_to_095_ps: Distribution::of(times),
        }
    }
}

/// Jain's index of the bytes acknowledged since the sample before, (Σx)² / (n·Σx²): 1 if all flows
/// got the same, 1/n if one flow got everything; `None` if no flow got anything.
///
/// x is a flow's payload acknowledged, n the number of flows under way all that time.
pub(crate) fn jain_index(tick: &Tick) -> Option<f64> {
    let square_of_sum = u128::from(tick.acked_sum).pow(2);
    let sum_of_squares = u128::from(tick.whole) * tick.acked_square_sum;
    (sum_of_squares > 0).then(|| square_of_sum as f64 / sum_of_squares as f64)
}

/// The first sample after the last arrival from which on sharing stays fair.
fn fair_from(indices: &[(Time, f64)], last_arrival: Time) -> Option<Time> {
    let settled = indices
        .iter()
        .rev()
        .take_while(|(time, _)| *time > last_arrival);
    settled
        .take_while(|(_, index)| *index >= FAIR)
        .last()
        .map(|(time, _)| *time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample at `us` with these bytes of flows.
    fn tick(us: u64, acked: &[u64]) -> Tick {
        Tick {
            time: Time::from_us(us),
            alive: acked.len() as u64,
            whole: acked.len() as u64,
            acked: acked.iter().sum(),
            acked_sum: acked.iter().sum(),
            acked_square_sum: acked.iter().map(|x| u128::from(x * x)).sum(),
            ..Tick::default()
        }
    }

    fn of(ticks: &[Tick], arrivals: &[Time]) -> Option<Fairness> {
        let interval = ticks.get(1)?.time - ticks[0].time;
        let arrivals = FlowArrivals::of(interval, arrivals.iter().copied());
        Fairness::of(ticks, interval, &arrivals, MeasuringWindow::WHOLE)
    }

    /// (1 + 3)² / (2 · (1 + 9)) = 16 / 20.
    #[test]
    fn jains_index_by_hand() {
        assert_eq!(jain_index(&tick(1, &[1000, 3000])), Some(0.8));
        assert_eq!(jain_index(&tick(1, &[7, 7, 7])), Some(1.0));
        assert_eq!(jain_index(&tick(1, &[0, 0, 9])), Some(1.0 / 3.0));
        assert_eq!(jain_index(&tick(1, &[0, 0])), None);
    }

    /// Indices 0.8 (1 µs), 1 (2 µs), 0.8, 1, 1 (5 µs); the last flow arrived at 1.5 µs. Sharing
    /// stays fair from 4 µs on, 2.5 µs after.
    #[test]
    fn a_relapse_counts() {
        let (fair, unfair) = (&[5, 5][..], &[1, 3][..]);
        let ticks = [(1, unfair), (2, fair), (3, unfair), (4, fair), (5, fair)];
        let ticks = ticks.map(|(us, acked)| tick(us, acked));
        let fairness = of(&ticks, &[Time::from_ns(1_500)]).expect("two flows");
        assert_eq!(fairness.mean, (0.8 + 1.0 + 0.8 + 1.0 + 1.0) / 5.0);
        assert_eq!((fairness.min, fairness.r#final), (0.8, 1.0));
        assert_eq!(fairness.time_to_095_ps, Some(2_500_000));
    }

    /// Indices 0.8, 1, 0.8, 1 at 1 to 4 µs; in the window from 2 to 3 µs they are 1 and 0.8. The
    /// time at which sharing became fair does not depend on the window.
    #[test]
    fn means_are_over_the_measuring_window() {
        let ticks = [(1, &[1, 3]), (2, &[5, 5]), (3, &[1, 3]), (4, &[5, 5])];
        let ticks = ticks.map(|(us, acked)| tick(us, acked));
        let window = MeasuringWindow {
            from: Time::from_us(2),
            until: Time::from_us(3),
        };
        let interval = Time::from_us(1);
        let arrivals = FlowArrivals::of(interval, [Time::ZERO]);
        let fairness = Fairness::of(&ticks, interval, &arrivals, window).expect("two flows");
        assert_eq!((fairness.mean, fairness.min), (0.9, 0.8));
        assert_eq!(fairness.r#final, 0.8);
        assert_eq!(fairness.time_to_095_ps, Some(4_000_000));
    }

    /// Samples every 10 µs from 10 to 80: fair, unfair, fair, unfair, fair, fair, unfair, fair.
    ///
    /// - Arrival at 5: samples from 15 to 28, which is only 20, unfair.
    /// - At 28: samples from 38 to 65; 40 is unfair, 50 and 60 are fair: 50 - 28 = 22 µs.
    /// - At 65: samples from 75 to 84: 80 is fair: 15 µs.
    /// - At 84, the last: no sample from 94 on, not judged.
    #[test]
    fn each_arrival_is_judged_up_to_the_next() {
        let (fair, unfair) = (&[5, 5][..], &[1, 3][..]);
        let ticks = [fair, unfair, fair, unfair, fair, fair, unfair, fair];
        let times = (1..).map(|place| 10 * place);
        let ticks: Vec<_> = times
            .zip(ticks)
            .map(|(us, acked)| tick(us, acked))
            .collect();
        let arrivals = [5, 28, 65, 84].map(Time::from_us);
        let settling = of(&ticks, &arrivals).expect("two flows").after_arrivals;
        assert_eq!((settling.arrivals, settling.settled), (3, 2));
        let times = settling.time_to_095_ps;
        assert_eq!(
            (times.count, times.mean, times.max),
            (2, Some(18.5e6), Some(22e6))
        );
    }

    /// Arrivals closer together than samples cannot be judged separately.
    #[test]
    fn arrivals_in_a_row_are_not_judged() {
        let ticks: Vec<_> = (1..9).map(|place| tick(10 * place, &[5, 5])).collect();
        let arrivals: Vec<_> = (0..80).map(Time::from_us).collect();
        let settling = of(&ticks, &arrivals).expect("two flows").after_arrivals;
        assert_eq!((settling.arrivals, settling.settled), (0, 0));
        assert_eq!(settling.time_to_095_ps.mean, None);
    }

    #[test]
    fn unfair_to_the_end() {
        let ticks = [tick(1, &[5, 5]), tick(2, &[1, 3])];
        let fairness = of(&ticks, &[Time::ZERO]).expect("two flows");
        assert_eq!(fairness.time_to_095_ps, None);
    }

    /// A sample at the time of the last arrival covers the time before it.
    #[test]
    fn the_tick_of_an_arrival_is_not_settled() {
        let indices = [10, 20].map(|us| (Time::from_us(us), 1.0));
        assert_eq!(
            fair_from(&indices, Time::from_us(10)),
            Some(Time::from_us(20))
        );
        assert_eq!(fair_from(&indices[..1], Time::from_us(10)), None);
    }

    #[test]
    fn one_flow_alone_says_nothing() {
        assert_eq!(of(&[tick(1, &[5]), tick(2, &[])], &[Time::ZERO]), None);
    }
}
