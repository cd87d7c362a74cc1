//! Sets of small integers in two levels of words. Listing a set takes time in proportion to its
//! members, not to the largest possible member.

use crate::checked_index::CheckedIndex;

/// Several sets of integers below the same size.
#[derive(Clone, Debug)]
pub(crate) struct BitSets {
    /// Number of words of one set.
    stride: usize,
    /// Words of all sets, one set after the other.
    words: Vec<u64>,
    /// Number of words of one set's summary.
    summary_stride: usize,
    /// Bit i of a set's summary is set if its `words[i]` is not zero.
    summaries: Vec<u64>,
}

impl BitSets {
    /// `sets` empty sets of integers below `size`.
    pub(crate) fn new(sets: usize, size: usize) -> Self {
        let stride = size.div_ceil(64);
        let summary_stride = stride.div_ceil(64);
        Self {
            stride,
            words: vec![0; sets * stride],
            summary_stride,
            summaries: vec![0; sets * summary_stride],
        }
    }

    /// Inserts `member`. Returns whether the member's word was empty before, which is always so for
    /// an empty set.
    #[inline(always)]
    pub(crate) fn insert(&mut self, set: usize, member: usize) -> bool {
        let number = member / 64;
        let word = self.words.at_mut(set * self.stride + number);
        let first = *word == 0;
        *word |= 1 << (member % 64);
        if first {
            let group = set * self.summary_stride + number / 64;
            *self.summaries.at_mut(group) |= 1 << (number % 64);
        }
        first
    }

    /// Appends the members of a set to `out` in ascending order.
    pub(crate) fn list(&self, set: usize, out: &mut Vec<u32>) {
        let words = self.words[set * self.stride..][..self.stride].iter();
        for (number, word) in words.enumerate() {
            let mut bits = *word;
            while bits != 0 {
                out.push((number * 64) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Appends the members of a set to `out` in ascending order and empties it.
    pub(crate) fn drain_into(&mut self, set: usize, out: &mut Vec<u32>) {
        let words = &mut self.words[set * self.stride..][..self.stride];
        let summaries = &mut self.summaries[set * self.summary_stride..][..self.summary_stride];
        for (group, summary) in summaries.iter_mut().enumerate() {
            while *summary != 0 {
                let word = group * 64 + summary.trailing_zeros() as usize;
                *summary &= *summary - 1;
                let mut bits = std::mem::take(&mut words[word]);
                while bits != 0 {
                    out.push((word * 64) as u32 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drains_in_order_and_is_empty_after() {
        let mut sets = BitSets::new(3, 10_000);
        for member in [9_999, 0, 64, 63, 4_096, 64] {
            sets.insert(1, member);
        }
        sets.insert(2, 7);
        let mut listed = Vec::new();
        sets.list(1, &mut listed);
        assert_eq!(listed, [0, 63, 64, 4_096, 9_999]);
        let members = |sets: &mut BitSets, set| {
            let mut out = Vec::new();
            sets.drain_into(set, &mut out);
            out
        };
        assert_eq!(members(&mut sets, 1), [0, 63, 64, 4_096, 9_999]);
        assert_eq!(members(&mut sets, 1), [0; 0]);
        assert_eq!(members(&mut sets, 0), [0; 0]);
        assert_eq!(members(&mut sets, 2), [7]);
    }

    #[test]
    fn the_first_member_of_a_word_is_reported() {
        let mut sets = BitSets::new(2, 200);
        let reported = [130, 130, 191, 192, 130].map(|member| sets.insert(1, member));
        assert_eq!(reported, [true, false, false, true, false]);
    }
}
