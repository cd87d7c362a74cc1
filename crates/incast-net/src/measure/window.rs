//! The measuring window: the span of time over which means are computed.

use incast_units::Time;

/// A span of simulated time, both ends included; by default the whole run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MeasuringWindow {
    /// Its begin.
    pub from: Time,
    /// Its end.
    pub until: Time,
}

impl MeasuringWindow {
    /// The window of a whole run.
    pub const WHOLE: Self = Self {
        from: Time::ZERO,
        until: Time::MAX,
    };

    /// Whether the window contains this time.
    #[inline]
    pub fn contains(&self, time: Time) -> bool {
        self.from <= time && time <= self.until
    }

    /// Number of multiples of `interval` in the window, counted from `first` to `last`.
    pub(crate) fn count(&self, first: Time, last: Time, interval: Time) -> u64 {
        let (first, last) = (first.max(self.from), last.min(self.until));
        if first > last {
            return 0;
        }
        let before = first.as_ps().div_ceil(interval.as_ps());
        last.as_ps() / interval.as_ps() + 1 - before
    }
}

impl Default for MeasuringWindow {
    fn default() -> Self {
        Self::WHOLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples are at 20, 30, 40, 50 and 60 ns. A window from 30 to 50 ns has three samples; a
    /// window from 25 to 48 ns has those at 30 and 40 ns.
    #[test]
    fn samples_at_both_ends_count() {
        let ns = Time::from_ns;
        let count = |from, until| {
            let window = MeasuringWindow {
                from: ns(from),
                until: ns(until),
            };
            let one_by_one = (2..=6).filter(|n| window.contains(ns(10 * n))).count() as u64;
            assert_eq!(window.count(ns(20), ns(60), ns(10)), one_by_one);
            one_by_one
        };
        assert_eq!(count(30, 50), 3);
        assert_eq!(count(25, 48), 2);
        assert_eq!(count(31, 39), 0);
        assert_eq!(count(70, 90), 0);
        assert_eq!(MeasuringWindow::WHOLE.count(ns(20), ns(60), ns(10)), 5);
    }
}
