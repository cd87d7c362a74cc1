//! The events of one node: a ring of cycles, and a heap for those far ahead.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packet::Cycle;

/// Cycles of the ring. Most events are within a crossing or a read of memory.
const SLOTS: u64 = 512;
const WORDS: usize = SLOTS as usize / 64;

/// Events by cycle. An event is a number; events of one cycle come in any order.
#[derive(Debug)]
pub(crate) struct Wheel {
    slots: Vec<Vec<u32>>,
    /// Which slots have events.
    occupied: [u64; WORDS],
    /// No event is earlier.
    now: Cycle,
    far: BinaryHeap<Reverse<(Cycle, u32)>>,
}

impl Wheel {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Vec::new(); SLOTS as usize],
            occupied: [0; WORDS],
            now: 0,
            far: BinaryHeap::new(),
        }
    }

    /// All events before `now` have been taken.
    pub(crate) fn advance(&mut self, now: Cycle) {
        self.now = self.now.max(now);
    }

    #[inline]
    pub(crate) fn push(&mut self, at: Cycle, event: u32) {
        debug_assert!(at >= self.now, "an event in the past");
        if at - self.now < SLOTS {
            let slot = (at % SLOTS) as usize;
            self.slots[slot].push(event);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse((at, event)));
        }
    }

    /// The first cycle that has events.
    #[inline]
    pub(crate) fn next(&self) -> Option<Cycle> {
        let far = self.far.peek().map(|Reverse((at, _))| *at);
        match (self.next_in_ring(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
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

    /// Takes the events of a cycle, the first that has any.
    #[inline]
    pub(crate) fn take(&mut self, at: Cycle, events: &mut Vec<u32>) {
        self.now = at;
        let slot = (at % SLOTS) as usize;
        events.append(&mut self.slots[slot]);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        while let Some(&Reverse((cycle, event))) = self.far.peek()
            && cycle == at
        {
            self.far.pop();
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_of_their_cycles() {
        let mut wheel = Wheel::new();
        let times = [700, 3, 511, 64, 512, 513, 100_000, 3];
        for (event, &at) in times.iter().enumerate() {
            wheel.push(at, event as u32);
        }
        let mut seen = Vec::new();
        while let Some(at) = wheel.next() {
            let mut events = Vec::new();
            wheel.take(at, &mut events);
            assert!(events.iter().all(|&event| times[event as usize] == at));
            seen.extend(events.iter().map(|_| at));
            if at == 64 {
                // 64 + 511 is the last cycle of the ring, 64 + 512 the first behind it.
                wheel.push(64 + 511, 1);
                wheel.take(64 + 511, &mut Vec::new());
                break;
            }
        }
        assert_eq!(seen, [3, 3, 64]);
    }

    #[test]
    fn nothing_is_lost_over_many_turns() {
        let (mut wheel, mut next, mut count) = (Wheel::new(), 1_u64, 0);
        wheel.push(0, 0);
        while let Some(at) = wheel.next() {
            let mut events = Vec::new();
            wheel.take(at, &mut events);
            count += events.len();
            for _ in events {
                next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if count < 5_000 {
                    wheel.push(at + 1 + (next >> 54), 7);
                }
            }
        }
        assert_eq!(count, 5_000);
    }
}
