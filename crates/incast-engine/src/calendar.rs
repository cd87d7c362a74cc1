//! The order of one node's alarms inside one window.
//!
//! A window is cut into [`SLOTS`] slots of time; a slot holds a list, sorted by time and alarm,
//! and rarely longer than one. Each alarm is in the calendar at most once, so lists are links
//! between alarms and nothing is ever allocated.

use crate::event::{Event, NO_EVENT};

/// Slots of a window.
const SLOTS: usize = 1024;
/// Words of a bit set of slots.
const WORDS: usize = SLOTS / 64;
/// Ends a list.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Calendar {
    /// The first event.
    first: Event,
    /// A slot is this power of two of picoseconds wide.
    shift: u32,
    /// One bit per word of `occupied`.
    summary: u32,
    occupied: [u64; WORDS],
    heads: Box<[u32; SLOTS]>,
    /// By alarm.
    entries: Vec<Entry>,
}

#[derive(Copy, Clone, Debug)]
struct Entry {
    event: Event,
    next: u32,
}

impl Calendar {
    /// For windows of `length` ps and nodes of at most `alarms` alarms.
    pub(crate) fn new(length: u64, alarms: usize) -> Self {
        let mut shift = 0;
        while (length - 1) >> shift >= SLOTS as u64 {
            shift += 1;
        }
        let entry = Entry {
            event: NO_EVENT,
            next: NONE,
        };
        Self {
            first: NO_EVENT,
            shift,
            summary: 0,
            occupied: [0; WORDS],
            heads: Box::new([NONE; SLOTS]),
            entries: vec![entry; alarms],
        }
    }

    /// The first event, or [`NO_EVENT`].
    #[inline]
    pub(crate) fn first(&self) -> Event {
        self.first
    }

    #[inline]
    pub(crate) fn insert(&mut self, event: Event) {
        let (slot, alarm) = (self.slot_of(event), event.source());
        self.first = self.first.min(event);
        self.entries[alarm as usize] = Entry { event, next: NONE };
        let bit = 1 << (slot % 64);
        if self.occupied[slot / 64] & bit == 0 {
            self.occupied[slot / 64] |= bit;
            self.summary |= 1 << (slot / 64);
            self.heads[slot] = alarm;
        } else {
            self.insert_in_list(slot, event);
        }
    }

    fn insert_in_list(&mut self, slot: usize, event: Event) {
        let (mut before, mut next) = (NONE, self.heads[slot]);
        while next != NONE && self.entries[next as usize].event < event {
            (before, next) = (next, self.entries[next as usize].next);
        }
        self.entries[event.source() as usize].next = next;
        self.link(slot, before, event.source());
    }

    /// Takes out the first event; there is one.
    #[inline]
    pub(crate) fn pop(&mut self) {
        let slot = self.slot_of(self.first);
        let next = self.entries[self.first.source() as usize].next;
        self.heads[slot] = next;
        self.first = if next == NONE {
            self.clear(slot);
            self.search()
        } else {
            self.entries[next as usize].event
        };
    }

    /// Takes out an event.
    pub(crate) fn remove(&mut self, event: Event) {
        if event == self.first {
            return self.pop();
        }
        let (slot, alarm) = (self.slot_of(event), event.source());
        let after = self.entries[alarm as usize].next;
        let (mut before, mut next) = (NONE, self.heads[slot]);
        while next != alarm {
            (before, next) = (next, self.entries[next as usize].next);
        }
        self.link(slot, before, after);
        if self.heads[slot] == NONE {
            self.clear(slot);
        }
    }

    /// Lets `next` follow `before`, or begin the list.
    fn link(&mut self, slot: usize, before: u32, next: u32) {
        if before == NONE {
            self.heads[slot] = next;
        } else {
            self.entries[before as usize].next = next;
        }
    }

    #[inline]
    fn search(&self) -> Event {
        if self.summary == 0 {
            return NO_EVENT;
        }
        let word = self.summary.trailing_zeros() as usize % WORDS;
        let slot = (word * 64 + self.occupied[word].trailing_zeros() as usize) % SLOTS;
        self.entries[self.heads[slot] as usize].event
    }

    #[inline]
    fn slot_of(&self, event: Event) -> usize {
        (event.offset() >> self.shift) as usize % SLOTS
    }

    #[inline]
    fn clear(&mut self, slot: usize) {
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        if self.occupied[slot / 64] == 0 {
            self.summary &= !(1 << (slot / 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(calendar: &mut Calendar) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        while calendar.first() != NO_EVENT {
            all.push((calendar.first().source(), calendar.first().offset()));
            calendar.pop();
        }
        all
    }

    /// Time first; at the same time the lower alarm.
    #[test]
    fn events_come_in_order() {
        let mut calendar = Calendar::new(1_000_000, 10);
        for (alarm, offset) in [(3, 100), (1, 999_999), (2, 100), (0, 50)] {
            calendar.insert(Event::new(offset, alarm));
        }
        let expected = [(0, 50), (2, 100), (3, 100), (1, 999_999)];
        assert_eq!(drain(&mut calendar), expected);
    }

    #[test]
    fn removal_takes_out_one_event_from_anywhere() {
        for gone in 0..4 {
            let mut calendar = Calendar::new(1_000_000, 4);
            for alarm in [2, 0, 3, 1] {
                calendar.insert(Event::new(500, alarm));
            }
            calendar.remove(Event::new(500, gone));
            let left: Vec<u32> = drain(&mut calendar).into_iter().map(|(a, _)| a).collect();
            let expected: Vec<u32> = (0..4).filter(|&alarm| alarm != gone).collect();
            assert_eq!(left, expected);
        }
    }

    /// The shortest window, 1 ps, and one whose slots are exactly 1 ps wide.
    #[test]
    fn tiny_windows_fit() {
        for length in [1, 1024] {
            let mut calendar = Calendar::new(length, 1);
            calendar.insert(Event::new(length - 1, 0));
            assert_eq!(drain(&mut calendar), [(0, length - 1)]);
        }
    }

    /// A model: a sorted list, against the calendar, under random insertions and removals.
    #[test]
    fn the_calendar_agrees_with_a_sorted_list() {
        let (mut calendar, mut model) = (Calendar::new(100_000, 64), Vec::new());
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let alarm = (state >> 58) as u32;
            let set = model
                .iter()
                .position(|event: &Event| event.source() == alarm);
            if let Some(place) = set {
                calendar.remove(model.remove(place));
            } else {
                let event = Event::new((state >> 33) % 2_000 * 50, alarm);
                calendar.insert(event);
                model.push(event);
                model.sort();
            }
            let expected = model.first().copied().unwrap_or(NO_EVENT);
            assert_eq!(calendar.first(), expected);
        }
    }
}
