//! The messages of a task graph in order of start, with durations of the fluid run.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, VecDeque};

use incast_units::{Bytes, HostId, Time};
use incast_workload::{Actions, RankProgress, TaskEvent, TaskGraph, TaskMessage};

use super::network::packets_of;

/// The most messages of a graph whose sizes enter the mean.
const SAMPLED: u128 = 20_000;
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// A task graph, unrolled in order of time.
pub(super) struct StartingMessages<'a> {
    graph: &'a dyn TaskGraph,
    /// The progress of ranks that have begun.
    ranks: Vec<Box<dyn RankProgress + 'a>>,
    rank_of: HashMap<HostId, u32>,
    now: Time,
    /// Numbers of messages that start now.
    ready: VecDeque<u64>,
    to_come: BinaryHeap<Reverse<ToCome>>,
    /// Number of events that have been added.
    known: u64,
    actions: Actions,
}

/// A future event at a rank.
struct ToCome {
    time: Time,
    /// The number of the event, by which simultaneous events are ordered.
    turn: u64,
    rank: u32,
    event: TaskEvent,
}

/// A message that starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct StartingMessage {
    pub(super) time: Time,
    pub(super) number: u64,
    pub(super) message: TaskMessage,
}

impl<'a> StartingMessages<'a> {
    pub(super) fn new(graph: &'a dyn TaskGraph) -> Self {
        Self {
            graph,
            ranks: Vec::new(),
            rank_of: graph.hosts().iter().copied().zip(0..).collect(),
            now: graph.start(),
            ready: VecDeque::new(),
            to_come: BinaryHeap::new(),
            known: 0,
            actions: Actions::default(),
        }
    }

    /// The next message; `None` if no event is left that starts one.
    pub(super) fn next(&mut self) -> Option<StartingMessage> {
        loop {
            if let Some(number) = self.ready.pop_front() {
                return Some(StartingMessage {
                    time: self.now,
                    number,
                    message: self.graph.message(number),
                });
            }
            let rank = self.ranks.len();
            if rank < self.graph.hosts().len() {
                self.ranks.push(self.graph.rank(rank as u32));
                self.advance(rank as u32, TaskEvent::Begin);
            } else {
                let Reverse(next) = self.to_come.pop()?;
                self.now = next.time;
                self.advance(next.rank, next.event);
            }
        }
    }

    /// Adds the arrival and the acknowledgement of a message that has started.
    pub(super) fn takes(&mut self, start: &StartingMessage, arrival: Time, acknowledgement: Time) {
        let StartingMessage {
            number, message, ..
        } = *start;
        let [from, to] = [message.source, message.destination].map(|host| self.rank_of[&host]);
        self.expect(arrival, to, TaskEvent::Received(number));
        if self.graph.waits_for_acks() {
            self.expect(acknowledgement, from, TaskEvent::Acknowledged(number));
        }
    }

    /// Mean number of packets of a message, over messages that are spread over the whole graph. The
    /// messages that start first may be far larger or smaller than those that follow.
    pub(super) fn mean_packets(&self, mtu: Bytes) -> f64 {
        let messages = self.graph.messages();
        let sampled = messages.min(SAMPLED);
        let number = |index| match sampled == messages {
            true => index,
            // Multiples of an irrational number are spread evenly, whatever repeats in the graph.
            false => ((index as f64 * GOLDEN_RATIO).fract() * messages as f64) as u128,
        };
        let packets = |index| packets_of(self.graph.message(number(index) as u64).size, mtu);
        (0..sampled).map(packets).sum::<f64>() / sampled.max(1) as f64
    }

    fn expect(&mut self, time: Time, rank: u32, event: TaskEvent) {
        let turn = self.known;
        self.known += 1;
        self.to_come.push(Reverse(ToCome {
            time,
            turn,
            rank,
            event,
        }));
    }

    fn advance(&mut self, rank: u32, event: TaskEvent) {
        let mut actions = std::mem::take(&mut self.actions);
        self.ranks[rank as usize].advance(event, &mut actions);
        self.ready.extend(&actions.sends);
        for (token, duration) in &actions.computes {
            let end = self.now.saturating_add(*duration);
            self.expect(end, rank, TaskEvent::Computed(*token));
        }
        actions.clear();
        self.actions = actions;
    }
}

impl Ord for ToCome {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.turn).cmp(&(other.time, other.turn))
    }
}

impl PartialOrd for ToCome {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ToCome {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ToCome {}
