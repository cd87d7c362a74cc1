//! Numbers of paused ports at samples, stored as differences from sample to sample. A pause makes
//! two differences, however many samples it lasts.

use std::collections::BTreeMap;
use std::ops::Range;

/// By number of a kept sample: change of the number of paused ports from the previous sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct PausedPorts {
    changes: BTreeMap<u64, i64>,
}

impl PausedPorts {
    /// Adds one paused port at these samples.
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

    /// Adds the paused ports of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        for (sample, change) in other.changes {
            self.change(sample, change);
        }
    }

    /// Ranges of samples with an equal number of paused ports, and this number; ranges without
    /// paused ports are left out.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let ends = self.changes.keys().skip(1);
        let mut paused = 0;
        let changes = self.changes.iter().zip(ends);
        changes.filter_map(move |((&start, change), &end)| {
            paused += change;
            (paused > 0).then_some((start..end, paused.unsigned_abs()))
        })
    }

    /// Number of samples with paused ports.
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
    /// 8, two at 9, one at 10 to 12. At every second sample: one port at 4, 6, 8, 10, 12.
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
