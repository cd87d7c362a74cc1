//! The shapes of networks: one file each, and the table of their names.
//!
//! A shape is a struct of parameters, all with defaults. It computes its [`Size`] by formula and
//! builds a [`Topology`](crate::Topology). Hosts are numbered from left to right. Switches follow
//! tier by tier, from the hosts upwards. Links are in the same order.

use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};

use crate::topology::Topology;

mod check;
mod clos;
mod clos_320;
mod clos_64;
mod dragonfly;
mod dumbbell;
mod fat_tree;
mod leaf_spine;
mod oversubscription;
mod parking_lot;
#[cfg(test)]
mod path_count;
mod plan;
mod rail_optimised;
mod star;
mod torus;

pub use clos::{Clos, CoreOrder, Tier};
pub use clos_64::Clos64;
pub use clos_320::Clos320;
pub use dragonfly::Dragonfly;
pub use dumbbell::Dumbbell;
pub use fat_tree::FatTree;
pub use leaf_spine::LeafSpine;
pub use oversubscription::Oversubscription;
pub use parking_lot::ParkingLot;
pub use plan::Size;
pub use rail_optimised::{RailHosts, RailOptimised};
pub use star::Star;
pub use torus::Torus;

/// A shape of network: its type holds the parameters, and has the methods of [`TopologySpec`].
pub trait Shape: Default + 'static {
    /// Named sets of parameters, such as those of a paper.
    const SETS: &'static [NamedSet<Self>] = &[];
}

registry! {
    /// A network described by its kind and parameters; absent parameters have their defaults.
    #[derive(Clone, Debug, PartialEq)]
    pub enum TopologySpec: Shape as "topology", tagged "kind" {
        "star" => Star(Star), "17 hosts around one switch, 100 Gb/s, 1 µs";
        "dumbbell" => Dumbbell(Dumbbell),
            "2 senders, 3 switches, 1 receiver, 100 Gb/s, 1.5 µs (FNCC)";
        "parking-lot" => ParkingLot(ParkingLot), "2 bottlenecks, 6 hosts, 100 Gb/s, 1.5 µs";
        "fat-tree" => FatTree(FatTree),
            "128 hosts, three tiers of 8-port switches, 100 Gb/s, 1 µs";
        "leaf-spine" => LeafSpine(LeafSpine),
            "144 hosts, 9 leaves, 4 spines, 100 and 400 Gb/s, 1 µs";
        "clos-320" => Clos320(Clos320), "320 hosts, three tiers, 100 and 400 Gb/s, 1 µs (HPCC)";
        "clos-64" => Clos64(Clos64),
            "64 hosts, half-populated fat tree of k = 8, 10 Gb/s (LGC)";
        "dragonfly" => Dragonfly(Dragonfly),
            "72 hosts, 9 groups of 4 routers, 100 Gb/s, 1 µs";
        "torus" => Torus(Torus), "64 hosts on a 4 × 4 × 4 torus, 100 Gb/s, 1 µs";
        "rail-optimised" => RailOptimised(RailOptimised),
            "128 hosts in 16 nodes, 16 leaves, 8 spines, 400 Gb/s, 500 ns";
    }

    impl {
        /// The size of the network, without building it.
        pub fn size(&self) -> Size;

        /// Builds the network and validates it.
        ///
        /// # Errors
        /// If a parameter is impossible.
        pub fn build(&self) -> Result<Topology, Diagnostic>;
    }
}

impl TopologySpec {
    /// The network with this name: a kind with its defaults, or a named set of parameters.
    ///
    /// # Errors
    /// If no network has this name; the error lists the nearest name and all names.
    pub fn named(name: &str) -> Result<Self, Diagnostic> {
        Self::with_name_or_set(name)
    }

    /// All names of networks, each with a one-line summary.
    pub fn names() -> Vec<(&'static str, &'static str)> {
        let rows = Self::available().iter().flat_map(|row| {
            let sets = row.sets().into_iter().map(|set| (set.name, set.summary));
            std::iter::once((row.name, row.summary)).chain(sets)
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests;
