//! The window engine: a loop over windows of time, without a global queue.
//!
//! A node's state stays in the processor's cache for a whole window. Nodes are independent inside a
//! window. Empty windows and idle nodes cost nothing.
//!
//! | file | holds |
//! |---|---|
//! | `turns` | which nodes have which window, and in which order |
//! | `sides` | how nodes are divided into two that alternate |
//! | `calendar` | which sources have work in which turn: a timing wheel of bit sets |
//! | `mailbox`, `mail_router` | messages in flight, in one batch per link and window |
//! | `inbox` | the messages a node receives in one window, and their sorting |
//! | `due_timers`, `event_key` | the timers of the window, and the order of simultaneous events |
//! | `delivery` | a node's events of one window, one after the other |
//! | `state`, `context` | the state besides the nodes, and the part of it that a node sees |
//! | `exchange` | messages that pass between shards |
//! | `division` | which nodes are in which shard, and how they move |

mod bit_sets;
mod calendar;
mod context;
mod delivery;
mod division;
mod due_timers;
mod event_key;
mod exchange;
mod inbox;
mod mail_router;
mod mailbox;
mod sides;
mod spans;
mod state;
mod turns;

use std::mem::take;

use incast_random::{NetworkPurpose, RandomStream};
use incast_units::Time;

use self::delivery::WindowEvents;
use self::division::RemoteMailbox;
use self::event_key::{MAX_SOURCES, MAX_WINDOW};
use self::inbox::Inbox;
use self::mail_router::Receiver;
use self::state::WindowState;
use self::turns::Turns;
use crate::checked_index::CheckedIndex;
use crate::layout::{NodeLayout, SourceLayout};
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::ties::TieOrder;

pub use self::context::WindowContext;
pub(crate) use self::division::{Division, Outline, Parcel};
pub(crate) use self::exchange::ShardMail;
pub use self::sides::LONGEST_STEP_OF_SIDES;

/// The order of nodes within a window. Results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// By number.
    Ascending,
    /// A different order in every window, from this seed, to prove that the order does not matter.
    Shuffled(u64),
}

impl NodeOrder {
    fn shuffle(self) -> RandomStream {
        let seed = match self {
            Self::Ascending => 0,
            Self::Shuffled(seed) => seed,
        };
        RandomStream::of_network(seed, 0, NetworkPurpose::Scheduling)
    }
}

/// Nodes and the links between them, run window by window: all nodes of a network, or one shard of
/// them. Nodes, ports and sources are numbered in the same order as in the network.
#[derive(Clone, Debug)]
pub struct WindowEngine<N, M> {
    /// By node: its number in the network.
    numbers: Vec<u32>,
    nodes: Vec<N>,
    /// By node.
    layouts: Vec<NodeLayout>,
    /// By source: its node.
    node_of_source: Vec<u32>,
    /// By node: its side.
    sides: Vec<u8>,
    state: WindowState<M>,
    /// By sending port, if there are other shards: the mailbox in the receiver's shard.
    remote_mailboxes: Vec<RemoteMailbox>,
    /// Messages of the current node in the current window.
    inbox: Inbox<M>,
    order: NodeOrder,
    ties: TieOrder,
    shuffle: RandomStream,
    /// Sources with work in the current window.
    due: Vec<u32>,
    /// Ranges of `due` that belong to one node.
    groups: Vec<DueGroup>,
    /// Messages and timers handled so far.
    handled: u64,
    /// Turns taken so far.
    turns: u64,
}

/// A node with work in a window, and the range of the node's sources in `due`.
#[derive(Copy, Clone, Debug)]
struct DueGroup {
    node: u32,
    from: u32,
    to: u32,
}

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// Nodes, connected by `peers`: for each port of each node, in order, the port at the other end
    /// of its link, both counted over all nodes. `length`, the length of a window, is the smallest
    /// delay of any link. All nodes take each window together, unless sides
    /// [alternate](Self::alternating).
    ///
    /// # Panics
    /// If `length` is zero; if `peers` does not match the nodes' shapes, or leads from a port to
    /// another and not back; or if a node has more than half a million ports and timers.
    pub fn new(nodes: Vec<N>, peers: &[u32], length: Time, order: NodeOrder) -> Self {
        assert!(length > Time::ZERO, "windows need a link delay above zero");
        let layout = SourceLayout::new(&nodes, peers);
        assert!(layout.max_sources <= MAX_SOURCES, "too many ports");
        let leads_back = |(port, &peer): (usize, &u32)| peers[peer as usize] as usize == port;
        let all_lead_back = peers.iter().enumerate().all(leads_back);
        assert!(all_lead_back, "links of two ports");
        let length = length.as_ps().min(MAX_WINDOW);
        let sources = layout.node_of_source.len();
        let receivers = peers.iter().map(|&peer| Receiver {
            source: layout.source_of_port[peer as usize],
            side: 0,
        });
        let (receivers, turns) = (receivers.collect(), Turns::of_all(length));
        let state = WindowState::new(sources, peers.to_vec(), receivers, turns);
        Self {
            numbers: (0..nodes.len() as u32).collect(),
            sides: vec![0; nodes.len()],
            nodes,
            layouts: layout.nodes,
            node_of_source: layout.node_of_source,
            ..Self::empty(state, order)
        }
    }

    /// An engine without nodes.
    fn empty(state: WindowState<M>, order: NodeOrder) -> Self {
        Self {
            numbers: Vec::new(),
            nodes: Vec::new(),
            layouts: Vec::new(),
            node_of_source: Vec::new(),
            sides: Vec::new(),
            remote_mailboxes: Vec::new(),
            inbox: Inbox::new(state.router.turns.length()),
            state,
            order,
            ties: TieOrder::ByPort,
            shuffle: order.shuffle(),
            due: Vec::new(),
            groups: Vec::new(),
            handled: 0,
            turns: 0,
        }
    }

    /// Sets the order of simultaneous messages at a node.
    pub fn with_ties(mut self, ties: TieOrder) -> Self {
        self.ties = ties;
        self
    }

    /// Arrival of the last message, rounded up to the shortest link delay so that it does not
    /// depend on window length.
    pub fn active_until(&self) -> Time {
        let step = self.state.router.turns.step();
        Time::from_ps(self.state.arrived_until.div_ceil(step) * step)
    }

    /// The nodes of this shard, by number.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        self.nodes.iter()
    }

    /// By port: its node.
    fn node_of_port(&self) -> Vec<u32> {
        let mut nodes = Vec::with_capacity(self.state.peers.len());
        for (node, layout) in (0..).zip(&self.layouts) {
            nodes.resize((layout.first_port + layout.ports) as usize, node);
        }
        nodes
    }

    /// Number of ports of all nodes.
    pub(crate) fn ports(&self) -> usize {
        self.state.peers.len()
    }

    /// A node.
    pub(crate) fn node(&self, node: usize) -> &N {
        &self.nodes[node]
    }

    /// A node, to be changed between windows.
    pub fn node_mut(&mut self, node: usize) -> &mut N {
        &mut self.nodes[node]
    }

    /// The last multiple of a window's length before which there is no work.
    pub fn next_window(&self) -> Option<Time> {
        self.first_turn().map(|turn| self.window_of_turn(turn))
    }

    /// The last multiple of a window's length up to the start of a turn.
    pub(crate) fn window_of_turn(&self, turn: u64) -> Time {
        self.window_of(Time::from_ps(self.state.router.turns.start(turn)))
    }

    /// The last multiple of a window's length up to `time`, at which all nodes can stand.
    pub fn window_of(&self, time: Time) -> Time {
        let length = self.state.router.turns.length();
        Time::from_ps(time.as_ps() / length * length)
    }

    /// The turn in which a node handles the events at `time`.
    pub(crate) fn turn_of(&self, node: usize, time: Time) -> u64 {
        let side = self.sides[node].into();
        self.state.router.turns.turn_of(time.as_ps(), side)
    }

    /// The first turn from `turn` on that has work; work of earlier turns does not count.
    pub(crate) fn first_turn_from(&self, turn: u64) -> Option<u64> {
        self.state.router.calendar.first_from(turn)
    }

    /// The first turn with work.
    pub(crate) fn first_turn(&self) -> Option<u64> {
        self.state.router.calendar.peek()
    }

    /// The first turn that still has events at `time`, a multiple of a window's length.
    pub(crate) fn first_turn_at(&self, time: Time) -> u64 {
        self.state.router.turns.turn_of(time.as_ps(), 0)
    }

    /// Start of a turn's window.
    pub(crate) fn start_of_turn(&self, turn: u64) -> Time {
        Time::from_ps(self.state.router.turns.start(turn))
    }

    /// Number of successive turns before events in one shard can affect another, if all links
    /// between them have at least this delay.
    pub(crate) fn turns_within(&self, lookahead: Time) -> u64 {
        self.state.router.turns.within(lookahead.as_ps())
    }

    /// Time from one turn to the next.
    pub fn step(&self) -> Time {
        Time::from_ps(self.state.router.turns.step())
    }

    /// Length of a window.
    pub fn length(&self) -> Time {
        Time::from_ps(self.state.router.turns.length())
    }

    /// Sets a timer of a node from outside, between spans, unless it already expires earlier.
    pub fn ensure_timer(&mut self, node: usize, timer: usize, at: Time) {
        let source = self.layouts[node].first_source + timer as u32;
        let deadline = &mut self.state.timers[source as usize];
        if at.as_ps() < *deadline {
            *deadline = at.as_ps();
            let side = self.sides[node].into();
            self.state.router.announce(source, side, at.as_ps());
        }
    }

    /// Processes the events of the window of a turn from `start` to `until`, in ps.
    fn run_turn<L>(&mut self, turn: u64, span: (u64, u64), local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        self.begin_turn(turn, span);
        let (due, groups) = (take(&mut self.due), take(&mut self.groups));
        for group in &groups {
            self.run_group(group, &due, local);
        }
        (self.due, self.groups) = (due, groups);
    }

    /// Like [`WindowEngine::run_turn`], in two parts: the `outer` nodes, by number, then the
    /// others. Calls `in_between` between the parts.
    fn run_turn_in_two<L>(
        &mut self,
        turn: u64,
        span: (u64, u64),
        outer: &[bool],
        local: &mut L,
        in_between: impl FnOnce(&mut Self),
    ) where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        self.begin_turn(turn, span);
        let (due, groups) = (take(&mut self.due), take(&mut self.groups));
        let is_outer = |group: &&DueGroup| outer[group.node as usize];
        for group in groups.iter().filter(is_outer) {
            self.run_group(group, &due, local);
        }
        in_between(self);
        for group in groups.iter().filter(|group| !is_outer(group)) {
            self.run_group(group, &due, local);
        }
        (self.due, self.groups) = (due, groups);
    }

    /// Collects the nodes that have events from `start` to `until`, in ps, in the window of a turn.
    fn begin_turn(&mut self, turn: u64, (start, until): (u64, u64)) {
        self.state.begin(turn, start, until);
        self.due.clear();
        self.state.router.calendar.take(turn, &mut self.due);
        self.group_by_node();
        self.handled += self.due.len() as u64;
        self.turns += 1;
    }

    /// Processes the events of one node in the window of this turn.
    #[inline(always)]
    fn run_group<L>(&mut self, group: &DueGroup, due: &[u32], local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let state = &mut self.state;
        let (node, due) = (
            group.node as usize,
            &due[group.from as usize..group.to as usize],
        );
        let layout = self.layouts[node];
        match state.end < state.end_of_turn {
            false => state.gather(layout, due, &mut self.inbox),
            true => state.gather_part(layout, due.iter().copied(), &mut self.inbox),
        }
        self.deliver(node, layout, local);
    }

    /// Processes the events of one node in the window that starts at `start`, up to `until`, before
    /// all other nodes. No message of the node arrives in the same window, so results do not
    /// change. Afterwards the node can get timers from outside at `until` or later. Sides must not
    /// alternate.
    pub fn run_ahead<L>(&mut self, node: usize, start: Time, until: Time, local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let turn = self.state.router.turns.turn_of(start.as_ps(), 0);
        self.state.begin(turn, start.as_ps(), until.as_ps());
        let layout = self.layouts[node];
        let sources = layout.first_source..layout.end_of_sources();
        self.state.gather_part(layout, sources, &mut self.inbox);
        self.deliver(node, layout, local);
    }

    /// Calls `see` with the messages that arrive in the window that starts at `start`, the first
    /// with work, by receiving node and port. Sides must not alternate.
    pub fn arrivals_of_window(&mut self, start: Time, see: &mut dyn FnMut(usize, &N, &[M])) {
        let state = &mut self.state;
        let turns = state.router.turns;
        self.due.clear();
        let turn = turns.turn_of(start.as_ps(), 0);
        state.router.calendar.list(turn, &mut self.due);
        for &source in &self.due {
            let node = self.node_of_source[source as usize] as usize;
            let layout = self.layouts[node];
            let first_port = layout.first_source + layout.timers;
            if source >= first_port {
                let port = layout.first_port + source - first_port;
                let mailbox = &state.mailboxes[state.peers[port as usize] as usize];
                let messages = mailbox.first(turns.end(turn));
                see(node, &self.nodes[node], messages);
            }
        }
    }

    /// Groups the due sources by node, in the order of nodes for this window.
    fn group_by_node(&mut self) {
        self.groups.clear();
        let mut from = 0;
        while from < self.due.len() {
            let node = self.node_of_source[self.due[from] as usize];
            let end = self.layouts[node as usize].end_of_sources();
            let mut to = from + 1;
            while to < self.due.len() && self.due[to] < end {
                to += 1;
            }
            self.groups.push(DueGroup {
                node,
                from: from as u32,
                to: to as u32,
            });
            from = to;
        }
        if let NodeOrder::Shuffled(_) = self.order {
            for last in (1..self.groups.len()).rev() {
                let other = (self.shuffle.uniform() * (last + 1) as f64) as usize;
                self.groups.swap(last, other);
            }
        }
    }

    /// Lets a node handle its gathered events.
    #[inline(always)]
    fn deliver<L>(&mut self, node: usize, layout: NodeLayout, local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        self.handled += self.inbox.count() as u64;
        let ties = match self.ties {
            TieOrder::ByPort => None,
            hashed => hashed.of_node(self.numbers[node]),
        };
        let node = self.nodes.at_mut(node);
        node.dispatch(WindowEvents {
            inbox: &mut self.inbox,
            ties,
            context: &mut self.state.context(layout, local),
        });
        self.inbox.clear(&mut self.state.router.spare);
    }
}

#[cfg(test)]
mod tests;
