//! Messages on their way over one link in one direction.
//!
//! The sender appends, the receiver takes from the front, both many times per window; so taken
//! messages stay where they are until they outnumber the rest, and each is moved at most once.

use crate::node::Message;

/// As many messages as this may arrive after a window without being looked for by halving.
const FEW: usize = 4;

/// A queue of messages in order of arrival. Aligned, so that finding one is a shift.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Mailbox<M> {
    messages: Vec<M>,
    /// Messages at the front that have been taken.
    taken: usize,
    /// The receiver's source.
    pub(crate) source: u32,
    /// Arrivals before this time are on the agenda.
    pub(crate) announced_until: u64,
}

impl<M: Message> Mailbox<M> {
    pub(crate) fn new(source: u32) -> Self {
        Self {
            messages: Vec::new(),
            taken: 0,
            source,
            announced_until: 0,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, message: &M) {
        self.messages.push(message.clone());
    }

    /// Takes back the last message, if it arrives at or after `end`.
    pub(crate) fn recall(&mut self, end: u64) -> Option<M> {
        self.messages.pop_if(|last| last.time().as_ps() >= end)
    }

    /// Takes the first message.
    #[inline]
    pub(crate) fn take(&mut self) -> M {
        let message = self.messages[self.taken].clone();
        self.taken += 1;
        message
    }

    /// Moves what waits to the front: seldom more than a message or two.
    fn move_to_front(&mut self) {
        let (front, waiting) = self.messages.split_at_mut(self.taken);
        let count = waiting.len();
        front[..count].clone_from_slice(waiting);
        self.messages.truncate(count);
        self.taken = 0;
    }

    /// How many messages arrive before `end`. From here on none of them has been taken.
    #[inline]
    pub(crate) fn due(&mut self, end: u64) -> usize {
        if self.taken * 2 >= self.messages.len() {
            self.move_to_front();
        }
        let waiting = &self.messages[self.taken..];
        let later = |message: &&M| message.time().as_ps() >= end;
        let few = waiting.iter().rev().take(FEW).take_while(later).count();
        if few < FEW {
            return waiting.len() - few;
        }
        waiting.partition_point(|message| message.time().as_ps() < end)
    }

    /// The first `count` messages that have not been taken, in order of arrival.
    #[inline]
    pub(crate) fn first(&self, count: u32) -> &[M] {
        &self.messages[self.taken..self.taken + count as usize]
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Letter(u64);

    impl Message for Letter {
        fn time(&self) -> Time {
            Time::from_ps(self.0)
        }
    }

    /// Ten messages come for every nine that are taken: what waits grows by one each round,
    /// and the taken ones never outnumber it when a round begins.
    #[test]
    fn messages_come_out_in_order_and_taken_ones_go() {
        let mut mailbox = Mailbox::new(0);
        let (mut sent, mut received) = (0, 0);
        for round in 0..100 {
            for _ in 0..10 {
                mailbox.push(&Letter(sent));
                sent += 1;
            }
            assert_eq!(mailbox.due(sent), (sent - received) as usize);
            let waiting = mailbox.first((sent - received) as u32);
            let waiting: Vec<u64> = waiting.iter().map(|letter| letter.0).collect();
            assert_eq!(waiting, (received..sent).collect::<Vec<u64>>());
            assert!(mailbox.taken <= round + 10);
            for _ in 0..9 {
                assert_eq!(mailbox.take(), Letter(received));
                received += 1;
            }
        }
    }
}
