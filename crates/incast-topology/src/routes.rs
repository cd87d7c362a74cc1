//! Shortest-path routes: which ports of a switch lead to a host.
//!
//! A packet takes a path of fewest links, whatever their rates, and never passes through a host.
//! All ports on such paths are equal-cost next hops. This module does not decide which of them a
//! packet takes.
//!
//! All hosts at one switch, their *edge* switch, have the same next hops at every other switch. So
//! next hops are kept for each pair of a switch and an edge switch, and equal sets are kept once:
//!
//! ```text
//! destination host ──► its edge switch, and the port there that leads to the host
//! (switch, edge)   ──► position of their set in `ports` ──► the set
//! ```
//!
//! For 8 192 hosts and 1 280 switches (a fat tree of k = 32) there are 512 edge switches and
//! 655 360 entries, in about 8 MB.

mod build;
mod fabric;
mod nic_pairs;
mod path;
mod search;
mod trees;

use std::slice;

use incast_units::{HostId, NodeId};

use crate::topology::Topology;

pub use path::{Hop, Path};

/// The order in which equal-cost next hops are listed.
///
/// A hash picks among the next hops by index, so another order sends flows along other paths.
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum NextHopOrder {
    /// By port number: the order of the links.
    #[default]
    ByPort,
    /// By the number of the neighbour, largest first, as the HPCC artifact does on Linux.
    /// Numbers are those of the file that the topology was read from.
    DescendingNode,
    /// By the number of the neighbour, smallest first.
    AscendingNode,
}

/// The equal-cost next hops from every switch to every host.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes {
    hosts: u32,
    /// Number of spanning trees; 0 for shortest paths.
    trees: u32,
    /// Number of edge switches, which are those with hosts.
    edges: u32,
    destinations: Vec<Destination>,
    /// For each switch (row) and edge (column), the set of next hops.
    sets: Vec<NextHopSet>,
    /// For each switch (row) and edge switch (column), the number of links between them.
    distances: Vec<u32>,
    /// The next hops of all sets, one after the other.
    ports: Vec<u16>,
}

/// The last switch and port on the way to a host.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Destination {
    /// The row of the host's edge switch; [`NONE`] if its neighbour is a host.
    row: u32,
    /// The column of the host's edge switch.
    column: u32,
    /// The edge switch's port that leads to the host.
    port: u16,
}

/// A set of next hops, as a range of [`Routes::ports`].
#[derive(Copy, Clone, Debug, PartialEq)]
struct NextHopSet {
    start: u32,
    length: u32,
}

const NONE: u32 = u32::MAX;

/// No path.
const UNREACHABLE: u32 = u32::MAX;

impl Routes {
    /// All shortest paths of a valid topology.
    pub fn shortest(topology: &Topology, order: NextHopOrder) -> Self {
        Self::avoiding(topology, order, |_| false)
    }

    /// All shortest paths that use no link for which `down` is true.
    ///
    /// Ports keep their numbers. A host that cannot be reached has no next hops, except at its edge
    /// switch, which still knows the host's port.
    pub fn avoiding(topology: &Topology, order: NextHopOrder, down: impl Fn(u32) -> bool) -> Self {
        build::build(topology, order, down)
    }

    /// Paths along spanning trees. Each tree begins at a central switch: one whose distance to the
    /// farthest edge switch is smallest. At every switch the next hop with index t is that of tree
    /// t. If all trees have the same next hop, it is listed once. In each tree there is one path
    /// between any two hosts, the same in both directions.
    ///
    /// Paths to and from the root of a tree are shortest; other paths may be longer than necessary.
    /// There are 8 to 64 trees or a few more.
    pub fn spanning_trees(topology: &Topology, order: NextHopOrder) -> Self {
        trees::build(topology, order)
    }

    /// The number of spanning trees; 0 if packets take shortest paths.
    pub fn trees(&self) -> usize {
        self.trees as usize
    }

    /// Number of links on the path from `switch` to `destination`: on the longest, if trees give
    /// several; 0 if there is no path.
    pub fn links_left(&self, switch: NodeId, destination: HostId) -> u32 {
        let row = switch.0.wrapping_sub(self.hosts);
        let destination = &self.destinations[destination.index()];
        if row == destination.row {
            return 1;
        }
        match self.distances[self.cell(row, destination.column)] {
            UNREACHABLE => 0,
            between => between + 1,
        }
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// The number of the host's edge switch, counted from 0, and the port there that leads to the
    /// host; `None` if the host's neighbour is a host.
    pub fn access(&self, host: HostId) -> Option<(usize, u16)> {
        let host = &self.destinations[host.index()];
        (host.row != NONE).then_some((host.column as usize, host.port))
    }

    /// Whether there is only one path between any two hosts.
    pub fn are_unique(&self) -> bool {
        self.sets.iter().all(|set| set.length <= 1)
    }

    /// Each edge switch by number, with the first of its hosts. At all other switches, hosts of one
    /// edge switch have the same next hops.
    pub fn edges(&self) -> Vec<(NodeId, HostId)> {
        let mut edges = Vec::with_capacity(self.edges as usize);
        for (host, at) in (0..self.hosts).map(HostId).zip(&self.destinations) {
            // Columns are numbered in the order of their first hosts.
            if at.column as usize == edges.len() {
                edges.push((NodeId(self.hosts + at.row), host));
            }
        }
        edges
    }

    /// The host with this node number; `None` for a switch.
    pub fn host(&self, node: NodeId) -> Option<HostId> {
        (node.0 < self.hosts).then_some(HostId(node.0))
    }

    /// The ports of `switch` that lie on a shortest path to `destination`, in the chosen order.
    ///
    /// # Panics
    /// If `switch` is a host, or either node does not exist.
    #[inline]
    pub fn next_hops(&self, switch: NodeId, destination: HostId) -> &[u16] {
        let row = switch.0.wrapping_sub(self.hosts);
        let destination = &self.destinations[destination.index()];
        if row == destination.row {
            return slice::from_ref(&destination.port);
        }
        let set = self.sets[self.cell(row, destination.column)];
        &self.ports[set.start as usize..][..set.length as usize]
    }

    /// Number of links from `source` to `destination`; `None` if there is no path.
    pub fn hops(&self, source: HostId, destination: HostId) -> Option<u32> {
        if source == destination {
            return Some(0);
        }
        let from = self.destinations[source.index()];
        let to = self.destinations[destination.index()];
        if from.row == NONE || to.row == NONE {
            // Two hosts joined by a link: the network has no other nodes.
            return (from.row == to.row).then_some(1);
        }
        match self.distances[self.cell(from.row, to.column)] {
            UNREACHABLE => None,
            between => Some(between + 2),
        }
    }

    /// The switches on the longest of all shortest paths between hosts.
    pub fn longest_path_switches(&self) -> u32 {
        let edge_rows = || {
            self.destinations
                .iter()
                .map(|host| host.row)
                .filter(|&row| row != NONE)
        };
        let mut rows: Vec<u32> = edge_rows().collect();
        rows.sort_unstable();
        rows.dedup();
        rows.iter()
            .flat_map(|&row| &self.distances[self.cell(row, 0)..][..self.edges as usize])
            .filter(|&&distance| distance != UNREACHABLE)
            .map(|&distance| distance + 1)
            .max()
            .unwrap_or(0)
    }

    #[inline]
    fn cell(&self, row: u32, column: u32) -> usize {
        row as usize * self.edges as usize + column as usize
    }
}

#[cfg(test)]
mod tests;
