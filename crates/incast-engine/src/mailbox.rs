//! Messages on their way over one link in one direction.
//!
//! The receiver takes them window by window, so they lie in a batch for each window in which any
//! arrive. Room for batches goes round: what a receiver has emptied a sender fills next.

use std::collections::VecDeque;

use crate::agenda::Agenda;
use crate::node::Message;

/// Empty batches.
pub(crate) type Spare<M> = Vec<Vec<M>>;

/// A queue of messages in order of arrival.
#[derive(Debug)]
pub(crate) struct Mailbox<M> {
    /// The last batch.
    messages: Vec<M>,
    /// The end of its window: arrivals before this time are on the agenda.
    pub(crate) announced_until: u64,
    /// The receiver's source.
    pub(crate) source: u32,
    /// Batches before the last, and the end of the window of each.
    earlier: VecDeque<(u64, Vec<M>)>,
}

impl<M: Message> Mailbox<M> {
    pub(crate) fn new(source: u32) -> Self {
        Self {
            messages: Vec::new(),
            announced_until: 0,
            source,
            earlier: VecDeque::new(),
        }
    }

    /// Whether the next message needs more room.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() == self.messages.capacity()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, message: &M) {
        self.messages.push(*message);
    }

    /// Puts the message that is pushed next on the agenda, which arrives at `at`: a batch begins,
    /// of what arrives in the same window of this length.
    #[inline(always)]
    pub(crate) fn announce(
        &mut self,
        at: u64,
        length: u64,
        agenda: &mut Agenda,
        spare: &mut Spare<M>,
    ) {
        let window = at / length;
        if self.messages.capacity() == 0 {
            self.messages = spare.pop().unwrap_or_default();
        } else if !self.messages.is_empty() {
            let room = spare.pop().unwrap_or_default();
            let last = std::mem::replace(&mut self.messages, room);
            self.earlier.push_back((self.announced_until, last));
        }
        self.announced_until = (window + 1) * length;
        agenda.add(self.source, window);
    }

    /// Appends `messages`, which are in order of arrival, and puts those on the agenda that are
    /// not; leaves none there.
    pub(crate) fn announce_and_append(
        &mut self,
        messages: &mut Vec<M>,
        length: u64,
        agenda: &mut Agenda,
        spare: &mut Spare<M>,
    ) {
        let mut rest = messages.as_slice();
        while let Some(first) = rest.first() {
            let at = first.time().as_ps();
            if at >= self.announced_until {
                self.announce(at, length, agenda, spare);
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

    /// Windows of 10: sends letters, as a sender does.
    fn send(mailbox: &mut Mailbox<Letter>, agenda: &mut Agenda, times: &[u64]) {
        for &at in times {
            if at >= mailbox.announced_until {
                mailbox.announce(at, 10, agenda, &mut Vec::new());
            }
            mailbox.push(&Letter(at));
        }
    }

    fn take(mailbox: &mut Mailbox<Letter>, end: u64) -> Vec<u64> {
        mailbox.take(end).iter().map(|letter| letter.0).collect()
    }

    #[test]
    fn every_window_has_its_messages() {
        let (mut mailbox, mut agenda) = (Mailbox::new(0), Agenda::new(1));
        send(&mut mailbox, &mut agenda, &[3, 9, 10, 31, 39]);
        assert_eq!(take(&mut mailbox, 10), [3, 9]);
        send(&mut mailbox, &mut agenda, &[39, 40]);
        assert_eq!(take(&mut mailbox, 20), [10]);
        assert_eq!(take(&mut mailbox, 30), [0; 0]);
        assert_eq!(take(&mut mailbox, 40), [31, 39, 39]);
        assert_eq!(take(&mut mailbox, 50), [40]);
        assert_eq!(take(&mut mailbox, 60), [0; 0]);
        let mut windows = Vec::new();
        agenda.drain_into(&mut windows);
        assert_eq!(windows, [(0, 0), (1, 0), (3, 0), (4, 0)]);
    }

    /// Letters of two batches are taken back, others sent instead.
    #[test]
    fn the_last_messages_can_be_taken_back() {
        let (mut mailbox, mut agenda) = (Mailbox::new(0), Agenda::new(1));
        send(&mut mailbox, &mut agenda, &[12, 18, 25]);
        assert_eq!(mailbox.recall(15), Some(Letter(25)));
        assert_eq!(mailbox.recall(15), Some(Letter(18)));
        assert_eq!(mailbox.recall(15), None);
        send(&mut mailbox, &mut agenda, &[19, 26, 27]);
        assert_eq!(take(&mut mailbox, 20), [12, 19]);
        assert_eq!(take(&mut mailbox, 30), [26, 27]);
        assert_eq!(mailbox.recall(30), None);
    }

    /// Mail of another part begins in a window that is on the agenda.
    #[test]
    fn mail_from_elsewhere_is_dealt_out_to_windows() {
        let (mut mailbox, mut agenda) = (Mailbox::new(0), Agenda::new(1));
        send(&mut mailbox, &mut agenda, &[12]);
        let mut mail = [15, 19, 20, 44].map(Letter).to_vec();
        mailbox.announce_and_append(&mut mail, 10, &mut agenda, &mut Vec::new());
        assert!(mail.is_empty());
        assert_eq!(take(&mut mailbox, 20), [12, 15, 19]);
        assert_eq!(take(&mut mailbox, 30), [20]);
        assert_eq!(take(&mut mailbox, 50), [44]);
    }
}
