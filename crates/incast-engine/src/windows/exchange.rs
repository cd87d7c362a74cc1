//! What passes between parts of the nodes: mail at the end of a round, nodes that move.

use incast_units::Time;

use crate::arrivals::Arrivals;
use crate::mailbox::Mailbox;
use crate::node::{Message, NodeShape};
use crate::pending::Pending;

use super::post::{ELSEWHERE, Post};
use super::{Core, NEVER, WindowEngine};

/// Mail of one part for another.
#[derive(Debug)]
pub(crate) struct Batch<M> {
    /// Mailboxes and what goes there, in order; those beyond `full` are room for more.
    bundles: Vec<(u32, Vec<M>)>,
    full: usize,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self {
            bundles: Vec::new(),
            full: 0,
        }
    }
}

impl<M: Message> Batch<M> {
    /// Takes what waits in `mailbox`, which has this number.
    fn fill(&mut self, number: u32, mailbox: &mut Mailbox<M>) {
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
    /// A part without nodes, to which those of `self` can move.
    pub(crate) fn empty_part(&self) -> Self {
        let core = &self.core;
        Self {
            nodes: self.nodes.iter().map(|_| None).collect(),
            places: self.places.clone(),
            owner: self.owner.clone(),
            core: Core {
                start: core.start,
                end: core.end,
                post: Post::new(
                    self.owner.len(),
                    core.post.length,
                    vec![ELSEWHERE; core.peers.len()],
                ),
                pending: Pending::default(),
                mailboxes: core.peers.iter().map(|_| Mailbox::default()).collect(),
                peers: core.peers.clone(),
                timers: vec![NEVER; core.timers.len()],
                traffic: vec![0; core.traffic.len()],
            },
            arrivals: Arrivals::new(core.post.length),
            order: self.order,
            shuffle: self.shuffle.clone(),
            due: Vec::new(),
            groups: Vec::new(),
            handled: 0,
        }
    }

    /// Hands mail for other parts over, `batch` by number of its mailbox; says when the first of
    /// it arrives.
    pub(crate) fn hand_over<'b>(
        &mut self,
        mut batch: impl FnMut(u32) -> std::sync::MutexGuard<'b, Batch<M>>,
    ) -> Time
    where
        M: 'b,
    {
        let mut first = Time::MAX;
        for number in self.core.post.exports.drain(..) {
            let mailbox = &mut self.core.mailboxes[number as usize];
            if let Some(message) = mailbox.front() {
                first = first.min(message.time());
            }
            batch(number).fill(number, mailbox);
        }
        first
    }

    /// Takes mail of another part in.
    pub(crate) fn take_in(&mut self, batch: &mut Batch<M>) {
        let Core {
            post, mailboxes, ..
        } = &mut self.core;
        for (number, messages) in &mut batch.bundles[..batch.full] {
            let number = *number as usize;
            let announce = |window| post.agenda.add(post.destinations[number], window);
            mailboxes[number].append(messages, post.length, &mut post.spare, announce);
        }
        batch.full = 0;
    }

    /// Moves on to `window`; there is no work before it.
    pub(crate) fn advance(&mut self, window: Time) {
        let post = &mut self.core.post;
        post.agenda.advance(window.as_ps() / post.length);
    }

    /// Moves a node to another part, with its mail and its timers; but for the agenda, and when no
    /// mail is to be handed over.
    pub(crate) fn move_node(&mut self, node: usize, to: &mut Self) {
        debug_assert!(to.nodes[node].is_none(), "a node that moves is in one part");
        to.nodes[node] = self.nodes[node].take();
        let place = self.places[node];
        let (from, to) = (&mut self.core, &mut to.core);
        for port in place.first_port..place.first_port + place.ports {
            let port = port as usize;
            let number = from.peers[port] as usize;
            std::mem::swap(&mut from.mailboxes[number], &mut to.mailboxes[number]);
            std::mem::swap(&mut from.traffic[port], &mut to.traffic[port]);
            let (here, there) = (&mut from.post.destinations, &mut to.post.destinations);
            std::mem::swap(&mut here[number], &mut there[number]);
        }
        for source in place.first_source..place.first_source + place.timers {
            let source = source as usize;
            std::mem::swap(&mut from.timers[source], &mut to.timers[source]);
        }
    }

    /// Clears the agenda; appends what was on it, windows and sources.
    pub(crate) fn drain_agenda(&mut self, into: &mut Vec<(u64, u32)>) {
        self.core.post.agenda.drain_into(into);
    }

    /// Puts those of `entries` on the agenda whose nodes are in this part.
    pub(crate) fn refill_agenda(&mut self, entries: &[(u64, u32)]) {
        for &(window, source) in entries {
            let node = self.owner[source as usize];
            if self.nodes[node as usize].is_some() {
                self.core.post.agenda.add(source, window);
            }
        }
    }

    /// Nodes of all parts.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Messages and timers handled so far.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }

    /// By receiving port: messages that arrived since this was asked last.
    pub(crate) fn take_traffic(&mut self, into: &mut [u64]) {
        for (count, sum) in self.core.traffic.iter_mut().zip(into) {
            *sum += u64::from(std::mem::take(count));
        }
    }

    /// By receiving port: the node.
    pub(crate) fn receivers(&self) -> Vec<u32> {
        let mut receivers = vec![0; self.core.mailboxes.len()];
        for (node, place) in self.places.iter().enumerate() {
            let (first, count) = (place.first_port as usize, place.ports as usize);
            receivers[first..first + count].fill(node as u32);
        }
        receivers
    }

    /// By port: the port it leads to.
    pub(crate) fn peers(&self) -> &[u32] {
        &self.core.peers
    }
}
