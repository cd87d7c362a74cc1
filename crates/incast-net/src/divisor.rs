//! Division by a number that is known long before, as a multiplication.

/// A divisor.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Divisor {
    /// 2^(63 + shift) / divisor, rounded up, or one more.
    factor: u64,
    /// Its logarithm, rounded down.
    shift: u32,
}

impl Divisor {
    /// # Panics
    /// If `divisor` is zero.
    pub(crate) fn new(divisor: u64) -> Self {
        let shift = divisor.ilog2();
        let factor = (1_u128 << (63 + shift)) / u128::from(divisor) + 1;
        Self {
            factor: factor as u64,
            shift,
        }
    }

    /// `dividend` over the divisor, rounded down; the dividend is below 2^62.
    ///
    /// `factor` · divisor exceeds 2^(63 + `shift`) by e, at least 1 and at most the divisor,
    /// which is below 2^(shift + 1). So the product is too large by dividend · e over the
    /// divisor and 2^(63 + `shift`), less than one part in the divisor: never enough to reach
    /// the next whole number.
    #[inline]
    pub(crate) fn divide(self, dividend: u64) -> u64 {
        debug_assert!(dividend < 1 << 62, "{dividend} is too large");
        let product = u128::from(dividend) * u128::from(self.factor);
        (product >> 63) as u64 >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let divisors = [1, 2, 3, 7, 80, 128, 320, 1_000, 65_537, 999_999_999_989];
        for divisor in divisors {
            let quick = Divisor::new(divisor);
            let multiples = (0..62).map(|bit| (1_u64 << bit) / divisor * divisor);
            for multiple in multiples.filter(|&multiple| multiple > 0) {
                for dividend in [multiple - 1, multiple, multiple + 1] {
                    let expected = dividend / divisor;
                    assert_eq!(quick.divide(dividend), expected, "{dividend} / {divisor}");
                }
            }
            assert_eq!(quick.divide((1 << 62) - 1), ((1 << 62) - 1) / divisor);
        }
    }
}
