//! State that all mailboxes share, needed when a batch begins, which happens once for each
//! link and window.

use super::calendar::Calendar;
use super::mailbox::Mailbox;
use crate::checked_index::CheckedIndex;
use crate::message::Message;
use crate::port_batch::SpareBatches;

/// The receiver of a mailbox whose receiving node is in another shard.
pub(super) const OTHER_SHARD: u32 = u32::MAX;

/// Enters batches in the calendar, or among those to be handed over to other shards.
#[derive(Clone, Debug)]
pub(super) struct MailRouter<M> {
    /// Length of a window, in ps.
    pub(super) length: u64,
    pub(super) calendar: Calendar,
    /// By sending port: the receiver's source, or [`OTHER_SHARD`].
    pub(super) receivers: Vec<u32>,
    pub(super) spare: SpareBatches<M>,
    /// Mailboxes with messages for other shards.
    pub(super) exports: Vec<u32>,
}

impl<M> MailRouter<M> {
    /// A router for a number of sources, and windows of `length` ps.
    pub(super) fn new(sources: usize, length: u64, receivers: Vec<u32>) -> Self {
        Self {
            length,
            calendar: Calendar::new(sources),
            receivers,
            spare: SpareBatches::default(),
            exports: Vec::new(),
        }
    }

    /// Enters work of `source` at `at`, in ps.
    #[inline(always)]
    pub(super) fn announce(&mut self, source: u32, at: u64) {
        self.calendar.add(source, at / self.length);
    }
}

impl<M: Message> MailRouter<M> {
    /// Begins a batch in mailbox `number` for a message that arrives at `at`, in ps. If the
    /// receiver is in another shard, notes that the mailbox has messages to hand over.
    #[inline(always)]
    pub(super) fn begin_batch(&mut self, number: usize, mailbox: &mut Mailbox<M>, at: u64) {
        let receiver = *self.receivers.at(number);
        if receiver == OTHER_SHARD {
            mailbox.announced_until = u64::MAX;
            self.exports.push(number as u32);
        } else {
            let window = mailbox.begin_batch(at, self.length, &mut self.spare);
            self.calendar.add(receiver, window);
        }
    }
}
