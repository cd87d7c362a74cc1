//! Recursive halving and doubling (Thakur, Rabenseifner and Gropp, "Optimization of collective
//! communication operations in MPICH", IJHPCA 19, 2005, sections 4.1 to 4.4).
//!
//! There are n = 2^k ranks. In step s of k, recursive halving exchanges half of the remaining data
//! with the rank at distance n/2^(s+1), and adds. At the end part r of n is at rank r. Recursive
//! doubling exchanges all data gathered so far with the rank at distance 2^s. An all-reduce is
//! halving, then doubling.
//!
//! ```text
//! number of a chunk = step · n + sender
//! ```

use super::{Chunk, Effect, Operation, Schedule, Segment};

/// A collective by recursive halving, doubling, or both.
#[derive(Copy, Clone, Debug)]
pub(crate) struct HalvingDoubling {
    kind: HalvingDoublingKind,
    ranks: u64,
    segment: Segment,
}

/// The collective: by halving, doubling, or both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum HalvingDoublingKind {
    AllReduce,
    ReduceScatter,
    AllGather,
}

impl HalvingDoubling {
    /// A collective among `ranks` ranks, a power of two.
    pub(crate) fn new(kind: HalvingDoublingKind, ranks: u32, segment: Segment) -> Self {
        Self {
            kind,
            ranks: ranks.into(),
            segment,
        }
    }

    /// Number of steps of recursive halving, and of all steps.
    fn steps(&self) -> (u64, u64) {
        let steps = u64::from(self.ranks.trailing_zeros());
        match self.kind {
            HalvingDoublingKind::AllReduce => (steps, 2 * steps),
            HalvingDoublingKind::ReduceScatter => (steps, steps),
            HalvingDoublingKind::AllGather => (0, steps),
        }
    }

    /// The distance of the partner in a step, and whether the step halves.
    fn distance(&self, step: u64) -> (u64, bool) {
        let (halving, _) = self.steps();
        match step.checked_sub(halving) {
            None => (self.ranks >> (step + 1), true),
            Some(doubling) => (1 << doubling, false),
        }
    }
}

impl Schedule for HalvingDoubling {
    fn chunks(&self) -> u64 {
        self.steps().1 * self.ranks
    }

    fn largest(&self) -> u64 {
        self.segment.size.div_ceil(2)
    }

    fn chunk(&self, number: u64) -> Chunk {
        let (step, from) = (number / self.ranks, number % self.ranks);
        let (distance, halves) = self.distance(step);
        let to = from ^ distance;
        // The aligned block of `distance` parts that the receiver keeps (halving), or the sender
        // has (doubling).
        let first = if halves { to } else { from } & !(distance - 1);
        let segment = self.segment.parts(first, first + distance - 1, self.ranks);
        Chunk {
            from: from as u32,
            to: to as u32,
            segment,
            effect: if halves { Effect::Add } else { Effect::Replace },
            turn: u64::from(!halves),
            lane: 0,
        }
    }

    fn turns(&self) -> u64 {
        2
    }

    fn streams(&self) -> u32 {
        1
    }

    fn operation(&self, rank: u32, _stream: u32, index: u64) -> Option<Operation> {
        let (step, rank) = (index / 2, u64::from(rank));
        let partner = rank ^ self.distance(step.min(self.steps().1 - 1)).0;
        (step < self.steps().1).then(|| match index.is_multiple_of(2) {
            true => Operation::Send(step * self.ranks + rank),
            false => Operation::Receive(step * self.ranks + partner),
        })
    }
}
