//! Messages on their way over one link in one direction.
//!
//! The sender appends, the receiver takes from the front, both many times per window; so taken
//! messages stay where they are until they outnumber the rest, and each is moved at most once.

use crate::agenda::Agenda;
use crate::node::Message;

/// As many messages as this may arrive after a window without being looked for by halving.
const FEW: usize = 4;

/// As many taken messages as this are left where they are in any case.
const MANY: usize = 16;

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

    /// Puts what arrives at `at`, and in the same window of this length, on the agenda.
    pub(crate) fn announce(&mut self, at: u64, length: u64, agenda: &mut Agenda) {
        let window = at / length;
        self.announced_until = (window + 1) * length;
        agenda.add(self.source, window);
    }

    /// When the first of `messages`, in order of arrival, comes that is not on the agenda; leaves
    /// those from there on.
    pub(crate) fn first_unannounced(&self, messages: &mut &[M]) -> Option<u64> {
        let announced = |message: &M| message.time().as_ps() < self.announced_until;
        *messages = &messages[messages.partition_point(announced)..];
        messages.first().map(|message| message.time().as_ps())
    }

    /// The first message that has not been taken.
    pub(crate) fn front(&self) -> Option<&M> {
        self.messages.get(self.taken)
    }

    /// Hands all messages over into `empty`; none of them has been taken.
    pub(crate) fn hand_over(&mut self, empty: &mut Vec<M>) {
        debug_assert!(self.taken == 0 && empty.is_empty(), "mail of another part");
        std::mem::swap(&mut self.messages, empty);
        self.announced_until = 0;
    }

    /// Appends `messages`, which arrive after all that are here, and leaves them empty.
    pub(crate) fn append(&mut self, messages: &mut Vec<M>) {
        if self.taken == self.messages.len() {
            self.messages.clear();
            self.taken = 0;
            std::mem::swap(&mut self.messages, messages);
        } else {
            self.messages.append(messages);
        }
    }

    /// Takes back the last message, if it arrives at or after `end`.
    pub(crate) fn recall(&mut self, end: u64) -> Option<M> {
        self.messages.pop_if(|last| last.time().as_ps() >= end)
    }

    /// Opens it for its receiver, who takes what arrives before `end`: all messages, how many of
    /// them have been taken, and how many arrive.
    #[inline]
    pub(crate) fn open(&mut self, end: u64) -> (Vec<M>, usize, usize) {
        if self.taken == self.messages.len() {
            self.messages.clear();
            self.taken = 0;
        } else if self.taken >= MANY && self.taken * 2 >= self.messages.len() {
            self.move_to_front();
        }
        let due = self.due(end);
        (std::mem::take(&mut self.messages), self.taken, due)
    }

    /// Closes it again, when so many messages have been taken.
    #[inline]
    pub(crate) fn close(&mut self, mut messages: Vec<M>, taken: usize) {
        // A node may have sent to itself.
        messages.append(&mut self.messages);
        self.messages = messages;
        self.taken = taken;
    }

    /// Moves what waits to the front: seldom more than a message or two.
    fn move_to_front(&mut self) {
        let (front, waiting) = self.messages.split_at_mut(self.taken);
        let count = waiting.len();
        front[..count].clone_from_slice(waiting);
        self.messages.truncate(count);
        self.taken = 0;
    }

    /// How many messages arrive before `end`.
    #[inline]
    fn due(&self, end: u64) -> usize {
        let waiting = &self.messages[self.taken..];
        let later = |message: &&M| message.time().as_ps() >= end;
        let few = waiting.iter().rev().take(FEW).take_while(later).count();
        if few < FEW {
            return waiting.len() - few;
        }
        waiting.partition_point(|message| message.time().as_ps() < end)
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
            let (messages, taken, due) = mailbox.open(sent);
            assert_eq!(due, (sent - received) as usize);
            let waiting: Vec<u64> = messages[taken..].iter().map(|letter| letter.0).collect();
            assert_eq!(waiting, (received..sent).collect::<Vec<u64>>());
            assert!(taken <= MANY + round + 10);
            mailbox.close(messages, taken + 9);
            received += 9;
        }
    }
}
