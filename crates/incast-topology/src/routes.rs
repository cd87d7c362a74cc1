//! Shortest-path routes: which ports of a switch lead to a host.
//!
//! A packet takes a path of fewest links, whatever their rates, and never passes through a host.
//! All ports that lie on such a path are its equal-cost next hops; who picks one of them, by a
//! hash or otherwise, is not decided here.
//!
//! Hosts below one switch are reached alike from everywhere else, so next hops are kept for each
//! pair of a switch and such an *edge* switch, and equal sets are kept once:
//!
//! ```text
//! destination host ──► its edge switch, and the port that leads to the host there
//! (switch, edge)   ──► where in `ports` their set lies ──► the set
//! ```
//!
//! For 8 192 hosts and 1 280 switches (a fat tree of k = 32) that is 512 edges, 655 360 entries
//! and about 8 MB.

mod build;
mod path;

use std::slice;

use incast_units::{HostId, NodeId};

use crate::topology::Topology;

pub use path::{Hop, Path};

/// In which order equal-cost next hops are listed.
///
/// A hash picks among them by index, so a different order sends flows along different paths.
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
    /// Edge switches: those with hosts.
    edges: u32,
    destinations: Vec<Destination>,
    /// For each switch (row) and edge (column), the set of next hops.
    sets: Vec<Set>,
    /// For each switch (row) and edge (column), the links between them.
    distances: Vec<u32>,
    /// The next hops of all sets, one after the other.
    ports: Vec<u16>,
}

/// How a host is reached in the end.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Destination {
    /// The row of its edge switch; [`NONE`] if its neighbour is a host.
    row: u32,
    /// The column of its edge switch.
    column: u32,
    /// The port of the edge switch that leads to it.
    port: u16,
}

/// A stretch of [`Routes::ports`].
#[derive(Copy, Clone, Debug, PartialEq)]
struct Set {
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
    /// Ports keep their numbers. Hosts that are cut off have no next hops, except at their own
    /// edge switch, which still knows their port.
    pub fn avoiding(topology: &Topology, order: NextHopOrder, down: impl Fn(u32) -> bool) -> Self {
        build::build(topology, order, down)
    }

    /// The ports of `switch` that lie on a shortest path to `destination`, in the chosen order.
    ///
    /// # Panics
    /// If `switch` is a host, or one of them does not exist.
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

    /// How many links a packet crosses from `source` to `destination`; `None` if it cannot.
    pub fn hops(&self, source: HostId, destination: HostId) -> Option<u32> {
        if source == destination {
            return Some(0);
        }
        let from = self.destinations[source.index()];
        let to = self.destinations[destination.index()];
        if from.row == NONE || to.row == NONE {
            // A host on a host: there is nobody else on its network.
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
