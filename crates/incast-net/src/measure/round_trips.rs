//! How long packets and their ACKs took: a histogram, so that memory does not follow the packets
//! of a run, of integers, so that it does not matter which host counted first.

use incast_units::Time;

use super::Histogram;

/// Round trips of the packets of one traffic entry: from the first bit of a data packet leaving its
/// host to the arrival of its ACK there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundTrips {
    /// How often there was which, in whole nanoseconds, rounded down.
    pub ns: Histogram,
    /// How many in all.
    pub count: u64,
    /// The sum of all round trips, in picoseconds.
    pub sum_ps: u128,
    /// The shortest; 0 if there are none.
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

    /// Adds what other hosts have counted.
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
