//! Mean and percentiles: one definition for all results.

use serde::{Deserialize, Serialize};

use super::values::{FlowValues, RankedValues};

/// Mean, percentiles and maximum of some values; all `None` if there are no values.
///
/// A percentile is one of the values: of n sorted values, percentile p is the value at index
/// min(n-1, ⌊n·p⌋), counted from 0. The HPCC artifact's analysis uses the same definition. p50 of
/// two values is the larger.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values there are.
    pub count: u64,
    /// Mean of the values.
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
    /// The late flows among them, if any. A percentile that late flows could raise without limit is
    /// `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
}

/// Late flows: those that ended after the last arrival. With continued arrivals, the values of
/// other flows would be the same, and late flows would have taken at least as long as they had by
/// then. Percentiles are bounded accordingly.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// Number of late flows.
    pub count: u64,
    /// Bounds of the median.
    pub p50: Bracket,
    /// Bounds of the 95th percentile.
    pub p95: Bracket,
    /// Bounds of the 99th percentile.
    pub p99: Bracket,
    /// Bounds of the 99.9th percentile.
    pub p999: Bracket,
}

/// Bounds of a percentile.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// The lower end.
    pub at_least: f64,
    /// The upper bound; `None` if there is none.
    pub at_most: Option<f64>,
}

/// A value of a late flow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct LateSample {
    /// The measured value; infinite if the flow had not completed.
    pub(super) value: f64,
    /// The value that the flow had reached at the last arrival.
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

    /// The distribution of values, with the values of late flows in addition.
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
    /// Bounds for late flows, in addition to the values of others.
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

    /// 1 to 10: p50 is at index 5, p95 at ⌊9.5⌋ = 9, and so are higher percentiles; mean 55 / 10.
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

    /// 1 to 200, of which 199 and 200 are late; at the last arrival they were 120 and 50. p99 is at
    /// index 198, a late value, so there is no upper bound. With lower bounds, the values are 1 to
    /// 198, 50 and 120: index 198 has 197. p95 at index 190 has at most 191, because late values
    /// are above it; and at least 189, because the two low values shift the others by two.
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

    /// 99 completed flows and an unfinished one: p50 is at index 50 of 100, with 51. Mean and count
    /// are over completed flows, 4950 / 99.
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
