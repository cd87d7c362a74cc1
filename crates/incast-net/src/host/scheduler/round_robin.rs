//! Round robin among the QPs that may send, whatever their number: those that may are bits in a
//! set, those that wait for their pacing sit in a heap ordered by time.

use incast_units::Time;

use super::Turn;

/// Not in the heap.
const OUT: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(in crate::host) struct RoundRobin {
    /// One bit per slot: whether it may send.
    ready: Vec<u64>,
    ready_count: usize,
    /// The slot served last.
    last: usize,
    /// A binary heap of (time, slot).
    heap: Vec<(Time, u32)>,
    /// By slot: its place in the heap.
    place: Vec<u32>,
}

impl RoundRobin {
    #[inline(always)]
    pub(super) fn set_turn(&mut self, slot: u32, turn: Turn) {
        // Often there is one QP, and it waits for its pacing before and after.
        if let (Turn::At(time), [only]) = (turn, &mut self.heap[..])
            && only.1 == slot
        {
            only.0 = time;
            return;
        }
        self.change_turn(slot, turn);
    }

    fn change_turn(&mut self, slot: u32, turn: Turn) {
        let index = slot as usize;
        if index >= self.place.len() {
            self.place.resize(index + 1, OUT);
            self.ready.resize(index / 64 + 1, 0);
        }
        self.set_ready(index, turn == Turn::Now);
        match (turn, self.place[index]) {
            (Turn::At(time), OUT) => {
                self.place[index] = self.heap.len() as u32;
                self.heap.push((time, slot));
                if self.heap.len() > 1 {
                    self.sift_up(self.heap.len() - 1);
                }
            }
            (Turn::At(time), place) => self.move_to(place as usize, time),
            (_, OUT) => {}
            (_, place) => self.take_out(place as usize),
        }
    }

    #[inline]
    fn set_ready(&mut self, index: usize, ready: bool) {
        let (word, bit) = (&mut self.ready[index / 64], 1 << (index % 64));
        let was = *word & bit != 0;
        if ready != was {
            *word ^= bit;
            self.ready_count = if ready {
                self.ready_count + 1
            } else {
                self.ready_count - 1
            };
        }
    }

    /// The next slot after the one served last, among those that may send. Whoever serves it
    /// sets its turn anew.
    #[inline(always)]
    pub(super) fn pick(&mut self, now: Time) -> Option<u32> {
        if let (0, [(time, slot)]) = (self.ready_count, &self.heap[..]) {
            if *time > now {
                return None;
            }
            self.last = *slot as usize;
            return Some(*slot);
        }
        self.pick_of_many(now)
    }

    fn pick_of_many(&mut self, now: Time) -> Option<u32> {
        if self.ready_count == 0 {
            let &(time, slot) = self.heap.first()?;
            if time > now {
                return None;
            }
            if !self.second_due(now) {
                self.last = slot as usize;
                return Some(slot);
            }
        }
        self.wake(now);
        if self.ready_count == 0 {
            return None;
        }
        let start = self.last + 1;
        let slot = self.first_ready(start).or_else(|| self.first_ready(0))?;
        self.last = slot;
        Some(slot as u32)
    }

    /// Whether the time of more than the first has come.
    #[inline]
    fn second_due(&self, now: Time) -> bool {
        self.heap
            .iter()
            .skip(1)
            .take(2)
            .any(|&(time, _)| time <= now)
    }

    /// Makes ready all whose time has come.
    #[inline]
    pub(super) fn wake(&mut self, now: Time) {
        while let Some(&(time, slot)) = self.heap.first() {
            if time > now {
                break;
            }
            self.take_out(0);
            self.set_ready(slot as usize, true);
        }
    }

    fn first_ready(&self, start: usize) -> Option<usize> {
        let mut word = start / 64;
        let mut bits = *self.ready.get(word)? & (u64::MAX << (start % 64));
        while bits == 0 {
            word += 1;
            bits = *self.ready.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    #[inline]
    pub(super) fn next_turn(&self, now: Time) -> Option<Time> {
        if self.ready_count > 0 {
            return Some(now);
        }
        self.heap.first().map(|&(time, _)| time.max(now))
    }

    fn move_to(&mut self, place: usize, time: Time) {
        let old = std::mem::replace(&mut self.heap[place].0, time);
        if self.heap.len() == 1 {
            return;
        }
        if time < old {
            self.sift_up(place);
        } else {
            self.sift_down(place);
        }
    }

    fn take_out(&mut self, place: usize) {
        let (_, slot) = self.heap.swap_remove(place);
        self.place[slot as usize] = OUT;
        if place < self.heap.len() {
            self.place[self.heap[place].1 as usize] = place as u32;
            // One of the two moves it, or neither.
            self.sift_up(place);
            self.sift_down(place);
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[place] = self.heap[parent];
            self.place[self.heap[place].1 as usize] = place as u32;
            place = parent;
        }
        self.heap[place] = entry;
        self.place[entry.1 as usize] = place as u32;
    }

    fn sift_down(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.heap[child + 1] < self.heap[child] {
                child += 1;
            }
            if entry <= self.heap[child] {
                break;
            }
            self.heap[place] = self.heap[child];
            self.place[self.heap[place].1 as usize] = place as u32;
            place = child;
        }
        self.heap[place] = entry;
        self.place[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_us(1);

    #[test]
    fn ready_slots_take_turns() {
        let mut robin = RoundRobin::default();
        for slot in [0, 3, 70] {
            robin.set_turn(slot, Turn::Now);
        }
        let order: Vec<u32> = (0..6).map(|_| robin.pick(NOW).unwrap()).collect();
        assert_eq!(order, [3, 70, 0, 3, 70, 0]);
        robin.set_turn(3, Turn::Blocked);
        assert_eq!(robin.pick(NOW), Some(70));
    }

    /// A model: a plain list of times, against the heap, under random changes.
    #[test]
    fn the_heap_knows_the_earliest() {
        let mut robin = RoundRobin::default();
        let mut model = vec![None; 50];
        let mut state = 1_u64;
        for _ in 0..5_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let slot = (state >> 33) as usize % model.len();
            let time = Time::from_ps(NOW.as_ps() + 1 + (state >> 40) % 1_000);
            if state >> 62 == 0 {
                robin.set_turn(slot as u32, Turn::Blocked);
                model[slot] = None;
            } else {
                robin.set_turn(slot as u32, Turn::At(time));
                model[slot] = Some(time);
            }
            assert_eq!(robin.next_turn(NOW), model.iter().flatten().min().copied());
        }
    }
}
