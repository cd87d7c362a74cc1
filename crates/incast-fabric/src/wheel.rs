//! The events of a switch: a ring of cycles, and a heap for events beyond the ring.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packet::Cycle;

/// Cycles of the ring. Most events are at most two switch crossings ahead.
const SLOTS: u64 = 512;
const WORDS: usize = SLOTS as usize / 64;

/// Events by cycle: a set of small numbers for each cycle.
#[derive(Debug)]
pub(crate) struct Wheel {
    /// Number of words of one set.
    stride: usize,
    /// The sets of all cycles, one after the other.
    sets: Vec<u64>,
    /// A bit for each cycle of the ring that has events.
    occupied: [u64; WORDS],
    /// Current cycle: no event is earlier.
    now: Cycle,
    /// Cycles and numbers.
    far: BinaryHeap<Reverse<(Cycle, u32)>>,
}

impl Wheel {
    /// A wheel for events whose numbers fit into `words` words of 64 bits.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            stride: words,
            sets: vec![0; words * SLOTS as usize],
            occupied: [0; WORDS],
            now: 0,
            far: BinaryHeap::new(),
        }
    }

    /// Moves the clock to `now`; all earlier events have been taken.
    pub(crate) fn advance(&mut self, now: Cycle) {
        self.now = self.now.max(now);
    }

    #[inline]
    pub(crate) fn push(&mut self, at: Cycle, event: u32) {
        debug_assert!(at >= self.now, "an event in the past");
        if at - self.now < SLOTS {
            let slot = (at % SLOTS) as usize;
            self.sets[slot * self.stride + event as usize / 64] |= 1 << (event % 64);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse((at, event)));
        }
    }

    /// The first cycle that has events.
    #[inline]
    pub(crate) fn next(&self) -> Option<Cycle> {
        let near = self.next_in_ring();
        match self.far.peek() {
            Some(&Reverse((far, _))) => Some(near.map_or(far, |near| near.min(far))),
            None => near,
        }
    }

    #[inline]
    fn next_in_ring(&self) -> Option<Cycle> {
        let first = (self.now % SLOTS) as usize;
        let (word, bit) = (first / 64, first % 64);
        let rest = self.occupied[word] >> bit;
        if rest != 0 {
            return Some(self.now + u64::from(rest.trailing_zeros()));
        }
        let mut distance = 64 - bit as u64;
        for step in 1..=WORDS {
            let bits = self.occupied[(word + step) % WORDS];
            if bits != 0 {
                return Some(self.now + distance + u64::from(bits.trailing_zeros()));
            }
            distance += 64;
        }
        None
    }

    /// Moves the events of `at`, the first cycle that has any, into the set `events`.
    #[inline]
    pub(crate) fn take(&mut self, at: Cycle, events: &mut [u64]) {
        self.now = at;
        let slot = (at % SLOTS) as usize;
        let set = &mut self.sets[slot * self.stride..][..self.stride];
        for (word, into) in set.iter_mut().zip(&mut *events) {
            *into |= std::mem::take(word);
        }
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        while let Some(&Reverse((cycle, event))) = self.far.peek()
            && cycle == at
        {
            self.far.pop();
            events[event as usize / 64] |= 1 << (event % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(set: &[u64]) -> Vec<u32> {
        let numbers = 0..64 * set.len() as u32;
        let has = |event: &u32| set[*event as usize / 64] >> (event % 64) & 1 == 1;
        numbers.filter(has).collect()
    }

    #[test]
    fn events_come_in_order_of_their_cycles() {
        let mut wheel = Wheel::new(2);
        let times = [700, 3, 511, 64, 512, 513, 100_000, 3];
        for (number, &at) in times.iter().enumerate() {
            wheel.push(at, 10 * number as u32);
        }
        let mut seen = Vec::new();
        while let Some(at) = wheel.next() {
            let mut events = [0; 2];
            wheel.take(at, &mut events);
            seen.push((at, members(&events)));
            if at == 64 {
                // 64 + 511 is the last cycle of the ring, 64 + 512 the first beyond it.
                wheel.push(64 + 511, 127);
                wheel.push(64 + 512, 126);
            }
        }
        let expected = [
            (3, vec![10, 70]),
            (64, vec![30]),
            (511, vec![20]),
            (512, vec![40]),
            (513, vec![50]),
            (575, vec![127]),
            (576, vec![126]),
            (700, vec![0]),
            (100_000, vec![60]),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn nothing_is_lost_over_many_turns() {
        let (mut wheel, mut next, mut count) = (Wheel::new(1), 1_u64, 0);
        let mut pushed = 1;
        wheel.push(0, 0);
        while let Some(at) = wheel.next() {
            let mut events = [0];
            wheel.take(at, &mut events);
            let taken = members(&events);
            count += taken.len();
            for event in taken {
                next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if pushed < 5_000 {
                    wheel.push(at + 1 + (next >> 54), (event + 1) % 64);
                    pushed += 1;
                }
            }
        }
        assert_eq!(count, 5_000);
    }
}
