//! The common state of all mailboxes. It is needed only at the start of a batch, once for each link
//! and window.

use super::calendar::Calendar;
use super::mailbox::Mailbox;
use super::turns::Turns;
use crate::checked_index::CheckedIndex;
use crate::message::Message;
use crate::port_batch::SpareBatches;

/// Source of a mailbox whose receiving node is in another shard.
pub(super) const OTHER_SHARD: u32 = u32::MAX;

/// The receiver of a mailbox's messages.
#[derive(Copy, Clone, Debug)]
pub(super) struct Receiver {
    /// The receiving port's source, or [`OTHER_SHARD`].
    pub(super) source: u32,
    /// The receiving node's side.
    pub(super) side: u32,
}

/// Enters batches in the calendar, or in the list for other shards.
#[derive(Clone, Debug)]
pub(super) struct MailRouter<M> {
    pub(super) turns: Turns,
    /// By turn.
    pub(super) calendar: Calendar,
    /// By mailbox.
    pub(super) receivers: Vec<Receiver>,
    pub(super) spare: SpareBatches<M>,
    /// Mailboxes with messages for other shards.
    pub(super) exports: Vec<u32>,
}

impl<M> MailRouter<M> {
    /// A router for a number of sources.
    pub(super) fn new(sources: usize, turns: Turns, receivers: Vec<Receiver>) -> Self {
        Self {
            turns,
            calendar: Calendar::new(sources),
            receivers,
            spare: SpareBatches::default(),
            exports: Vec::new(),
        }
    }

    /// Enters work of `source`, which belongs to a node of this side, at `at`, in ps.
    #[inline(always)]
    pub(super) fn announce(&mut self, source: u32, side: u32, at: u64) {
        self.calendar.add(source, self.turns.turn_of(at, side));
    }
}

impl<M: Message> MailRouter<M> {
    /// Begins a batch in mailbox `number` for a message that arrives at `at`, in ps. If the
    /// receiver is in another shard, notes that the mailbox has messages to hand over.
    #[inline(always)]
    pub(super) fn begin_batch(&mut self, number: usize, mailbox: &mut Mailbox<M>, at: u64) {
        let Receiver { source, side } = *self.receivers.at(number);
        if source == OTHER_SHARD {
            mailbox.announced_until = u64::MAX;
            self.exports.push(number as u32);
        } else {
            let turn = self.turns.turn_of(at, side);
            mailbox.begin_batch(self.turns.end(turn), &mut self.spare);
            self.calendar.add(source, turn);
        }
    }
}
