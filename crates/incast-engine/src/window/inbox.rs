//! The messages that one node receives in one window, and their sorting.
//!
//! Messages come port by port, in order for each port, and are spread over the window. Sorting
//! distributes them into a table: the time of a message selects a cell. If the cell holds an
//! earlier message, the new one takes the next free cell. If it holds a later message, the later
//! one moves on. The table is then in order. A node with one port, and a node that processes a
//! whole window at once, need no sorting.

use super::event_key::{EventKey, MARK_BITS, NO_EVENT};
use crate::checked_index::CheckedIndex;
use crate::message::Message;
use crate::port_batch::{PortBatch, SpareBatches};

/// Number of cells examined together.
const GROUP: usize = MARK_BITS as usize;
/// Largest average distance of an event from its cell; beyond it a comparison sort is used.
const MAX_DISPLACEMENT: usize = 8;
/// Number of cells per message. More cells take longer to read, fewer cause more displacement.
const CELLS_PER_MESSAGE: usize = 2;

/// The messages of one node in one window, and the table that sorts them.
#[derive(Clone, Debug)]
pub(super) struct Inbox<M> {
    batches: Vec<PortBatch<M>>,
    /// Number of messages in all batches.
    count: usize,
    /// Cells; empty ones hold [`NO_EVENT`].
    table: Vec<EventKey>,
    /// Length of a window, in ps.
    length: u64,
}

impl<M: Message> Inbox<M> {
    /// An empty inbox for windows of `length` ps.
    pub(super) fn new(length: u64) -> Self {
        Self {
            batches: Vec::new(),
            count: 0,
            table: Vec::new(),
            length,
        }
    }

    /// Adds the messages that arrive by a port of the node. There may be none, if an earlier part
    /// of the window has taken all. Ports come in ascending order.
    #[inline]
    pub(super) fn add(&mut self, port: usize, messages: Vec<M>) {
        if !messages.is_empty() {
            self.count += messages.len();
            self.batches.push(PortBatch::new(port, messages));
        }
    }

    /// Number of messages of all ports.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The messages, port by port.
    #[inline]
    pub(super) fn batches(&mut self) -> &mut [PortBatch<M>] {
        &mut self.batches
    }

    /// Sorts the messages of the window that starts at `start`, in ps.
    #[inline(never)]
    pub(super) fn sort(&mut self, start: u64) -> SortedInbox<'_, M> {
        let count = self.batches.iter().map(|batch| batch.rest().len()).sum();
        self.count = count;
        let cells = CELLS_PER_MESSAGE * count;
        // Room for the case that all messages select the last cell.
        let max_cells = (cells + count).next_multiple_of(GROUP);
        if self.table.len() < max_cells {
            self.table.resize(max_cells, NO_EVENT);
        }
        let used = if self.batches.len() > 1 && self.distribute(start, cells) {
            let beyond = self.table[cells..].iter();
            cells + beyond.take_while(|event| **event != NO_EVENT).count()
        } else {
            self.sort_by_comparison(start);
            count
        };
        let (groups, _) = self.table.as_chunks_mut();
        SortedInbox {
            groups: &mut groups[..used.div_ceil(GROUP)],
            batches: &mut self.batches,
        }
    }

    /// Empties the inbox, whose messages have all been handled. Its memory goes to `spare`.
    #[inline]
    pub(super) fn clear(&mut self, spare: &mut SpareBatches<M>) {
        self.count = 0;
        spare.put_back(&mut self.batches);
    }

    /// Gives each event a cell. Returns `false`, with an empty table, if the displacements exceed
    /// [`MAX_DISPLACEMENT`] on average.
    fn distribute(&mut self, start: u64, cells: usize) -> bool {
        let scale = EventKey::scale(cells, self.length);
        let mut left = MAX_DISPLACEMENT * self.count;
        for (number, batch) in self.batches.iter().enumerate() {
            let origin = EventKey::message(0, number).earlier(start);
            for message in batch.rest() {
                let mut event = origin.later(message.time_bits());
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

    /// Writes the events without gaps, and sorts them if there are several ports.
    fn sort_by_comparison(&mut self, start: u64) {
        let mut cells = self.table.iter_mut();
        for (number, batch) in self.batches.iter().enumerate() {
            let origin = EventKey::message(0, number).earlier(start);
            for (message, cell) in batch.rest().iter().zip(&mut cells) {
                *cell = origin.later(message.time_bits());
            }
        }
        if self.batches.len() > 1 {
            self.table[..self.count].sort_unstable();
        }
    }
}

/// The inbox after sorting.
#[derive(Debug)]
pub(super) struct SortedInbox<'a, M> {
    /// The table.
    pub(super) groups: &'a mut [CellGroup],
    /// By number of an event: the batch that holds its message.
    pub(super) batches: &'a mut [PortBatch<M>],
}

/// Adjacent cells.
pub(super) type CellGroup = [EventKey; GROUP];

/// One bit for each occupied cell of a group. Branches on single cells would be unpredictable.
#[inline(always)]
pub(super) fn occupied(group: &CellGroup) -> u64 {
    let cells = group.iter().zip(0..);
    EventKey::unmarked(cells.fold(0, |marks, (cell, index)| marks | cell.mark(index)))
}

/// Empties a group.
#[inline(always)]
pub(super) fn empty(group: &mut CellGroup) {
    *group = [NO_EVENT; GROUP];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Copy, Clone)]
    struct Letter(u64);

    impl Message for Letter {
        fn time_bits(&self) -> u64 {
            self.0
        }
    }

    /// Checks the order of one batch for each port; `offset` gives the time of a message by port
    /// and number.
    fn check(length: u64, ports: u32, each: u64, offset: impl Fn(u64, u64) -> u64) {
        let in_window = |port, number| offset(port, number) % length;
        let mut inbox = Inbox::new(length);
        let start = 7 * length;
        let mut expected = Vec::new();
        for port in 0..ports {
            let mut offsets: Vec<u64> = (0..each).map(|i| in_window(port.into(), i)).collect();
            offsets.sort();
            let messages = offsets.iter().map(|offset| Letter(start + offset));
            inbox.add(port as usize, messages.collect());
            expected.extend(offsets.into_iter().map(|offset| (offset, port as usize)));
        }
        expected.sort();
        assert_eq!(inbox.count(), expected.len());
        let SortedInbox { groups, batches } = inbox.sort(start);
        let mut found = Vec::new();
        for group in groups {
            let bits = occupied(group);
            for (cell, event) in group.iter().enumerate() {
                let is_occupied = *event != NO_EVENT;
                assert_eq!(bits >> cell & 1 == 1, is_occupied);
                if is_occupied {
                    let batch = &mut batches[event.number()];
                    let (port, letter) = batch.take_next();
                    assert_eq!(letter.0, start + event.offset());
                    found.push((event.offset(), port));
                }
            }
            empty(group);
        }
        assert_eq!(found, expected);
        let mut spare = SpareBatches::default();
        inbox.clear(&mut spare);
        assert_eq!(spare.count(), ports as usize);
        let groups = inbox.sort(start).groups;
        assert!(groups.iter().all(|group| occupied(group) == 0));
    }

    #[test]
    fn few_and_many_events_come_in_order() {
        let spread = |port, number| (port * 7_919 + number * 104_729) % 1_100_000;
        for (ports, each) in [(0, 0), (1, 5), (4, 8), (1, 100), (24, 12), (300, 40)] {
            check(1_000_000, ports, each, spread);
        }
    }

    /// All messages are at the end of a long window, in one cell, so distribution does not help.
    #[test]
    fn a_burst_comes_in_order() {
        check(10_000_000, 200, 20, |port, number| {
            9_990_000 + (number * 400 + port * 271) % 9_000
        });
    }

    /// The shortest window, and windows with as many ps as cells.
    #[test]
    fn tiny_windows_come_in_order() {
        check(1, 50, 2, |_, _| 0);
        check(256, 50, 4, |port, number| (port * 31 + number * 64) % 256);
        check(1024, 50, 30, |port, number| {
            (port * 31 + number * 64) % 1024
        });
    }
}
