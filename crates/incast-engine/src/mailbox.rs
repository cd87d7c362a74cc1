//! Messages on their way over one link in one direction.
//!
//! The sender appends, the receiver takes from the front, both many times per window; so taken
//! messages stay where they are until they outnumber the rest, and each is moved at most once.

use crate::agenda::Agenda;
use crate::node::Message;

/// As many taken messages as this are left where they are in any case.
const MANY: usize = 32;

/// A queue of messages in order of arrival. Aligned, so that finding one is a shift.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Mailbox<M> {
    messages: Vec<M>,
    /// Messages at the front that have been taken.
    taken: usize,
    /// The receiver's source.
    pub(crate) source: u32,
    /// About where those begin that were put on the agenda last: those of the last window.
    fresh: u32,
    /// Arrivals before this time are on the agenda.
    pub(crate) announced_until: u64,
}

impl<M: Message> Mailbox<M> {
    pub(crate) fn new(source: u32) -> Self {
        Self {
            messages: Vec::new(),
            taken: 0,
            source,
            fresh: 0,
            announced_until: 0,
        }
    }

    /// Whether the next message needs more room.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() == self.messages.capacity()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, message: &M) {
        self.messages.push(message.clone());
    }

    /// Puts the message after the first `before`, which arrives at `at`, on the agenda, and what
    /// arrives in the same window of this length.
    fn announce_at(&mut self, before: usize, at: u64, length: u64, agenda: &mut Agenda) {
        let window = at / length;
        self.fresh = before as u32;
        self.announced_until = (window + 1) * length;
        agenda.add(self.source, window);
    }

    /// Puts the message that is pushed next on the agenda.
    pub(crate) fn announce(&mut self, at: u64, length: u64, agenda: &mut Agenda) {
        self.announce_at(self.messages.len(), at, length, agenda);
    }

    /// Puts those of `messages` on the agenda, in order of arrival, that are not; then appends
    /// them, and leaves them empty.
    pub(crate) fn announce_and_append(
        &mut self,
        messages: &mut Vec<M>,
        length: u64,
        agenda: &mut Agenda,
    ) {
        if self.taken == self.messages.len() {
            self.messages.clear();
            self.taken = 0;
        }
        let mut rest = messages.as_slice();
        loop {
            let announced = |message: &M| message.time().as_ps() < self.announced_until;
            rest = &rest[rest.partition_point(announced)..];
            let Some(first) = rest.first() else {
                break;
            };
            let before = self.messages.len() + messages.len() - rest.len();
            self.announce_at(before, first.time().as_ps(), length, agenda);
        }
        if self.messages.is_empty() {
            std::mem::swap(&mut self.messages, messages);
        } else {
            self.messages.append(messages);
        }
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
            (self.fresh, self.taken) = (0, 0);
        } else if self.taken >= MANY && self.taken * 2 >= self.messages.len() {
            self.move_to_front();
        }
        let due = self.due(end);
        (std::mem::take(&mut self.messages), self.taken, due)
    }

    /// Closes it again, when so many messages have been taken.
    #[inline]
    pub(crate) fn close(&mut self, mut messages: Vec<M>, taken: usize) {
        if !self.messages.is_empty() {
            // The node has sent to itself.
            messages.append(&mut self.messages);
        }
        self.messages = messages;
        self.taken = taken;
    }

    /// Moves what waits to the front: seldom more than a message or two.
    fn move_to_front(&mut self) {
        let (front, waiting) = self.messages.split_at_mut(self.taken);
        let count = waiting.len();
        front[..count].clone_from_slice(waiting);
        self.messages.truncate(count);
        self.fresh = self.fresh.saturating_sub(self.taken as u32);
        self.taken = 0;
    }

    /// How many messages arrive before `end`.
    #[inline]
    fn due(&self, end: u64) -> usize {
        if self.announced_until <= end {
            return self.messages.len() - self.taken;
        }
        let in_time = |message: &M| message.time().as_ps() < end;
        // As a rule there are those of this window, and those of the next.
        let fresh = (self.fresh as usize).min(self.messages.len());
        let (old, fresh) = self.messages.split_at(fresh);
        if let (Some(last), Some(next)) = (old.last(), fresh.first())
            && old.len() >= self.taken
            && in_time(last)
            && !in_time(next)
        {
            return old.len() - self.taken;
        }
        self.messages[self.taken..].partition_point(in_time)
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
