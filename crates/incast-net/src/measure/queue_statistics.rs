//! Statistics of queue lengths, over all samples of all switch ports.
//!
//! Statistics are over the time until the last flow has completed, or the run is cut short. Samples
//! are taken before this time is known, so samples that are not zero wait. They are counted when
//! the end is known, or when many waiting samples are known to be before the end.

use incast_units::Time;

use super::sampling::SkippedSamples;
use super::{Histogram, MeasuringWindow};

/// Samples of queues in the measuring window.
#[derive(Clone, Debug)]
pub(crate) struct QueueStatistics {
    window: MeasuringWindow,
    /// Samples that are not zero.
    histogram: Histogram,
    sum: u128,
    /// Samples that are not counted yet: first those known to be before the end of the run, then
    /// those that may be after it.
    open: Vec<OpenSample>,
    /// Number of open samples that are known to be before the end.
    known: usize,
}

/// Consecutive samples of equal length.
#[derive(Copy, Clone, Debug)]
struct OpenSample {
    time: Time,
    /// The samples after the first one.
    alike: Option<SkippedSamples>,
    bytes: u64,
}

impl QueueStatistics {
    /// No samples.
    pub(super) fn new(window: MeasuringWindow) -> Self {
        Self {
            window,
            histogram: Histogram::default(),
            sum: 0,
            open: Vec::new(),
            known: 0,
        }
    }

    /// A queue has this length at `time`, and at the samples in `alike`.
    pub(crate) fn add(&mut self, time: Time, alike: Option<SkippedSamples>, bytes: u64) {
        if bytes > 0 {
            if self.open.len() == self.open.capacity() {
                self.count_known();
            }
            self.open.push(OpenSample { time, alike, bytes });
        }
    }

    /// Whether some waiting samples may be after the end of the run.
    #[inline]
    pub(crate) fn has_open(&self) -> bool {
        self.open.len() > self.known
    }

    /// Samples up to `known` are before the end of the run. [`Time::MAX`]: all samples so far are.
    pub(crate) fn settle(&mut self, known: Time) {
        if known == Time::MAX {
            self.known = self.open.len();
            return;
        }
        self.count_known();
        let window = self.window;
        let mut open = std::mem::take(&mut self.open);
        open.retain(|sample| {
            let is_known = sample.last() <= known;
            if is_known {
                self.count(sample, window);
            }
            !is_known
        });
        self.open = open;
    }

    /// Counts the samples up to the end of the run.
    pub(crate) fn end(&mut self, end: Time) {
        self.count_known();
        let until = self.window.until.min(end);
        let window = MeasuringWindow {
            until,
            ..self.window
        };
        for sample in std::mem::take(&mut self.open) {
            self.count(&sample, window);
        }
    }

    fn count_known(&mut self) {
        let (mut open, window) = (std::mem::take(&mut self.open), self.window);
        for sample in open.drain(..std::mem::take(&mut self.known)) {
            self.count(&sample, window);
        }
        self.open = open;
    }

    fn count(&mut self, sample: &OpenSample, window: MeasuringWindow) {
        let alike = sample.alike.map_or(0, |alike| alike.within(window));
        let count = u64::from(window.contains(sample.time)) + alike;
        self.histogram.add(sample.bytes, count);
        self.sum += u128::from(count) * u128::from(sample.bytes);
    }

    pub(super) fn merge(&mut self, mut other: Self) {
        self.count_known();
        other.count_known();
        self.histogram.merge(&other.histogram);
        self.sum += other.sum;
        self.open.extend(other.open);
    }

    /// The histogram and the sum of all `samples`. Samples that were not counted are zero.
    pub(crate) fn of_all(mut self, samples: u64) -> (Histogram, u128) {
        let counted = self.histogram.total();
        debug_assert!(counted <= samples, "{counted} of {samples} samples");
        self.histogram.add(0, samples.saturating_sub(counted));
        (self.histogram, self.sum)
    }
}

impl OpenSample {
    fn last(&self) -> Time {
        self.alike.map_or(self.time, |alike| alike.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of 100 B at 10, 20 and 30 ns, and of 7 B at 40 ns. First the run is known to last
    /// until 25 ns, then to end at 35 ns. Three samples of 100 B count, and the last one of 4
    /// samples is zero.
    #[test]
    fn samples_after_the_end_do_not_count() {
        let ns = Time::from_ns;
        let mut queues = QueueStatistics::new(MeasuringWindow::WHOLE);
        for (time, bytes) in [(10, 100), (20, 100), (30, 100), (40, 7), (40, 0)] {
            queues.add(ns(time), None, bytes);
        }
        queues.settle(ns(25));
        assert_eq!((queues.sum, queues.open.len()), (200, 2));
        queues.end(ns(35));
        let (histogram, sum) = queues.of_all(4);
        assert_eq!(histogram, Histogram::from_iter([0, 100, 100, 100]));
        assert_eq!(sum, 300);
    }

    /// In a window from 15 ns on, one of two samples of 9 B counts.
    #[test]
    fn samples_outside_of_the_window_do_not_count() {
        let ns = Time::from_ns;
        let mut queues = QueueStatistics::new(MeasuringWindow {
            from: ns(15),
            ..MeasuringWindow::WHOLE
        });
        let mut otherwise = queues.clone();
        for queues in [&mut queues, &mut otherwise] {
            queues.add(ns(10), None, 9);
            queues.add(ns(20), None, 9);
        }
        queues.settle(Time::MAX);
        for mut queues in [queues, otherwise] {
            queues.end(ns(30));
            assert_eq!(queues.sum, 9);
        }
    }

    /// Ten thousand samples of 3 B are taken, and after every tenth all samples so far are known to
    /// be before the end. The list of waiting samples keeps the size for ten. Two threads have the
    /// same samples, and all count, though the run ends at the time of the first sample.
    #[test]
    fn samples_that_are_known_to_count_do_not_pile_up() {
        let ns = Time::from_ns;
        let mut queues = QueueStatistics::new(MeasuringWindow::WHOLE);
        for sample in 1..=10_000 {
            queues.add(ns(10), None, 3);
            if sample % 10 == 0 {
                assert!(queues.has_open());
                queues.settle(Time::MAX);
                assert!(!queues.has_open());
            }
        }
        assert!(queues.open.capacity() < 100, "{}", queues.open.capacity());
        queues.merge(queues.clone());
        queues.end(ns(10));
        assert_eq!(queues.sum, 60_000);
    }
}
