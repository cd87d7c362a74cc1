//! The division of a network's nodes among shards, and the move of nodes between shards.
//!
//! A shard has memory only for its own nodes. It numbers its nodes, sources and ports as if they
//! were the whole network, in the same order. It has the mailboxes of its own ports, and the
//! mailboxes of other shards' ports that lead to it. For a new division, every shard packs its
//! nodes into parcels, one for each shard, and then builds itself from the parcels that it gets.
//! Each shard does this on its own thread.

use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use incast_units::Time;

use super::WindowEngine;
use super::mail_router::{OTHER_SHARD, Receiver};
use super::mailbox::Mailbox;
use super::state::WindowState;
use crate::layout::{NodeLayout, SourceLayout};
use crate::message::Message;
use crate::node::NodeShape;

/// The whole network, with its numbers of nodes and ports.
#[derive(Debug)]
pub(crate) struct Outline {
    /// By node.
    layouts: Vec<NodeLayout>,
    /// By node: its side.
    pub(crate) sides: Vec<u8>,
    /// By node: cost of a message.
    pub(crate) weights: Vec<u64>,
    /// By port: its node.
    pub(crate) node_of_port: Vec<u32>,
    /// By port: the port at the other end of its link.
    pub(crate) peers: Vec<u32>,
}

impl Outline {
    /// The ports of a node.
    fn ports(&self, node: u32) -> Range<usize> {
        self.layouts[node as usize].port_range()
    }
}

/// The nodes of each shard, and their numbers in it.
#[derive(Debug)]
pub(crate) struct Division {
    outline: Arc<Outline>,
    pub(crate) shards: usize,
    /// By node.
    shard_of_node: Vec<u16>,
    /// By node: its number in its shard.
    places: Vec<u32>,
    /// By sending port: the number of its mailbox in the shard of the receiving node.
    mailboxes: Vec<u32>,
}

impl Division {
    /// The division by `shard_of_node` into this number of shards.
    pub(crate) fn new(outline: Arc<Outline>, shard_of_node: &[u16], shards: usize) -> Self {
        let (mut nodes, mut mailboxes) = (vec![0; shards], vec![0; shards]);
        let mut first_ports = Vec::with_capacity(shard_of_node.len());
        let places = shard_of_node.iter().zip(&outline.layouts);
        let places = places.map(|(&shard, layout)| {
            let shard = usize::from(shard);
            first_ports.push(mailboxes[shard]);
            mailboxes[shard] += layout.ports;
            nodes[shard] += 1;
            nodes[shard] - 1
        });
        let places = places.collect();
        // A shard numbers other shards' ports in the order of its own ports.
        let mut numbers = vec![0; outline.peers.len()];
        for (&receiver, &sending) in outline.node_of_port.iter().zip(&outline.peers) {
            let sender = outline.node_of_port[sending as usize] as usize;
            let shard = shard_of_node[receiver as usize];
            numbers[sending as usize] = match shard == shard_of_node[sender] {
                true => first_ports[sender] + sending - outline.layouts[sender].first_port,
                false => {
                    let next = &mut mailboxes[usize::from(shard)];
                    *next += 1;
                    *next - 1
                }
            };
        }
        Self {
            outline,
            shards,
            shard_of_node: shard_of_node.to_vec(),
            places,
            mailboxes: numbers,
        }
    }

    /// The shard of a node, and the node's number in the shard.
    pub(crate) fn place_of(&self, node: usize) -> (usize, usize) {
        (self.shard_of_node[node].into(), self.places[node] as usize)
    }

    /// The nodes of a shard, in order.
    fn nodes_of(&self, shard: u16) -> Vec<u32> {
        let nodes = (0..).zip(&self.shard_of_node);
        let own = nodes.filter(|&(_, &each)| each == shard);
        own.map(|(node, _)| node).collect()
    }
}

/// A mailbox in another shard.
#[derive(Copy, Clone, Debug)]
pub(super) struct RemoteMailbox {
    pub(super) shard: u16,
    /// Its number there.
    pub(super) number: u32,
}

/// Nodes that move from one shard to another, in order, with their timers, messages and calendar
/// entries.
#[derive(Debug)]
pub(crate) struct Parcel<N, M> {
    /// Nodes, with their numbers in the network.
    nodes: Vec<(u32, N)>,
    /// Timers of the nodes, node by node.
    timers: Vec<u64>,
    /// Messages in flight to the nodes, by sending port.
    mailboxes: Vec<(u32, Mailbox<M>)>,
    /// Calendar entries of the nodes: turn, node, and number of the source in the node.
    entries: Vec<(u64, u32, u32)>,
}

impl<N, M> Default for Parcel<N, M> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            timers: Vec::new(),
            mailboxes: Vec::new(),
            entries: Vec::new(),
        }
    }
}

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// A shard without nodes and without memory for any.
    pub(crate) fn hollow(&self) -> Self {
        let turns = self.state.router.turns;
        let state = WindowState::new(0, Vec::new(), Vec::new(), turns);
        Self::empty(state, self.order).with_ties(self.ties)
    }

    /// The outline of the network, all of whose nodes are in this shard.
    pub(crate) fn outline(&self) -> Outline {
        assert!(self.remote_mailboxes.is_empty(), "a network that is whole");
        Outline {
            layouts: self.layouts.clone(),
            sides: self.sides.clone(),
            weights: self.nodes().map(N::weight).collect(),
            node_of_port: self.node_of_port(),
            peers: self.state.peers.clone(),
        }
    }

    /// Packs all nodes into a parcel for each shard. No messages may be waiting to be handed over.
    pub(crate) fn pack(&mut self, division: &Division) -> Vec<Parcel<N, M>> {
        let exports = &self.state.router.exports;
        debug_assert!(exports.is_empty(), "messages to be handed over");
        let shards = 0..division.shards;
        let mut parcels: Vec<_> = shards.map(|_| Parcel::default()).collect();
        let mut entries = Vec::new();
        self.state.router.calendar.drain_into(&mut entries);
        for (turn, source) in entries {
            let place = self.node_of_source[source as usize] as usize;
            let (node, first) = (self.numbers[place], self.layouts[place].first_source);
            let (shard, _) = division.place_of(node as usize);
            parcels[shard].entries.push((turn, node, source - first));
        }
        let nodes = take(&mut self.numbers)
            .into_iter()
            .zip(take(&mut self.nodes));
        for ((number, node), layout) in nodes.zip(&self.layouts) {
            let parcel = &mut parcels[division.place_of(number as usize).0];
            parcel.nodes.push((number, node));
            let timers = &self.state.timers[layout.timer_range()];
            parcel.timers.extend_from_slice(timers);
            let ports = layout.port_range().zip(division.outline.ports(number));
            for (own, port) in ports {
                let mailbox = &mut self.state.mailboxes[self.state.peers[own] as usize];
                if !mailbox.is_empty() {
                    let sending = division.outline.peers[port];
                    parcel.mailboxes.push((sending, take(mailbox)));
                }
            }
        }
        self.state.renew(0, Vec::new(), Vec::new());
        parcels
    }

    /// Builds shard `number` from the nodes in these parcels, as of `time`, before `turn`. The
    /// shard must be empty.
    pub(crate) fn unpack(
        &mut self,
        number: usize,
        division: &Division,
        (turn, time): (u64, Time),
        parcels: impl Iterator<Item = Parcel<N, M>>,
    ) {
        self.make_room(number, division);
        self.advance(turn, time);
        let mut nodes: Vec<_> = self.numbers.iter().map(|_| None).collect();
        for parcel in parcels {
            let mut timers = parcel.timers.as_slice();
            for (node, state) in parcel.nodes {
                let (_, place) = division.place_of(node as usize);
                nodes[place] = Some(state);
                let range = self.layouts[place].timer_range();
                let (own, rest) = timers.split_at(range.len());
                self.state.timers[range].copy_from_slice(own);
                timers = rest;
            }
            for (sending, mailbox) in parcel.mailboxes {
                let mailboxes = &mut self.state.mailboxes;
                mailboxes[division.mailboxes[sending as usize] as usize] = mailbox;
            }
            for (turn, node, source) in parcel.entries {
                let (_, place) = division.place_of(node as usize);
                let first = self.layouts[place].first_source;
                self.state.router.calendar.add(first + source, turn);
            }
        }
        let nodes = nodes.into_iter();
        self.nodes = nodes.map(|node| node.expect("in a parcel")).collect();
    }

    /// Numbers the nodes, sources and ports of shard `number`, and allocates memory for them.
    fn make_room(&mut self, number: usize, division: &Division) {
        let (outline, numbers) = (&division.outline, &division.mailboxes);
        let nodes = division.nodes_of(number as u16);
        let layouts = nodes.iter().map(|&node| outline.layouts[node as usize]);
        let layout = SourceLayout::of(layouts.map(|l| (l.timers as usize, l.ports as usize)));
        // The shard of a port's node, and the source at which messages to this port arrive.
        let receiver = |port: usize| {
            let node = outline.node_of_port[port] as usize;
            let (shard, place) = division.place_of(node);
            let at_node = port as u32 - outline.layouts[node].first_port;
            let source = match shard == number {
                true => layout.source_of_port[(layout.nodes[place].first_port + at_node) as usize],
                false => OTHER_SHARD,
            };
            let side = outline.sides[node].into();
            (shard, Receiver { source, side })
        };
        let (mut receivers, mut remote_mailboxes, mut peers) = (vec![], vec![], vec![]);
        let own_ports = || nodes.iter().flat_map(|&node| outline.ports(node));
        for port in own_ports() {
            let (shard, there) = receiver(outline.peers[port] as usize);
            receivers.push(there);
            remote_mailboxes.push(RemoteMailbox {
                shard: shard as u16,
                number: numbers[port],
            });
        }
        for port in own_ports() {
            let sending = outline.peers[port] as usize;
            peers.push(numbers[sending]);
            if receiver(sending).0 != number {
                debug_assert_eq!(receivers.len(), numbers[sending] as usize, "in this order");
                receivers.push(receiver(port).1);
            }
        }
        let sides = nodes.iter().map(|&node| outline.sides[node as usize]);
        self.sides = sides.collect();
        self.numbers = nodes;
        self.layouts = layout.nodes;
        self.remote_mailboxes = remote_mailboxes;
        let sources = layout.node_of_source.len();
        self.state.renew(sources, peers, receivers);
        self.node_of_source = layout.node_of_source;
    }

    /// By node of this shard: whether it has a link to another shard.
    pub(crate) fn outer_nodes(&self) -> Vec<bool> {
        let receivers = &self.state.router.receivers;
        let is_outer = |layout: &NodeLayout| {
            let mut own = receivers[layout.port_range()].iter();
            own.any(|receiver| receiver.source == OTHER_SHARD)
        };
        self.layouts.iter().map(is_outer).collect()
    }

    /// Adds the messages that have arrived since the last call to the sums, by receiving port,
    /// numbered as in the network.
    pub(crate) fn take_arrivals(&mut self, outline: &Outline, sums: &mut [u64]) {
        let own_ports = self.numbers.iter().flat_map(|&node| outline.ports(node));
        for (count, port) in self.state.arrivals.iter_mut().zip(own_ports) {
            sums[port] += u64::from(take(count));
        }
    }
}

#[cfg(test)]
mod tests;
