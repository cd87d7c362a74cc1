//! State of the window engine besides the nodes: mailboxes, timers, calendar.

use incast_units::Time;

use super::context::WindowContext;
use super::due_timers::{DueTimers, NOT_SET};
use super::event_key::EventKey;
use super::inbox::Inbox;
use super::mail_router::{MailRouter, Receiver};
use super::mailbox::Mailbox;
use super::turns::Turns;
use crate::checked_index::CheckedIndex;
use crate::layout::NodeLayout;
use crate::message::Message;

/// The state of the window engine, except the nodes.
#[derive(Clone, Debug)]
pub(super) struct WindowState<M> {
    /// The current turn.
    pub(super) turn: u64,
    /// Start of the processed part of the window, in ps.
    pub(super) start: u64,
    /// End of the processed part, in ps.
    pub(super) end: u64,
    /// End of the whole window, in ps.
    pub(super) end_of_turn: u64,
    pub(super) router: MailRouter<M>,
    /// The current node's timers that were set for the current window. Entries of timers that have
    /// been moved or cancelled remain; `timers` has the valid deadlines.
    pub(super) due_timers: DueTimers,
    /// By sending port; after these, mailboxes of other shards' ports that lead to this shard. If
    /// the receiver is in another shard, messages wait here until the end of the synchronisation
    /// round, and can be revoked until then.
    pub(super) mailboxes: Vec<Mailbox<M>>,
    /// By port: the mailbox of the port at the other end of its link.
    pub(super) peers: Vec<u32>,
    /// By source, for timers: the deadline in ps, or [`NOT_SET`].
    pub(super) timers: Vec<u64>,
    /// By receiving port: number of messages that arrived.
    pub(super) arrivals: Vec<u32>,
    /// Time, in ps, before which all messages gathered so far arrive.
    pub(super) arrived_until: u64,
}

impl<M: Message> WindowState<M> {
    /// The state before the first turn, of a number of sources; `peers` are by receiving port,
    /// `receivers` by mailbox.
    pub(super) fn new(
        sources: usize,
        peers: Vec<u32>,
        receivers: Vec<Receiver>,
        turns: Turns,
    ) -> Self {
        let mailboxes = receivers.iter().map(|_| Mailbox::default()).collect();
        Self {
            turn: 0,
            start: 0,
            end: 0,
            end_of_turn: 0,
            router: MailRouter::new(sources, turns, receivers),
            due_timers: DueTimers::default(),
            mailboxes,
            arrivals: vec![0; peers.len()],
            peers,
            timers: vec![NOT_SET; sources],
            arrived_until: 0,
        }
    }

    /// Resets the state for other nodes. Only the memory of batches and the arrival of the last
    /// message stay.
    pub(super) fn renew(&mut self, sources: usize, peers: Vec<u32>, receivers: Vec<Receiver>) {
        let turns = self.router.turns;
        let before = std::mem::replace(self, Self::new(sources, peers, receivers, turns));
        self.router.spare = before.router.spare;
        self.arrived_until = before.arrived_until;
    }

    /// Makes a part of a turn's window the current one: from `from` until `until`, in ps.
    pub(super) fn begin(&mut self, turn: u64, from: u64, until: u64) {
        let turns = self.router.turns;
        self.turn = turn;
        self.start = turns.start(turn).max(from);
        self.end_of_turn = turns.end(turn);
        self.end = self.end_of_turn.min(until);
    }

    /// Collects a node's events of the sources `due` before the end of the window. No further
    /// messages can arrive; timers may still be set.
    pub(super) fn gather(&mut self, layout: NodeLayout, due: &[u32], inbox: &mut Inbox<M>) {
        let first_port = layout.first_source + layout.timers;
        let end = self.end;
        for &source in due {
            let local = source - layout.first_source;
            if source < first_port {
                // The timer may have been moved after its entry in the calendar.
                let time = self.timers[source as usize];
                if time < self.end {
                    let event = EventKey::timer(time - self.start, local);
                    self.due_timers.push(event);
                }
            } else {
                let port = source - first_port;
                let number = (layout.first_port + port) as usize;
                let mailbox = self.mailboxes.at_mut(*self.peers.at(number) as usize);
                let messages = mailbox.take(end);
                self.receive(number, messages, port as usize, inbox);
            }
        }
    }

    /// Adds messages to the inbox that arrive by port `number`, which is `port` of its node.
    #[inline(always)]
    fn receive(&mut self, number: usize, messages: Vec<M>, port: usize, inbox: &mut Inbox<M>) {
        if let Some(last) = messages.last() {
            let last = last.time(Time::from_ps(self.start)).as_ps();
            self.arrived_until = self.arrived_until.max(last + 1);
        }
        *self.arrivals.at_mut(number) += messages.len() as u32;
        inbox.add(port, messages);
    }

    /// Like [`gather`](Self::gather), for a part of the window. Later events of the sources `due`
    /// stay in place and in the calendar.
    pub(super) fn gather_part(
        &mut self,
        layout: NodeLayout,
        due: impl Iterator<Item = u32>,
        inbox: &mut Inbox<M>,
    ) {
        let first_port = layout.first_source + layout.timers;
        let full_end = self.end_of_turn;
        for source in due {
            if source < first_port {
                let time = self.timers[source as usize];
                if time < self.end {
                    let timer = source - layout.first_source;
                    self.due_timers
                        .push(EventKey::timer(time - self.start, timer));
                } else if time < full_end {
                    self.router.calendar.add(source, self.turn);
                }
            } else {
                let port = source - first_port;
                let number = (layout.first_port + port) as usize;
                let mailbox = &mut self.mailboxes[self.peers[number] as usize];
                let (window, spare) = ((self.start, full_end), &mut self.router.spare);
                let messages = mailbox.take_before(self.end, window, spare);
                if !mailbox.first(full_end).is_empty() {
                    self.router.calendar.add(source, self.turn);
                }
                self.receive(number, messages, port as usize, inbox);
            }
        }
    }

    /// The context of a node in the current window.
    pub(super) fn context<'a, L>(
        &'a mut self,
        layout: NodeLayout,
        local: &'a mut L,
    ) -> WindowContext<'a, M, L> {
        WindowContext {
            now: Time::from_ps(self.start),
            start: self.start,
            end: self.end,
            side: self.router.turns.side_of(self.turn),
            first_source: layout.first_source,
            first_port: layout.first_port,
            router: &mut self.router,
            due_timers: &mut self.due_timers,
            mailboxes: &mut self.mailboxes[layout.port_range()],
            timers: &mut self.timers[layout.timer_range()],
            local,
        }
    }
}
