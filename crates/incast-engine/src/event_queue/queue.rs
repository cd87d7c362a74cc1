//! The queue of events: by time, and by their places at the same time.
//!
//! A ring of lists has one list for every clock unit, each in order of places. A heap has the
//! events beyond the ring. The list of the current time is taken out of the ring.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::checked_index::CheckedIndex;
use crate::node::EventPlace;

/// Number of lists of the ring; a power of two.
const LISTS: usize = 1 << 16;

/// An event: a message arrives at a port of a node, or a timer of the node expires.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedEvent {
    pub(super) place: EventPlace,
    pub(super) node: u32,
    /// The number of the timer, or the number of the port with [`ARRIVAL`](super::ARRIVAL).
    pub(super) source: u32,
    /// Place of the message in the engine's store.
    pub(super) message: u32,
}

/// The queue of events.
#[derive(Clone, Debug)]
pub(super) struct EventQueue {
    /// Current time, in clock units.
    now: u64,
    /// Events of the current time; the first `popped` of them have happened.
    current: Vec<QueuedEvent>,
    popped: usize,
    /// Events of later times, in order of places. An empty list holds no memory.
    lists: Vec<Vec<QueuedEvent>>,
    /// One bit per list: whether it has events.
    occupied: Vec<u64>,
    /// One bit per word of `occupied`: whether it has bits.
    summary: Vec<u64>,
    /// Emptied lists, whose memory is used again.
    spare: Vec<Vec<QueuedEvent>>,
    /// Events beyond the ring.
    far: BinaryHeap<Reverse<Far>>,
}

/// An event beyond the ring, ordered by time and place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Far {
    time: u64,
    event: QueuedEvent,
}

impl Ord for Far {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.event.place).cmp(&(other.time, other.event.place))
    }
}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl EventQueue {
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            current: Vec::new(),
            popped: 0,
            lists: vec![Vec::new(); LISTS],
            occupied: vec![0; LISTS / 64],
            summary: vec![0; LISTS / 64 / 64],
            spare: Vec::new(),
            far: BinaryHeap::new(),
        }
    }

    /// Inserts an event at `time`, in order of places; mostly it is the last one of its time.
    #[inline(always)]
    pub(super) fn insert(&mut self, time: u64, event: QueuedEvent) {
        debug_assert!(time >= self.now, "an event in the past");
        let number = time as usize % LISTS;
        // Within the ring, and later than now.
        if (time - self.now).wrapping_sub(1) < LISTS as u64 - 1 {
            let list = self.lists.at_mut(number);
            match list.last() {
                Some(last) if last.place < event.place => return list.push(event),
                Some(_) => {}
                None => return self.begin_list(number, event),
            }
        }
        self.insert_elsewhere(time, event);
    }

    /// Adds the first event to an empty list.
    #[inline(never)]
    fn begin_list(&mut self, number: usize, event: QueuedEvent) {
        let mut list = self.spare.pop().unwrap_or_default();
        list.push(event);
        *self.lists.at_mut(number) = list;
        *self.occupied.at_mut(number / 64) |= 1 << (number % 64);
        *self.summary.at_mut(number / 4096) |= 1 << (number / 64 % 64);
    }

    /// Inserts an event at the current time, before other events, or beyond the ring.
    #[inline(never)]
    fn insert_elsewhere(&mut self, time: u64, event: QueuedEvent) {
        let ahead = time - self.now;
        if ahead >= LISTS as u64 {
            return self.far.push(Reverse(Far { time, event }));
        }
        let list = match ahead {
            0 => &mut self.current,
            _ => self.lists.at_mut(time as usize % LISTS),
        };
        // Most places are near the end.
        let earlier = |other: &QueuedEvent| other.place < event.place;
        let at = list.iter().rposition(earlier).map_or(0, |last| last + 1);
        list.insert(at, event);
    }

    /// Takes the next event of the current time.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<QueuedEvent> {
        let event = *self.current.get(self.popped)?;
        self.popped += 1;
        Some(event)
    }

    /// Time of the first event.
    #[inline]
    pub(super) fn next_time(&self) -> Option<u64> {
        if self.popped < self.current.len() {
            return Some(self.now);
        }
        let far = self.far.peek().map(|Reverse(far)| far.time);
        match (self.next_in_ring(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    #[inline]
    fn next_in_ring(&self) -> Option<u64> {
        let start = self.now as usize % LISTS;
        let first = self.occupied.at(start / 64) & (u64::MAX << (start % 64));
        match first {
            0 => self.next_after_word(start),
            _ => Some(self.time_of(start / 64 * 64 + first.trailing_zeros() as usize)),
        }
    }

    /// The time of a list of the ring.
    #[inline]
    fn time_of(&self, list: usize) -> u64 {
        self.now + (list.wrapping_sub(self.now as usize) % LISTS) as u64
    }

    /// Time of the next list with events, where none of the lists from `start` to the end of its
    /// word has any.
    fn next_after_word(&self, start: usize) -> Option<u64> {
        let words = LISTS / 64;
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
                let first = self.occupied[word].trailing_zeros() as usize;
                return Some(self.time_of(word * 64 + first));
            }
            group = (group + 1) % groups;
            bits = self.summary[group];
        }
        None
    }

    /// Advances to `time`; all events before it have happened. Moves events from the heap to the
    /// ring if they are now within its range.
    #[inline]
    pub(super) fn advance(&mut self, time: u64) {
        if time > self.now {
            assert_eq!(self.popped, self.current.len(), "events are left behind");
            debug_assert!(
                self.next_time().is_none_or(|next| next >= time),
                "events are passed"
            );
            self.now = time;
            self.take_list(time as usize % LISTS);
        }
        while let Some(&Reverse(Far { time: far, event })) = self.far.peek() {
            if far - time >= LISTS as u64 {
                break;
            }
            self.far.pop();
            self.insert(far, event);
        }
    }

    /// Makes the events of a list the current events.
    #[inline]
    fn take_list(&mut self, number: usize) {
        self.popped = 0;
        self.current.clear();
        let list = self.lists.at_mut(number);
        if list.is_empty() {
            return;
        }
        self.spare
            .push(std::mem::replace(&mut self.current, std::mem::take(list)));
        let word = self.occupied.at_mut(number / 64);
        *word &= !(1 << (number % 64));
        if *word == 0 {
            *self.summary.at_mut(number / 4096) &= !(1 << (number / 64 % 64));
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

    /// An event whose place and source have this number.
    fn event(number: u32) -> QueuedEvent {
        QueuedEvent {
            place: EventPlace::numbered(number.into()),
            node: 0,
            source: number,
            message: 0,
        }
    }

    /// Events come in order of time, then of places, from the ring or the heap.
    #[test]
    fn events_come_in_order_of_places() {
        let mut queue = EventQueue::new();
        let times = [
            5, 70_000, 3, 5, 200_000, 70_000, 0, 65_535, 65_536, 4_095, 4_096,
        ];
        for (number, time) in times.into_iter().enumerate() {
            queue.insert(time, event(number as u32));
        }
        let mut expected: Vec<(u64, u32)> = times
            .into_iter()
            .enumerate()
            .map(|(number, time)| (time, number as u32))
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

    /// Five events of one time inserted in every order, at a later time and at the current time,
    /// after some have happened.
    #[test]
    fn an_event_takes_its_place_among_others() {
        for code in 0..120 {
            let (mut left, mut order, mut rest) = (vec![1, 2, 3, 4, 5], Vec::new(), code);
            for choices in (1..=5).rev() {
                order.push(left.remove(rest % choices));
                rest /= choices;
            }
            let mut queue = EventQueue::new();
            order
                .iter()
                .for_each(|&number| queue.insert(9, event(number)));
            assert_eq!(drain(&mut queue), [1, 2, 3, 4, 5].map(|number| (9, number)));
            queue.insert(20, event(6));
            queue.insert(20, event(7));
            queue.advance(20);
            assert_eq!(queue.pop(), Some(event(6)));
            let later = order.iter().map(|number| number + 7);
            later.for_each(|number| queue.insert(20, event(number)));
            assert_eq!(
                drain(&mut queue),
                [7, 8, 9, 10, 11, 12].map(|number| (20, number))
            );
        }
    }

    /// Events near and far come out as from a list sorted by time and place. Some are inserted
    /// while events of the same time are taken. Some have a place taken long before, and some
    /// precede a jump beyond the ring. A copy of the queue goes on in the same way.
    #[test]
    fn random_events_come_as_in_a_sorted_list() {
        for seed in 0..20 {
            let mut random = RandomStream::of_network(seed, 3, NetworkPurpose::Scheduling);
            let mut below = |limit: u64| (random.uniform() * limit as f64) as u64;
            let (mut queue, mut expected) = (EventQueue::new(), BTreeSet::new());
            let (mut places, mut kept, mut last) = (0, Vec::new(), 0);
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
                    places += 1;
                    kept.push(places);
                    let place = kept.remove(match below(3) {
                        0 => below(kept.len() as u64) as usize,
                        _ => kept.len() - 1,
                    });
                    // No event is inserted before the current one.
                    if time > queue.now || place > last {
                        queue.insert(time, event(place));
                        expected.insert((time, place));
                    }
                    if below(4) == 0 {
                        places += 1;
                        kept.push(places);
                    }
                }
                if turn % 50 == 0 {
                    queue = queue.clone();
                }
                match queue.pop() {
                    Some(QueuedEvent { source, .. }) => {
                        assert_eq!(expected.pop_first(), Some((queue.now, source)));
                        last = source;
                    }
                    None => {
                        let next = expected.first().map(|&(time, _)| time);
                        assert_eq!(queue.next_time(), next);
                        queue.advance(next.unwrap_or(queue.now));
                        last = 0;
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
