//! The order of one node's events inside one window.
//!
//! A window is cut into [`SLOTS`] slots of time; a slot holds a list, sorted by time and source, and rarely longer than one. Each source has at most one event in the calendar, so
//! lists are links between sources and nothing is ever allocated.

/// Slots of a window.
const SLOTS: usize = 1024;
/// Words of a bit set of slots.
const WORDS: usize = SLOTS / 64;
/// Ends a list.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Calendar {
    /// Start of the window, in ps.
    start: u64,
    /// A slot is this power of two of picoseconds wide.
    shift: u32,
    occupied: [u64; WORDS],
    /// One bit per word of `occupied`.
    summary: u32,
    heads: Box<[u32; SLOTS]>,
    entries: Vec<Entry>,
}

#[derive(Copy, Clone, Debug)]
struct Entry {
    time: u64,
    next: u32,
}

impl Calendar {
    /// For windows of `length` ps and nodes of at most `sources` sources.
    pub(crate) fn new(length: u64, sources: usize) -> Self {
        let mut shift = 0;
        while (length - 1) >> shift >= SLOTS as u64 {
            shift += 1;
        }
        Self {
            start: 0,
            shift,
            occupied: [0; WORDS],
            summary: 0,
            heads: Box::new([NONE; SLOTS]),
            entries: vec![
                Entry {
                    time: 0,
                    next: NONE
                };
                sources
            ],
        }
    }

    /// Begins a window; the calendar is empty.
    pub(crate) fn begin(&mut self, start: u64) {
        debug_assert_eq!(self.summary, 0, "events left over from the window before");
        self.start = start;
    }

    #[inline]
    pub(crate) fn insert(&mut self, source: u32, time: u64) {
        let slot = self.slot_of(time);
        let bit = 1 << (slot % 64);
        let head = self.heads[slot];
        let entry = &mut self.entries[source as usize];
        *entry = Entry { time, next: NONE };
        if self.occupied[slot / 64] & bit == 0 {
            self.occupied[slot / 64] |= bit;
            self.summary |= 1 << (slot / 64);
            self.heads[slot] = source;
        } else if self.leads(source, head) {
            self.entries[source as usize].next = head;
            self.heads[slot] = source;
        } else {
            self.insert_after(head, source);
        }
    }

    fn insert_after(&mut self, head: u32, source: u32) {
        let mut before = head;
        loop {
            let next = self.entries[before as usize].next;
            if next == NONE || self.leads(source, next) {
                self.entries[source as usize].next = next;
                self.entries[before as usize].next = source;
                return;
            }
            before = next;
        }
    }

    /// The order of events: time, then source.
    #[inline]
    fn leads(&self, one: u32, other: u32) -> bool {
        let (a, b) = (&self.entries[one as usize], &self.entries[other as usize]);
        (a.time, one) < (b.time, other)
    }

    /// The first event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u32, u64)> {
        if self.summary == 0 {
            return None;
        }
        let word = self.summary.trailing_zeros() as usize % WORDS;
        let slot = (word * 64 + self.occupied[word].trailing_zeros() as usize) % SLOTS;
        let source = self.heads[slot];
        let Entry { time, next } = self.entries[source as usize];
        self.heads[slot] = next;
        if next == NONE {
            self.clear(slot);
        }
        Some((source, time))
    }

    /// Takes out the event of `source`, which is at `time`.
    pub(crate) fn remove(&mut self, source: u32, time: u64) {
        let slot = self.slot_of(time);
        let next = self.entries[source as usize].next;
        if self.heads[slot] == source {
            self.heads[slot] = next;
            if next == NONE {
                self.clear(slot);
            }
            return;
        }
        let mut before = self.heads[slot];
        while self.entries[before as usize].next != source {
            before = self.entries[before as usize].next;
        }
        self.entries[before as usize].next = next;
    }

    #[inline]
    fn slot_of(&self, time: u64) -> usize {
        ((time - self.start) >> self.shift) as usize % SLOTS
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
        std::iter::from_fn(|| calendar.pop()).collect()
    }

    /// Time first; at the same time the lower source.
    #[test]
    fn events_come_in_order() {
        let mut calendar = Calendar::new(1_000_000, 10);
        calendar.begin(5_000_000);
        for (source, time) in [
            (3, 5_000_100),
            (1, 5_999_999),
            (2, 5_000_100),
            (0, 5_000_050),
        ] {
            calendar.insert(source, time);
        }
        let expected = [
            (0, 5_000_050),
            (2, 5_000_100),
            (3, 5_000_100),
            (1, 5_999_999),
        ];
        assert_eq!(drain(&mut calendar), expected);
    }

    #[test]
    fn removal_takes_out_one_event_from_anywhere() {
        for gone in 0..4 {
            let mut calendar = Calendar::new(1_000_000, 4);
            calendar.begin(0);
            for source in 0..4 {
                calendar.insert(source, 500);
            }
            calendar.remove(gone, 500);
            let left: Vec<u32> = drain(&mut calendar).into_iter().map(|(s, _)| s).collect();
            let expected: Vec<u32> = (0..4).filter(|&s| s != gone).collect();
            assert_eq!(left, expected);
        }
    }

    /// The shortest window, 1 ps, and one whose slots are exactly 1 ps wide.
    #[test]
    fn tiny_windows_fit() {
        for length in [1, 1024] {
            let mut calendar = Calendar::new(length, 1);
            calendar.begin(length);
            calendar.insert(0, 2 * length - 1);
            assert_eq!(drain(&mut calendar), [(0, 2 * length - 1)]);
        }
    }
}
