//! Round trips of packets: a histogram and its figures for each traffic entry.

use arrow_array::types::{UInt16Type, UInt64Type};
use incast_net::RoundTrips;
use incast_units::percentile_index;
use serde::{Deserialize, Serialize};

use super::table::{Table, numbers};

/// Round trips of the packets of one traffic entry, in ps.
///
/// Mean, minimum and maximum are exact. A percentile (defined in
/// [`Distribution`](super::Distribution)) is the upper end of its bin, at most 0.2 % too high.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rtts {
    /// Number of the `[[traffic]]` entry.
    pub traffic: u64,
    /// Number of round trips.
    pub count: u64,
    /// Mean of the round trips.
    pub mean: f64,
    /// The shortest.
    pub min: u64,
    /// 1st percentile.
    pub p1: u64,
    /// The median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// The longest.
    pub max: u64,
}

impl Rtts {
    /// Figures of every entry with round trips.
    pub(crate) fn of(recorded: &[RoundTrips]) -> Vec<Self> {
        let numbered = (0_u64..).zip(recorded);
        numbered
            .filter(|(_, trips)| trips.count > 0)
            .map(|(traffic, trips)| Self::of_entry(traffic, trips))
            .collect()
    }

    fn of_entry(traffic: u64, trips: &RoundTrips) -> Self {
        let at = |permille| percentile(trips, permille);
        Self {
            traffic,
            count: trips.count,
            mean: trips.sum_ps as f64 / trips.count as f64,
            min: trips.min.as_ps(),
            p1: at(10),
            p50: at(500),
            p95: at(950),
            p99: at(990),
            p999: at(999),
            max: trips.max.as_ps(),
        }
    }
}

/// The largest round trip in the percentile's bin, at most the maximum.
fn percentile(trips: &RoundTrips, permille: u64) -> u64 {
    let index = percentile_index(trips.count, permille).expect("there are some");
    let bin = trips.ns.bin_at(index);
    let bin = bin.expect("bins hold all that were counted");
    (ps(bin.end) - 1).min(trips.max.as_ps())
}

fn ps(ns: u64) -> u64 {
    ns.saturating_mul(1_000)
}

/// One row per traffic entry and bin that is not empty: the bin's edges (the upper one excluded),
/// and its number of round trips.
pub(crate) fn table(recorded: &[RoundTrips]) -> Table {
    let rows = (0_u16..).zip(recorded).flat_map(|(traffic, trips)| {
        let bins = trips.ns.bins();
        bins.map(move |(ns, count)| (traffic, ps(ns.start), ps(ns.end), count))
    });
    let rows: Vec<_> = rows.collect();
    Table::of(vec![
        ("traffic", numbers::<UInt16Type, _>(&rows, |row| row.0)),
        ("rtt_from_ps", numbers::<UInt64Type, _>(&rows, |row| row.1)),
        ("rtt_to_ps", numbers::<UInt64Type, _>(&rows, |row| row.2)),
        ("packets", numbers::<UInt64Type, _>(&rows, |row| row.3)),
    ])
}

#[cfg(test)]
mod tests {
    use incast_net::Histogram;
    use incast_units::Time;

    use super::*;

    /// Bins of 1 ns: 1 at 1 ns, 97 at 2 ns, 2 at 3 ns. p1 is at index 1, p50 at 50, p99 at 99.
    fn hundred() -> RoundTrips {
        let mut ns = Histogram::default();
        for (value, times) in [(1, 1), (2, 97), (3, 2)] {
            ns.add(value, times);
        }
        RoundTrips {
            ns,
            count: 100,
            sum_ps: 210_000,
            min: Time::from_ps(1_100),
            max: Time::from_ps(3_400),
        }
    }

    #[test]
    fn percentiles_are_upper_ends_of_bins() {
        let rtts = Rtts::of(&[RoundTrips::default(), hundred()]);
        assert_eq!(rtts.len(), 1);
        let rtts = &rtts[0];
        assert_eq!((rtts.traffic, rtts.count, rtts.mean), (1, 100, 2_100.0));
        assert_eq!((rtts.min, rtts.max), (1_100, 3_400));
        // The last bin ends at 3999 ps, but the largest round trip is 3400.
        assert_eq!([rtts.p1, rtts.p50, rtts.p99], [2_999, 2_999, 3_400]);
    }

    #[test]
    fn the_table_has_the_bins_that_are_not_empty() {
        let table = table(&[hundred()]);
        let column = |name| Vec::from_iter(table.values::<UInt64Type>(name));
        assert_eq!(column("rtt_from_ps"), [1_000, 2_000, 3_000]);
        assert_eq!(column("rtt_to_ps"), [2_000, 3_000, 4_000]);
        assert_eq!(column("packets"), [1, 97, 2]);
    }
}
