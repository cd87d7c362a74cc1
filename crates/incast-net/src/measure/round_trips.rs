//! Round trips of packets and their ACKs: a histogram, in memory that does not grow with the number
//! of packets. Counts are integers, so the order of hosts does not matter.

use incast_units::Time;

use super::Histogram;

/// Round trips of the packets of one traffic entry: from the first bit of a data packet leaving its
/// host to the arrival of its ACK there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundTrips {
    /// Frequencies of round trips, in whole nanoseconds, rounded down.
    pub ns: Histogram,
    /// Number of round trips.
    pub count: u64,
    /// The sum of all round trips, in picoseconds.
    pub sum_ps: u128,
    /// The shortest round trip; 0 if there is none.
    pub min: Time,
    /// The longest.
    pub max: Time,
}

impl RoundTrips {
    #[inline]
    pub(crate) fn count(&mut self, rtt: Time) {
        self.ns.add(rtt.as_ps() / 1_000, 1);
        self.min = if self.count == 0 {
            rtt
        } else {
            self.min.min(rtt)
        };
        self.max = self.max.max(rtt);
        self.count += 1;
        self.sum_ps += u128::from(rtt.as_ps());
    }

    /// Adds the round trips of other hosts.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.ns.merge(&other.ns);
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
        assert_eq!(trips.ns, Histogram::from_iter([1, 2, 3]));
    }
}
