//! Greedy graph growing: shards grow from clusters of nodes that stay together, and are refined at
//! their borders.
//!
//! Growth follows the links of the network, not the messages measured on them. Messages change with
//! time. In the long run closely linked nodes, like the switches of a pod, have the fewest messages
//! with others. The size of a shard, and moves at its borders, follow the load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_units::Time;

use super::{EqualParts, MeasuredLoad, SIDES, fluctuation_percent};

/// Shard of nodes that are not assigned yet.
const UNASSIGNED: u16 = u16::MAX;
/// Largest number of passes over all borders.
const MAX_PASSES: usize = 12;

/// Clusters of nodes, their work, and the messages between them.
#[derive(Debug)]
pub(super) struct Clusters {
    /// By node: its cluster.
    of_node: Vec<u32>,
    /// By cluster: its work in each side.
    work: Vec<SideWork>,
    /// By cluster: the other end of each link, and its messages.
    neighbours: Vec<Vec<(u32, u64)>>,
    /// By cluster: number of links, without links to clusters that have no other link.
    links: Vec<u64>,
    /// By cluster.
    shard: Vec<u16>,
    /// By shard: the work of its clusters.
    shard_work: Vec<SideWork>,
}

/// Work in each side, of which every shard gets an equal part. Where sides do not matter, the first
/// number is the sum of both, the second 0.
type SideWork = [u64; SIDES.len()];

fn plus(one: SideWork, other: SideWork) -> SideWork {
    SIDES.map(|side| one[side] + other[side])
}

fn minus(one: SideWork, other: SideWork) -> SideWork {
    SIDES.map(|side| one[side] - other[side])
}

/// The work beyond the limits.
fn beyond(work: SideWork, limits: SideWork) -> u64 {
    let each = SIDES.map(|side| work[side].saturating_sub(limits[side]));
    each.into_iter().sum()
}

impl Clusters {
    /// Joins nodes into clusters along links with a delay below `shortest`.
    pub(super) fn new(load: &MeasuredLoad, shortest: Time, equal: EqualParts) -> Self {
        let of_node = join(load, shortest);
        let count = of_node.iter().max().map_or(0, |&last| last as usize + 1);
        let mut work = vec![SideWork::default(); count];
        for ((&cluster, node), &side) in of_node.iter().zip(&load.work).zip(&load.sides) {
            let side = match equal {
                EqualParts::All => 0,
                EqualParts::EachSide => usize::from(side),
            };
            // One more per node, so that idle nodes are spread, too.
            work[cluster as usize][side] += node + 1;
        }
        let mut neighbours = vec![Vec::new(); count];
        for link in &load.links {
            let [one, other] = link.ends.map(|end| of_node[end as usize]);
            if one != other {
                neighbours[one as usize].push((other, link.messages + 1));
                neighbours[other as usize].push((one, link.messages + 1));
            }
        }
        let is_end = |&&(cluster, _): &&(u32, u64)| neighbours[cluster as usize].len() == 1;
        let links = |with: &Vec<_>| (with.len() - with.iter().filter(is_end).count()) as u64;
        Self {
            of_node,
            work,
            links: neighbours.iter().map(links).collect(),
            neighbours,
            shard: vec![UNASSIGNED; count],
            shard_work: Vec::new(),
        }
    }

    /// By node: its shard.
    pub(super) fn shard_of_node(&self) -> Vec<u16> {
        let shard = |&cluster: &u32| self.shard[cluster as usize];
        self.of_node.iter().map(shard).collect()
    }

    /// Assigns every cluster to a shard, whatever its shard was before.
    pub(super) fn grow(&mut self, shards: usize) {
        self.shard.fill(UNASSIGNED);
        self.shard_work.clear();
        let mut left: u64 = self.work.iter().flatten().sum();
        for shard in 0..shards {
            let target = left / (shards - shard) as u64;
            let is_last = shard + 1 == shards;
            let limit = if is_last { u64::MAX } else { target };
            let work = self.grow_one(shard as u16, limit);
            self.shard_work.push(work);
            left -= work.iter().sum::<u64>();
        }
    }

    /// Grows a shard until it has about `target` work, over both sides. It first takes clusters
    /// without other links, such as hosts. Then it repeatedly takes the cluster with the largest
    /// share of its other links in the shard; among equal ones, the first found. Returns the
    /// shard's work.
    fn grow_one(&mut self, shard: u16, target: u64) -> SideWork {
        let (mut work, mut seed, mut is_empty) = (SideWork::default(), 0, true);
        let mut inside = vec![0; self.work.len()];
        // By cluster: number of clusters found before it.
        let (mut found_at, mut found) = (vec![u32::MAX; self.work.len()], 0);
        // (Share of a cluster's links that lead to the shard, number found before, cluster).
        let mut heap: BinaryHeap<(u64, Reverse<u32>, u32)> = BinaryHeap::new();
        loop {
            let next = match heap.pop() {
                Some((_, _, next)) => next as usize,
                None => {
                    seed = self.first_unassigned(seed);
                    seed
                }
            };
            if next == self.shard.len() {
                return work;
            }
            if self.shard[next] != UNASSIGNED {
                continue;
            }
            let [all, next_work] = [work, self.work[next]].map(|work| work.iter().sum::<u64>());
            if !is_empty && all.saturating_add(next_work / 2) > target {
                return work;
            }
            self.shard[next] = shard;
            is_empty = false;
            work = plus(work, self.work[next]);
            for &(neighbour, _) in &self.neighbours[next] {
                let cluster = neighbour as usize;
                if self.shard[cluster] == UNASSIGNED {
                    inside[cluster] += 1;
                    if found_at[cluster] == u32::MAX {
                        found_at[cluster] = found;
                        found += 1;
                    }
                    let share = match self.neighbours[cluster].len() {
                        1 => u64::MAX,
                        _ => inside[cluster] * 1_000_000 / self.links[cluster].max(1),
                    };
                    heap.push((share, Reverse(found_at[cluster]), neighbour));
                }
            }
        }
    }

    /// The first unassigned cluster from `start` on, or the number of clusters.
    fn first_unassigned(&self, start: usize) -> usize {
        let mut rest = self.shard[start..].iter();
        let offset = rest.position(|&shard| shard == UNASSIGNED);
        offset.map_or(self.shard.len(), |offset| start + offset)
    }

    /// Moves clusters between shards while this saves messages or evens out work.
    pub(super) fn refine(&mut self, shards: usize) {
        let total = self.shard_work.iter().copied().fold(<_>::default(), plus);
        let limits = total.map(|total| {
            let average = total / shards as u64;
            average + average * fluctuation_percent(shards) / 100
        });
        let mut with = vec![0; shards];
        for _ in 0..MAX_PASSES {
            let mut moves: Vec<(i64, u32)> = (0..self.work.len())
                .filter_map(|cluster| {
                    let (gain, _) = self.best_move(cluster, limits, &mut with)?;
                    Some((-gain, cluster as u32))
                })
                .collect();
            if moves.is_empty() {
                return;
            }
            moves.sort_unstable();
            for (_, cluster) in moves {
                let cluster = cluster as usize;
                // An earlier move of this pass may have changed the gain.
                if let Some((_, to)) = self.best_move(cluster, limits, &mut with) {
                    let [from, into] = [self.shard[cluster], to].map(usize::from);
                    self.shard_work[from] = minus(self.shard_work[from], self.work[cluster]);
                    self.shard_work[into] = plus(self.shard_work[into], self.work[cluster]);
                    self.shard[cluster] = to;
                }
            }
        }
    }

    /// The shard to which a cluster should move, if any, and the messages saved. `with` must be
    /// zero for each shard, and is left so.
    fn best_move(&self, cluster: usize, limits: SideWork, with: &mut [i64]) -> Option<(i64, u16)> {
        let neighbours = self.neighbours[cluster].iter();
        let shards = neighbours.map(|&(other, messages)| (self.shard[other as usize], messages));
        for (shard, messages) in shards.clone() {
            with[usize::from(shard)] += messages as i64;
        }
        let (home, work) = (self.shard[cluster], self.work[cluster]);
        // Sides in which the cluster has no work do not change.
        let own = |all: SideWork| SIDES.map(|side| if work[side] > 0 { all[side] } else { 0 });
        let home_beyond = beyond(own(self.shard_work[usize::from(home)]), limits);
        let mut best: Option<(i64, u16)> = None;
        let mut consider = |shard: u16| {
            let grown = plus(own(self.shard_work[usize::from(shard)]), work);
            let gain = with[usize::from(shard)] - with[usize::from(home)];
            let grown_beyond = beyond(grown, limits);
            let saves = gain > 0 && grown_beyond == 0;
            let evens = grown_beyond < home_beyond;
            if shard != home && (saves || evens) && best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, shard));
            }
        };
        shards.clone().for_each(|(shard, _)| consider(shard));
        if home_beyond > 0 {
            let shards = 0..self.shard_work.len();
            let smallest =
                shards.min_by_key(|&shard| own(self.shard_work[shard]).iter().sum::<u64>());
            smallest
                .into_iter()
                .for_each(|shard| consider(shard as u16));
        }
        for (shard, _) in shards {
            with[usize::from(shard)] = 0;
        }
        best
    }
}

/// By node: its cluster, numbered in order of their first nodes.
fn join(load: &MeasuredLoad, shortest: Time) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..load.work.len() as u32).collect();
    for link in load.links.iter().filter(|link| link.delay < shortest) {
        let [one, other] = link.ends.map(|end| root(&mut parents, end));
        parents[one.max(other) as usize] = one.min(other);
    }
    let (mut clusters, mut count) = (vec![0; parents.len()], 0);
    for node in 0..parents.len() {
        let first = root(&mut parents, node as u32) as usize;
        if first == node {
            clusters[node] = count;
            count += 1;
        } else {
            clusters[node] = clusters[first];
        }
    }
    clusters
}

/// The first node of a cluster.
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let grandparent = parents[parents[node as usize] as usize];
        parents[node as usize] = grandparent;
        node = grandparent;
    }
    node
}
