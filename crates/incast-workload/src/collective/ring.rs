//! Rings: each rank sends only to the next rank.
//!
//! The data is divided among the rings. Each share is cut into as many chunks as there are ranks,
//! and in each step every rank passes on one chunk. The rank at place p of a ring of n sends in
//! step s
//!
//! ```text
//! all-reduce        chunk (p - s) mod n      n - 1 steps add up, n - 1 more spread the sums
//! reduce-scatter    chunk (p - 1 - s) mod n  n - 1 steps; chunk p ends up at place p
//! all-gather        chunk (p - s) mod n      n - 1 steps; chunk p comes from place p
//! ```
//!
//! In step s + 1 a rank sends the chunk that arrived in step s. Shares that are larger than n
//! chunks may go around piece by piece, in loops.
//!
//! ```text
//! number of a chunk = ((ring · loops + loop) · steps + step) · n + place
//! ```

use super::{Chunk, Effect, Operation, Schedule, Segment};

/// A collective over rings.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    kind: RingKind,
    /// For each ring, the rank at each place.
    rings: Vec<Vec<u32>>,
    /// For each ring, the place of each rank.
    places: Vec<Vec<u32>>,
    segment: Segment,
    loops: u64,
    order: SendOrder,
}

/// The collective that goes around a ring.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RingKind {
    AllReduce,
    ReduceScatter,
    AllGather,
}

/// What must have arrived before a rank sends a chunk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendOrder {
    /// The chunk that is passed on: all rings run in parallel.
    Together,
    /// All chunks before it in the rank's order, which is step by step, and in each step ring by
    /// ring. So a rank sends one chunk at a time, each along another ring.
    InTurn,
}

impl Ring {
    /// A collective over these rings, each of which lists the same ranks, counted from 0.
    pub(crate) fn new(kind: RingKind, rings: Vec<Vec<u32>>, segment: Segment) -> Self {
        let places_of = |ring: &Vec<u32>| {
            let mut places = vec![0; ring.len()];
            for (place, rank) in (0..).zip(ring) {
                places[*rank as usize] = place;
            }
            places
        };
        Self {
            kind,
            places: rings.iter().map(places_of).collect(),
            rings,
            segment,
            loops: 1,
            order: SendOrder::Together,
        }
    }

    /// Cuts the shares into loops, so that no chunk has more than `chunk` bytes.
    pub(crate) fn cut(mut self, chunk: u64) -> Self {
        let share = self.segment.size.div_ceil(self.rings.len() as u64);
        let loops = share.div_ceil(self.ranks().saturating_mul(chunk));
        self.loops = loops.max(1);
        self
    }

    pub(crate) fn in_order(mut self, order: SendOrder) -> Self {
        self.order = order;
        self
    }

    fn ranks(&self) -> u64 {
        self.rings[0].len() as u64
    }

    fn steps(&self) -> u64 {
        match self.kind {
            RingKind::AllReduce => 2 * (self.ranks() - 1),
            RingKind::ReduceScatter | RingKind::AllGather => self.ranks() - 1,
        }
    }

    /// Number of operations of a rank, in all streams.
    pub(crate) fn operations(&self) -> u64 {
        2 * self.rings.len() as u64 * self.loops * self.steps()
    }

    /// The send of a step, or its receive.
    fn step(&self, ring: usize, turn: u64, rank: u32, sends: bool) -> Operation {
        let ranks = self.ranks();
        let place = u64::from(self.places[ring][rank as usize]);
        let number = |place| (ring as u64 * self.turns() + turn) * ranks + place;
        match sends {
            true => Operation::Send(number(place)),
            false => Operation::Receive(number((place + ranks - 1) % ranks)),
        }
    }
}

impl Schedule for Ring {
    fn chunks(&self) -> u64 {
        self.rings.len() as u64 * self.turns() * self.ranks()
    }

    fn largest(&self) -> u64 {
        let share = self.segment.size.div_ceil(self.rings.len() as u64);
        share.div_ceil(self.loops).div_ceil(self.ranks())
    }

    fn chunk(&self, number: u64) -> Chunk {
        let (ranks, steps) = (self.ranks(), self.steps());
        let place = number % ranks;
        let turn = number / ranks % self.turns();
        let ring = number / ranks / self.turns();
        let (pass, step) = (turn / steps, turn % steps);
        // step ≤ 2·ranks, so that no difference is negative.
        let ahead = place + 3 * ranks - step;
        let piece = match self.kind {
            RingKind::AllReduce | RingKind::AllGather => ahead % ranks,
            RingKind::ReduceScatter => (ahead - 1) % ranks,
        };
        let adds = match self.kind {
            RingKind::AllReduce => step < ranks - 1,
            RingKind::ReduceScatter => true,
            RingKind::AllGather => false,
        };
        let own = &self.rings[ring as usize];
        let share = self.segment.part(ring, self.rings.len() as u64);
        Chunk {
            from: own[place as usize],
            to: own[((place + 1) % ranks) as usize],
            segment: share.part(pass, self.loops).part(piece, ranks),
            effect: if adds { Effect::Add } else { Effect::Replace },
            turn,
            lane: match self.order {
                SendOrder::Together => ring as u16,
                SendOrder::InTurn => 0,
            },
        }
    }

    fn turns(&self) -> u64 {
        self.loops * self.steps()
    }

    fn streams(&self) -> u32 {
        match self.order {
            SendOrder::Together => self.rings.len() as u32,
            SendOrder::InTurn => 1,
        }
    }

    fn operation(&self, rank: u32, stream: u32, index: u64) -> Option<Operation> {
        let (turn, sends) = (index / 2, index.is_multiple_of(2));
        let (ring, turn) = match self.order {
            SendOrder::Together => (stream as usize, turn),
            SendOrder::InTurn => {
                let rings = self.rings.len() as u64;
                ((turn % rings) as usize, turn / rings)
            }
        };
        (turn < self.turns()).then(|| self.step(ring, turn, rank, sends))
    }
}
