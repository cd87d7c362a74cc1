//! An engine with one global queue of events, to repeat simulators that have one.
//!
//! Such a simulator lets simultaneous events happen in the order in which they were scheduled,
//! wherever in the network they are. No window can know that order: it goes back, event by event,
//! to the beginning of the run. A bounded history carried in messages was tried (16 and 64 runs of
//! equal delays); it departs from the original after some hundred microseconds, and is slower. So a
//! profile that must repeat such a simulator gets the queue itself.

mod queue;

use std::collections::VecDeque;

use incast_units::Time;

use self::queue::{EventQueue, QueuedEvent};
use crate::checked_index::CheckedIndex;
use crate::layout::{NodeLayout, SourceLayout};
use crate::message::Message;
use crate::node::{Context, Node, NodeShape};

/// Deadline of a timer that is not set.
const NOT_SET: u64 = u64::MAX;

/// Everything but the nodes.
#[derive(Clone, Debug)]
struct QueueState<M> {
    /// Unit of the queue's clock, in ps.
    clock_unit: u64,
    queue: EventQueue,
    /// By receiving port: messages in flight.
    mailboxes: Vec<VecDeque<M>>,
    /// By receiving port: its source.
    source_of_port: Vec<u32>,
    /// By sending port: the port it leads to.
    peers: Vec<u32>,
    /// By source, for timers: the deadline in ps or [`NOT_SET`], and the token it was set with.
    timers: Vec<(u64, u32)>,
}

/// Nodes and the links between them, run event by event.
#[derive(Clone, Debug)]
pub struct EventQueueEngine<N, M, L> {
    nodes: Vec<N>,
    /// By node.
    layouts: Vec<NodeLayout>,
    /// By source: its node.
    node_of_source: Vec<u32>,
    state: QueueState<M>,
    local: L,
}

impl<M: Message, N: NodeShape, L> EventQueueEngine<N, M, L> {
    /// Nodes, connected by `peers` as for [`WindowEngine`](crate::WindowEngine); all share `local`.
    /// All times must be multiples of `clock_unit`.
    ///
    /// # Panics
    /// If `peers` does not match the nodes' shapes.
    pub fn new(nodes: Vec<N>, peers: &[u32], clock_unit: Time, local: L) -> Self {
        let layout = SourceLayout::new(&nodes, peers);
        let ports = layout.source_of_port.len();
        Self {
            nodes,
            layouts: layout.nodes,
            state: QueueState {
                clock_unit: clock_unit.as_ps(),
                queue: EventQueue::new(),
                mailboxes: (0..ports).map(|_| VecDeque::new()).collect(),
                source_of_port: layout.source_of_port,
                peers: peers.to_vec(),
                timers: vec![(NOT_SET, 0); layout.node_of_source.len()],
            },
            node_of_source: layout.node_of_source,
            local,
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// A node, to hand something in.
    pub fn node_mut(&mut self, node: usize) -> &mut N {
        &mut self.nodes[node]
    }

    /// The value that all nodes share.
    pub fn local_mut(&mut self) -> &mut L {
        &mut self.local
    }

    /// Calls `act` with a node and the value that all nodes share.
    pub fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        act(&mut self.nodes[node], &mut self.local);
    }

    /// Time of the next event.
    pub fn next_time(&self) -> Option<Time> {
        let time = self.state.queue.next_time()?;
        Some(Time::from_ps(time * self.state.clock_unit))
    }

    /// Delivers all events at `time`, which is not after the next event; then the expiry of the
    /// timers `woken` (node, timer) from outside, in order; then the events that all of these
    /// caused at the same time.
    pub fn run_instant(&mut self, time: Time, woken: &[(usize, usize)])
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        let state = &mut self.state;
        state.queue.advance(time.as_ps() / state.clock_unit);
        self.drain(time);
        for &(node, timer) in woken {
            let (node, mut context) = self.node_and_context(node, time);
            node.on_timer_expiry(timer, &mut context);
        }
        self.drain(time);
    }

    fn drain(&mut self, now: Time)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        while let Some(event) = self.state.queue.pop() {
            self.deliver(event, now);
        }
    }

    #[inline]
    fn deliver(&mut self, event: QueuedEvent, now: Time)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        let QueuedEvent { source, token } = event;
        let number = *self.node_of_source.at(source as usize) as usize;
        let layout = self.layouts.at(number);
        let index = source - layout.first_source;
        if index >= layout.timers {
            let port = index - layout.timers;
            let arriving = (layout.first_port + port) as usize;
            let mailbox = self.state.mailboxes.at_mut(arriving);
            let mut message = mailbox.pop_front().expect("an arrival has its message");
            let (node, mut context) = self.node_and_context(number, now);
            node.on_message(port as usize, &mut message, &mut context);
            return;
        }
        let timer = self.state.timers.at_mut(source as usize);
        if *timer == (now.as_ps(), token) {
            timer.0 = NOT_SET;
            let (node, mut context) = self.node_and_context(number, now);
            node.on_timer_expiry(index as usize, &mut context);
        }
    }

    #[inline]
    fn node_and_context(
        &mut self,
        node: usize,
        now: Time,
    ) -> (&mut N, EventQueueContext<'_, M, L>) {
        let context = EventQueueContext {
            now,
            layout: *self.layouts.at(node),
            state: &mut self.state,
            local: &mut self.local,
        };
        (self.nodes.at_mut(node), context)
    }
}

/// Everything a node may do while it handles an event of the global queue.
#[derive(Debug)]
pub struct EventQueueContext<'a, M, L> {
    now: Time,
    layout: NodeLayout,
    state: &'a mut QueueState<M>,
    local: &'a mut L,
}

impl<M: Message, L> Context for EventQueueContext<'_, M, L> {
    type Message = M;
    type Local = L;
    const INSERTION_ORDER: bool = true;

    #[inline]
    fn now(&self) -> Time {
        self.now
    }

    fn advance_to(&mut self, time: Time) {
        self.now = time;
    }

    fn check_port(&self, port: usize) {
        assert!(port < self.layout.ports as usize, "no such port");
    }

    #[inline]
    fn send(&mut self, port: usize, message: &M, at: Time) {
        let at = at.as_ps();
        debug_assert_eq!(
            at % self.state.clock_unit,
            0,
            "a time between two clock units"
        );
        let sending = self.layout.first_port as usize + port;
        let index = *self.state.peers.at(sending) as usize;
        self.state.mailboxes.at_mut(index).push_back(*message);
        let event = QueuedEvent {
            source: *self.state.source_of_port.at(index),
            token: 0,
        };
        self.state.queue.insert(at / self.state.clock_unit, event);
    }

    #[inline]
    fn window_end(&self) -> Time {
        self.now()
    }

    fn revoke(&mut self, _port: usize) -> Option<M> {
        None
    }

    #[inline]
    fn set_timer(&mut self, timer: usize, at: Time) {
        debug_assert_eq!(
            at.as_ps() % self.state.clock_unit,
            0,
            "a time between two clock units"
        );
        let source = self.layout.first_source + timer as u32;
        let entry = self.state.timers.at_mut(source as usize);
        let token = entry.1.wrapping_add(1);
        *entry = (at.as_ps(), token);
        self.state.queue.insert(
            at.as_ps() / self.state.clock_unit,
            QueuedEvent { source, token },
        );
    }

    #[inline]
    fn cancel_timer(&mut self, timer: usize) {
        self.state.timers[self.layout.first_source as usize + timer].0 = NOT_SET;
    }

    #[inline]
    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        let (time, _) = self.state.timers[self.layout.first_source as usize + timer];
        (time != NOT_SET).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}
