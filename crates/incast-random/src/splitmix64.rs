//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a mixing function, and a generator with a state
//! of eight bytes, for entities in large numbers.

pub(crate) const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output for the state after `value`. Every bit of the input affects every bit of the
/// output.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers with a state of 64 bits.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream that starts from `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform among all 64-bit numbers.
    pub fn next_u64(&mut self) -> u64 {
        let output = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        output
    }

    /// Uniform in 0 … `bound` − 1; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        scaled(self.next_u64(), bound)
    }
}

/// Maps 64 random bits to 0 … `bound` − 1: the high word of the product of `bits` and `bound`. Each
/// result's probability is off by less than 2⁻⁶⁴, a billionth of the error that a run could reveal.
pub(crate) fn scaled(bits: u64, bound: u64) -> u64 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From state 0 SplitMix64 gives 0xe220a8397b1dcdaf, then 0x6e789e6aa1b965f4. With a bound of
    /// 16 the result is the top four bits: 0xe, then 0x6.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut stream = SplitMix64::new(0);
        assert_eq!(stream.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(stream.next_u64(), 0x6e78_9e6a_a1b9_65f4);
        let mut stream = SplitMix64::new(0);
        assert_eq!((stream.below(16), stream.below(16)), (0xe, 0x6));
        assert_eq!(stream.below(0), 0);
    }

    /// `mix(seed)` is the generator's first output.
    #[test]
    fn mix_is_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GOLDEN_GAMMA), 0x6e78_9e6a_a1b9_65f4);
    }
}
