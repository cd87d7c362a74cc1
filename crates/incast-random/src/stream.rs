//! A stream of random numbers and the distributions drawn from it.
//!
//! The generator is xoshiro256++ (Blackman and Vigna, 2018): portable, fast, and small enough that
//! a thousand hosts' streams stay in the cache. Its 256 bits of state are the first four outputs of
//! SplitMix64 started from a key. Each kind of stream derives its keys from the run's seed in its
//! own way.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::splitmix64::{SplitMix64, scaled};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    pub(crate) fn from_key(key: u64) -> Self {
        let mut words = SplitMix64::new(key);
        let mut state = [0; 32];
        for word in state.chunks_exact_mut(8) {
            word.copy_from_slice(&words.next_u64().to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Uniform among all 64-bit numbers.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in 0 … `bound` − 1; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        scaled(self.next_u64(), bound)
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.uniform())
    }

    /// Every order is equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.choose_first(items.len(), items);
    }

    /// Moves `chosen` random items to the front, in random order.
    pub fn choose_first<T>(&mut self, chosen: usize, items: &mut [T]) {
        for index in 0..chosen {
            let rest = (items.len() - index) as u64;
            items.swap(index, index + self.below(rest) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library fills the generator's state as this module describes.
    #[test]
    fn the_state_is_filled_by_splitmix64() {
        for key in [0, 1, 0x4e87_091c_ff8c_15f0] {
            let library = Xoshiro256PlusPlus::seed_from_u64(key).next_u64();
            assert_eq!(RandomStream::from_key(key).next_u64(), library);
        }
    }

    /// The mean of 40 000 exponential numbers of mean 1 has a standard deviation of 1/√40000 =
    /// 0.005; five are 0.025. For uniform numbers the standard deviation is 0.2887/200 = 0.00144;
    /// five are 0.0072.
    #[test]
    fn means_are_right() {
        let mut stream = RandomStream::from_key(1);
        let mut mean = |draw: fn(&mut RandomStream) -> f64| {
            (0..40_000).map(|_| draw(&mut stream)).sum::<f64>() / 40_000.0
        };
        assert!((mean(RandomStream::exponential) - 1.0).abs() < 0.025);
        assert!((mean(RandomStream::uniform) - 0.5).abs() < 0.0072);
    }

    /// 12 000 shuffles of 3 items give each of the 6 orders 2 000 times, with standard deviation
    /// √(12000 · 1/6 · 5/6) = 41; five are 204.
    #[test]
    fn every_order_is_equally_likely() {
        let mut stream = RandomStream::from_key(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..12_000 {
            let mut items = [0, 1, 2];
            stream.shuffle(&mut items);
            *counts.entry(items).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (count - 2_000).abs() < 204));
    }
}
