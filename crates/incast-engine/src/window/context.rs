//! The context of a node in the window engine, and the delivery of its due timers.

use incast_units::Time;

use super::due_timers::{DueTimers, NOT_SET};
use super::event_key::{EventKey, NO_EVENT};
use super::mail_router::MailRouter;
use super::mailbox::Mailbox;
use crate::checked_index::CheckedIndex;
use crate::message::Message;
use crate::node::{Context, Node};

/// The context of a node that handles an event of a window.
#[derive(Debug)]
pub struct WindowContext<'a, M, L> {
    pub(super) now: Time,
    /// Start of the window, in ps.
    pub(super) start: u64,
    /// End of the processed part of the window, in ps.
    pub(super) end: u64,
    /// The node's side.
    pub(super) side: u32,
    /// The node's first source.
    pub(super) first_source: u32,
    /// The node's first port.
    pub(super) first_port: u32,
    pub(super) router: &'a mut MailRouter<M>,
    pub(super) due_timers: &'a mut DueTimers,
    /// By port of the node: messages sent there.
    pub(super) mailboxes: &'a mut [Mailbox<M>],
    /// By timer of the node: the deadline in ps, or [`NOT_SET`].
    pub(super) timers: &'a mut [u64],
    pub(super) local: &'a mut L,
}

impl<M: Message, L> WindowContext<'_, M, L> {
    /// Expiry of the first timer of this window, which may have been moved or cancelled.
    #[inline]
    pub(super) fn first_timer(&self) -> EventKey {
        self.due_timers.first()
    }

    /// Delivers the timers that expire before `until`; mostly there are none.
    #[inline(always)]
    pub(super) fn run_timers_before<N: Node<Self>>(&mut self, until: EventKey, node: &mut N) {
        if self.first_timer() < until {
            self.run_timers(until, node);
        }
    }

    /// Delivers the timers that expire before `until`.
    pub(super) fn run_timers<N: Node<Self>>(&mut self, until: EventKey, node: &mut N) {
        while self.first_timer() < until {
            let event = self.first_timer();
            self.due_timers.pop();
            self.now = Time::from_ps(self.start + event.offset());
            let timer = event.number();
            if self.timers[timer] == self.now.as_ps() {
                self.timers[timer] = NOT_SET;
                node.on_timer_expiry(timer, self);
            }
        }
    }

    /// Cancels the timers of this window.
    pub(super) fn cancel_due_timers(&mut self) {
        while self.first_timer() != NO_EVENT {
            let event = self.first_timer();
            self.due_timers.pop();
            let timer = event.number();
            if self.timers[timer] == self.start + event.offset() {
                self.timers[timer] = NOT_SET;
            }
        }
    }

    #[inline(never)]
    fn enter_in_calendar(&mut self, source: u32, at: u64) {
        self.router.announce(source, self.side, at);
    }

    /// Earliest arrival, in ps, of a message that the node sends now.
    #[inline(always)]
    fn first_arrival(&self) -> u64 {
        self.start + self.router.turns.step()
    }

    /// Sends a message where the mailbox is full or needs a new batch.
    #[inline(never)]
    fn send_and_announce(&mut self, port: usize, message: &M, at: u64) {
        let mailbox = self.mailboxes.at_mut(port);
        if at >= mailbox.announced_until {
            let number = self.first_port as usize + port;
            self.router.begin_batch(number, mailbox, at);
        }
        mailbox.push(message);
    }
}

impl<M: Message, L> Context for WindowContext<'_, M, L> {
    type Message = M;
    type Local = L;
    const INSERTION_ORDER: bool = false;

    #[inline]
    fn now(&self) -> Time {
        self.now
    }

    #[inline(always)]
    fn advance_to(&mut self, time: Time) {
        self.now = time;
    }

    #[inline(always)]
    fn check_port(&self, port: usize) {
        self.mailboxes.at(port);
    }

    #[inline(always)]
    fn send(&mut self, port: usize, message: &M, at: Time) {
        debug_assert_eq!(at, message.time(Time::from_ps(self.start)));
        let at = at.as_ps();
        debug_assert!(
            at >= self.first_arrival(),
            "a message that arrives too soon"
        );
        let mailbox = self.mailboxes.at_mut(port);
        if at >= mailbox.announced_until || mailbox.is_full() {
            return self.send_and_announce(port, message, at);
        }
        mailbox.push(message);
    }

    #[inline]
    fn window_end(&self) -> Time {
        Time::from_ps(self.end)
    }

    fn revoke(&mut self, port: usize) -> Option<M> {
        // The receiver cannot have taken the message yet.
        let first = self.first_arrival();
        self.mailboxes[port].revoke(self.start, first)
    }

    #[inline]
    fn set_timer(&mut self, timer: usize, at: Time) {
        debug_assert!(at >= self.now, "a timer in the past");
        let at = at.as_ps();
        self.timers[timer] = at;
        if at < self.end {
            let event = EventKey::timer(at - self.start, timer as u32);
            self.due_timers.push(event);
        } else {
            self.enter_in_calendar(self.first_source + timer as u32, at);
        }
    }

    #[inline]
    fn cancel_timer(&mut self, timer: usize) {
        self.timers[timer] = NOT_SET;
    }

    #[inline]
    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        let time = self.timers[timer];
        (time != NOT_SET).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}
