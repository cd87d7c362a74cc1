//! Direct: every rank sends to every other one at once.
//!
//! In a reduce-scatter, part i of every rank's data goes to rank i. In an all-gather, rank i's part
//! goes to every rank. An all-reduce is a reduce-scatter, then an all-gather. In an all-to-all,
//! part i of every rank's data goes to rank i, which keeps the parts separate. Each rank sends
//! first to the next rank, so that no rank is the first receiver of all.
//!
//! ```text
//! number of a chunk = (phase · (n - 1) + distance - 1) · n + sender
//! ```

use super::{Chunk, Effect, Operation, Schedule, Segment};

/// A collective of sends between all pairs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Direct {
    kind: DirectKind,
    ranks: u64,
    segment: Segment,
}

/// The collective that is done by sends between all pairs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum DirectKind {
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    /// Each rank sends all of its data, to the next rank only.
    SendReceive,
}

impl Direct {
    pub(crate) fn new(kind: DirectKind, ranks: u32, segment: Segment) -> Self {
        Self {
            kind,
            ranks: ranks.into(),
            segment,
        }
    }

    /// Number of ranks to which a rank sends in a phase.
    fn others(&self) -> u64 {
        match self.kind {
            DirectKind::SendReceive => 1,
            _ => self.ranks - 1,
        }
    }

    fn phases(&self) -> u64 {
        match self.kind {
            DirectKind::AllReduce => 2,
            _ => 1,
        }
    }

    fn gathers(&self, phase: u64) -> bool {
        phase == 1 || self.kind == DirectKind::AllGather
    }
}

impl Schedule for Direct {
    fn chunks(&self) -> u64 {
        self.phases() * self.others() * self.ranks
    }

    fn largest(&self) -> u64 {
        match self.kind {
            DirectKind::SendReceive => self.segment.size,
            _ => self.segment.size.div_ceil(self.ranks),
        }
    }

    fn chunk(&self, number: u64) -> Chunk {
        let ranks = self.ranks;
        let (from, distance) = (number % ranks, number / ranks % self.others() + 1);
        let phase = number / ranks / self.others();
        let to = (from + distance) % ranks;
        let part = if self.gathers(phase) { from } else { to };
        let (segment, effect) = match self.kind {
            DirectKind::SendReceive => (self.segment, Effect::Replace),
            DirectKind::AllToAll => (self.segment.part(part, ranks), Effect::Replace),
            _ if self.gathers(phase) => (self.segment.part(part, ranks), Effect::Replace),
            _ => (self.segment.part(part, ranks), Effect::Add),
        };
        Chunk {
            from: from as u32,
            to: to as u32,
            segment,
            effect,
            turn: phase,
            lane: 0,
        }
    }

    fn turns(&self) -> u64 {
        self.phases()
    }

    fn streams(&self) -> u32 {
        1
    }

    /// The operations of each phase: all sends, then all arrivals.
    fn operation(&self, rank: u32, _stream: u32, index: u64) -> Option<Operation> {
        let (others, ranks, rank) = (self.others(), self.ranks, u64::from(rank));
        let (phase, index) = (index / (2 * others), index % (2 * others));
        let number = |distance, from| (phase * others + distance - 1) * ranks + from;
        (phase < self.phases()).then(|| match index < others {
            true => Operation::Send(number(index + 1, rank)),
            false => {
                let distance = index - others + 1;
                Operation::Receive(number(distance, (rank + ranks - distance) % ranks))
            }
        })
    }
}
