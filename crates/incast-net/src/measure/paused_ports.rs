//! Ports that are paused, over time: how many more or fewer they are at a sample than at the one
//! before. A pause is two changes, however many samples it lasts.

use std::collections::BTreeMap;
use std::ops::Range;

/// Changes by the number of the sample, among those that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct PausedPorts {
    changes: BTreeMap<u64, i64>,
}

impl PausedPorts {
    /// One more port is paused at these samples.
    pub(crate) fn add(&mut self, samples: Range<u64>) {
        if !samples.is_empty() {
            self.change(samples.start, 1);
            self.change(samples.end, -1);
        }
    }

    /// The paused ports at every second sample.
    pub(crate) fn thinned(self) -> Self {
        let mut thinned = Self::default();
        for (sample, change) in self.changes {
            thinned.change(sample.div_ceil(2), change);
        }
        thinned
    }

    /// Adds those of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        for (sample, change) in other.changes {
            self.change(sample, change);
        }
    }

    /// Samples at which as many ports are paused, and how many; without those at which none is.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let ends = self.changes.keys().skip(1);
        let mut paused = 0;
        let changes = self.changes.iter().zip(ends);
        changes.filter_map(move |((&start, change), &end)| {
            paused += change;
            (paused > 0).then_some((start..end, paused.unsigned_abs()))
        })
    }

    /// The number of samples at which any port is paused.
    pub(crate) fn samples(&self) -> u64 {
        self.stretches()
            .map(|(samples, _)| samples.end - samples.start)
            .sum()
    }

    fn change(&mut self, sample: u64, by: i64) {
        *self.changes.entry(sample).or_default() += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pauses at samples 3 to 9, 5 to 5, 9 to 12 and none: one port at 3, 4, two at 5, one at 6 to
    /// 8, two at 9, one at 10 to 12. Of every second sample: one at 4, 6, 8, 10, 12.
    #[test]
    fn pauses_are_counted_sample_by_sample() {
        let (mut paused, mut other) = (PausedPorts::default(), PausedPorts::default());
        paused.add(3..10);
        paused.add(5..6);
        other.add(9..13);
        other.add(20..20);
        paused.merge(other);
        let found: Vec<_> = paused.stretches().collect();
        assert_eq!(
            found,
            [(3..5, 1), (5..6, 2), (6..9, 1), (9..10, 2), (10..13, 1)]
        );
        assert_eq!(paused.samples(), 10);
        let thinned = paused.thinned();
        let found: Vec<_> = thinned
            .stretches()
            .filter(|(range, _)| !range.is_empty())
            .collect();
        let each: Vec<_> = found
            .iter()
            .flat_map(|(range, count)| range.clone().map(move |at| (at, *count)))
            .collect();
        assert_eq!(each, [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1)]);
        assert_eq!(thinned.samples(), 5);
    }
}
