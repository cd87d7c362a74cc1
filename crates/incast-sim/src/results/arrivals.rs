//! Starts of flows, as far as needed to judge the time from each arrival to the next.
//!
//! If flows start less than a sample's interval apart, no sample lies between them. Of such a row
//! of flows only the first and the last start are kept, so that memory does not follow the number
//! of flows.

use incast_units::Time;

/// The starts of flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowArrivals {
    interval: Time,
    /// First and last start of each row, in order.
    rows: Vec<(Time, Time)>,
}

impl FlowArrivals {
    /// Arrivals for samples with this interval.
    pub(crate) fn new(interval: Time) -> Self {
        Self {
            interval,
            rows: Vec::new(),
        }
    }

    /// Adds the start of a flow; starts may come in any order.
    pub(crate) fn note(&mut self, start: Time) {
        let after = match self.rows.last() {
            // Most starts come in order, or nearly so.
            Some((first, _)) if *first <= start => self.rows.len(),
            _ => self.rows.partition_point(|(first, _)| *first <= start),
        };
        let apart = |one: Time, other: Time| other.saturating_sub(one) >= self.interval;
        let before = after.checked_sub(1).map(|place| self.rows[place]);
        let before = before.filter(|(_, last)| start <= *last || !apart(*last, start));
        let next = self.rows.get(after).copied();
        let next = next.filter(|(first, _)| !apart(start, *first));
        match (before, next) {
            (Some((first, _)), Some((_, last))) => {
                self.rows[after - 1] = (first, last);
                self.rows.remove(after);
            }
            (Some((_, last)), None) => self.rows[after - 1].1 = last.max(start),
            (None, Some(_)) => self.rows[after].0 = start,
            (None, None) => self.rows.insert(after, (start, start)),
        }
    }

    /// The last start of each row, and the first start of the next row.
    pub(super) fn followed(&self) -> impl Iterator<Item = (Time, Option<Time>)> {
        let nexts = self.rows.iter().skip(1).map(|(first, _)| Some(*first));
        let lasts = self.rows.iter().map(|(_, last)| *last);
        lasts.zip(nexts.chain([None]))
    }

    /// The last start of all; zero if there is none.
    pub(super) fn last(&self) -> Time {
        self.rows.last().map(|(_, last)| *last).unwrap_or_default()
    }
}

#[cfg(test)]
impl FlowArrivals {
    pub(super) fn of(interval: Time, starts: impl IntoIterator<Item = Time>) -> Self {
        let mut arrivals = Self::new(interval);
        starts.into_iter().for_each(|start| arrivals.note(start));
        arrivals
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows do not depend on the order of starts: gaps between rows are at least the interval,
        /// gaps in a row are shorter.
        #[test]
        fn starts_less_than_an_interval_apart_are_a_row(
            starts in prop::collection::vec(0_u64..400, 1..60),
            interval in 0_u64..20,
        ) {
            let time = Time::from_ps;
            let found = FlowArrivals::of(time(interval), starts.iter().copied().map(time));
            let mut sorted = starts;
            sorted.sort_unstable();
            sorted.dedup();
            let mut expected: Vec<(Time, Time)> = Vec::new();
            for start in sorted.into_iter().map(time) {
                match expected.last_mut() {
                    Some((_, last)) if start - *last < time(interval) => *last = start,
                    _ => expected.push((start, start)),
                }
            }
            prop_assert_eq!(&found.rows, &expected);
            prop_assert_eq!(found.last(), expected.last().unwrap().1);
        }
    }

    /// With an interval of 10, 0 and 9 are a row, and 19, 20 and 29 are another: 9 is judged until
    /// 19, and 29 until the end.
    #[test]
    fn the_last_of_a_row_is_judged_until_the_next() {
        let time = Time::from_ps;
        let arrivals = FlowArrivals::of(time(10), [0, 20, 9, 29, 19].map(time));
        let followed: Vec<_> = arrivals.followed().collect();
        assert_eq!(followed, [(time(9), Some(time(19))), (time(29), None)]);
        assert_eq!(FlowArrivals::default().last(), Time::ZERO);
    }
}
