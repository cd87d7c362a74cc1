//! The loop over windows, and what a node may do in one.

mod exchange;
mod post;

use std::mem::take;

use incast_units::Time;

use crate::arrivals::{Arrivals, Sorted, empty, occupied};
use crate::checked_index::CheckedIndex;
use crate::event::{Event, LONGEST_WINDOW, MOST_SOURCES, NO_EVENT};
use crate::mailbox::Mailbox;
use crate::node::{Context, Events, Message, Node, NodeShape, Place, lay_out};
use crate::pending::Pending;
use incast_random::{NetworkPurpose, RandomStream};

use self::post::Post;

pub(crate) use self::exchange::Batch;

/// No timer is set.
const NEVER: u64 = u64::MAX;

/// The order in which nodes are taken within a window. Results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// By number.
    Ascending,
    /// Another order in every window, to prove that it does not matter.
    Shuffled(u64),
}

/// Everything but the nodes.
#[derive(Debug)]
struct Core<M> {
    /// Start of the current window, in ps.
    start: u64,
    /// End of what is handled of it.
    end: u64,
    /// The agenda, and L.
    post: Post<M>,
    /// Timers of the current node that were set for the current window. Those that were moved or
    /// taken back are still there; `timers` knows.
    pending: Pending,
    /// By sending port, counted over all nodes. If the receiver is in another part, what waits
    /// here is to be handed over at the end of the round.
    mailboxes: Vec<Mailbox<M>>,
    /// By port: the port at the other end of its link.
    peers: Vec<u32>,
    /// By source, for those that are timers: when.
    timers: Vec<u64>,
    /// By receiving port: messages that arrived.
    traffic: Vec<u32>,
}

/// A set of nodes and the links between them, run window by window: all nodes, or a part of
/// them. All parts count nodes, sources and ports through in the same way, so a node moves from
/// one to another with all that is its own.
#[derive(Debug)]
pub struct WindowEngine<N, M> {
    /// By number; `None` if it is in another part.
    nodes: Vec<Option<N>>,
    places: Vec<Place>,
    /// By source: its node.
    owner: Vec<u32>,
    core: Core<M>,
    /// Arrivals of the current node in the current window.
    arrivals: Arrivals<M>,
    order: NodeOrder,
    shuffle: RandomStream,
    due: Vec<u32>,
    groups: Vec<(u32, u32, u32)>,
    /// Messages and timers handled so far.
    handled: u64,
}

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// Nodes, connected by `peers`: for each port of each node, in order, the port it leads to,
    /// both counted over all nodes. `length` is the smallest delay of any link.
    ///
    /// # Panics
    /// If `length` is zero, `peers` does not fit the nodes' shapes or leads from a port to another
    /// and not back, or a node has more than half a million ports and timers.
    pub fn new(nodes: Vec<N>, peers: &[u32], length: Time, order: NodeOrder) -> Self {
        assert!(length > Time::ZERO, "windows need a link delay above zero");
        let layout = lay_out(&nodes, peers);
        assert!(layout.most_sources <= MOST_SOURCES, "too many ports");
        let leads_back = |(port, &peer): (usize, &u32)| peers[peer as usize] as usize == port;
        assert!(
            peers.iter().enumerate().all(leads_back),
            "links of two ports"
        );
        let length = length.as_ps().min(LONGEST_WINDOW);
        let sources = layout.owner.len();
        let destinations = peers.iter().map(|&peer| layout.port_sources[peer as usize]);
        let core = Core {
            start: 0,
            end: 0,
            post: Post::new(sources, length, destinations.collect()),
            pending: Pending::default(),
            traffic: vec![0; layout.port_sources.len()],
            mailboxes: peers.iter().map(|_| Mailbox::default()).collect(),
            peers: peers.to_vec(),
            timers: vec![NEVER; sources],
        };
        let (places, owner) = (layout.places, layout.owner);
        let seed = match order {
            NodeOrder::Ascending => 0,
            NodeOrder::Shuffled(seed) => seed,
        };
        let shuffle = RandomStream::of_network(seed, 0, NetworkPurpose::Scheduling);
        let (due, groups) = (Vec::new(), Vec::new());
        Self {
            nodes: nodes.into_iter().map(Some).collect(),
            places,
            owner,
            core,
            arrivals: Arrivals::new(length),
            order,
            shuffle,
            due,
            groups,
            handled: 0,
        }
    }

    /// A node, unless it is in another part.
    pub(crate) fn node(&self, node: usize) -> Option<&N> {
        self.nodes[node].as_ref()
    }

    /// A node, to hand something in or to read out what it holds.
    pub(crate) fn node_mut(&mut self, node: usize) -> Option<&mut N> {
        self.nodes[node].as_mut()
    }

    /// Start of the first window that has work.
    pub fn next_window(&self) -> Option<Time> {
        self.core
            .post
            .agenda
            .peek()
            .map(|window| Time::from_ps(window * self.core.post.length))
    }

    /// Start of the window that holds `time`.
    pub fn window_of(&self, time: Time) -> Time {
        Time::from_ps(time.as_ps() / self.core.post.length * self.core.post.length)
    }

    /// Length of a window.
    pub fn length(&self) -> Time {
        Time::from_ps(self.core.post.length)
    }

    /// Sets a timer of a node from outside, between windows, unless it goes off earlier
    /// anyway.
    pub fn ensure_timer(&mut self, node: usize, timer: usize, at: Time) {
        let source = self.places[node].first_source + timer as u32;
        let entry = &mut self.core.timers[source as usize];
        if at.as_ps() < *entry {
            *entry = at.as_ps();
            self.core.post.announce(source, at.as_ps());
        }
    }

    /// Handles all events from `start`, the start of a window, to the window's end or `stop`,
    /// whichever comes first.
    pub fn run_window<L>(&mut self, start: Time, stop: Time, local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let core = &mut self.core;
        core.start = start.as_ps();
        core.end = (core.start + core.post.length).min(stop.as_ps());
        self.due.clear();
        core.post
            .agenda
            .take(core.start / core.post.length, &mut self.due);
        self.group_by_node();
        self.handled += self.due.len() as u64;
        let (due, groups) = (take(&mut self.due), take(&mut self.groups));
        for &(node, from, to) in &groups {
            self.run_node(node as usize, &due[from as usize..to as usize], local);
        }
        (self.due, self.groups) = (due, groups);
    }

    /// Runs of `due` that belong to one node, in the order in which nodes are taken.
    fn group_by_node(&mut self) {
        self.groups.clear();
        let mut from = 0;
        while from < self.due.len() {
            let node = self.owner[self.due[from] as usize];
            let end = self.places[node as usize].end_of_sources();
            let mut to = from + 1;
            while to < self.due.len() && self.due[to] < end {
                to += 1;
            }
            self.groups.push((node, from as u32, to as u32));
            from = to;
        }
        if let NodeOrder::Shuffled(_) = self.order {
            for last in (1..self.groups.len()).rev() {
                let other = (self.shuffle.uniform() * (last + 1) as f64) as usize;
                self.groups.swap(last, other);
            }
        }
    }

    fn run_node<L>(&mut self, node: usize, due: &[u32], local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let place = self.places[node];
        self.core.gather(place, due, &mut self.arrivals);
        self.handled += self.arrivals.count() as u64;
        let node = self.nodes[node].as_mut().expect("a node of this part");
        node.dispatch(WindowEvents {
            arrivals: &mut self.arrivals,
            context: &mut self.core.context(place, local),
        });
        self.arrivals.clear(&mut self.core.post.spare);
    }
}

/// The events of one node in one window.
struct WindowEvents<'a, 'c, M, L> {
    arrivals: &'a mut Arrivals<M>,
    context: &'a mut WindowContext<'c, M, L>,
}

impl<'c, M: Message, L> Events<WindowContext<'c, M, L>> for WindowEvents<'_, 'c, M, L> {
    #[inline(never)]
    fn deliver_to<N: Node<WindowContext<'c, M, L>>>(self, node: &mut N) {
        let Self { arrivals, context } = self;
        if N::HAS_ONE_PORT {
            for run in arrivals.runs() {
                let port = run.port();
                for message in run.messages_mut() {
                    if context.first_timer() != NO_EVENT {
                        let offset = message.time().as_ps() - context.start;
                        context.run_timers(Event::message(offset, 0), node);
                    }
                    context.now = message.time();
                    node.on_message(port, message, context);
                }
            }
        } else if node.process_window(arrivals.runs(), context) {
            context.cancel_timers_of_window();
        } else {
            let Sorted { groups, runs } = arrivals.sort(context.start);
            for group in groups {
                let mut left = occupied(group);
                while left != 0 {
                    let arrival = group[left.trailing_zeros() as usize % group.len()];
                    left &= left - 1;
                    context.run_timers_before(arrival, node);
                    let (port, message) = runs.at_mut(arrival.number()).take();
                    context.now = message.time();
                    node.on_message(port, message, context);
                }
                empty(group);
            }
        }
        context.run_timers_before(NO_EVENT, node);
        node.end_window(Time::from_ps(context.end), context);
    }
}

impl<M: Message> Core<M> {
    /// Collects what the sources `due` of a node have before the end of the window. Nothing
    /// else will arrive; timers may still be set.
    fn gather(&mut self, place: Place, due: &[u32], arrivals: &mut Arrivals<M>) {
        let first_port = place.first_source + place.timers;
        let full_end = self.start + self.post.length;
        for &source in due {
            let local = source - place.first_source;
            if source < first_port {
                // It may have moved since it was put on the agenda.
                let time = self.timers[source as usize];
                if time < self.end {
                    self.pending.push(Event::timer(time - self.start, local));
                }
            } else {
                let port = source - first_port;
                let number = (place.first_port + port) as usize;
                let mailbox = self.mailboxes.at_mut(*self.peers.at(number) as usize);
                let mut messages = mailbox.take(full_end);
                if full_end > self.end {
                    let in_time = |message: &M| message.time().as_ps() < self.end;
                    messages.truncate(messages.partition_point(in_time));
                }
                *self.traffic.at_mut(number) += messages.len() as u32;
                arrivals.add(port as usize, messages);
            }
        }
    }

    fn context<'a, L>(&'a mut self, place: Place, local: &'a mut L) -> WindowContext<'a, M, L> {
        let (first_source, first_port) = (place.first_source as usize, place.first_port as usize);
        WindowContext {
            now: Time::from_ps(self.start),
            start: self.start,
            end: self.end,
            first_source: place.first_source,
            first_port: place.first_port,
            post: &mut self.post,
            pending: &mut self.pending,
            mailboxes: &mut self.mailboxes[first_port..first_port + place.ports as usize],
            timers: &mut self.timers[first_source..first_source + place.timers as usize],
            local,
        }
    }
}

/// What a node may do while it handles an event of a window.
#[derive(Debug)]
pub struct WindowContext<'a, M, L> {
    now: Time,
    /// Start of the window, in ps.
    start: u64,
    /// End of what is handled of it.
    end: u64,
    /// The node's first source.
    first_source: u32,
    /// The node's first port.
    first_port: u32,
    post: &'a mut Post<M>,
    pending: &'a mut Pending,
    /// By port of the node: what it sends there.
    mailboxes: &'a mut [Mailbox<M>],
    /// By timer of the node: when.
    timers: &'a mut [u64],
    local: &'a mut L,
}

impl<M: Message, L> WindowContext<'_, M, L> {
    #[inline]
    fn begin(&mut self, event: Event) {
        self.now = Time::from_ps(self.start + event.offset());
    }

    /// The first timer of this window, which may have been moved or taken back.
    #[inline]
    fn first_timer(&self) -> Event {
        self.pending.first()
    }

    /// Lets the timers go off that come before `until`, where mostly none do.
    #[inline(always)]
    fn run_timers_before<N: Node<Self>>(&mut self, until: Event, node: &mut N) {
        if self.first_timer() < until {
            self.run_timers(until, node);
        }
    }

    /// Lets the timers go off that come before `until`.
    fn run_timers<N: Node<Self>>(&mut self, until: Event, node: &mut N) {
        while self.first_timer() < until {
            let event = self.first_timer();
            self.pending.pop();
            self.begin(event);
            let timer = event.number();
            if self.timers[timer] == self.now.as_ps() {
                self.timers[timer] = NEVER;
                node.on_timer_expiry(timer, self);
            }
        }
    }

    /// Takes back the timers of this window.
    fn cancel_timers_of_window(&mut self) {
        while self.first_timer() != NO_EVENT {
            let event = self.first_timer();
            self.pending.pop();
            let timer = event.number();
            if self.timers[timer] == self.start + event.offset() {
                self.timers[timer] = NEVER;
            }
        }
    }

    #[inline(never)]
    fn put_on_agenda(&mut self, source: u32, at: u64) {
        self.post.announce(source, at);
    }

    /// Puts mail into a mailbox that has no room, or on the agenda; or notes that there is
    /// something to hand over.
    #[inline(never)]
    fn send_and_announce(&mut self, port: usize, message: &M) {
        let at = message.time().as_ps();
        let mailbox = self.mailboxes.at_mut(port);
        if at >= mailbox.announced_until {
            let number = self.first_port as usize + port;
            self.post.begin_batch(number, mailbox, at);
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
        debug_assert_eq!(at, message.time());
        let at = at.as_ps();
        debug_assert!(at >= self.end, "a message would arrive in its own window");
        let mailbox = self.mailboxes.at_mut(port);
        if at >= mailbox.announced_until || mailbox.is_full() {
            return self.send_and_announce(port, message);
        }
        mailbox.push(message);
    }

    #[inline]
    fn window_end(&self) -> Time {
        Time::from_ps(self.end)
    }

    fn revoke(&mut self, port: usize) -> Option<M> {
        // Whatever arrives after this window cannot have been taken by the receiver.
        self.mailboxes[port].revoke(self.end)
    }

    #[inline]
    fn set_timer(&mut self, timer: usize, at: Time) {
        debug_assert!(at >= self.now, "a timer in the past");
        let at = at.as_ps();
        self.timers[timer] = at;
        if at < self.end {
            let event = Event::timer(at - self.start, timer as u32);
            self.pending.push(event);
        } else {
            self.put_on_agenda(self.first_source + timer as u32, at);
        }
    }

    #[inline]
    fn cancel_timer(&mut self, timer: usize) {
        self.timers[timer] = NEVER;
    }

    #[inline]
    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        let time = self.timers[timer];
        (time != NEVER).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}

#[cfg(test)]
mod tests;
