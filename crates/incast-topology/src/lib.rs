//! Topologies as plain data, and their routes.
//!
//! A [`Topology`] is a list of links between hosts and switches, nothing more: every builder and
//! every file reader ends in one, and whoever has another graph makes one from its edges.
//! [`Ports`] and [`Routes`] are derived from it. What a switch does with packets, and which of
//! several next hops a packet takes, is not known here.
//!
//! ```text
//! TopologySpec, file, edges ──► Topology ──► Ports     who is at the other end of this port?
//!                                       └──► Routes    which ports lead to this host?
//! ```

mod error;
mod ports;
mod routes;
mod topology;

pub use error::{Ends, GraphError};
pub use ports::{Port, Ports};
pub use routes::{Hop, NextHopOrder, Path, Routes};
pub use topology::{CELLS_MAX, LINKS_MAX, Link, NODES_MAX, PORTS_MAX, ParallelLinks, Topology};
