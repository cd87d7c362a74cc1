//! The progress of a rank in a collective: the position of each stream, and what it waits for.

use std::collections::BTreeSet;

use incast_units::Time;

use super::{Operation, RoundTiming, Schedule};
use crate::tasks::{Actions, RankProgress, TaskEvent};

/// The token of computing between rounds; a stream's token is its number.
const BETWEEN_ROUNDS: u64 = u64::MAX;

/// The progress of a rank through the rounds.
#[derive(Clone)]
pub(super) struct StreamProgress<'a> {
    schedule: &'a dyn Schedule,
    rank: u32,
    timing: RoundTiming,
    round: u64,
    streams: Vec<Stream>,
    /// Streams that have ended in this round.
    ended: usize,
    /// Numbers of chunks that have arrived before a stream receives them.
    arrived: BTreeSet<u64>,
}

/// A stream of operations.
#[derive(Clone)]
struct Stream {
    /// The number of the next operation.
    index: u64,
    waits: Wait,
    /// Number of unacknowledged chunks to each receiving rank.
    unacknowledged: Vec<(u32, u32)>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Wait {
    /// For nothing.
    No,
    /// The stream waits for the chunk with this number.
    Chunk(u64),
    /// The stream waits for its computing.
    Computing,
    /// For an ACK.
    Slot,
    /// The stream is at its end.
    End,
}

impl<'a> StreamProgress<'a> {
    pub(super) fn new(schedule: &'a dyn Schedule, rank: u32, timing: RoundTiming) -> Self {
        let stream = |_| Stream {
            index: 0,
            waits: Wait::No,
            unacknowledged: Vec::new(),
        };
        Self {
            schedule,
            rank,
            timing,
            round: 0,
            streams: (0..schedule.streams()).map(stream).collect(),
            ended: 0,
            arrived: BTreeSet::new(),
        }
    }

    /// The number, counted over all rounds, of a chunk in this round.
    fn number(&self, chunk: u64) -> u64 {
        self.round * self.schedule.chunks() + chunk
    }

    /// Continues the streams that wait for this.
    fn wake(&mut self, reason: Wait, actions: &mut Actions) {
        for stream in 0..self.streams.len() {
            if self.streams[stream].waits == reason {
                self.go_on(stream, actions);
            }
        }
    }

    /// Does the operations of a stream until one has to wait.
    fn go_on(&mut self, stream: usize, actions: &mut Actions) {
        self.streams[stream].waits = loop {
            let index = self.streams[stream].index;
            let next = self.schedule.operation(self.rank, stream as u32, index);
            match next {
                None => {
                    self.ended += 1;
                    break Wait::End;
                }
                Some(Operation::Send(chunk)) => {
                    if !self.takes_slot(stream, chunk) {
                        break Wait::Slot;
                    }
                    actions.sends.push(self.number(chunk));
                    self.streams[stream].index += 1;
                }
                Some(Operation::Receive(chunk)) => {
                    let number = self.number(chunk);
                    if !self.arrived.remove(&number) {
                        break Wait::Chunk(number);
                    }
                    self.streams[stream].index += 1;
                    if self.computes_before(stream) {
                        actions.computes.push((stream as u64, self.timing.compute));
                        break Wait::Computing;
                    }
                }
            }
        };
    }

    /// Whether a rank computes before the stream's next operation; not if there is none.
    fn computes_before(&self, stream: usize) -> bool {
        let index = self.streams[stream].index;
        let next = || self.schedule.operation(self.rank, stream as u32, index);
        self.timing.compute > Time::ZERO && next().is_some()
    }

    /// Takes a slot for this chunk; `false` if the stream has none left for its receiver.
    fn takes_slot(&mut self, stream: usize, chunk: u64) -> bool {
        let Some(slots) = self.timing.slots else {
            return true;
        };
        let to = self.schedule.chunk(chunk).to;
        let counts = &mut self.streams[stream].unacknowledged;
        match counts.iter_mut().find(|(rank, _)| *rank == to) {
            Some((_, count)) if *count >= slots => return false,
            Some((_, count)) => *count += 1,
            None => counts.push((to, 1)),
        }
        true
    }

    /// Frees the slot of an acknowledged chunk; returns the chunk's stream.
    fn give_back(&mut self, number: u64) -> Option<usize> {
        let chunk = self.schedule.chunk(number % self.schedule.chunks());
        let stream = usize::from(chunk.lane);
        let counts = &mut self.streams[stream].unacknowledged;
        let index = counts.iter().position(|(rank, _)| *rank == chunk.to)?;
        counts[index].1 -= 1;
        if counts[index].1 == 0 {
            counts.swap_remove(index);
        }
        Some(stream)
    }

    /// Begins a round: every stream starts at its first operation.
    fn begin(&mut self, actions: &mut Actions) {
        self.ended = 0;
        for stream in 0..self.streams.len() {
            self.streams[stream].index = 0;
            self.go_on(stream, actions);
        }
    }

    /// If all streams of the round have ended, begins the next round, at once or after computing.
    fn end_rounds(&mut self, actions: &mut Actions) {
        while self.ended == self.streams.len() && self.round < self.timing.rounds {
            actions.done.push(self.round);
            self.round += 1;
            if self.round == self.timing.rounds {
                return;
            }
            if self.timing.compute > Time::ZERO {
                self.ended = 0;
                let compute = self.timing.compute;
                actions.computes.push((BETWEEN_ROUNDS, compute));
                return;
            }
            self.begin(actions);
        }
    }
}

impl RankProgress for StreamProgress<'_> {
    fn advance(&mut self, event: TaskEvent, actions: &mut Actions) {
        match event {
            TaskEvent::Begin | TaskEvent::Computed(BETWEEN_ROUNDS) => self.begin(actions),
            TaskEvent::Received(number) => {
                self.arrived.insert(number);
                self.wake(Wait::Chunk(number), actions);
            }
            TaskEvent::Acknowledged(number) => {
                if self.timing.slots.is_some()
                    && let Some(stream) = self.give_back(number)
                    && self.streams[stream].waits == Wait::Slot
                {
                    self.go_on(stream, actions);
                }
            }
            TaskEvent::Computed(stream) => self.go_on(stream as usize, actions),
        }
        self.end_rounds(actions);
    }
}
