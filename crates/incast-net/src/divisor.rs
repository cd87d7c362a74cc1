//! Division by a number that is known long before, as a multiplication.

/// A divisor.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Divisor {
    /// 2^(64 + shift) / divisor, rounded up.
    factor: u64,
    /// The largest for which the divisor is above two to this power.
    shift: u32,
}

impl Divisor {
    /// # Panics
    /// If `divisor` is below 2.
    pub(crate) fn new(divisor: u64) -> Self {
        let shift = (divisor - 1).ilog2();
        let factor = (1_u128 << (64 + shift)).div_ceil(u128::from(divisor));
        Self {
            factor: factor as u64,
            shift,
        }
    }

    /// `dividend` over the divisor, rounded down; the dividend is below 2^62.
    ///
    /// `factor` · divisor exceeds 2^(64 + `shift`) by e, less than the divisor, which is at most
    /// 2^(shift + 1). So the product is too large by dividend · e over the divisor and
    /// 2^(64 + `shift`), less than one part in the divisor: never enough to reach the next whole
    /// number.
    #[inline]
    pub(crate) fn divide(self, dividend: u64) -> u64 {
        debug_assert!(dividend < 1 << 62, "{dividend} is too large");
        let product = u128::from(dividend) * u128::from(self.factor);
        (product >> 64) as u64 >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let divisors = [2, 3, 7, 80, 128, 320, 1_000, 65_537, 999_999_999_989];
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
