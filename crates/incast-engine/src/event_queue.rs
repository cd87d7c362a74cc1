//! An engine with one global queue of events, to repeat simulators that have one.
//!
//! In such a simulator simultaneous events happen in the order in which they were scheduled,
//! wherever in the network they are. No window can know this order, which depends on all earlier
//! events of the run. A bounded history carried in messages (16 or 64 runs of equal delays) departs
//! from the original after some hundred microseconds, and is slower. So a profile that must repeat
//! such a simulator uses the queue itself.

mod queue;

use incast_units::Time;

use self::queue::{EventQueue, QueuedEvent};
use crate::checked_index::CheckedIndex;
use crate::layout::{NodeLayout, SourceLayout};
use crate::message::Message;
use crate::node::{Context, EventPlace, Node, NodeShape};

/// Deadline of a timer that is not set.
const NOT_SET: u64 = u64::MAX;
/// Bit of an event's source: a message arrives at the port whose number is in the other bits.
const ARRIVAL: u32 = 1 << 31;

/// The state of the engine, except the nodes.
#[derive(Clone, Debug)]
struct QueueState<M> {
    /// Unit of the queue's clock.
    clock_unit: ClockUnit,
    queue: EventQueue,
    /// Place of the current event.
    current: EventPlace,
    /// Places taken.
    places: u64,
    /// Messages in flight; free places hold messages that have arrived.
    messages: Vec<M>,
    /// Free places in `messages`.
    free_messages: Vec<u32>,
    /// By sending port: the receiving node, and its port as an event's source.
    peers: Vec<(u32, u32)>,
    /// By source, for timers: the deadline in ps or [`NOT_SET`], and the place of the expiry.
    timers: Vec<(u64, EventPlace)>,
}

impl<M: Message> QueueState<M> {
    #[inline]
    fn take_place(&mut self) -> EventPlace {
        self.places += 1;
        EventPlace::numbered(self.places)
    }

    /// Stores a message; returns its place.
    #[inline(always)]
    fn keep(&mut self, message: &M) -> u32 {
        match self.free_messages.pop() {
            Some(at) => {
                *self.messages.at_mut(at as usize) = *message;
                at
            }
            None => {
                self.messages.push(*message);
                self.messages.len() as u32 - 1
            }
        }
    }
}

/// Unit of a clock. Its multiples are divided by it without a division instruction.
#[derive(Copy, Clone, Debug)]
struct ClockUnit {
    ps: u64,
    /// Left shift that turns an odd number into the unit.
    shift: u32,
    /// Inverse of the odd number, modulo 2⁶⁴.
    inverse: u64,
}

impl ClockUnit {
    fn new(unit: Time) -> Self {
        let ps = unit.as_ps();
        let shift = ps.trailing_zeros();
        let odd = ps >> shift;
        // Newton's method: an odd number is its own inverse modulo 8, and each step doubles the
        // number of correct bits.
        let mut inverse = odd;
        for _ in 0..5 {
            let error = 2_u64.wrapping_sub(odd.wrapping_mul(inverse));
            inverse = inverse.wrapping_mul(error);
        }
        Self { ps, shift, inverse }
    }

    /// Number of units in `time`, which is a multiple of the unit.
    #[inline(always)]
    fn count(self, time: Time) -> u64 {
        let units = (time.as_ps() >> self.shift).wrapping_mul(self.inverse);
        debug_assert_eq!(
            units.checked_mul(self.ps),
            Some(time.as_ps()),
            "a time between two clock units"
        );
        units
    }
}

/// Nodes and the links between them, run event by event.
#[derive(Clone, Debug)]
pub struct EventQueueEngine<N, M, L> {
    nodes: Vec<N>,
    /// By node.
    layouts: Vec<NodeLayout>,
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
        let ends = peers.iter().map(|&peer| {
            let source = layout.source_of_port[peer as usize];
            let node = layout.node_of_source[source as usize];
            let port = peer - layout.nodes[node as usize].first_port;
            (node, ARRIVAL | port)
        });
        Self {
            nodes,
            state: QueueState {
                clock_unit: ClockUnit::new(clock_unit),
                queue: EventQueue::new(),
                current: EventPlace::default(),
                places: 0,
                messages: Vec::new(),
                free_messages: Vec::new(),
                peers: ends.collect(),
                timers: vec![(NOT_SET, EventPlace::default()); layout.node_of_source.len()],
            },
            layouts: layout.nodes,
            local,
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// A node, mutable between events.
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
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        let time = self.state.queue.next_time()?;
        Some(Time::from_ps(time * self.state.clock_unit.ps))
    }

    /// Delivers all events at `time`, which is not after the next event. Then the timers `woken`
    /// (node, timer) expire, in order, and then all events that these have caused at `time`.
    #[inline]
    pub fn run_instant(&mut self, time: Time, woken: impl IntoIterator<Item = (usize, usize)>)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        let units = self.state.clock_unit.count(time);
        self.state.queue.advance(units);
        self.drain(time);
        let mut woken = woken.into_iter().peekable();
        if woken.peek().is_none() {
            return;
        }
        for (node, timer) in woken {
            // Timers set from outside come after all other events.
            self.state.current = self.state.take_place();
            let (node, mut context) = self.node_and_context(node, time);
            node.on_timer_expiry(timer, &mut context);
        }
        self.drain(time);
    }

    #[inline(never)]
    fn drain(&mut self, now: Time)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        while let Some(event) = self.state.queue.pop() {
            self.deliver(event, now);
        }
    }

    #[inline(always)]
    fn deliver(&mut self, event: QueuedEvent, now: Time)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        let QueuedEvent {
            place,
            node: number,
            source,
            message,
        } = event;
        self.state.current = place;
        if source & ARRIVAL != 0 {
            let port = source & !ARRIVAL;
            let mut packet = *self.state.messages.at(message as usize);
            self.state.free_messages.push(message);
            let (node, mut context) = self.node_and_context(number as usize, now);
            return node.on_message(port as usize, &mut packet, &mut context);
        }
        let first = self.layouts.at(number as usize).first_source;
        let timer = self.state.timers.at_mut((first + source) as usize);
        if timer.1 == place && timer.0 != NOT_SET {
            timer.0 = NOT_SET;
            let (node, mut context) = self.node_and_context(number as usize, now);
            node.on_timer_expiry(source as usize, &mut context);
        }
    }

    #[inline(always)]
    fn node_and_context(
        &mut self,
        node: usize,
        now: Time,
    ) -> (&mut N, EventQueueContext<'_, M, L>) {
        let context = EventQueueContext {
            now,
            node: node as u32,
            layout: self.layouts.at(node),
            state: &mut self.state,
            local: &mut self.local,
        };
        (self.nodes.at_mut(node), context)
    }
}

/// The interface of a node while it handles an event of the global queue.
#[derive(Debug)]
pub struct EventQueueContext<'a, M, L> {
    now: Time,
    node: u32,
    layout: &'a NodeLayout,
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

    #[inline(always)]
    fn send(&mut self, port: usize, message: &M, at: Time) {
        let sending = self.layout.first_port as usize + port;
        let (node, source) = *self.state.peers.at(sending);
        let event = QueuedEvent {
            place: self.state.take_place(),
            node,
            source,
            message: self.state.keep(message),
        };
        let units = self.state.clock_unit.count(at);
        self.state.queue.insert(units, event);
    }

    #[inline]
    fn window_end(&self) -> Time {
        self.now()
    }

    fn revoke(&mut self, _port: usize) -> Option<M> {
        None
    }

    #[inline]
    fn take_place(&mut self) -> EventPlace {
        self.state.take_place()
    }

    #[inline]
    fn is_past(&self, place: EventPlace) -> bool {
        place <= self.state.current
    }

    #[inline]
    fn set_timer(&mut self, timer: usize, at: Time) {
        let place = self.state.take_place();
        self.set_timer_at_place(timer, at, place);
    }

    fn set_timer_at_place(&mut self, timer: usize, at: Time, place: EventPlace) {
        let source = timer as u32;
        let entry = (self.layout.first_source + source) as usize;
        *self.state.timers.at_mut(entry) = (at.as_ps(), place);
        let event = QueuedEvent {
            place,
            node: self.node,
            source,
            message: 0,
        };
        let units = self.state.clock_unit.count(at);
        self.state.queue.insert(units, event);
    }

    #[inline]
    fn cancel_timer(&mut self, timer: usize) {
        self.state.timers[self.layout.first_source as usize + timer].0 = NOT_SET;
    }

    #[inline]
    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        let index = self.layout.first_source as usize + timer;
        let (time, _) = *self.state.timers.at(index);
        (time != NOT_SET).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units of 1, 2, 3, 1000 and 4096 ps, and their multiples up to the largest that fit.
    #[test]
    fn multiples_are_divided() {
        for ps in [1, 2, 3, 1_000, 4_096] {
            let unit = ClockUnit::new(Time::from_ps(ps));
            for count in [0, 1, 2, 999, 123_456_789, u64::MAX / ps] {
                assert_eq!(
                    unit.count(Time::from_ps(count * ps)),
                    count,
                    "{count} of {ps} ps"
                );
            }
        }
    }
}
