//! Random streams, each the property of one entity and one purpose.
//!
//! No stream is shared, so no result depends on the order in which nodes are taken. The
//! generator is xoshiro256++, seeded by SplitMix64 from (seed, entity, purpose).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a stream is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Marking at a switch.
    Marking = 1,
    /// Random gaps between packets at a NIC.
    Pacing = 2,
    /// Losses on a link.
    LinkError = 3,
    /// An algorithm's own choices.
    Algorithm = 4,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// The stream of `entity` for `purpose` in the run with this `seed`.
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Self {
        let state = mix(mix(seed ^ mix(entity)) ^ purpose as u64);
        Self(Xoshiro256PlusPlus::seed_from_u64(state))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }
}

/// SplitMix64's finaliser: every bit of the input changes every bit of the output.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, entity: u64, purpose: Purpose) -> f64 {
        RandomStream::new(seed, entity, purpose).uniform()
    }

    #[test]
    fn streams_repeat_and_differ() {
        let base = first(1, 2, Purpose::Marking);
        assert_eq!(base, first(1, 2, Purpose::Marking));
        assert_ne!(base, first(2, 2, Purpose::Marking));
        assert_ne!(base, first(1, 3, Purpose::Marking));
        assert_ne!(base, first(1, 2, Purpose::Pacing));
    }

    /// SplitMix64 from state 0 begins 0xe220a8397b1dcdaf (Steele et al., 2014).
    #[test]
    fn mix_is_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }
}
