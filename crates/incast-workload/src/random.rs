//! Random streams: one for each traffic entry, host and purpose.
//!
//! What one host does must not depend on what another one draws, so no stream is shared. The
//! generator is xoshiro256++ (Blackman and Vigna, 2018): portable, fast, and small enough that
//! a thousand hosts' streams stay in the cache. Its 256 bits of state are the first four outputs
//! of SplitMix64 (Steele, Lea and Flood, 2014) started from a key, and
//!
//! ```text
//! key ← 0;  for word in [seed, tag, purpose, host]:  key ← mix(key xor word)
//! mix(z) = SplitMix64's output function of z + 0x9e3779b97f4a7c15
//! ```
//!
//! Only raw 64-bit outputs are taken from the library; what is made of them is written here, so
//! that no release of a library changes a result.

use incast_units::HostId;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a stream is drawn for. The numbers are part of the derivation: never reuse one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Gaps between arrivals.
    Gap = 1,
    /// Where a flow goes.
    Destination = 2,
    /// How large a flow is.
    Size = 3,
    /// How late a flow of a burst starts.
    Jitter = 4,
    /// Which hosts take part.
    Choice = 5,
}

/// Where all streams of one traffic entry come from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Streams {
    /// The seed of the run.
    pub(crate) seed: u64,
    /// Which `[[traffic]]` entry.
    pub(crate) tag: u16,
}

impl Streams {
    /// The stream of `host` for `purpose`.
    pub(crate) fn of(&self, host: HostId, purpose: Purpose) -> Stream {
        let words = [self.seed, self.tag.into(), purpose as u64, host.0.into()];
        let key = words.iter().fold(0, |key, word| mix(key ^ word));
        Stream::from_key(key)
    }

    /// The stream for what concerns the entry as a whole; no host has this number.
    pub(crate) fn of_entry(&self, purpose: Purpose) -> Stream {
        self.of(HostId(u32::MAX), purpose)
    }
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Stream(Xoshiro256PlusPlus);

impl Stream {
    fn from_key(key: u64) -> Self {
        let mut state = [0; 32];
        for (index, word) in state.chunks_exact_mut(8).enumerate() {
            let nth = key.wrapping_add(GOLDEN_GAMMA.wrapping_mul(index as u64));
            word.copy_from_slice(&mix(nth).to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in 0..n: the high word of a product. A number's chance is off by less than
    /// 2^-64, one in a billion of what a run could notice.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Exponentially distributed with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Every order is equally likely (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.choose_first(items.len(), items);
    }

    /// Moves `chosen` of the items, picked at random and in random order, to the front.
    pub(crate) fn choose_first<T>(&mut self, chosen: usize, items: &mut [T]) {
        for index in 0..chosen {
            let rest = (items.len() - index) as u64;
            items.swap(index, index + self.below(rest) as usize);
        }
    }
}

/// SplitMix64's output for the state that follows `z`.
const fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(GOLDEN_GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
