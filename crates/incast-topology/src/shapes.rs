//! The builders: a file for each shape of network.
//!
//! A builder is a struct of parameters, all with defaults, which knows its [`Size`] by formula
//! and builds a [`Topology`](crate::Topology). Hosts are numbered as they stand, from left to
//! right; switches follow tier by tier, from the hosts upwards; links come in the same order.

mod check;
mod clos;
mod clos_320;
mod clos_64;
mod dumbbell;
mod fat_tree;
mod leaf_spine;
mod parking_lot;
mod plan;
mod star;

pub use clos::{Clos, CoreOrder, Tier};
pub use clos_64::Clos64;
pub use clos_320::Clos320;
pub use dumbbell::Dumbbell;
pub use fat_tree::FatTree;
pub use leaf_spine::LeafSpine;
pub use parking_lot::ParkingLot;
pub use plan::Size;
pub use star::Star;
