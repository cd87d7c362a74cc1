//! A queue for few items, mostly empty: a vector, and the index of its first item.

use incast_engine::CheckedIndex;

/// Taken items stay at the front of the vector until their number exceeds this one and is at least
/// the number of items left.
const MANY: usize = 64;

/// First in, first out.
#[derive(Clone, Debug)]
pub(crate) struct Fifo<T> {
    /// All items since the last move; none if the queue is empty.
    items: Vec<T>,
    /// Index of the first item that has not been taken.
    first: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            first: 0,
        }
    }
}

impl<T: Copy> Fifo<T> {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline(always)]
    pub(crate) fn push_back(&mut self, item: &T) {
        self.items.push(*item);
    }

    #[inline(always)]
    pub(crate) fn front(&self) -> Option<&T> {
        self.items.get(self.first)
    }

    #[inline(always)]
    pub(crate) fn back(&self) -> Option<&T> {
        self.items.last()
    }

    /// The first item of a non-empty queue.
    ///
    /// # Panics
    /// If the queue is empty.
    #[inline(always)]
    pub(crate) fn front_mut(&mut self) -> &mut T {
        self.items.at_mut(self.first)
    }

    /// Drops the first item of a non-empty queue.
    #[inline(always)]
    pub(crate) fn pop_front(&mut self) {
        self.first += 1;
        if self.first >= self.items.len() {
            self.items.clear();
            self.first = 0;
        } else if self.first >= MANY {
            self.move_up();
        }
    }

    #[inline(never)]
    fn move_up(&mut self) {
        if self.first * 2 < self.items.len() {
            return;
        }
        self.items.drain(..self.first);
        self.first = 0;
        // A network has many queues, of which few are long at a time.
        if self.items.capacity() > 4 * self.items.len() {
            self.items.shrink_to(2 * self.items.len());
        }
    }

    pub(crate) fn push_front(&mut self, item: T) {
        if self.first > 0 {
            self.first -= 1;
            self.items[self.first] = item;
        } else {
            self.items.insert(0, item);
        }
    }

    pub(crate) fn pop_back(&mut self) -> Option<T> {
        let last = self.items.pop()?;
        if self.first == self.items.len() {
            self.items.clear();
            self.first = 0;
        }
        Some(last)
    }

    /// All items, the first one first.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items[self.first..]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.as_slice().iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A queue that was long for a time keeps no more memory than a short one.
    #[test]
    fn memory_of_a_long_queue_is_given_back() {
        let mut fifo = Fifo::default();
        for item in 0..10_000 {
            fifo.push_back(&item);
        }
        assert!(fifo.items.capacity() >= 10_000);
        for item in 0..10_000 {
            assert_eq!(fifo.front(), Some(&item));
            fifo.pop_front();
        }
        assert!(fifo.is_empty() && fifo.items.capacity() <= 8 * MANY);
    }

    /// Compares with the standard library's queue, under pushes and pops at both ends, with long
    /// and empty queues.
    #[test]
    fn items_come_out_in_order() {
        let (mut fifo, mut model) = (Fifo::default(), VecDeque::new());
        let mut state = 1_u64;
        for round in 0..20_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let grows = round / 1_000 % 2 == 0;
            match state >> 60 {
                0 => {
                    fifo.push_front(round);
                    model.push_front(round);
                }
                1 => assert_eq!(fifo.pop_back(), model.pop_back()),
                choice if choice < if grows { 12 } else { 5 } => {
                    fifo.push_back(&round);
                    model.push_back(round);
                }
                _ if model.is_empty() => {}
                _ => {
                    assert_eq!(*fifo.front_mut(), model[0]);
                    fifo.pop_front();
                    model.pop_front();
                }
            }
            assert_eq!(
                (fifo.front(), fifo.back(), fifo.is_empty()),
                (model.front(), model.back(), model.is_empty())
            );
            assert!(fifo.items.len() <= 2 * model.len() + MANY);
        }
        assert!(fifo.iter().eq(&model));
    }
}
