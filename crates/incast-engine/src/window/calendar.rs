//! A timing wheel: the sources of events that have work in each turn.
//!
//! Near turns are slots of the wheel, each a set of sources; the far future is a heap. Adding a
//! source twice to the same turn costs nothing more, and empty turns are skipped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bit_sets::BitSets;

/// Number of turns on the wheel; a power of two, and a multiple of 64.
const SLOTS: u64 = 512;

#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    slots: BitSets,
    /// One bit per slot: whether it may hold sources.
    occupied: [u64; (SLOTS / 64) as usize],
    /// First turn on the wheel: the one being processed, or the next.
    current: u64,
    /// Work beyond the wheel: (turn, source).
    far: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Calendar {
    pub(crate) fn new(sources: usize) -> Self {
        Self {
            slots: BitSets::new(SLOTS as usize, sources),
            occupied: [0; (SLOTS / 64) as usize],
            current: 0,
            far: BinaryHeap::new(),
        }
    }

    /// Adds work of `source` in `turn`, which is the current turn or later.
    #[inline]
    pub(crate) fn add(&mut self, source: u32, turn: u64) {
        debug_assert!(turn >= self.current, "work in the past");
        if turn - self.current < SLOTS {
            let slot = (turn % SLOTS) as usize;
            if self.slots.insert(slot, source as usize) {
                self.occupied[slot / 64] |= 1 << (slot % 64);
            }
        } else {
            self.add_far(source, turn);
        }
    }

    #[cold]
    fn add_far(&mut self, source: u32, turn: u64) {
        self.far.push(Reverse((turn, source)));
    }

    /// The first turn with work.
    pub(crate) fn peek(&self) -> Option<u64> {
        self.first_from(self.current)
    }

    /// The first turn with work from `turn` on. Work before `turn` may only be in the current turn.
    pub(crate) fn first_from(&self, turn: u64) -> Option<u64> {
        let turn = turn.max(self.current);
        let far = self.far.peek().map(|Reverse((turn, _))| *turn);
        let near = self.next_slot(turn).filter(|near| *near >= turn);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Advances to `turn` and appends its sources to `out`, in ascending order.
    pub(crate) fn take(&mut self, turn: u64, out: &mut Vec<u32>) {
        let slot = self.advance_to_first(turn);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        self.slots.drain_into(slot, out);
    }

    /// Advances to `turn` and appends its sources to `out`, in ascending order. They also stay in
    /// the calendar.
    pub(crate) fn list(&mut self, turn: u64, out: &mut Vec<u32>) {
        let slot = self.advance_to_first(turn);
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.slots.list(slot, out);
    }

    /// Advances to `turn`, whose sources are then all in its slot; there is no work before it.
    fn advance_to_first(&mut self, turn: u64) -> usize {
        self.current = turn;
        let slot = (turn % SLOTS) as usize;
        while let Some(Reverse((far, source))) = self.far.peek().copied() {
            if far != turn {
                break;
            }
            self.far.pop();
            self.slots.insert(slot, source as usize);
        }
        slot
    }

    /// Advances to `turn`; there is no work before it.
    pub(crate) fn advance(&mut self, turn: u64) {
        debug_assert!(self.peek().is_none_or(|first| first >= turn), "work left");
        self.current = turn;
    }

    /// Empties the calendar into pairs of turn and source. Time does not advance.
    pub(crate) fn drain_into(&mut self, out: &mut Vec<(u64, u32)>) {
        let (current, mut sources) = (self.current, Vec::new());
        while let Some(turn) = self.peek() {
            self.take(turn, &mut sources);
            out.extend(sources.drain(..).map(|source| (turn, source)));
        }
        self.current = current;
    }

    /// The first turn on the wheel with work from `turn` on; if there is none, the first of all.
    fn next_slot(&self, turn: u64) -> Option<u64> {
        let start = turn % SLOTS;
        let words = SLOTS / 64;
        let first = (start / 64) as usize;
        let ahead = self.occupied[first] & (u64::MAX << (start % 64));
        if ahead != 0 {
            return Some(self.turn_of(start / 64 * 64 + u64::from(ahead.trailing_zeros())));
        }
        (1..=words).find_map(|step| {
            let word = (first as u64 + step) % words;
            let bits = self.occupied[word as usize];
            (bits != 0).then(|| self.turn_of(word * 64 + u64::from(bits.trailing_zeros())))
        })
    }

    /// The turn at or after `current` that falls on `slot`.
    fn turn_of(&self, slot: u64) -> u64 {
        self.current + (slot.wrapping_sub(self.current) % SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(calendar: &mut Calendar) -> Vec<(u64, Vec<u32>)> {
        let mut all = Vec::new();
        while let Some(window) = calendar.peek() {
            let mut sources = Vec::new();
            calendar.take(window, &mut sources);
            all.push((window, sources));
        }
        all
    }

    #[test]
    fn windows_come_in_order_and_empty_ones_are_skipped() {
        let mut calendar = Calendar::new(100);
        for (source, window) in [(7, 3), (5, 3), (1, 0), (9, 511), (2, 512), (3, 1_000_000)] {
            calendar.add(source, window);
        }
        let expected = vec![
            (0, vec![1]),
            (3, vec![5, 7]),
            (511, vec![9]),
            (512, vec![2]),
            (1_000_000, vec![3]),
        ];
        assert_eq!(drain(&mut calendar), expected);
    }

    /// Near and far work of the same window comes together, each source once.
    #[test]
    fn near_and_far_work_is_merged() {
        let mut calendar = Calendar::new(10);
        calendar.add(4, 600);
        calendar.add(1, 200);
        let mut sources = Vec::new();
        calendar.take(200, &mut sources);
        calendar.add(4, 600);
        calendar.add(2, 600);
        assert_eq!(drain(&mut calendar), [(600, vec![2, 4])]);
    }

    /// Listed work stays in the calendar.
    #[test]
    fn work_can_be_listed() {
        let mut calendar = Calendar::new(10);
        calendar.add(4, 600);
        calendar.add(1, 200);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        calendar.list(200, &mut first);
        calendar.add(2, 200);
        calendar.list(200, &mut second);
        assert_eq!((first, second), (vec![1], vec![1, 2]));
        assert_eq!(calendar.peek(), Some(200));
        assert_eq!(drain(&mut calendar), [(200, vec![1, 2]), (600, vec![4])]);
    }

    /// Drained work can be added again, and time has not advanced.
    #[test]
    fn work_can_be_drained_and_added_again() {
        let (mut calendar, mut entries) = (Calendar::new(10), Vec::new());
        calendar.advance(90);
        for (source, window) in [(4, 600), (1, 91), (3, 91), (2, 700_000)] {
            calendar.add(source, window);
        }
        calendar.drain_into(&mut entries);
        assert_eq!(entries, [(91, 1), (91, 3), (600, 4), (700_000, 2)]);
        assert_eq!(calendar.peek(), None);
        calendar.add(5, 90);
        assert_eq!(drain(&mut calendar), [(90, vec![5])]);
    }

    #[test]
    fn work_may_be_added_to_the_window_being_processed() {
        let mut calendar = Calendar::new(10);
        calendar.add(1, 130);
        let mut sources = Vec::new();
        calendar.take(130, &mut sources);
        calendar.add(3, 130);
        assert_eq!(calendar.peek(), Some(130));
    }
}
