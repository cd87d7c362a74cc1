//! Values of flows, for percentiles: each value, or the number in each bin, so that memory does not
//! follow the number of flows.

use incast_net::Histogram;
use incast_units::percentile_index;

/// The largest relative error of percentiles of bins. A percentile is the upper end of its bin, but
/// never above the largest value.
pub(super) const LARGEST_ERROR: f64 = 1.0 / 512.0;

/// Values, none of which is NaN or infinite.
#[derive(Clone, Debug)]
pub(super) enum FlowValues {
    Each {
        all: Vec<f64>,
        /// The factor by which values are multiplied in bins, as in [`BinnedValues`].
        parts: f64,
    },
    InBins(BinnedValues),
}

/// Values of which only bins are kept, with their exact sum, count and maximum.
#[derive(Clone, Debug)]
pub(super) struct BinnedValues {
    /// Values are multiplied by this number and rounded to integers.
    parts: f64,
    bins: Histogram,
    count: u64,
    sum: f64,
    max: f64,
}

/// Parts of a ratio that count as integers: from 1/8 on, bins are as narrow, relatively, as those
/// of large numbers.
const PARTS_OF_RATIO: f64 = 4096.0;

impl FlowValues {
    /// For ratios, such as slowdowns.
    pub(super) fn ratios() -> Self {
        Self::new(PARTS_OF_RATIO)
    }

    /// For integers, such as picoseconds.
    pub(super) fn whole_numbers() -> Self {
        Self::new(1.0)
    }

    fn new(parts: f64) -> Self {
        let all = Vec::new();
        Self::Each { all, parts }
    }

    pub(super) fn push(&mut self, value: f64) {
        match self {
            Self::Each { all, .. } => all.push(value),
            Self::InBins(binned) => binned.push(value),
        }
    }

    /// Keeps only bins from now on.
    pub(super) fn fold(&mut self) {
        if let Self::Each { all, parts } = self {
            let mut binned = BinnedValues::new(*parts);
            all.iter().for_each(|value| binned.push(*value));
            *self = Self::InBins(binned);
        }
    }

    /// Adds other values, which must be kept in the same form.
    pub(super) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Each { all, .. }, Self::Each { all: others, .. }) => all.extend(others),
            (Self::InBins(binned), Self::InBins(other)) => {
                binned.bins.merge(&other.bins);
                binned.count += other.count;
                binned.sum += other.sum;
                binned.max = binned.max.max(other.max);
            }
            _ => unreachable!("a run keeps the same of all numbers"),
        }
    }

    /// The values in ascending order, together with others that may be infinite.
    pub(super) fn ranked(self, others: impl IntoIterator<Item = f64>) -> RankedValues {
        match self {
            Self::Each { mut all, .. } => {
                all.extend(others);
                all.sort_unstable_by(f64::total_cmp);
                RankedValues::each(all)
            }
            Self::InBins(binned) => binned.ranked(others),
        }
    }
}

/// Each of them.
impl FromIterator<f64> for FlowValues {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let all = values.into_iter().collect();
        Self::Each { all, parts: 1.0 }
    }
}

impl BinnedValues {
    fn new(parts: f64) -> Self {
        Self {
            parts,
            bins: Histogram::default(),
            count: 0,
            sum: 0.0,
            max: f64::NEG_INFINITY,
        }
    }

    fn push(&mut self, value: f64) {
        self.bins.add((value * self.parts) as u64, 1);
        self.count += 1;
        self.sum += value;
        self.max = self.max.max(value);
    }

    /// The value of each bin that is not empty, and its count.
    fn bins(&self) -> impl Iterator<Item = (f64, u64)> {
        let value = |end: u64| (end as f64 / self.parts).min(self.max);
        let bins = self.bins.bins();
        bins.map(move |(range, count)| (value(range.end), count))
    }

    fn ranked(&self, others: impl IntoIterator<Item = f64>) -> RankedValues {
        let others: Vec<f64> = others.into_iter().collect();
        let finite = || others.iter().copied().filter(|value| value.is_finite());
        let mut all: Vec<_> = self.bins().collect();
        all.extend(others.iter().map(|value| (*value, 1)));
        all.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut counted = 0;
        let ends = all.iter().map(|(_, count)| {
            counted += count;
            counted
        });
        RankedValues {
            ends: ends.collect(),
            values: all.iter().map(|(value, _)| *value).collect(),
            finite: self.count + finite().count() as u64,
            sum: self.sum + finite().sum::<f64>(),
            max: finite().fold(self.max, f64::max),
        }
    }
}

/// Values in ascending order, for percentiles.
pub(super) struct RankedValues {
    values: Vec<f64>,
    /// Number of values up to and including each; empty if every value occurs once.
    ends: Vec<u64>,
    /// Number, sum and maximum of the finite values.
    pub(super) finite: u64,
    sum: f64,
    max: f64,
}

impl RankedValues {
    fn each(values: Vec<f64>) -> Self {
        let finite = values.partition_point(|value| value.is_finite());
        Self {
            ends: Vec::new(),
            finite: finite as u64,
            sum: values[..finite].iter().sum(),
            max: values[..finite].last().copied().unwrap_or_default(),
            values,
        }
    }

    /// The value at index min(n - 1, ⌊n·p⌋) of n values.
    pub(super) fn percentile(&self, permille: u64) -> Option<f64> {
        let all = self
            .ends
            .last()
            .copied()
            .unwrap_or(self.values.len() as u64);
        let index = percentile_index(all, permille)?;
        let place = match self.ends.is_empty() {
            true => index as usize,
            false => self.ends.partition_point(|end| *end <= index),
        };
        Some(self.values[place])
    }

    /// Distinct values, each with its number of occurrences.
    pub(super) fn counts(&self) -> impl Iterator<Item = (f64, u64)> {
        let before = |place: usize| place.checked_sub(1).map_or(0, |before| self.ends[before]);
        let count = move |place| match self.ends.is_empty() {
            true => 1,
            false => self.ends[place] - before(place),
        };
        let values = self.values.iter().enumerate();
        values.map(move |(place, value)| (*value, count(place)))
    }

    /// The mean of the finite values.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.finite > 0).then(|| self.sum / self.finite as f64)
    }

    /// The largest of the finite values.
    pub(super) fn max(&self) -> Option<f64> {
        (self.finite > 0).then_some(self.max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn each(new: fn() -> FlowValues, numbers: &[f64]) -> FlowValues {
        let mut values = new();
        numbers.iter().for_each(|number| values.push(*number));
        values
    }

    fn binned(new: fn() -> FlowValues, numbers: &[f64]) -> FlowValues {
        let mut values = each(new, numbers);
        values.fold();
        values
    }

    /// The percentiles of bins are at least the true ones, and too high by at most the error. Count
    /// and maximum are the same, and so is the mean, up to rounding.
    fn check(new: fn() -> FlowValues, numbers: &[f64], others: &[f64]) {
        let exact = each(new, numbers).ranked(others.iter().copied());
        let binned = binned(new, numbers).ranked(others.iter().copied());
        for permille in [0, 500, 950, 990, 999, 1000] {
            let pair = exact.percentile(permille).zip(binned.percentile(permille));
            let Some((exact, binned)) = pair else {
                assert!(numbers.is_empty() && others.is_empty());
                continue;
            };
            let is_close = exact <= binned && binned <= exact * (1.0 + LARGEST_ERROR);
            assert!(is_close, "p{permille}: {binned} in bins, {exact} of each");
        }
        assert_eq!(binned.finite, exact.finite);
        assert_eq!(binned.max(), exact.max());
        let means = exact.mean().zip(binned.mean());
        assert!(means.is_none_or(|(one, other)| (one - other).abs() <= one * 1e-12));
    }

    proptest! {
        #[test]
        fn slowdowns_in_bins_are_close(
            numbers in prop::collection::vec(0.125_f64..5.0, 0..400),
            slow in prop::collection::vec(1.0_f64..1e6, 0..20),
            late in prop::collection::vec(1.0_f64..1e3, 0..5),
        ) {
            let all: Vec<f64> = numbers.into_iter().chain(slow).collect();
            check(FlowValues::ratios, &all, &late);
        }

        #[test]
        fn times_in_bins_are_close(numbers in prop::collection::vec(512_u64..1 << 50, 0..400)) {
            let all: Vec<f64> = numbers.into_iter().map(|ps| ps as f64).collect();
            check(FlowValues::whole_numbers, &all, &[f64::INFINITY]);
        }

        /// The result does not depend on how values are split, nor on when only bins are kept.
        #[test]
        fn merged_values_are_those_of_all(
            numbers in prop::collection::vec(1.0_f64..100.0, 1..200),
            cut in 0_usize..200,
        ) {
            let (one, other) = numbers.split_at(cut.min(numbers.len()));
            let mut merged = binned(FlowValues::ratios, one);
            merged.merge(&binned(FlowValues::ratios, other));
            let mut folded = binned(FlowValues::ratios, one);
            other.iter().for_each(|number| folded.push(*number));
            let all = binned(FlowValues::ratios, &numbers);
            let percentiles = |values: FlowValues| {
                let ranked = values.ranked([]);
                [500, 950, 990, 999].map(|permille| ranked.percentile(permille))
            };
            let expected = percentiles(all);
            prop_assert_eq!((percentiles(merged), percentiles(folded)), (expected, expected));
        }
    }

    /// 1.5 is 6144 parts, 1.5 times a power of two. With 512 bins for each doubling, its bin has 8
    /// parts and ends at 6152, which is 1.501953. If both values are 1.5, the result is the
    /// maximum, 1.5.
    #[test]
    fn a_percentile_is_the_end_of_its_bin_and_no_more_than_the_largest() {
        let of = |numbers: &[f64]| binned(FlowValues::ratios, numbers).ranked([]);
        assert_eq!(of(&[1.5, 1.5]).percentile(500), Some(1.5));
        assert_eq!(of(&[1.5, 1.5, 9.0]).percentile(500), Some(6152.0 / 4096.0));
        assert_eq!(of(&[]).percentile(500), None);
        assert_eq!((of(&[]).mean(), of(&[]).max()), (None, None));
    }
}
