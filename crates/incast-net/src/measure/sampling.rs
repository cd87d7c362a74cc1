//! Sampling times.

use incast_engine::Thinning;
use incast_units::Time;

use super::MeasuringWindow;

/// Sampling times of one node. A node's state changes only at events, so samples are taken lazily:
/// just before the first event at or after the sampling time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sampling {
    interval: Option<Time>,
    until: Time,
    /// Time of the next sample; `Time::MAX` if there is none.
    next: Time,
    index: u64,
}

/// Consecutive samples that were skipped, because all of them are equal.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SkippedSamples {
    /// Time of the first skipped sample.
    first: Time,
    /// Time of the last skipped sample.
    last: Time,
    interval: Time,
}

impl SkippedSamples {
    /// Time of the last skipped sample.
    pub(crate) fn last(&self) -> Time {
        self.last
    }

    /// Number of skipped samples.
    pub(crate) fn count(&self) -> u64 {
        (self.last - self.first).as_ps() / self.interval.as_ps() + 1
    }

    /// Number of skipped samples in a window.
    pub(crate) fn within(&self, window: MeasuringWindow) -> u64 {
        window.count(self.first, self.last, self.interval)
    }
}

impl Sampling {
    pub(crate) fn new(interval: Option<Time>, until: Time) -> Self {
        let next = if interval.is_some() {
            Time::ZERO
        } else {
            Time::MAX
        };
        Self {
            interval,
            until,
            next,
            index: 0,
        }
    }

    /// Whether a sample is due at `now`.
    #[inline]
    pub(crate) fn due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// The number of the next sample.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// Time of the next sample; `Time::MAX` if there is none.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Whether no more than `most` samples are due before `end`.
    #[inline]
    pub(crate) fn takes_at_most(&self, most: u64, end: Time) -> bool {
        let interval = self.interval.unwrap_or(Time::MAX);
        end.saturating_sub(self.next).as_ps() <= interval.as_ps().saturating_mul(most)
    }

    /// Takes the next sample up to `now`: number, time, interval.
    pub(crate) fn take(&mut self, now: Time) -> Option<(u64, Time, Time)> {
        let interval = self.interval?;
        if self.next > now || self.next == Time::MAX {
            return None;
        }
        let sample = (self.index, self.next, interval);
        self.go_to(self.index + 1, interval);
        Some(sample)
    }

    /// Takes the next sample up to `now` that is kept, or whose successor is kept.
    pub(crate) fn take_observed(
        &mut self,
        now: Time,
        thinning: Thinning,
    ) -> Option<(u64, Time, Time)> {
        // The series may have been thinned since the next sample was set.
        self.go_to(thinning.next_observed(self.index), self.interval?);
        let sample = self.take(now)?;
        self.go_to(thinning.next_observed(self.index), self.interval?);
        Some(sample)
    }

    /// Sets the next sample to this number; there is none after the end.
    fn go_to(&mut self, index: u64, interval: Time) {
        if index == self.index {
            return;
        }
        let ahead = (index - self.index).checked_mul(interval.as_ps());
        let next = ahead.and_then(|ahead| self.next.as_ps().checked_add(ahead));
        self.index = index;
        self.next = next.map_or(Time::MAX, Time::from_ps);
        if self.next > self.until {
            self.next = Time::MAX;
        }
    }

    /// Skips all samples up to `now`; returns them, if any.
    pub(crate) fn skip(&mut self, now: Time) -> Option<SkippedSamples> {
        self.skip_before(u64::MAX, now)
    }

    /// Skips the samples up to `now` with numbers below `number`; returns them, if any.
    pub(crate) fn skip_before(&mut self, number: u64, now: Time) -> Option<SkippedSamples> {
        let interval = self.interval?;
        if self.next > now || self.next == Time::MAX || number <= self.index {
            return None;
        }
        let last = now.min(self.until);
        let due = (last.as_ps() - self.next.as_ps()) / interval.as_ps() + 1;
        let count = due.min(number - self.index);
        let skipped = SkippedSamples {
            first: self.next,
            last: self.next + interval * (count - 1),
            interval,
        };
        self.go_to(self.index + count, interval);
        Some(skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 10 ns up to 45 ns: 0, 10, 20, 30, 40.
    #[test]
    fn samples_end_where_they_should() {
        let ns = Time::from_ns;
        let mut sampling = Sampling::new(Some(ns(10)), ns(45));
        assert_eq!(sampling.take(ns(12)), Some((0, ns(0), ns(10))));
        assert_eq!(sampling.take(ns(12)), Some((1, ns(10), ns(10))));
        assert_eq!(sampling.take(ns(12)), None);
        let late = MeasuringWindow {
            from: ns(25),
            ..MeasuringWindow::WHOLE
        };
        let skipped = sampling.skip(ns(30)).expect("20 and 30 ns");
        assert_eq!(skipped.within(MeasuringWindow::WHOLE), 2);
        assert_eq!(skipped.within(late), 1);
        assert_eq!(sampling.take(ns(100)), Some((4, ns(40), ns(10))));
        assert!(!sampling.due(ns(1_000)));
        assert!(sampling.skip(ns(1_000)).is_none());
    }

    /// Every 10 ns; first each sample is kept, then every fourth: 0; then 30 before 40, and 70
    /// before 80, which is after the end.
    #[test]
    fn thinned_samples_have_one_before_them() {
        let ns = Time::from_ns;
        let mut sampling = Sampling::new(Some(ns(10)), ns(75));
        let all = Thinning::default();
        let fourth = all.doubled().doubled();
        let first = sampling.take_observed(ns(5), all);
        assert_eq!(first, Some((0, ns(0), ns(10))));
        let mut rest = || {
            sampling
                .take_observed(ns(100), fourth)
                .map(|(index, ..)| index)
        };
        let rest: Vec<_> = std::iter::from_fn(&mut rest).collect();
        assert_eq!(rest, [3, 4, 7]);
        assert_eq!(sampling.next(), Time::MAX);
    }
}
