//! Exchange between shards: messages at the end of a synchronisation round, and nodes that move.
//!
//! All shards number nodes, ports and mailboxes alike. A node moves by swapping its box, its
//! mailboxes and its timers with those of the other shard.

use std::sync::MutexGuard;

use incast_units::Time;

use super::inbox::Inbox;
use super::mail_router::{MailRouter, OTHER_SHARD, Receiver};
use super::mailbox::Mailbox;
use super::state::WindowState;
use super::turns::Turns;
use super::{NodeOrder, WindowEngine};
use crate::layout::NodeLayout;
use crate::message::Message;
use crate::node::NodeShape;

/// Messages of one shard for another.
#[derive(Debug)]
pub(crate) struct ShardMail<M> {
    /// Mailboxes and their messages, in order; those from `full` on are spare memory.
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
    /// Takes the messages of mailbox `number`.
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

/// What all shards of a network have alike: the numbers of its nodes, ports and timers.
#[derive(Debug)]
pub(crate) struct Outline {
    layouts: Vec<NodeLayout>,
    node_of_source: Vec<u32>,
    sides: Vec<u8>,
    peers: Vec<u32>,
    /// By sending port: the side of the receiving node.
    receiver_sides: Vec<u32>,
    turns: Turns,
    order: NodeOrder,
}

impl Outline {
    /// A shard without nodes, to which those of the others can move.
    pub(crate) fn empty_shard<M: Message, N: NodeShape>(&self) -> WindowEngine<N, M> {
        let sources = self.node_of_source.len();
        let receivers = self.receiver_sides.iter().map(|&side| Receiver {
            source: OTHER_SHARD,
            side,
        });
        WindowEngine {
            nodes: self.layouts.iter().map(|_| None).collect(),
            layouts: self.layouts.clone(),
            node_of_source: self.node_of_source.clone(),
            sides: self.sides.clone(),
            state: WindowState::new(sources, &self.peers, receivers.collect(), self.turns),
            inbox: Inbox::new(self.turns.length()),
            shuffle: self.order.shuffle(),
            order: self.order,
            due: Vec::new(),
            groups: Vec::new(),
            handled: 0,
            turns: 0,
        }
    }
}

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// A shard without nodes or room for any.
    pub(crate) fn hollow(length: Time) -> Self {
        Self::new(Vec::new(), &[], length, NodeOrder::Ascending)
    }

    /// What its shards have alike.
    pub(crate) fn outline(&self) -> Outline {
        let receivers = self.state.router.receivers.iter();
        Outline {
            layouts: self.layouts.clone(),
            node_of_source: self.node_of_source.clone(),
            sides: self.sides.clone(),
            peers: self.state.peers.clone(),
            receiver_sides: receivers.map(|receiver| receiver.side).collect(),
            turns: self.state.router.turns,
            order: self.order,
        }
    }

    /// Hands over the messages for other shards; `mail` gives the destination by number of the
    /// mailbox. Returns the first turn in which one of them arrives.
    pub(crate) fn hand_over<'b>(
        &mut self,
        mut mail: impl FnMut(u32) -> MutexGuard<'b, ShardMail<M>>,
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
            mail(number).take_from(number, mailbox);
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

    /// Advances to `turn`, and to `time`; there is no work before, and no message of another shard
    /// arrives before that has not been taken in.
    pub(crate) fn advance(&mut self, turn: u64, time: Time) {
        self.state.start = time.as_ps();
        let calendar = &mut self.state.router.calendar;
        let left = calendar.peek().unwrap_or(turn);
        calendar.advance(turn.min(left));
    }

    /// Moves a node to another shard, with its messages and timers. The calendars are left alone,
    /// and no messages may be waiting to be handed over.
    pub(crate) fn move_node(&mut self, node: usize, to: &mut Self) {
        debug_assert!(
            to.nodes[node].is_none(),
            "a node that moves is in one shard"
        );
        to.nodes[node] = self.nodes[node].take();
        let layout = self.layouts[node];
        let (from, to) = (&mut self.state, &mut to.state);
        for port in layout.first_port..layout.first_port + layout.ports {
            let port = port as usize;
            let number = from.peers[port] as usize;
            std::mem::swap(&mut from.mailboxes[number], &mut to.mailboxes[number]);
            std::mem::swap(&mut from.arrivals[port], &mut to.arrivals[port]);
            let (here, there) = (&mut from.router.receivers, &mut to.router.receivers);
            std::mem::swap(&mut here[number], &mut there[number]);
        }
        for source in layout.first_source..layout.first_source + layout.timers {
            let source = source as usize;
            std::mem::swap(&mut from.timers[source], &mut to.timers[source]);
        }
    }

    /// Empties the calendar; appends its entries, pairs of turn and source, to `into`.
    pub(crate) fn drain_calendar(&mut self, into: &mut Vec<(u64, u32)>) {
        self.state.router.calendar.drain_into(into);
    }

    /// Adds those of `entries` to the calendar whose nodes are in this shard.
    pub(crate) fn refill_calendar(&mut self, entries: &[(u64, u32)]) {
        for &(turn, source) in entries {
            let node = self.node_of_source[source as usize];
            if self.nodes[node as usize].is_some() {
                self.state.router.calendar.add(source, turn);
            }
        }
    }

    /// By node: its side.
    pub(crate) fn sides(&self) -> &[u8] {
        &self.sides
    }

    /// Number of nodes of all shards.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of turns taken so far.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Number of messages and timers handled so far.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }

    /// Adds to each receiving port's sum the messages that have arrived since the last call.
    pub(crate) fn take_arrivals(&mut self, sums: &mut [u64]) {
        for (count, sum) in self.state.arrivals.iter_mut().zip(sums) {
            *sum += u64::from(std::mem::take(count));
        }
    }

    /// By port: its node.
    pub(crate) fn node_of_port(&self) -> Vec<u32> {
        let mut nodes = vec![0; self.state.mailboxes.len()];
        for (node, layout) in self.layouts.iter().enumerate() {
            let (first, count) = (layout.first_port as usize, layout.ports as usize);
            nodes[first..first + count].fill(node as u32);
        }
        nodes
    }

    /// By port: the port it leads to.
    pub(crate) fn peers(&self) -> &[u32] {
        &self.state.peers
    }
}
