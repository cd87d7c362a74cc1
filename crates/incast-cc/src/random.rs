//! An algorithm's own random numbers, from its flow's seed: SplitMix64.

/// A stream of random numbers (Steele, Lea & Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct RandomStream(u64);

impl RandomStream {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform among all 64-bit numbers.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0 … `bound` − 1; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From state 0 SplitMix64 begins 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4. Of a bound of 16,
    /// what counts are the top four bits: 0xe, then 0x6.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut stream = RandomStream::new(0);
        assert_eq!(stream.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(stream.next(), 0x6e78_9e6a_a1b9_65f4);
        let mut stream = RandomStream::new(0);
        assert_eq!((stream.below(16), stream.below(16)), (0xe, 0x6));
        assert_eq!(stream.below(0), 0);
    }
}
