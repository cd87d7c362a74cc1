//! Random numbers as the reference simulator draws them, so that its recordings can be replayed.

use incast_random::RandomStream;

/// A source of uniform numbers of 31 bits. In a run, the random stream of the flow.
pub(super) trait RawDraws: Clone + Send + 'static {
    /// The next number, below 2³¹.
    fn draw(&mut self) -> u32;

    /// A number below `count`. The remainder favours small numbers by less than `count` in 2³¹.
    fn pick(&mut self, count: u32) -> u16 {
        (self.draw() % count) as u16
    }
}

impl RawDraws for RandomStream {
    fn draw(&mut self) -> u32 {
        (self.next_u64() >> 33) as u32
    }
}

#[cfg(test)]
mod tests {
    use incast_random::NetworkPurpose;

    use super::*;

    /// 8000 draws among 5 numbers: each is drawn 1600 times, give or take five standard deviations
    /// of √(8000·⅕·⅘) = 36, 179.
    #[test]
    fn numbers_are_uniform() {
        let mut draws = RandomStream::of_network(1, 2, NetworkPurpose::Entropy);
        let mut counts = [0_u32; 5];
        for _ in 0..8_000 {
            counts[usize::from(draws.pick(5))] += 1;
        }
        let is_even = |count: &u32| count.abs_diff(1_600) < 179;
        assert!(counts.iter().all(is_even), "{counts:?}");
    }
}
