//! Collectives: which rank sends which part of the data to which rank, and after which arrivals.
//!
//! Each algorithm is a [`Schedule`] in a file of its own: numbered chunks, and for each rank one or
//! more streams of operations. A rank does the operations of a stream one after the other. A send
//! ends at once. A receive ends when the chunk has arrived and the rank has computed. Operations
//! are computed on demand: a rank's state is the position of its streams.

use std::fmt;
use std::sync::Arc;

use incast_units::{Bytes, HostId, Time};

use crate::tasks::{CollectiveOperation, RankProgress, TaskGraph, TaskMessage};

mod algorithm;
mod chain;
mod channels;
mod direct;
mod halving_doubling;
mod hierarchical;
mod ring;
mod streams;
#[cfg(test)]
mod tests;
mod tree;

pub use algorithm::CollectiveAlgorithm;
pub(crate) use chain::Chain;
pub(crate) use channels::Channels;
pub(crate) use direct::{Direct, DirectKind};
pub(crate) use halving_doubling::{HalvingDoubling, HalvingDoublingKind};
pub(crate) use hierarchical::Hierarchical;
pub(crate) use ring::{Ring, RingKind, SendOrder};
pub(crate) use tree::{DoubleTree, TreeKind};

use streams::StreamProgress;

/// An algorithm's chunks and operations in one round.
pub(crate) trait Schedule: fmt::Debug + Send + Sync {
    /// Number of chunks in a round.
    fn chunks(&self) -> u64;

    /// Size of the largest chunk in bytes, or slightly more.
    fn largest(&self) -> u64;

    /// The chunk with this number, which is below [`Schedule::chunks`].
    fn chunk(&self, number: u64) -> Chunk;

    /// The most chunks from one rank to another in a round.
    fn turns(&self) -> u64;

    /// How many streams a rank has.
    fn streams(&self) -> u32;

    /// The operation with this index in a stream of a rank, counted from 0; `None` at the stream's
    /// end.
    fn operation(&self, rank: u32, stream: u32, index: u64) -> Option<Operation>;

    /// The channel of this lane, if the schedule has several.
    fn channel(&self, _lane: u16) -> Option<u16> {
        None
    }
}

/// A part of the data on its way from one rank to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) segment: Segment,
    pub(crate) effect: Effect,
    /// An upper bound on the earlier chunks of the round between these two ranks.
    pub(crate) turn: u64,
    /// The sender's stream that sends the chunk.
    pub(crate) lane: u16,
}

/// What the receiver does with a chunk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The receiver adds the chunk to its own data.
    Add,
    /// The receiver replaces its own data by the chunk.
    Replace,
}

/// A step of a stream.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Sends the chunk with this number.
    Send(u64),
    /// Waits until the chunk with this number has arrived.
    Receive(u64),
}

/// A range of the data, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Segment {
    pub(crate) fn all_of(data: Bytes) -> Self {
        Self {
            offset: 0,
            size: data.as_u64(),
        }
    }

    /// Parts `first` to `last` out of `parts`: part i lies between ⌊i·size/parts⌋ and
    /// ⌊(i + 1)·size/parts⌋.
    pub(crate) fn parts(self, first: u64, last: u64, parts: u64) -> Self {
        let edge = |index: u64| {
            let edge = u128::from(self.size) * u128::from(index) / u128::from(parts);
            edge as u64
        };
        let begin = edge(first);
        Self {
            offset: self.offset + begin,
            size: edge(last + 1) - begin,
        }
    }

    pub(crate) fn part(self, index: u64, parts: u64) -> Self {
        self.parts(index, index, parts)
    }
}

/// A collective that has been checked.
#[derive(Clone, Debug)]
pub(crate) struct CollectivePlan {
    /// By rank.
    hosts: Vec<HostId>,
    schedule: Arc<dyn Schedule>,
    operation: CollectiveOperation,
    data: Bytes,
    timing: RoundTiming,
}

/// When the rounds of a collective start, and what its streams wait for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoundTiming {
    /// When the first round starts.
    pub(crate) start: Time,
    /// How many times.
    pub(crate) rounds: u64,
    /// How long a rank computes on a received chunk before the stream's next operation; also its
    /// time between two rounds.
    pub(crate) compute: Time,
    /// The most unacknowledged chunks of a stream to one rank; no limit if `None`.
    pub(crate) slots: Option<u32>,
}

impl Default for RoundTiming {
    fn default() -> Self {
        Self {
            start: Time::ZERO,
            rounds: 1,
            compute: Time::ZERO,
            slots: None,
        }
    }
}

impl CollectivePlan {
    /// A plan in which rank i is `hosts[i]`; the schedule must have the same number of ranks.
    pub(crate) fn new(
        hosts: Vec<HostId>,
        operation: CollectiveOperation,
        data: Bytes,
        schedule: Arc<dyn Schedule>,
        timing: RoundTiming,
    ) -> Self {
        Self {
            hosts,
            schedule,
            operation,
            data,
            timing,
        }
    }

    /// The plan with another schedule.
    pub(crate) fn by(&self, schedule: Arc<dyn Schedule>) -> Self {
        Self {
            schedule,
            ..self.clone()
        }
    }

    /// The size of the buffers, as in nccl-tests: the data that each rank has before or after.
    pub(crate) fn data(&self) -> Bytes {
        self.data
    }
}

impl TaskGraph for CollectivePlan {
    fn hosts(&self) -> &[HostId] {
        &self.hosts
    }

    fn start(&self) -> Time {
        self.timing.start
    }

    fn rounds(&self) -> u64 {
        self.timing.rounds
    }

    fn between_rounds(&self) -> Time {
        self.timing.compute
    }

    fn messages(&self) -> u128 {
        u128::from(self.schedule.chunks()) * u128::from(self.timing.rounds)
    }

    fn message(&self, number: u64) -> TaskMessage {
        let chunks = self.schedule.chunks();
        let chunk = self.schedule.chunk(number % chunks);
        TaskMessage {
            source: self.hosts[chunk.from as usize],
            destination: self.hosts[chunk.to as usize],
            // An empty part is sent as one byte, so that its receiver knows that it is done.
            size: Bytes::new(chunk.segment.size.max(1)),
            turn: number / chunks * self.schedule.turns() + chunk.turn,
            lane: chunk.lane,
            nic: self.schedule.channel(chunk.lane),
        }
    }

    fn waits_for_acks(&self) -> bool {
        self.timing.slots.is_some()
    }

    fn collective(&self) -> Option<(CollectiveOperation, Bytes)> {
        Some((self.operation, self.data))
    }

    fn rank(&self, rank: u32) -> Box<dyn RankProgress + '_> {
        let schedule = self.schedule.as_ref();
        Box::new(StreamProgress::new(schedule, rank, self.timing))
    }
}
