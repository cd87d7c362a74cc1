//! Spanning trees of the switches, and the routes along them.
//!
//! Stephens et al., "Practical DCB for Improved Data Center Networks" (TCP-Bolt), INFOCOM 2014: in
//! each spanning tree there is one path, so that paths are symmetric on any graph.

use super::build::{Interned, destinations};
use super::fabric::Fabric;
use super::search::{PathSearch, WIDTH};
use super::{NextHopOrder, NextHopSet, Routes, UNREACHABLE};
use crate::ports::Ports;
use crate::topology::Topology;

/// The least number of spanning trees: fewer would balance load badly.
const FEWEST: usize = 8;
/// The largest number of central switches: more trees would only take memory.
const MOST: usize = 64;

pub(super) fn build(topology: &Topology, order: NextHopOrder) -> Routes {
    let ports = Ports::new(topology);
    let fabric = Fabric::new(topology, &ports, order, |_| false);
    let (destinations, edge_rows) = destinations(topology, &ports);
    let trees = plant(&fabric, &edge_rows);
    let cells = edge_rows.len() * fabric.rows();
    let empty = NextHopSet {
        start: 0,
        length: 0,
    };
    let (mut sets, mut distances) = (vec![empty; cells], vec![UNREACHABLE; cells]);
    let mut interned = Interned::default();
    for (column, &edge) in edge_rows.iter().enumerate() {
        let ways: Vec<Way> = trees.iter().map(|tree| tree.towards(edge)).collect();
        for row in 0..fabric.rows() {
            let cell = row * edge_rows.len() + column;
            let reached = ways.iter().map(|way| way.distances[row]);
            let reached = reached.filter(|distance| *distance != UNREACHABLE);
            distances[cell] = reached.max().unwrap_or(UNREACHABLE);
            let mut hops: Vec<u16> = ways.iter().filter_map(|way| way.ports[row]).collect();
            if hops.iter().all(|hop| *hop == hops[0]) {
                hops.truncate(1);
            }
            sets[cell] = interned.set(hops.into_iter());
        }
    }
    Routes {
        hosts: topology.hosts,
        trees: trees.len() as u32,
        edges: edge_rows.len() as u32,
        destinations,
        sets,
        distances,
        ports: interned.ports,
    }
}

/// A spanning tree over all switches that can be reached from its root.
struct Tree {
    /// The parent of each row; `None` at the root.
    parents: Vec<Option<Parent>>,
    /// Rows in breadth-first order: the root first, parents before children.
    order: Vec<u32>,
}

/// A switch's parent in a tree.
#[derive(Copy, Clone)]
struct Parent {
    row: u32,
    /// The child's port that leads to the parent.
    port: u16,
    /// The parent's port that leads to the child.
    port_back: u16,
}

/// Next hop and distance along one tree to one edge switch, by row.
struct Way {
    ports: Vec<Option<u16>>,
    distances: Vec<u32>,
}

/// One tree from every central switch. If central switches are few, each has several trees, which
/// visit neighbours in different orders.
fn plant(fabric: &Fabric, edge_rows: &[u32]) -> Vec<Tree> {
    let roots = central(fabric, edge_rows);
    let rounds = FEWEST.div_ceil(roots.len().max(1));
    let plan = (0..rounds).flat_map(|round| roots.iter().map(move |root| (*root, round)));
    plan.map(|(root, round)| Tree::new(fabric, root, round))
        .collect()
}

/// The rows whose distance to the farthest edge switch is smallest; of more than [`MOST`] rows, a
/// subset at equal steps.
fn central(fabric: &Fabric, edge_rows: &[u32]) -> Vec<u32> {
    let mut search = PathSearch::new(fabric);
    let mut farthest = vec![0; fabric.rows()];
    let mut reached_by = vec![0; fabric.rows()];
    for starts in edge_rows.chunks(WIDTH) {
        search.run(starts, |reached| {
            let farthest = &mut farthest[reached.row];
            *farthest = reached.distance.max(*farthest);
            reached_by[reached.row] += reached.searches.count_ones() as usize;
        });
    }
    for (farthest, count) in farthest.iter_mut().zip(reached_by) {
        if count < edge_rows.len() {
            *farthest = UNREACHABLE;
        }
    }
    let nearest = farthest.iter().min().copied().unwrap_or(UNREACHABLE);
    let is_central = |row: &u32| farthest[*row as usize] == nearest;
    let all: Vec<u32> = (0..fabric.rows() as u32).filter(is_central).collect();
    let kept = all.len().min(MOST);
    (0..kept)
        .map(|place| all[place * all.len() / kept])
        .collect()
}

impl Tree {
    /// Breadth first from `root`; each switch visits its neighbours from index `round` on.
    fn new(fabric: &Fabric, root: u32, round: usize) -> Self {
        let mut found = vec![false; fabric.rows()];
        let mut tree = Self {
            parents: vec![None; fabric.rows()],
            order: vec![root],
        };
        found[root as usize] = true;
        let mut head = 0;
        while let Some(&row) = tree.order.get(head) {
            head += 1;
            let neighbours = fabric.of(row as usize);
            let first = round % neighbours.len().max(1);
            for next in neighbours[first..].iter().chain(&neighbours[..first]) {
                let child = next.row as usize;
                if std::mem::replace(&mut found[child], true) {
                    continue;
                }
                tree.parents[child] = Some(Parent {
                    row,
                    port: next.peer_port,
                    port_back: next.port,
                });
                tree.order.push(next.row);
            }
        }
        tree
    }

    /// Paths to `edge`: downwards from its ancestors, upwards from all other switches.
    fn towards(&self, edge: u32) -> Way {
        let rows = self.parents.len();
        let mut way = Way {
            ports: vec![None; rows],
            distances: vec![UNREACHABLE; rows],
        };
        let (mut row, mut distance) = (edge as usize, 0);
        way.distances[row] = 0;
        while let Some(parent) = self.parents[row] {
            row = parent.row as usize;
            distance += 1;
            way.ports[row] = Some(parent.port_back);
            way.distances[row] = distance;
        }
        for &row in &self.order {
            let row = row as usize;
            if way.distances[row] == UNREACHABLE
                && let Some(parent) = self.parents[row]
                && way.distances[parent.row as usize] != UNREACHABLE
            {
                way.ports[row] = Some(parent.port);
                way.distances[row] = way.distances[parent.row as usize] + 1;
            }
        }
        way
    }
}

#[cfg(test)]
mod tests;
