//! Channels, as in NCCL: an algorithm runs several times at once, each time for a part of the data.
//!
//! If hosts have several NICs, all messages of a channel leave by the same one.

use std::sync::Arc;

use super::{Chunk, Operation, Schedule};

/// An algorithm that runs several times among the same ranks, each time for a part of the data.
#[derive(Debug)]
pub(crate) struct Channels {
    channels: Vec<Arc<dyn Schedule>>,
    /// The number of each channel's first chunk; at the end, the number of all chunks.
    first: Vec<u64>,
    /// Number of streams of a rank in each channel.
    streams: u32,
}

impl Channels {
    /// One channel for each schedule; there must be at least one.
    pub(crate) fn new(channels: Vec<Arc<dyn Schedule>>) -> Self {
        let ends = channels.iter().scan(0, |end: &mut u64, channel| {
            *end += channel.chunks();
            Some(*end)
        });
        Self {
            first: std::iter::once(0).chain(ends).collect(),
            streams: channels[0].streams(),
            channels,
        }
    }
}

impl Schedule for Channels {
    fn chunks(&self) -> u64 {
        *self.first.last().expect("the end of the last channel")
    }

    fn largest(&self) -> u64 {
        let largest = self.channels.iter().map(|channel| channel.largest());
        largest.max().unwrap_or_default()
    }

    fn chunk(&self, number: u64) -> Chunk {
        let channel = self.first.partition_point(|&first| first <= number) - 1;
        let chunk = self.channels[channel].chunk(number - self.first[channel]);
        let lane = channel as u32 * self.streams + u32::from(chunk.lane);
        Chunk {
            lane: lane as u16,
            ..chunk
        }
    }

    fn turns(&self) -> u64 {
        let turns = self.channels.iter().map(|channel| channel.turns());
        turns.max().unwrap_or_default()
    }

    fn streams(&self) -> u32 {
        self.channels.len() as u32 * self.streams
    }

    fn operation(&self, rank: u32, stream: u32, index: u64) -> Option<Operation> {
        let channel = (stream / self.streams) as usize;
        let own = stream % self.streams;
        let first = self.first[channel];
        let operation = self.channels[channel].operation(rank, own, index)?;
        Some(match operation {
            Operation::Send(chunk) => Operation::Send(first + chunk),
            Operation::Receive(chunk) => Operation::Receive(first + chunk),
        })
    }

    fn channel(&self, lane: u16) -> Option<u16> {
        Some((u32::from(lane) / self.streams) as u16)
    }
}
