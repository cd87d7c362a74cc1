//! How long packets and their ACKs took: a histogram, so that memory does not follow the packets
//! of a run, of integers, so that it does not matter which host counted first.

use incast_units::Time;

/// Bins of the histogram: below 512 ns one for every nanosecond; above, 512 for every doubling, so
/// a bin's edges are at most 0.2 % apart.
#[derive(Copy, Clone, Debug)]
pub struct RttBin;

const BITS: u32 = 9;
const PER_DOUBLING: u64 = 1 << BITS;

impl RttBin {
    /// The bin of a round trip.
    #[inline]
    pub fn of(rtt: Time) -> usize {
        let ns = rtt.as_ps() / 1_000;
        if ns < PER_DOUBLING {
            return ns as usize;
        }
        let power = ns.ilog2();
        let part = ns >> (power - BITS) & (PER_DOUBLING - 1);
        (u64::from(power - BITS + 1) * PER_DOUBLING + part) as usize
    }

    /// The shortest round trip that falls into a bin.
    pub fn lower_edge(bin: usize) -> Time {
        let (doubling, part) = (bin as u64 / PER_DOUBLING, bin as u64 % PER_DOUBLING);
        Time::from_ns(match doubling {
            0 => part,
            _ => (PER_DOUBLING + part) << (doubling - 1),
        })
    }
}

/// Round trips of the packets of one traffic entry: from the first bit of a data packet leaving its
/// host to the arrival of its ACK there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundTrips {
    /// How many there were, by [`RttBin`]; bins at the end that would be empty are left out.
    pub bins: Vec<u64>,
    /// How many in all.
    pub count: u64,
    /// All of them together, in picoseconds.
    pub sum_ps: u128,
    /// The shortest; 0 if there are none.
    pub min: Time,
    /// The longest.
    pub max: Time,
}

impl RoundTrips {
    #[inline]
    pub(crate) fn count(&mut self, rtt: Time) {
        let bin = RttBin::of(rtt);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.min = if self.count == 0 {
            rtt
        } else {
            self.min.min(rtt)
        };
        self.max = self.max.max(rtt);
        self.count += 1;
        self.sum_ps += u128::from(rtt.as_ps());
    }

    /// Adds what other hosts have counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (sum, count) in self.bins.iter_mut().zip(&other.bins) {
            *sum += count;
        }
        self.min = match self.count {
            0 => other.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum_ps += other.sum_ps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 us = 200 000 ns = 2^17 + 68 928: power 17, bins of 2^8 ns; 68 928 / 256 = 269.25. So
    /// its bin begins at 131 072 + 269 · 256 = 199 936 ns.
    #[test]
    fn bins_hold_what_their_edges_say() {
        let bin = RttBin::of(Time::from_us(200));
        assert_eq!(RttBin::lower_edge(bin), Time::from_ns(199_936));
        assert_eq!(RttBin::lower_edge(bin + 1), Time::from_ns(200_192));
        for bin in 0..20 * 512 {
            assert_eq!(RttBin::of(RttBin::lower_edge(bin)), bin);
        }
        assert_eq!(RttBin::of(Time::from_ps(511_999)), 511);
    }

    #[test]
    fn sums_and_bounds_are_exact() {
        let mut trips = RoundTrips::default();
        for ps in [3_000, 1_500, 2_000] {
            trips.count(Time::from_ps(ps));
        }
        assert_eq!((trips.count, trips.sum_ps), (3, 6_500));
        assert_eq!(
            (trips.min, trips.max),
            (Time::from_ps(1_500), Time::from_ps(3_000))
        );
        assert_eq!(trips.bins, [0, 1, 1, 1]);
    }
}
