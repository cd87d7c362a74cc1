//! The arrivals of one node in one window, put in order.
//!
//! They come port by port, each port's in order, and are spread over the window. So each goes to
//! the cell of a table that its time points to, or to one of the next if earlier ones are there
//! already, later ones giving way: read through, the table is in order. A node with one port, or
//! one that takes all of a window at once, needs none of this.

use crate::checked_index::CheckedIndex;
use crate::event::{Event, MARK_BITS, NO_EVENT};
use crate::mailbox::Spare;
use crate::node::Message;

/// Cells that are looked through in one go.
const GROUP: usize = MARK_BITS as usize;
/// Events may be this many cells off, on average, before they are sorted otherwise.
const CELLS_OFF: usize = 8;
/// Cells for each message: with more there is more to look through, with less there are more
/// events off their cells.
const CELLS_EACH: usize = 2;

/// What arrives by one port in one window.
#[derive(Debug)]
pub struct PortBatch<M> {
    messages: Vec<M>,
    /// The node's port.
    port: u32,
    /// How many messages have been taken.
    taken: u32,
}

impl<M: Message> PortBatch<M> {
    /// The port, by its number in the node.
    #[inline(always)]
    pub fn port(&self) -> usize {
        self.port as usize
    }

    /// All messages, in order of arrival.
    #[inline(always)]
    pub fn messages(&self) -> &[M] {
        &self.messages
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn messages_mut(&mut self) -> &mut [M] {
        &mut self.messages
    }

    /// The room that its messages take.
    #[inline(always)]
    pub(crate) fn into_room(mut self) -> Vec<M> {
        self.messages.clear();
        self.messages
    }

    /// Takes the next message, which came by this port. It may be changed.
    #[inline]
    pub(crate) fn take(&mut self) -> (usize, &mut M) {
        let message = self.messages.at_mut(self.taken as usize);
        self.taken += 1;
        (self.port as usize, message)
    }
}

/// Arrivals, and room to sort them in.
#[derive(Debug)]
pub(crate) struct Arrivals<M> {
    runs: Vec<PortBatch<M>>,
    /// Messages in all runs.
    count: usize,
    /// Cells; those without an event hold [`NO_EVENT`].
    table: Vec<Event>,
    /// Length of a window, in ps.
    length: u64,
}

impl<M: Message> Arrivals<M> {
    /// For windows of `length` ps.
    pub(crate) fn new(length: u64) -> Self {
        Self {
            runs: Vec::new(),
            count: 0,
            table: Vec::new(),
            length,
        }
    }

    /// Adds what arrives by a port of the node. Ports come in ascending order.
    #[inline]
    pub(crate) fn add(&mut self, port: usize, messages: Vec<M>) {
        self.count += messages.len();
        self.runs.push(PortBatch {
            messages,
            port: port as u32,
            taken: 0,
        });
    }

    /// Messages of all ports.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// What arrives, port by port.
    #[inline]
    pub(crate) fn runs(&mut self) -> &mut [PortBatch<M>] {
        &mut self.runs
    }

    /// Puts them in order.
    #[inline(never)]
    pub(crate) fn sort(&mut self, start: u64) -> Sorted<'_, M> {
        let count = self.count;
        let cells = CELLS_EACH * count;
        // Those of the last cell may need as many more.
        let most = (cells + count).next_multiple_of(GROUP);
        if self.table.len() < most {
            self.table.resize(most, NO_EVENT);
        }
        let used = if self.runs.len() > 1 && self.spread(start, cells) {
            let beyond = self.table[cells..].iter();
            cells + beyond.take_while(|event| **event != NO_EVENT).count()
        } else {
            self.line_up(start);
            count
        };
        let (groups, _) = self.table.as_chunks_mut();
        Sorted {
            groups: &mut groups[..used.div_ceil(GROUP)],
            runs: &mut self.runs,
        }
    }

    /// Forgets all of them, which have happened; their room is left to others.
    #[inline]
    pub(crate) fn clear(&mut self, spare: &mut Spare<M>) {
        self.count = 0;
        spare.append(&mut self.runs);
    }

    /// Gives each event a cell; `false` if many are far off.
    fn spread(&mut self, start: u64, cells: usize) -> bool {
        let scale = Event::scale(cells, self.length);
        let mut left = CELLS_OFF * self.count;
        for (number, run) in self.runs.iter().enumerate() {
            let origin = Event::message(0, number).earlier(start);
            for message in &run.messages {
                let mut event = origin.later(message.time().as_ps());
                let mut cell = event.cell(scale);
                let mut held = self.table.at_mut(cell);
                while *held != NO_EVENT {
                    if event < *held {
                        std::mem::swap(held, &mut event);
                    }
                    left -= 1;
                    if left == 0 {
                        self.table.fill(NO_EVENT);
                        return false;
                    }
                    cell += 1;
                    held = self.table.at_mut(cell);
                }
                *held = event;
            }
        }
        true
    }

    /// Writes the events without gaps, and sorts them if need be.
    fn line_up(&mut self, start: u64) {
        let mut cells = self.table.iter_mut();
        for (number, run) in self.runs.iter().enumerate() {
            let origin = Event::message(0, number).earlier(start);
            for (message, cell) in run.messages.iter().zip(&mut cells) {
                *cell = origin.later(message.time().as_ps());
            }
        }
        if self.runs.len() > 1 {
            self.table[..self.count].sort_unstable();
        }
    }
}

/// Arrivals in order.
#[derive(Debug)]
pub(crate) struct Sorted<'a, M> {
    /// The table.
    pub(crate) groups: &'a mut [Group],
    /// What events take their messages from, by their numbers.
    pub(crate) runs: &'a mut [PortBatch<M>],
}

/// Cells next to each other.
pub(crate) type Group = [Event; GROUP];

/// One bit for each cell of a group that holds an event: whether one does cannot be foreseen, so
/// they are not asked one by one.
#[inline(always)]
pub(crate) fn occupied(group: &Group) -> u64 {
    let cells = group.iter().zip(0..);
    Event::unmarked(cells.fold(0, |marks, (cell, index)| marks | cell.mark(index)))
}

/// Empties a group.
#[inline(always)]
pub(crate) fn empty(group: &mut Group) {
    *group = [NO_EVENT; GROUP];
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    #[derive(Copy, Clone)]
    struct Letter(u64);

    impl Message for Letter {
        fn time(&self) -> Time {
            Time::from_ps(self.0)
        }
    }

    /// What sorting makes of one run for each port; `offset` of (port, number).
    fn check(length: u64, ports: u32, each: u64, offset: impl Fn(u64, u64) -> u64) {
        let in_window = |port, number| offset(port, number) % length;
        let mut arrivals = Arrivals::new(length);
        let start = 7 * length;
        let mut expected = Vec::new();
        for port in 0..ports {
            let mut offsets: Vec<u64> = (0..each).map(|i| in_window(port.into(), i)).collect();
            offsets.sort();
            let messages = offsets.iter().map(|offset| Letter(start + offset));
            arrivals.add(port as usize, messages.collect());
            expected.extend(offsets.into_iter().map(|offset| (offset, port as usize)));
        }
        expected.sort();
        assert_eq!(arrivals.count(), expected.len());
        let Sorted { groups, runs } = arrivals.sort(start);
        let mut found = Vec::new();
        for group in groups {
            let bits = occupied(group);
            for (place, event) in group.iter().enumerate() {
                let holds = *event != NO_EVENT;
                assert_eq!(bits >> place & 1 == 1, holds);
                if holds {
                    let run = &mut runs[event.number()];
                    let (port, letter) = run.take();
                    assert_eq!(letter.0, start + event.offset());
                    found.push((event.offset(), port));
                }
            }
            empty(group);
        }
        assert_eq!(found, expected);
        let mut spare = Vec::new();
        arrivals.clear(&mut spare);
        assert_eq!(spare.len(), ports as usize);
        let groups = arrivals.sort(start).groups;
        assert!(groups.iter().all(|group| occupied(group) == 0));
    }

    #[test]
    fn few_and_many_events_come_in_order() {
        let spread = |port, number| (port * 7_919 + number * 104_729) % 1_100_000;
        for (ports, each) in [(0, 0), (1, 5), (4, 8), (1, 100), (24, 12), (300, 40)] {
            check(1_000_000, ports, each, spread);
        }
    }

    /// All at the end of a long window, in one slot: dealing them out does not help.
    #[test]
    fn a_burst_comes_in_order() {
        check(10_000_000, 200, 20, |port, number| {
            9_990_000 + (number * 400 + port * 271) % 9_000
        });
    }

    /// The shortest window, and one as long as there are slots.
    #[test]
    fn tiny_windows_come_in_order() {
        check(1, 50, 2, |_, _| 0);
        check(256, 50, 4, |port, number| (port * 31 + number * 64) % 256);
        check(1024, 50, 30, |port, number| {
            (port * 31 + number * 64) % 1024
        });
    }
}
