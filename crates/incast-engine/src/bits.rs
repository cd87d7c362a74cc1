//! A set of small integers in two levels of words, so that finding members costs what they
//! are, not what they could be.

/// The set.
#[derive(Clone, Debug)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    /// Bit i is set if `words[i]` is not zero.
    summary: Vec<u64>,
}

impl BitSet {
    pub(crate) fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, member: usize) {
        let word = member / 64;
        self.words[word] |= 1 << (member % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Appends the members to `out` in ascending order and empties the set.
    pub(crate) fn drain_into(&mut self, out: &mut Vec<u32>) {
        for (group, summary) in self.summary.iter_mut().enumerate() {
            while *summary != 0 {
                let word = group * 64 + summary.trailing_zeros() as usize;
                *summary &= *summary - 1;
                let mut bits = std::mem::take(&mut self.words[word]);
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
        let mut set = BitSet::new(10_000);
        for member in [9_999, 0, 64, 63, 4_096, 64] {
            set.insert(member);
        }
        let mut out = Vec::new();
        set.drain_into(&mut out);
        assert_eq!(out, [0, 63, 64, 4_096, 9_999]);
        out.clear();
        set.drain_into(&mut out);
        assert!(out.is_empty());
    }
}
