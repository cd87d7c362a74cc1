//! A chain: broadcast and reduce along one ring that is cut open at the root.
//!
//! A broadcast goes from the root at place 0 to place 1 and on; a reduce goes the other way. The
//! data is cut into chunks, so that all ranks send at once. Edge e lies between places e and e + 1.
//!
//! ```text
//! number of a chunk = piece · (n - 1) + edge
//! ```

use super::{Chunk, Effect, Operation, Schedule, Segment};

/// A broadcast or a reduce along a chain.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// The rank at each place; the first is the root.
    order: Vec<u32>,
    /// The place of each rank.
    places: Vec<u32>,
    segment: Segment,
    pieces: u64,
    /// Towards the root.
    reduces: bool,
}

impl Chain {
    /// A chain from `root` through the ranks in order; a chunk has at most `chunk` bytes.
    pub(crate) fn new(ranks: u32, root: u32, segment: Segment, chunk: u64, reduces: bool) -> Self {
        let order: Vec<u32> = (0..ranks).map(|place| (root + place) % ranks).collect();
        let place = |rank| (rank + ranks - root) % ranks;
        Self {
            order,
            places: (0..ranks).map(place).collect(),
            segment,
            pieces: segment.size.div_ceil(chunk).max(1),
            reduces,
        }
    }

    fn edges(&self) -> u64 {
        self.order.len() as u64 - 1
    }

    /// The edges on which a rank receives and on which it sends.
    fn edges_of(&self, rank: u32) -> (Option<u64>, Option<u64>) {
        let place = u64::from(self.places[rank as usize]);
        let (before, after) = (
            place.checked_sub(1),
            (place < self.edges()).then_some(place),
        );
        match self.reduces {
            false => (before, after),
            true => (after, before),
        }
    }
}

impl Schedule for Chain {
    fn chunks(&self) -> u64 {
        self.pieces * self.edges()
    }

    fn largest(&self) -> u64 {
        self.segment.size.div_ceil(self.pieces)
    }

    fn chunk(&self, number: u64) -> Chunk {
        let (piece, edge) = (number / self.edges(), (number % self.edges()) as usize);
        let (near, far) = (self.order[edge], self.order[edge + 1]);
        let (from, to, effect) = match self.reduces {
            false => (near, far, Effect::Replace),
            true => (far, near, Effect::Add),
        };
        Chunk {
            from,
            to,
            segment: self.segment.part(piece, self.pieces),
            effect,
            turn: piece,
            lane: 0,
        }
    }

    fn turns(&self) -> u64 {
        self.pieces
    }

    fn streams(&self) -> u32 {
        1
    }

    fn operation(&self, rank: u32, _stream: u32, index: u64) -> Option<Operation> {
        let (receives, sends) = self.edges_of(rank);
        let own = [receives.map(Operation::Receive), sends.map(Operation::Send)];
        let own: Vec<_> = own.into_iter().flatten().collect();
        let (piece, part) = (index / own.len() as u64, index % own.len() as u64);
        let at = |edge| piece * self.edges() + edge;
        (piece < self.pieces).then(|| match own[part as usize] {
            Operation::Receive(edge) => Operation::Receive(at(edge)),
            Operation::Send(edge) => Operation::Send(at(edge)),
        })
    }
}
