//! One global queue, for those who must repeat what a simulator with one global queue did.
//!
//! Such a simulator lets simultaneous events happen in the order in which they were scheduled,
//! wherever in the network they are. No window can know that order: it goes back, event by
//! event, to the beginning of the run. So here is the queue itself: a ring of buckets, one for
//! every tick of a coarse clock, each a list in order of insertion, and a heap for what lies
//! beyond the ring.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use incast_units::Time;

use crate::node::{Context, Message, Node, NodeShape, Place, lay_out};

/// Buckets of the ring; a power of two.
const BUCKETS: usize = 1 << 16;
/// Ends a list.
const NONE: u32 = u32::MAX;
/// No timer is set.
const NEVER: u64 = u64::MAX;

/// An event: a timer (with the token it was set with) or the next message of a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    source: u32,
    token: u32,
}

#[derive(Copy, Clone, Debug)]
struct Link {
    event: Event,
    next: u32,
}

/// The queue of events.
#[derive(Debug)]
struct Queue {
    /// The time now, in ticks.
    now: u64,
    /// First and last event of each bucket.
    ends: Vec<(u32, u32)>,
    /// One bit per bucket: whether it has events; and one bit per word of that.
    occupied: Vec<u64>,
    summary: Vec<u64>,
    links: Vec<Link>,
    free: u32,
    /// Beyond the ring: (tick, number, event).
    far: BinaryHeap<Reverse<(u64, u64, Event)>>,
    inserted: u64,
}

impl Queue {
    fn new() -> Self {
        Self {
            now: 0,
            ends: vec![(NONE, NONE); BUCKETS],
            occupied: vec![0; BUCKETS / 64],
            summary: vec![0; BUCKETS / 64 / 64],
            links: Vec::new(),
            free: NONE,
            far: BinaryHeap::new(),
            inserted: 0,
        }
    }

    #[inline]
    fn insert(&mut self, tick: u64, event: Event) {
        debug_assert!(tick >= self.now, "an event in the past");
        if tick - self.now >= BUCKETS as u64 {
            self.inserted += 1;
            self.far.push(Reverse((tick, self.inserted, event)));
            return;
        }
        let index = self.link(event);
        let bucket = tick as usize % BUCKETS;
        let (first, last) = self.ends[bucket];
        if first == NONE {
            self.ends[bucket] = (index, index);
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
            self.summary[bucket / 4096] |= 1 << (bucket / 64 % 64);
        } else {
            self.links[last as usize].next = index;
            self.ends[bucket].1 = index;
        }
    }

    #[inline]
    fn link(&mut self, event: Event) -> u32 {
        let link = Link { event, next: NONE };
        if self.free == NONE {
            self.links.push(link);
            return self.links.len() as u32 - 1;
        }
        let index = self.free;
        self.free = self.links[index as usize].next;
        self.links[index as usize] = link;
        index
    }

    /// The next event of the tick that is now.
    #[inline]
    fn pop(&mut self) -> Option<Event> {
        let bucket = self.now as usize % BUCKETS;
        let (first, _) = self.ends[bucket];
        if first == NONE {
            return None;
        }
        let Link { event, next } = self.links[first as usize];
        self.links[first as usize].next = self.free;
        self.free = first;
        self.ends[bucket].0 = next;
        if next == NONE {
            self.ends[bucket].1 = NONE;
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
            if self.occupied[bucket / 64] == 0 {
                self.summary[bucket / 4096] &= !(1 << (bucket / 64 % 64));
            }
        }
        Some(event)
    }

    /// The first tick that has events.
    fn next_tick(&self) -> Option<u64> {
        let far = self.far.peek().map(|Reverse((tick, ..))| *tick);
        match (self.next_in_ring(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    fn next_in_ring(&self) -> Option<u64> {
        let start = self.now as usize % BUCKETS;
        let tick_of = |bucket: usize| self.now + (bucket.wrapping_sub(start) % BUCKETS) as u64;
        let first = self.occupied[start / 64] & (u64::MAX << (start % 64));
        if first != 0 {
            return Some(tick_of(start / 64 * 64 + first.trailing_zeros() as usize));
        }
        let words = BUCKETS / 64;
        let groups = words / 64;
        let after = start / 64 + 1;
        let mut group = after / 64 % groups;
        let mut bits = if after == words {
            self.summary[0]
        } else {
            self.summary[group] & (u64::MAX << (after % 64))
        };
        for _ in 0..=groups {
            if bits != 0 {
                let word = group * 64 + bits.trailing_zeros() as usize;
                return Some(tick_of(
                    word * 64 + self.occupied[word].trailing_zeros() as usize,
                ));
            }
            group = (group + 1) % groups;
            bits = self.summary[group];
        }
        None
    }

    /// Moves on to `tick`. What the ring can hold from then on comes out of the heap before
    /// anything new can be put there, so insertion order is kept.
    fn advance(&mut self, tick: u64) {
        self.now = tick;
        while let Some(&Reverse((far, _, event))) = self.far.peek() {
            if far - tick >= BUCKETS as u64 {
                break;
            }
            self.far.pop();
            self.insert(far, event);
        }
    }
}

/// Everything but the nodes.
#[derive(Debug)]
struct Core<M> {
    tick: u64,
    queue: Queue,
    /// By receiving port: messages on their way.
    mailboxes: Vec<VecDeque<M>>,
    /// By receiving port: its source.
    port_sources: Vec<u32>,
    /// By sending port: the port it leads to.
    outbox: Vec<u32>,
    /// By source, for those that are timers: when, and the token.
    timers: Vec<(u64, u32)>,
}

/// A set of nodes and the links between them, run event by event.
#[derive(Debug)]
pub struct EventQueueEngine<N, M, L> {
    nodes: Vec<N>,
    places: Vec<Place>,
    owner: Vec<u32>,
    core: Core<M>,
    local: L,
}

impl<M: Message, N: NodeShape, L> EventQueueEngine<N, M, L> {
    /// Nodes, connected by `peers` as for [`WindowEngine`](crate::WindowEngine); all share `local`.
    /// All times must be whole numbers of `tick`.
    ///
    /// # Panics
    /// If `peers` does not fit the nodes' shapes.
    pub fn new(nodes: Vec<N>, peers: &[u32], tick: Time, local: L) -> Self {
        let layout = lay_out(&nodes, peers);
        let core = Core {
            tick: tick.as_ps(),
            queue: Queue::new(),
            mailboxes: layout
                .port_sources
                .iter()
                .map(|_| VecDeque::new())
                .collect(),
            port_sources: layout.port_sources,
            outbox: peers.to_vec(),
            timers: vec![(NEVER, 0); layout.owner.len()],
        };
        Self {
            nodes,
            places: layout.places,
            owner: layout.owner,
            core,
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
        self.core
            .queue
            .next_tick()
            .map(|tick| Time::from_ps(tick * self.core.tick))
    }

    /// Handles all events at `time`, the time of the next event or before it; then the timers
    /// `woken` (node, timer) from outside, in order; then whatever all of these caused at the
    /// same time.
    pub fn run_instant(&mut self, time: Time, woken: &[(usize, usize)])
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        self.core.queue.advance(time.as_ps() / self.core.tick);
        self.drain(time);
        for &(node, timer) in woken {
            let place = self.places[node];
            let mut context = EventQueueContext {
                now: time,
                place,
                core: &mut self.core,
                local: &mut self.local,
            };
            self.nodes[node].on_timer_expiry(timer, &mut context);
        }
        self.drain(time);
    }

    fn drain(&mut self, now: Time)
    where
        for<'c> N: Node<EventQueueContext<'c, M, L>>,
    {
        while let Some(Event { source, token }) = self.core.queue.pop() {
            let node = self.owner[source as usize] as usize;
            let place = self.places[node];
            let index = source - place.first_source;
            if index >= place.timers {
                let port = index - place.timers;
                let mailbox = &mut self.core.mailboxes[(place.first_port + port) as usize];
                let mut message = mailbox.pop_front().expect("an arrival has its message");
                let mut context = EventQueueContext {
                    now,
                    place,
                    core: &mut self.core,
                    local: &mut self.local,
                };
                self.nodes[node].on_message(port as usize, &mut message, &mut context);
            } else if self.core.timers[source as usize] == (now.as_ps(), token) {
                self.core.timers[source as usize].0 = NEVER;
                let mut context = EventQueueContext {
                    now,
                    place,
                    core: &mut self.core,
                    local: &mut self.local,
                };
                self.nodes[node].on_timer_expiry(index as usize, &mut context);
            }
        }
    }
}

/// What a node may do while it handles an event of the global queue.
#[derive(Debug)]
pub struct EventQueueContext<'a, M, L> {
    now: Time,
    place: Place,
    core: &'a mut Core<M>,
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
        assert!(port < self.place.ports as usize, "no such port");
    }

    #[inline]
    fn send(&mut self, port: usize, message: &M, at: Time) {
        let at = at.as_ps();
        debug_assert_eq!(at % self.core.tick, 0, "a time between two ticks");
        let index = self.core.outbox[self.place.first_port as usize + port] as usize;
        self.core.mailboxes[index].push_back(*message);
        let event = Event {
            source: self.core.port_sources[index],
            token: 0,
        };
        self.core.queue.insert(at / self.core.tick, event);
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
        debug_assert_eq!(at.as_ps() % self.core.tick, 0, "a time between two ticks");
        let source = self.place.first_source + timer as u32;
        let entry = &mut self.core.timers[source as usize];
        let token = entry.1.wrapping_add(1);
        *entry = (at.as_ps(), token);
        self.core
            .queue
            .insert(at.as_ps() / self.core.tick, Event { source, token });
    }

    #[inline]
    fn cancel_timer(&mut self, timer: usize) {
        self.core.timers[self.place.first_source as usize + timer].0 = NEVER;
    }

    #[inline]
    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        let (time, _) = self.core.timers[self.place.first_source as usize + timer];
        (time != NEVER).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(queue: &mut Queue) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        while let Some(tick) = queue.next_tick() {
            queue.advance(tick);
            while let Some(event) = queue.pop() {
                all.push((tick, event.source));
            }
        }
        all
    }

    fn event(source: u32) -> Event {
        Event { source, token: 0 }
    }

    /// Time first; at the same time, first in, first out; near or far makes no difference.
    #[test]
    fn events_come_in_order_of_insertion() {
        let mut queue = Queue::new();
        let ticks = [
            5, 70_000, 3, 5, 200_000, 70_000, 0, 65_535, 65_536, 4_095, 4_096,
        ];
        for (source, tick) in ticks.into_iter().enumerate() {
            queue.insert(tick, event(source as u32));
        }
        let mut expected: Vec<(u64, u32)> = ticks
            .into_iter()
            .enumerate()
            .map(|(source, tick)| (tick, source as u32))
            .collect();
        expected.sort();
        assert_eq!(drain(&mut queue), expected);
    }

    /// Something far was inserted before something near at the same time.
    #[test]
    fn what_was_far_keeps_its_place() {
        let mut queue = Queue::new();
        queue.insert(100_000, event(1));
        queue.insert(50_000, event(0));
        queue.advance(50_000);
        assert_eq!(queue.pop(), Some(event(0)));
        queue.insert(100_000, event(2));
        assert_eq!(drain(&mut queue), [(100_000, 1), (100_000, 2)]);
    }

    /// Every distance, from every place in the ring.
    #[test]
    fn the_ring_is_searched_all_the_way_round() {
        for now in [0, 1, 63, 64, 4_095, 4_096, 65_535, 65_536, 131_000] {
            for ahead in [0, 1, 63, 64, 4_096, 30_000, 65_472, 65_535] {
                let mut queue = Queue::new();
                queue.advance(now);
                queue.insert(now + ahead, event(7));
                assert_eq!(queue.next_tick(), Some(now + ahead), "{now} + {ahead}");
            }
        }
    }
}
