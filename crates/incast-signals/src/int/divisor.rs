//! Division by a divisor that is known in advance, done by a multiplication.

/// A divisor.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Divisor {
    /// 2^64 / divisor, rounded up.
    factor: u64,
}

impl Divisor {
    /// # Panics
    /// If `divisor` is below 2.
    pub(crate) fn new(divisor: u64) -> Self {
        assert!(divisor > 1, "a divisor of {divisor}");
        Self {
            factor: u64::MAX / divisor + 1,
        }
    }

    /// `dividend` over the divisor, rounded down. The dividend must be below 2^64 over the divisor.
    ///
    /// `factor` · divisor exceeds 2^64 by at most the divisor. So the product exceeds the exact
    /// quotient by at most dividend over 2^64. This error is below one part in the divisor, too
    /// small to reach the next whole number.
    #[inline]
    pub(crate) fn divide(self, dividend: u64) -> u64 {
        debug_assert!(dividend < self.factor, "{dividend} is too large");
        let product = u128::from(dividend) * u128::from(self.factor);
        (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        for divisor in [2, 3, 7, 80, 128, 320, 1_000, 65_537, 999_999_999_989] {
            let quick = Divisor::new(divisor);
            let bits = u64::MAX.ilog2() - divisor.ilog2();
            let multiples = (0..bits).map(|bit| (1_u64 << bit) / divisor * divisor);
            for multiple in multiples.filter(|&multiple| multiple > 0) {
                for dividend in [multiple - 1, multiple, multiple + 1] {
                    let expected = dividend / divisor;
                    assert_eq!(quick.divide(dividend), expected, "{dividend} / {divisor}");
                }
            }
            let largest = u64::MAX / divisor - 1;
            assert_eq!(quick.divide(largest), largest / divisor);
        }
    }
}
