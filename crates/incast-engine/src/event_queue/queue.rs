//! The queue of events: by time, and in order of insertion at the same time.
//!
//! A ring of buckets, one for every unit of a coarse clock, each a list in order of insertion; and
//! a heap for events beyond the ring. The bucket of the current time is taken out of the ring.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::checked_index::CheckedIndex;

/// Number of buckets of the ring; a power of two.
const BUCKETS: usize = 1 << 16;

/// An event: the expiry of a timer, with the token it was set with, or the next message of a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueuedEvent {
    pub(super) source: u32,
    pub(super) token: u32,
}

/// The queue of events.
#[derive(Clone, Debug)]
pub(super) struct EventQueue {
    /// Current time, in clock units.
    now: u64,
    /// Events of the current time; the first `popped` of them have happened.
    current: Vec<QueuedEvent>,
    popped: usize,
    /// Events of later times. A bucket without any holds no memory.
    buckets: Vec<Vec<QueuedEvent>>,
    /// One bit per bucket: whether it has events.
    occupied: Vec<u64>,
    /// One bit per word of `occupied`: whether it has bits.
    summary: Vec<u64>,
    /// Lists that have been emptied, for buckets that will need one.
    spare: Vec<Vec<QueuedEvent>>,
    /// Events beyond the ring: (time, number of insertion, event).
    far: BinaryHeap<Reverse<(u64, u64, QueuedEvent)>>,
    inserted: u64,
}

impl EventQueue {
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            current: Vec::new(),
            popped: 0,
            buckets: vec![Vec::new(); BUCKETS],
            occupied: vec![0; BUCKETS / 64],
            summary: vec![0; BUCKETS / 64 / 64],
            spare: Vec::new(),
            far: BinaryHeap::new(),
            inserted: 0,
        }
    }

    /// Inserts an event at `time`, behind all others of that time.
    #[inline]
    pub(super) fn insert(&mut self, time: u64, event: QueuedEvent) {
        debug_assert!(time >= self.now, "an event in the past");
        let ahead = time - self.now;
        if ahead == 0 {
            return self.current.push(event);
        }
        if ahead >= BUCKETS as u64 {
            return self.insert_far(time, event);
        }
        let number = time as usize % BUCKETS;
        let bucket = self.buckets.at_mut(number);
        if bucket.is_empty() {
            *bucket = self.spare.pop().unwrap_or_default();
            *self.occupied.at_mut(number / 64) |= 1 << (number % 64);
            *self.summary.at_mut(number / 4096) |= 1 << (number / 64 % 64);
        }
        bucket.push(event);
    }

    #[cold]
    fn insert_far(&mut self, time: u64, event: QueuedEvent) {
        self.inserted += 1;
        self.far.push(Reverse((time, self.inserted, event)));
    }

    /// The next event of the current time.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<QueuedEvent> {
        let event = *self.current.get(self.popped)?;
        self.popped += 1;
        Some(event)
    }

    /// Time of the first event.
    pub(super) fn next_time(&self) -> Option<u64> {
        if self.popped < self.current.len() {
            return Some(self.now);
        }
        let far = self.far.peek().map(|Reverse((time, ..))| *time);
        match (self.next_in_ring(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    fn next_in_ring(&self) -> Option<u64> {
        let start = self.now as usize % BUCKETS;
        let time_of = |bucket: usize| self.now + (bucket.wrapping_sub(start) % BUCKETS) as u64;
        let first = self.occupied[start / 64] & (u64::MAX << (start % 64));
        if first != 0 {
            return Some(time_of(start / 64 * 64 + first.trailing_zeros() as usize));
        }
        let words = BUCKETS / 64;
        let groups = words / 64;
        let after = start / 64 + 1;
        let mut group = after / 64 % groups;
        let mut bits = if after == words {
            self.summary[0]
        } else {
            self.summary[group] & (u64::MAX << (after % 64))
        };
        for _ in 0..=groups {
            if bits != 0 {
                let word = group * 64 + bits.trailing_zeros() as usize;
                return Some(time_of(
                    word * 64 + self.occupied[word].trailing_zeros() as usize,
                ));
            }
            group = (group + 1) % groups;
            bits = self.summary[group];
        }
        None
    }

    /// Advances to `time`, all events before which have happened. Events that the ring can hold
    /// from then on leave the heap before any new event can be inserted beside them, so insertion
    /// order is kept.
    pub(super) fn advance(&mut self, time: u64) {
        if time > self.now {
            assert_eq!(self.popped, self.current.len(), "events are left behind");
            debug_assert!(
                self.next_time().is_none_or(|next| next >= time),
                "events are passed"
            );
            self.now = time;
            self.take_bucket(time as usize % BUCKETS);
        }
        while let Some(&Reverse((far, _, event))) = self.far.peek() {
            if far - time >= BUCKETS as u64 {
                break;
            }
            self.far.pop();
            self.insert(far, event);
        }
    }

    /// Makes the events of a bucket the current ones.
    fn take_bucket(&mut self, number: usize) {
        self.popped = 0;
        self.current.clear();
        let bucket = &mut self.buckets[number];
        if bucket.is_empty() {
            return;
        }
        self.spare
            .push(std::mem::replace(&mut self.current, std::mem::take(bucket)));
        self.occupied[number / 64] &= !(1 << (number % 64));
        if self.occupied[number / 64] == 0 {
            self.summary[number / 4096] &= !(1 << (number / 64 % 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use incast_random::{NetworkPurpose, RandomStream};

    use super::*;

    fn drain(queue: &mut EventQueue) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        while let Some(time) = queue.next_time() {
            queue.advance(time);
            while let Some(event) = queue.pop() {
                all.push((time, event.source));
            }
        }
        all
    }

    fn event(source: u32) -> QueuedEvent {
        QueuedEvent { source, token: 0 }
    }

    /// Time first; at the same time, first in, first out; ring or heap makes no difference.
    #[test]
    fn events_come_in_order_of_insertion() {
        let mut queue = EventQueue::new();
        let times = [
            5, 70_000, 3, 5, 200_000, 70_000, 0, 65_535, 65_536, 4_095, 4_096,
        ];
        for (source, time) in times.into_iter().enumerate() {
            queue.insert(time, event(source as u32));
        }
        let mut expected: Vec<(u64, u32)> = times
            .into_iter()
            .enumerate()
            .map(|(source, time)| (time, source as u32))
            .collect();
        expected.sort();
        assert_eq!(drain(&mut queue), expected);
    }

    /// An event was inserted in the heap before another of its time was inserted in the ring.
    #[test]
    fn events_of_the_heap_come_first() {
        let mut queue = EventQueue::new();
        queue.insert(100_000, event(1));
        queue.insert(50_000, event(0));
        queue.advance(50_000);
        assert_eq!(queue.pop(), Some(event(0)));
        queue.insert(100_000, event(2));
        assert_eq!(drain(&mut queue), [(100_000, 1), (100_000, 2)]);
    }

    /// Events near and far, some inserted while those of the same time are taken, some before a
    /// jump over more than the ring, come as in a list sorted by time and insertion; a copy goes on
    /// alike.
    #[test]
    fn random_events_come_as_in_a_sorted_list() {
        for seed in 0..20 {
            let mut random = RandomStream::of_network(seed, 3, NetworkPurpose::Scheduling);
            let mut below = |limit: u64| (random.uniform() * limit as f64) as u64;
            let (mut queue, mut expected) = (EventQueue::new(), BTreeSet::new());
            let mut inserted = 0;
            for turn in 0..400 {
                for _ in 0..below(6) {
                    let ahead = [
                        0,
                        below(4),
                        below(70_000),
                        65_535 + below(3),
                        below(300_000),
                    ];
                    let time = queue.now + ahead[below(5) as usize];
                    queue.insert(time, event(inserted));
                    expected.insert((time, inserted));
                    inserted += 1;
                }
                if turn % 50 == 0 {
                    queue = queue.clone();
                }
                match queue.pop() {
                    Some(QueuedEvent { source, .. }) => {
                        assert_eq!(expected.pop_first(), Some((queue.now, source)));
                    }
                    None => {
                        let next = expected.first().map(|&(time, _)| time);
                        assert_eq!(queue.next_time(), next);
                        queue.advance(next.unwrap_or(queue.now));
                    }
                }
            }
            let rest: Vec<_> = expected.into_iter().collect();
            assert_eq!(drain(&mut queue), rest, "seed {seed}");
        }
    }

    /// Every distance, from every position in the ring.
    #[test]
    fn the_ring_is_searched_all_the_way_round() {
        for now in [0, 1, 63, 64, 4_095, 4_096, 65_535, 65_536, 131_000] {
            for ahead in [0, 1, 63, 64, 4_096, 30_000, 65_472, 65_535] {
                let mut queue = EventQueue::new();
                queue.advance(now);
                queue.insert(now + ahead, event(7));
                assert_eq!(queue.next_time(), Some(now + ahead), "{now} + {ahead}");
            }
        }
    }
}
