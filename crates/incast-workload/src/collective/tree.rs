//! Double binary trees (Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth
//! broadcast, reduction and scan", Parallel Computing 35, 2009), as in NCCL.
//!
//! Each of two trees carries half of the data, in pieces: up to its root, with sums at every rank,
//! and down again. No rank has children in both trees, so that each rank sends about as much as it
//! receives.
//!
//! Rank 0 is the root of the first tree. The parent of rank r > 0 is r with its lowest set bit b
//! cleared and bit 2b set; if that rank does not exist, bit 2b is not set. The second tree is the
//! first one mirrored (r → n - 1 - r) for even n, and shifted by one for odd n. The root of a
//! broadcast or a reduce is in neither tree: its children are the roots of two trees over all other
//! ranks.
//!
//! ```text
//! number of a chunk = ((tree · pieces + piece) · directions + direction) · (n - 1) + edge
//! ```

use super::{Chunk, Effect, Operation, Schedule, Segment};

/// A collective over two trees.
#[derive(Clone, Debug)]
pub(crate) struct DoubleTree {
    kind: TreeKind,
    trees: [Edges; 2],
    segment: Segment,
    /// Number of pieces of each half of the data.
    pieces: u64,
}

/// The collective that goes up and down the trees.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeKind {
    AllReduce,
    Broadcast,
    Reduce,
}

/// A tree; edge e is `edges[e]`.
#[derive(Clone, Debug)]
struct Edges {
    /// Parent and child of each edge.
    edges: Vec<(u32, u32)>,
    /// For each rank, the edge to its parent.
    up: Vec<Option<u64>>,
    /// For each rank, the edges to its children.
    down: Vec<Vec<u64>>,
}

/// The parent of a rank in the first tree over `ranks` ranks.
fn parent(rank: u32, ranks: u32) -> Option<u32> {
    let bit = rank & rank.wrapping_neg();
    if rank == 0 {
        return None;
    }
    let cleared = rank ^ bit;
    let above = cleared | bit << 1;
    Some(if above < ranks { above } else { cleared })
}

/// The parent of a rank in the second tree.
fn second_parent(rank: u32, ranks: u32) -> Option<u32> {
    match ranks.is_multiple_of(2) {
        true => Some(ranks - 1 - parent(ranks - 1 - rank, ranks)?),
        false => Some((parent((rank + ranks - 1) % ranks, ranks)? + 1) % ranks),
    }
}

impl Edges {
    fn of(ranks: u32, parent: impl Fn(u32) -> Option<u32>) -> Self {
        let mut tree = Self {
            edges: Vec::new(),
            up: vec![None; ranks as usize],
            down: vec![Vec::new(); ranks as usize],
        };
        for child in 0..ranks {
            if let Some(parent) = parent(child) {
                let edge = tree.edges.len() as u64;
                tree.edges.push((parent, child));
                tree.up[child as usize] = Some(edge);
                tree.down[parent as usize].push(edge);
            }
        }
        tree
    }
}

impl DoubleTree {
    /// Trees over ranks in order, for pieces of at most `chunk` bytes. A broadcast or a reduce has
    /// the root `root`.
    pub(crate) fn new(kind: TreeKind, ranks: u32, root: u32, segment: Segment, chunk: u64) -> Self {
        let trees = match kind {
            TreeKind::AllReduce => [
                Edges::of(ranks, |rank| parent(rank, ranks)),
                Edges::of(ranks, |rank| second_parent(rank, ranks)),
            ],
            TreeKind::Broadcast | TreeKind::Reduce => {
                // All ranks but the root, counted from the rank after the root.
                let others = ranks - 1;
                let below = |rank: u32, parent: fn(u32, u32) -> Option<u32>| {
                    let label = (rank + ranks - root - 1) % ranks;
                    let of_label = |label| (label + root + 1) % ranks;
                    (rank != root).then(|| parent(label, others).map_or(root, of_label))
                };
                [
                    Edges::of(ranks, |rank| below(rank, parent)),
                    Edges::of(ranks, |rank| below(rank, second_parent)),
                ]
            }
        };
        Self {
            kind,
            trees,
            segment,
            pieces: segment.size.div_ceil(2).div_ceil(chunk).max(1),
        }
    }

    fn directions(&self) -> u64 {
        match self.kind {
            TreeKind::AllReduce => 2,
            TreeKind::Broadcast | TreeKind::Reduce => 1,
        }
    }

    /// The number of a piece's first chunk in a direction.
    fn first(&self, tree: usize, piece: u64, down: bool) -> u64 {
        let direction = u64::from(down && self.kind == TreeKind::AllReduce);
        let before = (tree as u64 * self.pieces + piece) * self.directions() + direction;
        before * self.trees[tree].edges.len() as u64
    }

    /// The stream in which a rank sends. The root of an all-reduce sends down in its stream for up.
    fn stream(&self, tree: usize, rank: u32, down: bool) -> u16 {
        match self.kind {
            TreeKind::AllReduce => {
                let is_root = self.trees[tree].up[rank as usize].is_none();
                2 * tree as u16 + u16::from(down && !is_root)
            }
            TreeKind::Broadcast | TreeKind::Reduce => tree as u16,
        }
    }

    /// The tree of a stream, and the stream's operations for one piece. Of each operation: whether
    /// it is a send, whether it goes down, and its edge.
    fn piece(&self, rank: u32, stream: u32) -> (usize, Vec<(bool, bool, u64)>) {
        let both = self.kind == TreeKind::AllReduce;
        let tree = if both { stream / 2 } else { stream } as usize;
        let edges = &self.trees[tree];
        let (up, children) = (edges.up[rank as usize], &edges.down[rank as usize]);
        let from_children = children.iter().map(|edge| (false, false, *edge));
        let to_children = children.iter().map(|edge| (true, true, *edge));
        let to_parent = up.map(|edge| (true, false, edge));
        let from_parent = up.map(|edge| (false, true, edge));
        let adds = match self.kind {
            TreeKind::AllReduce => stream.is_multiple_of(2),
            TreeKind::Reduce => true,
            TreeKind::Broadcast => false,
        };
        let operations = match adds {
            true if both && up.is_none() => from_children.chain(to_children).collect(),
            true => from_children.chain(to_parent).collect(),
            false if both && up.is_none() => Vec::new(),
            false => from_parent.into_iter().chain(to_children).collect(),
        };
        (tree, operations)
    }
}

impl Schedule for DoubleTree {
    fn chunks(&self) -> u64 {
        2 * self.pieces * self.directions() * self.trees[0].edges.len() as u64
    }

    fn largest(&self) -> u64 {
        self.segment.size.div_ceil(2).div_ceil(self.pieces)
    }

    fn chunk(&self, number: u64) -> Chunk {
        let edges = self.trees[0].edges.len() as u64;
        let (edge, before) = ((number % edges) as usize, number / edges);
        let down = match self.kind {
            TreeKind::AllReduce => !before.is_multiple_of(2),
            TreeKind::Broadcast => true,
            TreeKind::Reduce => false,
        };
        let before = before / self.directions();
        let (tree, piece) = ((before / self.pieces) as usize, before % self.pieces);
        let (parent, child) = self.trees[tree].edges[edge];
        let (from, to) = if down {
            (parent, child)
        } else {
            (child, parent)
        };
        Chunk {
            from,
            to,
            segment: self.segment.part(tree as u64, 2).part(piece, self.pieces),
            effect: if down { Effect::Replace } else { Effect::Add },
            turn: before,
            lane: self.stream(tree, from, down),
        }
    }

    fn turns(&self) -> u64 {
        2 * self.pieces
    }

    fn streams(&self) -> u32 {
        2 * self.directions() as u32
    }

    fn operation(&self, rank: u32, stream: u32, index: u64) -> Option<Operation> {
        let (tree, own) = self.piece(rank, stream);
        let each = own.len() as u64;
        let piece = index.checked_div(each)?;
        let (sends, down, edge) = own[(index % each) as usize];
        let number = self.first(tree, piece, down) + edge;
        (piece < self.pieces).then_some(match sends {
            true => Operation::Send(number),
            false => Operation::Receive(number),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each rank, its parent in each tree; -1 at the root.
    fn parents(ranks: u32) -> [Vec<i64>; 2] {
        let of = |parent: fn(u32, u32) -> Option<u32>| {
            let parents = (0..ranks).map(|rank| parent(rank, ranks));
            parents.map(|rank| rank.map_or(-1, i64::from)).collect()
        };
        [of(parent), of(second_parent)]
    }

    /// 8 ranks: 4 below 0, 2 and 6 below 4, odd ranks below their even neighbours: 1 and 3 below 2,
    /// 5 and 7 below 6. (7: bit 1 cleared and bit 2 set is 6.) Mirrored: r ↔ 7 - r.
    #[test]
    fn trees_are_those_of_nccl() {
        assert_eq!(parents(8)[0], [-1, 2, 4, 2, 0, 6, 4, 6]);
        assert_eq!(parents(8)[1], [1, 3, 1, 7, 5, 3, 5, -1]);
        // 5 ranks: 4 would be below 8, so it is below 0; 3 is below 2. Shifted by one: the root is
        // 1, and 4 + 1 = 0 is below it.
        assert_eq!(parents(5)[0], [-1, 2, 4, 2, 0]);
        assert_eq!(parents(5)[1], [1, -1, 3, 0, 3]);
    }

    #[test]
    fn no_rank_has_children_in_both_trees() {
        for ranks in 2..200 {
            let [one, other] = parents(ranks);
            for rank in 0..i64::from(ranks) {
                let has = |tree: &[i64]| tree.contains(&rank);
                let is_root = one[rank as usize] < 0 || other[rank as usize] < 0;
                assert!(!(has(&one) && has(&other)) || is_root, "{rank} of {ranks}");
                assert!(one.iter().filter(|parent| **parent == rank).count() <= 2);
            }
        }
    }
}
