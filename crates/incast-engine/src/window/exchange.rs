//! Exchange of messages between shards at the end of a synchronisation round.

use std::sync::MutexGuard;

use incast_units::Time;

use super::WindowEngine;
use super::mail_router::{MailRouter, Receiver};
use super::mailbox::Mailbox;
use super::state::WindowState;
use crate::message::Message;
use crate::node::NodeShape;

/// Messages of one shard for another.
#[derive(Debug)]
pub(crate) struct ShardMail<M> {
    /// Mailbox numbers in the other shard, with messages in order. Entries from `full` on are spare
    /// memory.
    bundles: Vec<(u32, Vec<M>)>,
    full: usize,
}

impl<M> Default for ShardMail<M> {
    fn default() -> Self {
        Self {
            bundles: Vec::new(),
            full: 0,
        }
    }
}

impl<M: Message> ShardMail<M> {
    /// Takes the messages of `mailbox` for the mailbox with this number in the other shard.
    fn take_from(&mut self, number: u32, mailbox: &mut Mailbox<M>) {
        if self.full == self.bundles.len() {
            self.bundles.push((number, Vec::new()));
        }
        let (to, messages) = &mut self.bundles[self.full];
        *to = number;
        mailbox.hand_over(messages);
        self.full += 1;
    }
}

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// Hands over the messages for other shards; `mail` returns the mail to one of them. Returns
    /// the first turn in which one of the messages arrives.
    pub(crate) fn hand_over<'b>(
        &mut self,
        mut mail: impl FnMut(usize) -> MutexGuard<'b, ShardMail<M>>,
    ) -> Option<u64>
    where
        M: 'b,
    {
        let start = Time::from_ps(self.state.start);
        let MailRouter {
            turns,
            exports,
            receivers,
            ..
        } = &mut self.state.router;
        let mut first: Option<u64> = None;
        for number in exports.drain(..) {
            let mailbox = &mut self.state.mailboxes[number as usize];
            if let Some(message) = mailbox.front() {
                let at = message.time(start).as_ps();
                let turn = turns.turn_of(at, receivers[number as usize].side);
                first = Some(first.map_or(turn, |first| first.min(turn)));
            }
            let there = self.remote_mailboxes[number as usize];
            mail(there.shard.into()).take_from(there.number, mailbox);
        }
        first
    }

    /// Takes in the messages of another shard.
    pub(crate) fn take_in(&mut self, mail: &mut ShardMail<M>) {
        let start = Time::from_ps(self.state.start);
        let WindowState {
            router, mailboxes, ..
        } = &mut self.state;
        for (number, messages) in &mut mail.bundles[..mail.full] {
            let number = *number as usize;
            let Receiver { source, side } = router.receivers[number];
            let announce = |at| {
                let turn = router.turns.turn_of(at, side);
                router.calendar.add(source, turn);
                router.turns.end(turn)
            };
            mailboxes[number].append(messages, start, &mut router.spare, announce);
        }
        mail.full = 0;
    }

    /// Advances to `turn`, and to `time`. There must be no earlier work, and no earlier messages of
    /// other shards that have not been taken in.
    pub(crate) fn advance(&mut self, turn: u64, time: Time) {
        self.state.start = time.as_ps();
        let calendar = &mut self.state.router.calendar;
        let left = calendar.peek().unwrap_or(turn);
        calendar.advance(turn.min(left));
    }

    /// Number of turns taken so far.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Number of messages and timers handled so far.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }
}
