//! Mean and percentiles, defined once.

use serde::{Deserialize, Serialize};

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
}

impl Distribution {
    /// Of these values, none of which may be NaN.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len() as u64;
        let at = |permille| rank(count, permille).map(|index| sorted[index as usize]);
        Self {
            count,
            mean: mean(&sorted),
            p50: at(500),
            p95: at(950),
            p99: at(990),
            p999: at(999),
            max: sorted.last().copied(),
        }
    }
}

/// The index of a percentile, in thousandths, among `count` sorted values.
pub(crate) fn rank(count: u64, permille: u64) -> Option<u64> {
    let last = count.checked_sub(1)?;
    let index = u128::from(count) * u128::from(permille) / 1000;
    Some(last.min(index as u64))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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

    /// 0.57 · 100 is 56.99… in binary; thousandths are exact.
    #[test]
    fn ranks_are_exact() {
        assert_eq!(rank(100, 570), Some(57));
        assert_eq!(rank(1, 999), Some(0));
    }

    #[test]
    fn no_values() {
        assert_eq!(Distribution::of([]), Distribution::default());
    }
}
