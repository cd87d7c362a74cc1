//! Hierarchical all-reduce: n ranks form nodes of g consecutive ranks each.
//!
//! First a reduce-scatter inside of each node; then an all-reduce of each part among the ranks that
//! have it, one in each node; then an all-gather inside of each node. All three go over rings. So
//! each rank exchanges only a g-th of the data with other nodes.
//!
//! Chunks are numbered by phase, then by ring.

use super::{Chunk, Operation, Ring, RingKind, Schedule, Segment};

/// A hierarchical all-reduce.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchical {
    /// Number of ranks in a node.
    size: u32,
    /// The phases: inside of nodes, among nodes, inside of nodes.
    phases: [Phase; 3],
    chunks: u64,
}

/// Rings that run in parallel.
#[derive(Clone, Debug)]
struct Phase {
    /// For each node (inside of nodes) or each place in a node (among nodes): the ring, over ranks
    /// counted from 0.
    rings: Vec<Ring>,
    /// The difference between the ranks of neighbours on a ring.
    stride: u32,
    /// The number of the phase's first chunk.
    first: u64,
}

impl Hierarchical {
    /// An all-reduce among `ranks` ranks in nodes of `size`. There must be at least 2 nodes of at
    /// least 2 ranks.
    pub(crate) fn new(ranks: u32, size: u32, segment: Segment) -> Self {
        let nodes = ranks / size;
        let ring = |kind, ranks, segment| Ring::new(kind, vec![(0..ranks).collect()], segment);
        let inside = |kind| vec![ring(kind, size, segment); nodes as usize];
        let across = |place: u32| {
            let part = segment.part(place.into(), size.into());
            ring(RingKind::AllReduce, nodes, part)
        };
        let mut first = 0;
        let mut phase = |rings: Vec<Ring>, stride| {
            let chunks: u64 = rings.iter().map(Schedule::chunks).sum();
            first += chunks;
            Phase {
                rings,
                stride,
                first: first - chunks,
            }
        };
        let phases = [
            phase(inside(RingKind::ReduceScatter), 1),
            phase((0..size).map(across).collect(), size),
            phase(inside(RingKind::AllGather), 1),
        ];
        Self {
            size,
            phases,
            chunks: first,
        }
    }
}

impl Phase {
    fn per_ring(&self) -> u64 {
        self.rings[0].chunks()
    }

    /// The ring of a rank, and its place on the ring, for nodes of `size` ranks.
    fn place(&self, rank: u32, size: u32) -> (u32, u32) {
        let (node, place) = (rank / size, rank % size);
        match self.stride {
            1 => (node, place),
            _ => (place, node),
        }
    }

    /// The rank at a place of a ring, for nodes of `size` ranks.
    fn rank(&self, ring: u32, place: u32, size: u32) -> u32 {
        match self.stride {
            1 => ring * size + place,
            _ => place * size + ring,
        }
    }
}

impl Schedule for Hierarchical {
    fn chunks(&self) -> u64 {
        self.chunks
    }

    fn largest(&self) -> u64 {
        self.phases[0].rings[0].largest()
    }

    fn chunk(&self, number: u64) -> Chunk {
        let phase = self.phases.iter().rfind(|phase| phase.first <= number);
        let phase = phase.unwrap_or(&self.phases[0]);
        let inside = number - phase.first;
        let ring = (inside / phase.per_ring()) as u32;
        let chunk = phase.rings[ring as usize].chunk(inside % phase.per_ring());
        let turn = match (phase.stride, phase.first) {
            (1, 1..) => self.phases[0].rings[0].turns() + chunk.turn,
            _ => chunk.turn,
        };
        Chunk {
            from: phase.rank(ring, chunk.from, self.size),
            to: phase.rank(ring, chunk.to, self.size),
            turn,
            ..chunk
        }
    }

    fn turns(&self) -> u64 {
        let inside = 2 * self.phases[0].rings[0].turns();
        inside.max(self.phases[1].rings[0].turns())
    }

    fn streams(&self) -> u32 {
        1
    }

    fn operation(&self, rank: u32, _stream: u32, mut index: u64) -> Option<Operation> {
        for phase in &self.phases {
            let operations = phase.rings[0].operations();
            if index < operations {
                let (ring, place) = phase.place(rank, self.size);
                let first = phase.first + u64::from(ring) * phase.per_ring();
                return Some(
                    match phase.rings[ring as usize].operation(place, 0, index)? {
                        Operation::Send(chunk) => Operation::Send(first + chunk),
                        Operation::Receive(chunk) => Operation::Receive(first + chunk),
                    },
                );
            }
            index -= operations;
        }
        None
    }
}
