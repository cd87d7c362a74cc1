//! Round robin among any number of QPs: QPs that may send are bits in a set, QPs that wait for
//! their pacing are in a heap ordered by next send time.

use incast_units::Time;

use super::short_list::ShortList;

/// `place` of a slot that is not in the heap.
const OUT: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(in crate::host) struct RoundRobin {
    /// One bit per slot: whether its QP may send.
    ready: Vec<u64>,
    ready_count: usize,
    /// The slot served last.
    last: usize,
    /// A binary heap of (time, slot).
    heap: Vec<(Time, u32)>,
    /// By slot: its place in the heap, or `OUT`.
    place: Vec<u32>,
}

impl RoundRobin {
    /// Continues the round robin of a short list.
    pub(super) fn from_short_list(list: &ShortList) -> Self {
        let mut robin = Self::default();
        let (last, times) = list.all();
        robin.last = last as usize;
        for (slot, at) in times {
            robin.set_next_send(slot, at, Time::ZERO);
        }
        robin
    }

    pub(super) fn set_next_send(&mut self, slot: u32, at: Time, now: Time) {
        let index = slot as usize;
        if index >= self.place.len() {
            self.place.resize(index + 1, OUT);
            self.ready.resize(index / 64 + 1, 0);
        }
        self.set_ready(index, at <= now);
        let waits = now < at && at < Time::MAX;
        match self.place[index] {
            OUT if waits => {
                self.place[index] = self.heap.len() as u32;
                self.heap.push((at, slot));
                self.sift_up(self.heap.len() - 1);
            }
            OUT => {}
            place if waits => self.move_to(place as usize, at),
            place => self.take_out(place as usize),
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

    /// The next slot after the one served last whose QP may send. The caller must set its next send
    /// time again.
    pub(super) fn pick(&mut self, now: Time) -> Option<u32> {
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

    /// Whether more QPs in the heap than the first one may send.
    #[inline]
    fn second_due(&self, now: Time) -> bool {
        self.heap
            .iter()
            .skip(1)
            .take(2)
            .any(|&(time, _)| time <= now)
    }

    /// Moves all QPs that may send now from the heap to the set.
    #[inline]
    fn wake(&mut self, now: Time) {
        while let Some(&(time, slot)) = self.heap.first() {
            if time > now {
                break;
            }
            self.take_out(0);
            self.set_ready(slot as usize, time <= now);
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

    /// Number of QPs that may send, now or later.
    #[inline]
    pub(super) fn waiting(&self) -> u32 {
        (self.ready_count + self.heap.len()) as u32
    }

    /// Earliest next send time: [`Time::ZERO`] if a QP may send already, [`Time::MAX`] if there is
    /// none.
    #[inline]
    pub(super) fn earliest(&self) -> Time {
        if self.ready_count > 0 {
            return Time::ZERO;
        }
        self.heap.first().map_or(Time::MAX, |&(time, _)| time)
    }

    fn move_to(&mut self, place: usize, time: Time) {
        let old = std::mem::replace(&mut self.heap[place].0, time);
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
            // At most one of the two moves it.
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
    fn ready_slots_are_served_in_turn() {
        let mut robin = RoundRobin::default();
        for slot in [0, 3, 70] {
            robin.set_next_send(slot, NOW, NOW);
        }
        let order: Vec<u32> = (0..6).map(|_| robin.pick(NOW).unwrap()).collect();
        assert_eq!(order, [3, 70, 0, 3, 70, 0]);
        robin.set_next_send(3, Time::MAX, NOW);
        assert_eq!(robin.pick(NOW), Some(70));
    }
}
