//! What mailboxes need when a batch begins, which is once for each link and window.

use crate::agenda::Agenda;
use crate::checked_index::CheckedIndex;
use crate::mailbox::{Mailbox, Spare};
use crate::node::Message;

/// The destination of a mailbox whose receiver is in another part.
pub(super) const ELSEWHERE: u32 = u32::MAX;

/// The agenda and what else all mailboxes share.
#[derive(Debug)]
pub(super) struct Post<M> {
    /// Length of a window, in ps.
    pub(super) length: u64,
    pub(super) agenda: Agenda,
    /// By sending port: the receiver's source, or [`ELSEWHERE`].
    pub(super) destinations: Vec<u32>,
    pub(super) spare: Spare<M>,
    /// Mailboxes with something to hand over.
    pub(super) exports: Vec<u32>,
}

impl<M> Post<M> {
    /// For so many sources, and windows of `length` ps.
    pub(super) fn new(sources: usize, length: u64, destinations: Vec<u32>) -> Self {
        Self {
            length,
            agenda: Agenda::new(sources),
            destinations,
            spare: Vec::new(),
            exports: Vec::new(),
        }
    }

    /// `source` has work at `at`.
    #[inline(always)]
    pub(super) fn announce(&mut self, source: u32, at: u64) {
        self.agenda.add(source, at / self.length);
    }
}

impl<M: Message> Post<M> {
    /// Begins a batch in `mailbox`, which has this number, for a message that arrives at `at`; if
    /// it is for another part, notes that there is something to hand over.
    #[inline(always)]
    pub(super) fn begin_batch(&mut self, number: usize, mailbox: &mut Mailbox<M>, at: u64) {
        let receiver = *self.destinations.at(number);
        if receiver == ELSEWHERE {
            mailbox.announced_until = u64::MAX;
            self.exports.push(number as u32);
        } else {
            let window = mailbox.begin_batch(at, self.length, &mut self.spare);
            self.agenda.add(receiver, window);
        }
    }
}
