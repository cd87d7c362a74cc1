//! Nodes and what they may do, whoever runs them.

use incast_units::Time;

use crate::arrivals::PortBatch;

/// Anything that travels from node to node.
pub trait Message: Copy {
    /// When it arrives.
    fn time(&self) -> Time;
}

/// The sources of a node's events.
pub trait NodeShape {
    /// How many timers it has, numbered from 0.
    fn timers(&self) -> usize;

    /// How many ports it has, numbered from 0.
    fn ports(&self) -> usize;

    /// What a message that arrives costs it, where other nodes have other costs.
    fn weight(&self) -> u64 {
        1
    }
}

/// A node: it owns its state, and hears of the world through messages and its own timers.
pub trait Node<C: Context> {
    /// Whether no node of the kind has more than one port. What arrives there is in order.
    const HAS_ONE_PORT: bool = false;

    /// A message arrives on `port`. It is the node's to change and to send on.
    fn on_message(&mut self, port: usize, message: &mut C::Message, context: &mut C);

    /// A timer that the node set goes off.
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C);

    /// Handles all that happens in a window, timers included, in any order that leads where its
    /// own leads, if it knows one: then none of these timers goes off. `false`: it does not, and
    /// none of them has happened. The time is the start of the window, in which no timer may be
    /// set.
    #[inline(always)]
    fn process_window(&mut self, _inbox: &mut [PortBatch<C::Message>], _context: &mut C) -> bool {
        false
    }

    /// All its events before `end`, in the window that ends then, have happened. What it sends
    /// from here arrives later, timers that it sets go off later.
    fn end_window(&mut self, _end: Time, _context: &mut C) {}

    /// Lets events happen to this node. A node that is one of several kinds hands them on to
    /// what it is, so that its kind is asked for once, not at every event.
    fn dispatch<E: Events<C>>(&mut self, events: E)
    where
        Self: Sized,
    {
        events.deliver_to(self);
    }
}

/// A series of events of one node.
pub trait Events<C: Context> {
    /// Calls the node for one after the other.
    fn deliver_to<N: Node<C>>(self, node: &mut N);
}

/// What a node may do while it handles an event.
pub trait Context {
    /// What nodes send to each other.
    type Message: Message;
    /// What the nodes of one thread share: a recorder, scratch space. Whatever a node does to
    /// it must not depend on the order in which nodes are taken.
    type Local;

    /// Whether simultaneous events happen in the order in which they were scheduled. Then an
    /// timer that changes nothing by itself still matters, by its place in that order.
    /// Otherwise a node's timers go before its messages, lower numbers before higher ones.
    const INSERTION_ORDER: bool;

    /// The time of the event.
    fn now(&self) -> Time;

    /// What follows happens at `time`: for a node that takes messages in an order of its own.
    fn advance_to(&mut self, time: Time);

    /// Makes sure that there is a port of this number: what is sent there in a loop that follows
    /// need not ask again.
    ///
    /// # Panics
    /// If there is none.
    fn check_port(&self, port: usize);

    /// Sends a message out of `port`, which arrives at `at`, as it says itself: no earlier than
    /// the smallest delay of any link from now, nor before anything sent there earlier.
    fn send(&mut self, port: usize, message: &Self::Message, at: Time);

    /// What was sent during the current event, or an earlier one of this window, may be taken
    /// back until then. `now` where there are no windows.
    fn window_end(&self) -> Time;

    /// Takes back the last message sent out of `port`, if it was sent in this window.
    fn revoke(&mut self, port: usize) -> Option<Self::Message>;

    /// Sets a timer, or moves it if it was set.
    fn set_timer(&mut self, timer: usize, at: Time);

    /// Takes a timer back, if it is set.
    fn cancel_timer(&mut self, timer: usize);

    /// When a timer goes off, if it is set.
    fn timer_deadline(&self, timer: usize) -> Option<Time>;

    /// What the nodes of this thread share.
    fn local(&mut self) -> &mut Self::Local;
}

/// Where a node's sources and ports begin, counted over all nodes. A node's sources are its
/// timers, then its ports.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Place {
    pub(crate) first_source: u32,
    pub(crate) timers: u32,
    pub(crate) first_port: u32,
    pub(crate) ports: u32,
}

impl Place {
    /// The first source after the node's.
    #[inline]
    pub(crate) fn end_of_sources(self) -> u32 {
        self.first_source + self.timers + self.ports
    }
}

/// All nodes' sources, counted through.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) places: Vec<Place>,
    /// By source: its node.
    pub(crate) owner: Vec<u32>,
    /// By port: its source.
    pub(crate) port_sources: Vec<u32>,
    /// Sources of the node that has most.
    pub(crate) most_sources: usize,
}

pub(crate) fn lay_out<N: NodeShape>(nodes: &[N], peers: &[u32]) -> Layout {
    let (mut places, mut owner, mut port_sources) = (Vec::new(), Vec::new(), Vec::new());
    let mut most_sources = 0;
    for (index, node) in nodes.iter().enumerate() {
        let (timers, ports) = (node.timers(), node.ports());
        let first_source = owner.len() as u32;
        let first_port = port_sources.len() as u32;
        places.push(Place {
            first_source,
            timers: timers as u32,
            first_port,
            ports: ports as u32,
        });
        owner.resize(owner.len() + timers + ports, index as u32);
        let first = first_source + timers as u32;
        port_sources.extend(first..first + ports as u32);
        most_sources = most_sources.max(timers + ports);
    }
    assert_eq!(peers.len(), port_sources.len(), "one peer for every port");
    Layout {
        places,
        owner,
        port_sources,
        most_sources,
    }
}
