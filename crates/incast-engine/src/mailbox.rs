//! Messages on their way over one link in one direction.
//!
//! The receiver takes them window by window, so they lie in a batch for each window in which any
//! arrive. Room for batches goes round: what a receiver has emptied a sender fills next.

use std::collections::VecDeque;

use crate::node::Message;

/// Empty batches.
pub(crate) type Spare<M> = Vec<Vec<M>>;

/// A queue of messages in order of arrival; one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Mailbox<M> {
    /// The last batch.
    messages: Vec<M>,
    /// The end of its window: arrivals before this time are on the agenda.
    pub(crate) announced_until: u64,
    /// Batches before the last, and the end of the window of each.
    earlier: VecDeque<(u64, Vec<M>)>,
}

impl<M> Default for Mailbox<M> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            announced_until: 0,
            earlier: VecDeque::new(),
        }
    }
}

impl<M: Message> Mailbox<M> {
    /// Whether the next message needs more room.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() == self.messages.capacity()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, message: &M) {
        self.messages.push(*message);
    }

    /// Begins a batch for the message that is pushed next, which arrives at `at`, and for all that
    /// arrive in the same window of this length; says which window that is.
    #[inline(always)]
    pub(crate) fn begin_batch(&mut self, at: u64, length: u64, spare: &mut Spare<M>) -> u64 {
        if self.messages.capacity() == 0 {
            self.messages = spare.pop().unwrap_or_default();
        } else if !self.messages.is_empty() {
            let room = spare.pop().unwrap_or_default();
            let last = std::mem::replace(&mut self.messages, room);
            self.earlier.push_back((self.announced_until, last));
        }
        let window = at / length;
        self.announced_until = (window + 1) * length;
        window
    }

    /// Appends `messages`, which are in order of arrival, and leaves none there; tells `announce`
    /// the window of each batch that begins.
    pub(crate) fn append(
        &mut self,
        messages: &mut Vec<M>,
        length: u64,
        spare: &mut Spare<M>,
        mut announce: impl FnMut(u64),
    ) {
        let mut rest = messages.as_slice();
        while let Some(first) = rest.first() {
            let at = first.time().as_ps();
            if at >= self.announced_until {
                announce(self.begin_batch(at, length, spare));
            }
            let announced = |message: &M| message.time().as_ps() < self.announced_until;
            let batch;
            (batch, rest) = rest.split_at(rest.partition_point(announced));
            self.messages.extend_from_slice(batch);
        }
        messages.clear();
    }

    /// The first message of the last batch.
    pub(crate) fn front(&self) -> Option<&M> {
        self.messages.first()
    }

    /// Hands all messages over into `empty`; they are one batch.
    pub(crate) fn hand_over(&mut self, empty: &mut Vec<M>) {
        debug_assert!(self.earlier.is_empty() && empty.is_empty(), "one batch");
        std::mem::swap(&mut self.messages, empty);
        self.announced_until = 0;
    }

    /// Takes back the last message, if it arrives at or after `end`.
    pub(crate) fn recall(&mut self, end: u64) -> Option<M> {
        if self.messages.is_empty() {
            // It is in the batch before.
            (self.announced_until, self.messages) = self.earlier.pop_back()?;
        }
        self.messages.pop_if(|last| last.time().as_ps() >= end)
    }

    /// Takes what arrives in the window that ends at `end`.
    #[inline]
    pub(crate) fn take(&mut self, end: u64) -> Vec<M> {
        match self.earlier.front() {
            None if self.announced_until <= end => std::mem::take(&mut self.messages),
            Some((until, _)) if *until <= end => {
                let (_, batch) = self.earlier.pop_front().expect("it is there");
                batch
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    #[derive(Copy, Clone, Debug, PartialEq)]
    struct Letter(u64);

    impl Message for Letter {
        fn time(&self) -> Time {
            Time::from_ps(self.0)
        }
    }

    /// Windows of 10: sends letters, as a sender does; says which windows are announced.
    fn send(mailbox: &mut Mailbox<Letter>, times: &[u64]) -> Vec<u64> {
        let mut windows = Vec::new();
        for &at in times {
            if at >= mailbox.announced_until {
                windows.push(mailbox.begin_batch(at, 10, &mut Vec::new()));
            }
            mailbox.push(&Letter(at));
        }
        windows
    }

    fn take(mailbox: &mut Mailbox<Letter>, end: u64) -> Vec<u64> {
        mailbox.take(end).iter().map(|letter| letter.0).collect()
    }

    #[test]
    fn every_window_has_its_messages() {
        let mut mailbox = Mailbox::default();
        assert_eq!(send(&mut mailbox, &[3, 9, 10, 31, 39]), [0, 1, 3]);
        assert_eq!(take(&mut mailbox, 10), [3, 9]);
        assert_eq!(send(&mut mailbox, &[39, 40]), [4]);
        assert_eq!(take(&mut mailbox, 20), [10]);
        assert_eq!(take(&mut mailbox, 30), [0; 0]);
        assert_eq!(take(&mut mailbox, 40), [31, 39, 39]);
        assert_eq!(take(&mut mailbox, 50), [40]);
        assert_eq!(take(&mut mailbox, 60), [0; 0]);
    }

    /// Letters of two batches are taken back, others sent instead.
    #[test]
    fn the_last_messages_can_be_taken_back() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12, 18, 25]);
        assert_eq!(mailbox.recall(15), Some(Letter(25)));
        assert_eq!(mailbox.recall(15), Some(Letter(18)));
        assert_eq!(mailbox.recall(15), None);
        send(&mut mailbox, &[19, 26, 27]);
        assert_eq!(take(&mut mailbox, 20), [12, 19]);
        assert_eq!(take(&mut mailbox, 30), [26, 27]);
        assert_eq!(mailbox.recall(30), None);
    }

    /// Mail of another part begins in a window that is on the agenda.
    #[test]
    fn mail_from_elsewhere_is_dealt_out_to_windows() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12]);
        let mut mail = [15, 19, 20, 44].map(Letter).to_vec();
        let mut windows = Vec::new();
        mailbox.append(&mut mail, 10, &mut Vec::new(), |window| {
            windows.push(window)
        });
        assert_eq!((mail.len(), windows), (0, vec![2, 4]));
        assert_eq!(take(&mut mailbox, 20), [12, 15, 19]);
        assert_eq!(take(&mut mailbox, 30), [20]);
        assert_eq!(take(&mut mailbox, 50), [44]);
    }
}
