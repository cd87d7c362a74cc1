//! Bounded series: a series keeps the samples whose number, counted from 0, is a multiple of a
//! power of two. Whenever a series has too many rows, the power doubles.
//!
//! A series is thinned as little as its limit allows. So the final series depends on its samples
//! alone, and not on when or by which thread the excess was noticed. Only rows before the end of
//! the run count. Rows of several threads at the same time count once.

/// Largest number of rows of a series in results.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RowLimit(pub usize);

impl Default for RowLimit {
    /// Some 100 MB for a series and its table.
    fn default() -> Self {
        Self(4_000_000)
    }
}

/// Which samples of a series are kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thinning {
    doublings: u32,
}

impl Thinning {
    /// One of this many samples is kept.
    #[inline]
    pub fn stride(self) -> u64 {
        1 << self.doublings
    }

    /// Whether the sample with this number is kept.
    #[inline]
    pub fn keeps(self, index: u64) -> bool {
        index & (self.stride() - 1) == 0
    }

    /// The first number after `index` whose sample is kept.
    pub fn next_kept(self, index: u64) -> u64 {
        (index | (self.stride() - 1)) + 1
    }

    /// Keeps every second sample of the kept ones.
    pub fn doubled(self) -> Self {
        Self {
            doublings: self.doublings + 1,
        }
    }

    /// The first number from `index` on whose sample, or the next sample, is kept. A flow's
    /// progress is measured between these two.
    pub fn next_observed(self, index: u64) -> u64 {
        let last = self.stride() - 1;
        match index & last {
            0 => index,
            _ => index | last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After two doublings 0, 4 and 8 are kept, and 3 and 7 observed.
    #[test]
    fn kept_and_observed_samples() {
        let every = Thinning::default();
        assert!((0..9).all(|index| every.keeps(index) && every.next_observed(index) == index));
        let fourth = every.doubled().doubled();
        let kept: Vec<_> = (0..9).filter(|&index| fourth.keeps(index)).collect();
        assert_eq!(kept, [0, 4, 8]);
        let observed: Vec<_> = (0..9).map(|index| fourth.next_observed(index)).collect();
        assert_eq!(observed, [0, 3, 3, 3, 4, 7, 7, 7, 8]);
        let next: Vec<_> = (0..9).map(|index| fourth.next_kept(index)).collect();
        assert_eq!(next, [4, 4, 4, 4, 8, 8, 8, 8, 12]);
    }
}
