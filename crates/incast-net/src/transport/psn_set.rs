//! A set of packet sequence numbers: a bitmap that covers no more than the numbers in it.
//!
//! A set holds numbers of packets in flight at one time, so they are near each other.

use std::collections::VecDeque;

const BITS: u32 = u64::BITS;

/// Sequence numbers of packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PsnSet {
    /// Bits of the numbers from `64 * first_word` on. Neither the first nor the last word is 0.
    words: VecDeque<u64>,
    /// Number of the first word; 0 if the set is empty.
    first_word: u32,
    len: u32,
}

impl PsnSet {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The lowest number.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        let word = self.words.front()?;
        Some(self.first_word * BITS + word.trailing_zeros())
    }

    pub(crate) fn contains(&self, psn: u32) -> bool {
        self.word(psn / BITS) >> (psn % BITS) & 1 == 1
    }

    /// Adds a number; returns whether it is new.
    pub(crate) fn insert(&mut self, psn: u32) -> bool {
        let place = (psn / BITS).wrapping_sub(self.first_word);
        if place as usize >= self.words.len() {
            self.cover(psn / BITS);
        }
        let bit = 1 << (psn % BITS);
        let word = &mut self.words[(psn / BITS - self.first_word) as usize];
        let is_new = *word & bit == 0;
        *word |= bit;
        self.len += u32::from(is_new);
        is_new
    }

    /// Removes a number; returns whether it was in the set.
    pub(crate) fn remove(&mut self, psn: u32) -> bool {
        let was_in = self.contains(psn);
        if was_in {
            self.clear_bits(psn / BITS, 1 << (psn % BITS));
            self.trim();
        }
        was_in
    }

    /// Removes all numbers below `psn`; returns their count.
    #[inline]
    pub(crate) fn remove_before(&mut self, psn: u32) -> u32 {
        match self.first() {
            Some(first) if first < psn => self.remove_some_before(psn),
            _ => 0,
        }
    }

    #[inline(never)]
    fn remove_some_before(&mut self, psn: u32) -> u32 {
        let before = self.len;
        while let Some(&word) = self.words.front()
            && self.first_word < psn / BITS
        {
            self.len -= word.count_ones();
            self.words.pop_front();
            self.first_word += 1;
        }
        self.clear_bits(psn / BITS, (1 << (psn % BITS)) - 1);
        self.trim();
        before - self.len
    }

    /// Removes `psn` and the numbers that follow without a gap; returns their count.
    pub(crate) fn remove_run(&mut self, psn: u32) -> u32 {
        let mut end = psn;
        loop {
            let offset = end % BITS;
            let ones = (self.word(end / BITS) >> offset).trailing_ones();
            self.clear_bits(end / BITS, run_of(ones) << offset);
            end += ones;
            if ones == 0 || offset + ones < BITS {
                self.trim();
                return end - psn;
            }
        }
    }

    /// The 64 numbers from `base` on: bit k stands for `base + k`.
    pub(crate) fn bits_from(&self, base: u32) -> u64 {
        let (word, offset) = (base / BITS, base % BITS);
        let next = match offset {
            0 => 0,
            _ => self.word(word + 1) << (BITS - offset),
        };
        self.word(word) >> offset | next
    }

    /// All numbers, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (self.first_word..).zip(&self.words);
        words.flat_map(|(number, word)| ones(*word).map(move |bit| number * BITS + bit))
    }

    /// The word that holds this number's bit.
    fn word(&self, number: u32) -> u64 {
        let place = number.checked_sub(self.first_word);
        let word = place.and_then(|place| self.words.get(place as usize));
        word.copied().unwrap_or(0)
    }

    /// Grows the bitmap to include the word of this number.
    #[inline(never)]
    fn cover(&mut self, number: u32) {
        if self.words.is_empty() {
            self.first_word = number;
        }
        while number < self.first_word {
            self.words.push_front(0);
            self.first_word -= 1;
        }
        while self.words.len() <= (number - self.first_word) as usize {
            self.words.push_back(0);
        }
    }

    fn clear_bits(&mut self, number: u32, bits: u64) {
        let place = number.checked_sub(self.first_word);
        let word = place.and_then(|place| self.words.get_mut(place as usize));
        if let Some(word) = word {
            self.len -= (*word & bits).count_ones();
            *word &= !bits;
        }
    }

    /// Drops words of 0 at both ends of the bitmap.
    fn trim(&mut self) {
        while self.words.front() == Some(&0) {
            self.words.pop_front();
            self.first_word += 1;
        }
        while self.words.back() == Some(&0) {
            self.words.pop_back();
        }
        if self.words.is_empty() {
            self.first_word = 0;
        }
    }
}

/// A word whose lowest `count` bits are 1.
fn run_of(count: u32) -> u64 {
    match count {
        BITS => u64::MAX,
        _ => (1 << count) - 1,
    }
}

/// The positions of the bits that are 1, in ascending order.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// 1 and 65 are bits 0 and 64 of 65 bits from 1 on; the 64 bits from 2 on end with 65.
    #[test]
    fn bits_may_begin_anywhere() {
        let mut set = PsnSet::default();
        for psn in [1, 63, 64, 65, 130] {
            assert!(set.insert(psn));
        }
        assert_eq!(set.bits_from(1), 1 | 1 << 62 | 1 << 63);
        assert_eq!(set.bits_from(2), 1 << 61 | 1 << 62 | 1 << 63);
        assert_eq!(set.bits_from(64), 0b11);
        assert_eq!(set.bits_from(130), 1);
        assert_eq!(set.bits_from(131), 0);
        assert_eq!((set.first(), set.len()), (Some(1), 5));
    }

    /// 60 to 199 are one run over three words; 201 follows after a gap.
    #[test]
    fn a_run_ends_at_the_first_gap() {
        let mut set = PsnSet::default();
        for psn in (60..200).chain([201]) {
            set.insert(psn);
        }
        assert_eq!(set.remove_run(59), 0);
        assert_eq!(set.remove_run(60), 140);
        assert_eq!((set.first(), set.len()), (Some(201), 1));
        assert_eq!(set.remove_run(201), 1);
        assert_eq!(set, PsnSet::default());
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u32),
        Remove(u32),
        RemoveBefore(u32),
        RemoveRun(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        // Numbers are close together, so that runs form.
        let psn = prop_oneof![6 => 0_u32..200, 1 => 1_000_u32..1_100];
        (0..8, psn).prop_map(|(kind, psn)| match kind {
            0..=4 => Step::Insert(psn),
            5 => Step::Remove(psn),
            6 => Step::RemoveBefore(psn),
            _ => Step::RemoveRun(psn),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_set(
            start in prop::sample::select(vec![0, 1_000_007, u32::MAX - 1_200]),
            steps in proptest::collection::vec(step(), 1..300),
        ) {
            let (mut set, mut plain) = (PsnSet::default(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(psn) => {
                        let psn = start + psn;
                        prop_assert_eq!(set.insert(psn), plain.insert(psn));
                    }
                    Step::Remove(psn) => {
                        let psn = start + psn;
                        prop_assert_eq!(set.remove(psn), plain.remove(&psn));
                    }
                    Step::RemoveBefore(psn) => {
                        let psn = start + psn;
                        let after = plain.split_off(&psn);
                        prop_assert_eq!(set.remove_before(psn) as usize, plain.len());
                        plain = after;
                    }
                    Step::RemoveRun(psn) => {
                        let psn = start + psn;
                        let run = (psn..).take_while(|psn| plain.remove(psn)).count();
                        prop_assert_eq!(set.remove_run(psn) as usize, run);
                    }
                }
                prop_assert_eq!(set.first(), plain.first().copied());
                prop_assert_eq!(set.len() as usize, plain.len());
                for base in [0, 3, 64, 127, 1_036].map(|base| start + base) {
                    let bit = |k: u32| {
                        let psn = base.checked_add(k);
                        u64::from(psn.is_some_and(|psn| plain.contains(&psn))) << k
                    };
                    prop_assert_eq!(set.bits_from(base), (0..64).map(bit).sum::<u64>());
                }
            }
            prop_assert!(set.iter().eq(plain));
        }
    }
}
