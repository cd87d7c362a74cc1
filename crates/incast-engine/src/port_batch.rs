//! Messages that arrive by one port in one window, and the reuse of their memory.
//!
//! The sender's mailbox fills a vector, the receiver takes it whole and empties it, and the next
//! sender fills it again. Memory circulates instead of being allocated.

use crate::checked_index::CheckedIndex;
use crate::message::Message;

/// Capacity of a new vector of messages; most batches hold about as many.
const INITIAL_CAPACITY: usize = 16;

/// Messages that arrive by one port in one window.
#[derive(Clone, Debug)]
pub struct PortBatch<M> {
    messages: Vec<M>,
    /// The node's port.
    port: u32,
    /// Number of messages taken.
    taken: u32,
}

impl<M: Message> PortBatch<M> {
    #[inline(always)]
    pub(crate) fn new(port: usize, messages: Vec<M>) -> Self {
        Self {
            messages,
            port: port as u32,
            taken: 0,
        }
    }

    /// The port, by its number in the node.
    #[inline(always)]
    pub fn port(&self) -> usize {
        self.port as usize
    }

    /// The messages that have not been taken yet, in order of arrival.
    #[inline(always)]
    pub fn rest(&self) -> &[M] {
        self.messages.get(self.taken()..).unwrap_or_default()
    }

    /// Number of messages taken so far, from the first on.
    #[inline(always)]
    pub fn taken(&self) -> usize {
        self.taken as usize
    }

    /// Takes `count` more messages.
    #[inline(always)]
    pub fn take(&mut self, count: usize) {
        self.taken += count as u32;
    }

    /// Gives back the messages taken from this place on.
    pub fn give_back(&mut self, place: usize) {
        self.taken = self.taken.min(place as u32);
    }

    /// All messages in order of arrival, to be changed.
    #[inline(always)]
    pub fn messages_mut(&mut self) -> &mut [M] {
        &mut self.messages
    }

    /// Takes the next message, which may be changed, and its port.
    #[inline]
    pub(crate) fn take_next(&mut self) -> (usize, &mut M) {
        let message = self.messages.at_mut(self.taken as usize);
        self.taken += 1;
        (self.port as usize, message)
    }
}

/// Emptied batches, whose memory is used for new ones.
#[derive(Clone, Debug)]
pub(crate) struct SpareBatches<M>(Vec<PortBatch<M>>);

impl<M> Default for SpareBatches<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M: Message> SpareBatches<M> {
    /// An empty vector with capacity for one batch.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Vec<M> {
        match self.0.pop() {
            Some(mut batch) => {
                batch.messages.clear();
                batch.messages
            }
            None => Vec::with_capacity(INITIAL_CAPACITY),
        }
    }

    /// Takes back `batches`, whose messages have all been handled.
    #[inline(always)]
    pub(crate) fn put_back(&mut self, batches: &mut Vec<PortBatch<M>>) {
        self.0.append(batches);
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}
