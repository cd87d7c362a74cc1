//! Mean and percentiles, defined once.

use serde::{Deserialize, Serialize};

use super::values::{FlowValues, RankedValues};

/// Mean, percentiles and maximum of some values; all `None` if there are no values.
///
/// Percentiles are values that occurred: of n sorted values, percentile p is the one at index
/// min(n-1, ⌊n·p⌋), counted from 0. That is how the HPCC artifact's analysis counts, so that
/// tables compare; p50 of two values is the larger one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values there are.
    pub count: u64,
    /// Their mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
    /// Flows among them that ended after arrivals did, if there are any. A percentile that they
    /// could move without limit is `None` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
}

/// Flows that ended after arrivals did, and the percentiles if arrivals had gone on: those of all
/// others would be as they are, and these would have taken longer than they had by then.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// How many they are.
    pub count: u64,
    /// Between which values the median lies,
    pub p50: Bracket,
    /// the 95th percentile,
    pub p95: Bracket,
    /// the 99th,
    pub p99: Bracket,
    /// and the 99.9th.
    pub p999: Bracket,
}

/// Between which values a percentile lies.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// The lower end.
    pub at_least: f64,
    /// The upper end; none if it may be any value above.
    pub at_most: Option<f64>,
}

/// A value of a late flow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct LateSample {
    /// The value as measured; infinite if the flow had not completed.
    pub(super) value: f64,
    /// What it was when arrivals ended.
    pub(super) at_least: f64,
}

impl LateSample {
    /// The sample of a counted flow that had not completed.
    pub(super) fn unfinished(at_least: f64) -> Self {
        Self {
            value: f64::INFINITY,
            at_least,
        }
    }
}

impl Distribution {
    /// The distribution of these values, none of which may be NaN.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        Self::of_values(values.into_iter().collect(), &[])
    }

    /// The distribution of values, with those of late flows beside them.
    pub(super) fn of_values(values: FlowValues, late: &[LateSample]) -> Self {
        let told = Late::of(&values, late);
        let measured = values.ranked(late.iter().map(|sample| sample.value));
        let at = |permille, bracket: fn(&Late) -> Bracket| {
            let known = told
                .as_ref()
                .is_none_or(|late| bracket(late).at_most.is_some());
            measured.percentile(permille).filter(|_| known)
        };
        Self {
            count: measured.finite,
            mean: measured.mean(),
            p50: at(500, |late| late.p50),
            p95: at(950, |late| late.p95),
            p99: at(990, |late| late.p99),
            p999: at(999, |late| late.p999),
            max: measured.max(),
            late: told,
        }
    }
}

impl Late {
    /// Facts on late flows, beside the values of others.
    fn of(values: &FlowValues, late: &[LateSample]) -> Option<Self> {
        if late.is_empty() {
            return None;
        }
        let low = values
            .clone()
            .ranked(late.iter().map(|sample| sample.at_least));
        let high = values.clone().ranked(late.iter().map(|_| f64::INFINITY));
        let at = |permille| {
            let of = |ranked: &RankedValues| ranked.percentile(permille);
            Bracket {
                at_least: of(&low).expect("there are late flows"),
                at_most: of(&high).filter(|value| value.is_finite()),
            }
        };
        Some(Self {
            count: late.len() as u64,
            p50: at(500),
            p95: at(950),
            p99: at(990),
            p999: at(999),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 to 10: p50 is at index 5, p95 at ⌊9.5⌋ = 9, so are the others; mean 55 / 10.
    #[test]
    fn ten_values() {
        let ten = Distribution::of((1..=10).rev().map(f64::from));
        assert_eq!((ten.count, ten.mean, ten.p50), (10, Some(5.5), Some(6.0)));
        assert_eq!([ten.p95, ten.p99, ten.p999, ten.max], [Some(10.0); 4]);
    }

    /// 0 to 999: p99.9 is at index 999, p99 at 990.
    #[test]
    fn a_thousand_values() {
        let thousand = Distribution::of((0..1000).map(f64::from));
        assert_eq!(
            [thousand.p95, thousand.p99, thousand.p999],
            [950.0, 990.0, 999.0].map(Some)
        );
    }

    /// 1 to 200, of which 199 and 200 are late; when arrivals ended they were 120 and 50. p99 is at
    /// index 198, which is late: any value above is possible. From below the values are 1 to 198,
    /// 50, 120: index 198 has 197. p95 at index 190 has 191: at most that, for the late ones
    /// are above; at least 189, for two of the 198 others move up.
    #[test]
    fn late_values_hide_the_percentiles_that_they_could_move() {
        let late = |value: u32| match value {
            199 => Some(120.0),
            200 => Some(50.0),
            _ => None,
        };
        let of = |values: std::ops::RangeInclusive<u32>| {
            let sample = |value: u32| {
                Some(LateSample {
                    value: value.into(),
                    at_least: late(value)?,
                })
            };
            let of_late: Vec<_> = values.clone().filter_map(sample).collect();
            let others = values.filter(|value| late(*value).is_none());
            let others: FlowValues = others.map(f64::from).collect();
            Distribution::of_values(others, &of_late)
        };
        let found = of(1..=200);
        let told = found.late.expect("two of them are late");
        assert_eq!((found.count, told.count), (200, 2));
        assert_eq!(
            [found.p95, found.p99, found.p999],
            [Some(191.0), None, None]
        );
        let bracket = |at_least, at_most| Bracket { at_least, at_most };
        assert_eq!(told.p99, bracket(197.0, None));
        assert_eq!(told.p95, bracket(189.0, Some(191.0)));
        assert_eq!(found.max, Some(200.0));
        assert_eq!(of(1..=198).late, None);
    }

    /// 99 completed and one that had not: p50 is at index 50 of 100, with 51; mean and count are
    /// over those that completed, 4950 / 99.
    #[test]
    fn unfinished_flows_are_the_slowest() {
        let completed: FlowValues = (1..100).map(f64::from).collect();
        let found = Distribution::of_values(completed, &[LateSample::unfinished(1.0)]);
        assert_eq!((found.count, found.mean), (99, Some(50.0)));
        assert_eq!(
            (found.p50, found.p99, found.max),
            (Some(51.0), None, Some(99.0))
        );
    }

    #[test]
    fn no_values() {
        assert_eq!(Distribution::of([]), Distribution::default());
    }
}
