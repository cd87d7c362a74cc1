//! Idle time: no flow is alive, and no packet moves. Series have two samples of each idle span.

use std::ops::RangeInclusive;

use incast_units::Time;

/// The long idle spans of a run, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdleTime {
    /// Idle spans: the time of the last event before, and of the first one after.
    spans: Vec<(Time, Time)>,
}

impl IdleTime {
    /// Adds an idle span: no event lies between `from` and `until`.
    pub(crate) fn add(&mut self, from: Time, until: Time) {
        debug_assert!(self.spans.last().is_none_or(|&(_, end)| end <= from));
        self.spans.push((from, until));
    }

    /// Ranges of the sample numbers, up to `last`, that a series has: all outside of idle time, and
    /// the first and the last of each idle span. Samples are `interval` apart.
    pub(super) fn sampled(
        &self,
        interval: Time,
        last: u64,
    ) -> impl Iterator<Item = RangeInclusive<u64>> {
        let interval = interval.as_ps();
        let left_out = self.spans.iter().map(move |(from, until)| {
            let first = from.as_ps() / interval + 1;
            let final_one = until.as_ps().div_ceil(interval).saturating_sub(1);
            (first, final_one)
        });
        let left_out = left_out.filter(move |&(first, final_one)| final_one > first + 1);
        let left_out = left_out.take_while(move |&(first, _)| first < last);
        let begins = std::iter::once(0).chain(left_out.clone().map(|(_, final_one)| final_one));
        let ends = left_out.map(|(first, _)| first).chain([last]);
        let ranges = begins.zip(ends).map(|(begin, end)| begin..=end);
        ranges.filter(|range| !range.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples every 10 ns up to 120. Idle from 15 to 61: 20 and 60 are in, 30, 40 and 50 are not.
    /// Idle from 65 to 90: 70 and 80 are its only samples. Idle from 95: 100 is in, the last sample
    /// is 120.
    #[test]
    fn idle_time_has_two_samples() {
        let ns = Time::from_ns;
        let mut idle = IdleTime::default();
        assert_eq!(idle.sampled(ns(10), 12).collect::<Vec<_>>(), [0..=12]);
        idle.add(ns(15), ns(61));
        idle.add(ns(65), ns(90));
        let sampled: Vec<_> = idle.sampled(ns(10), 12).collect();
        assert_eq!(sampled, [0..=2, 6..=12]);
        idle.add(ns(95), ns(10_000));
        let sampled: Vec<_> = idle.sampled(ns(10), 12).collect();
        assert_eq!(sampled, [0..=2, 6..=10]);
        assert_eq!(idle.sampled(ns(10), 1).collect::<Vec<_>>(), [0..=1]);
    }
}
