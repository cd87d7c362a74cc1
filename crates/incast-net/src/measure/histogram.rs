//! Frequencies of values: counts by bin, in memory that does not grow with the number of values.
//! Counts are integers, so the order of counting does not matter.

use std::ops::Range;

const BITS: u32 = 9;
const PER_DOUBLING: u64 = 1 << BITS;

/// Counts of values by bin: one bin for each value below 512, and 512 bins for each doubling above.
/// The edges of a bin are at most 0.2 % apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Counts by bin; empty bins at the end are left out.
    counts: Vec<u64>,
}

impl Histogram {
    /// Counts a value `times` times.
    #[inline]
    pub fn add(&mut self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        let bin = bin(value);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += times;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
    }

    /// Number of counted values.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The range and the count of each bin that is not empty.
    pub fn bins(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let bins = self.counts.iter().enumerate();
        bins.filter(|(_, count)| **count > 0)
            .map(|(bin, count)| (lower_edge(bin)..lower_edge(bin + 1), *count))
    }

    /// The bin of the value at `index` among all values in ascending order; `None` if there are
    /// fewer values.
    pub fn bin_at(&self, index: u64) -> Option<Range<u64>> {
        let mut counted = 0;
        self.bins()
            .find(|(_, count)| {
                counted += count;
                counted > index
            })
            .map(|(values, _)| values)
    }
}

/// Counts each once.
impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut histogram = Self::default();
        values.into_iter().for_each(|value| histogram.add(value, 1));
        histogram
    }
}

#[inline]
fn bin(value: u64) -> usize {
    if value < PER_DOUBLING {
        return value as usize;
    }
    let power = value.ilog2();
    let part = value >> (power - BITS) & (PER_DOUBLING - 1);
    (u64::from(power - BITS + 1) * PER_DOUBLING + part) as usize
}

/// The smallest value of a bin; `u64::MAX` for the bin after the last.
fn lower_edge(bin: usize) -> u64 {
    let (doubling, part) = (bin as u64 / PER_DOUBLING, bin as u64 % PER_DOUBLING);
    match doubling {
        0 => part,
        1..56 => (PER_DOUBLING + part) << (doubling - 1),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 000 = 2^17 + 68 928: power 17, bins 2^8 wide; 68 928 / 256 = 269.25. So the bin begins
    /// at 131 072 + 269 · 256 = 199 936.
    #[test]
    fn bins_hold_what_their_edges_say() {
        let bins = |values: &[u64]| Vec::from_iter(Histogram::from_iter(values.to_vec()).bins());
        assert_eq!(bins(&[200_000, 200_191]), [(199_936..200_192, 2)]);
        assert_eq!(
            bins(&[0, 511, 512]),
            [(0..1, 1), (511..512, 1), (512..513, 1)]
        );
        assert_eq!(bins(&[1024, 1025]), [(1024..1026, 2)]);
        assert_eq!(bins(&[u64::MAX])[0].0.end, u64::MAX);
        for number in 0..55 * 512 {
            assert_eq!(bin(lower_edge(number)), number);
        }
    }

    /// Values 7, 7 and 600: the bin at index 1 has the value 7, the bin at index 2 the value 600.
    #[test]
    fn values_are_found_by_their_index() {
        let mut histogram = Histogram::from_iter([600]);
        let mut other = Histogram::default();
        other.add(7, 2);
        other.add(9_000, 0);
        histogram.merge(&other);
        assert_eq!(histogram.total(), 3);
        assert_eq!(histogram.bin_at(1), Some(7..8));
        assert_eq!(histogram.bin_at(2), Some(600..601));
        assert_eq!(histogram.bin_at(3), None);
    }
}
