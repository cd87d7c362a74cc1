//! Parts grow from clusters of nodes that stay together, and mend their borders.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_units::Time;

use super::Load;

/// No part yet.
const NOWHERE: u16 = u16::MAX;
/// Parts may be this much larger than the average, in hundredths.
const TOLERANCE: u64 = 1;
/// How often all borders are looked at.
const MOST_PASSES: usize = 12;

/// Clusters, what they have to do, and what they send each other.
#[derive(Debug)]
pub(super) struct Clusters {
    /// By node: its cluster.
    of_node: Vec<u32>,
    work: Vec<u64>,
    /// By cluster: neighbours and messages.
    neighbours: Vec<Vec<(u32, u64)>>,
    /// By cluster: its part.
    homes: Vec<u16>,
    /// By part.
    sums: Vec<u64>,
}

impl Clusters {
    /// Nodes that links with a delay below `shortest` join are one.
    pub(super) fn new(load: &Load, shortest: Time) -> Self {
        let of_node = join(load, shortest);
        let count = of_node.iter().max().map_or(0, |&last| last as usize + 1);
        let mut work = vec![0; count];
        for (&cluster, node) in of_node.iter().zip(&load.work) {
            // One more, so that idle nodes are divided, too.
            work[cluster as usize] += node + 1;
        }
        let mut neighbours = vec![Vec::new(); count];
        for edge in &load.edges {
            let [one, other] = edge.ends.map(|end| of_node[end as usize]);
            if one != other {
                neighbours[one as usize].push((other, edge.messages + 1));
                neighbours[other as usize].push((one, edge.messages + 1));
            }
        }
        Self {
            of_node,
            work,
            neighbours,
            homes: vec![NOWHERE; count],
            sums: Vec::new(),
        }
    }

    /// By node: its part.
    pub(super) fn homes(&self) -> Vec<u16> {
        let home = |&cluster: &u32| self.homes[cluster as usize];
        self.of_node.iter().map(home).collect()
    }

    /// Gives every cluster a part; the first one has `other` work, too.
    pub(super) fn grow(&mut self, parts: usize, other: u64) {
        let (mut left, mut other) = (self.work.iter().sum::<u64>() + other, other);
        for part in 0..parts {
            let target = left / (parts - part) as u64;
            let limit = if part + 1 == parts { u64::MAX } else { target };
            let sum = self.grow_one(part as u16, std::mem::take(&mut other), limit);
            self.sums.push(sum);
            left -= sum;
        }
    }

    /// Lets a part grow from `sum` until it is about `target` large; says how large it is.
    fn grow_one(&mut self, part: u16, mut sum: u64, target: u64) -> u64 {
        let (mut seed, mut empty) = (0, true);
        let mut inside = vec![0_u64; self.work.len()];
        // Share of its messages that a cluster has with the part, cluster.
        let mut heap: BinaryHeap<(u64, Reverse<u32>)> = BinaryHeap::new();
        loop {
            let next = match heap.pop() {
                Some((_, Reverse(next))) => next as usize,
                None => {
                    while seed < self.homes.len() && self.homes[seed] != NOWHERE {
                        seed += 1;
                    }
                    seed
                }
            };
            if next == self.homes.len() {
                return sum;
            }
            if self.homes[next] != NOWHERE {
                continue;
            }
            if !empty && sum.saturating_add(self.work[next] / 2) > target {
                return sum;
            }
            self.homes[next] = part;
            empty = false;
            sum += self.work[next];
            for &(neighbour, messages) in &self.neighbours[next] {
                let place = neighbour as usize;
                if self.homes[place] == NOWHERE {
                    inside[place] += messages;
                    let share = inside[place] * 1_000_000 / self.messages(place);
                    heap.push((share, Reverse(neighbour)));
                }
            }
        }
    }

    fn messages(&self, cluster: usize) -> u64 {
        let all = self.neighbours[cluster].iter();
        all.map(|&(_, messages)| messages).sum()
    }

    /// Lets clusters change sides while that saves messages between parts, or evens them out.
    pub(super) fn refine(&mut self, parts: usize) {
        let total: u64 = self.sums.iter().sum();
        let average = total / parts as u64;
        let limit = average + average * TOLERANCE / 100;
        for _ in 0..MOST_PASSES {
            let mut moves: Vec<(i64, u32)> = (0..self.work.len())
                .filter_map(|cluster| {
                    let (gain, _) = self.best_move(cluster, limit)?;
                    Some((-gain, cluster as u32))
                })
                .collect();
            if moves.is_empty() {
                return;
            }
            moves.sort_unstable();
            for (_, cluster) in moves {
                let cluster = cluster as usize;
                // What moved before may have changed it.
                if let Some((_, to)) = self.best_move(cluster, limit) {
                    self.sums[usize::from(self.homes[cluster])] -= self.work[cluster];
                    self.sums[usize::from(to)] += self.work[cluster];
                    self.homes[cluster] = to;
                }
            }
        }
    }

    /// The part that a cluster should move to, if any, and messages that this saves.
    fn best_move(&self, cluster: usize, limit: u64) -> Option<(i64, u16)> {
        let (home, work) = (self.homes[cluster], self.work[cluster]);
        let with = |part: u16| {
            let there = self.neighbours[cluster].iter();
            let there = there.filter(|&&(other, _)| self.homes[other as usize] == part);
            there.map(|&(_, messages)| messages as i64).sum::<i64>()
        };
        let sum = self.sums[usize::from(home)];
        let at_home = with(home);
        let mut best: Option<(i64, u16)> = None;
        let mut consider = |part: u16| {
            let grown = self.sums[usize::from(part)] + work;
            let gain = with(part) - at_home;
            let saves = gain > 0 && grown <= limit;
            let evens = sum > limit && grown < sum;
            if part != home && (saves || evens) && best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, part));
            }
        };
        let mut known = [NOWHERE; 2];
        for &(other, _) in &self.neighbours[cluster] {
            let part = self.homes[other as usize];
            if !known.contains(&part) {
                consider(part);
                known = [known[1], part];
            }
        }
        if sum > limit {
            let smallest = (0..self.sums.len()).min_by_key(|&part| self.sums[part])?;
            consider(smallest as u16);
        }
        best
    }
}

/// By node: its cluster, numbered in order of their first nodes.
fn join(load: &Load, shortest: Time) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..load.work.len() as u32).collect();
    for edge in load.edges.iter().filter(|edge| edge.delay < shortest) {
        let [one, other] = edge.ends.map(|end| root(&mut parents, end));
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
