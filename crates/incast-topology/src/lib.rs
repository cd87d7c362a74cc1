//! Topologies as plain data, and their routes.
//!
//! A [`Topology`] is a list of links between hosts and switches, nothing more: every shape and
//! every file reader makes one, and any other graph becomes one by its edges. [`Ports`] and
//! [`Routes`] are derived from it. This crate does not know how switches treat packets, nor which
//! of several next hops a packet takes.
//!
//! ```
//! use incast_topology::{NextHopOrder, Ports, Routes, TopologySpec};
//! use incast_units::{HostId, NodeId};
//!
//! let topology = TopologySpec::named("clos-320")?.build()?;
//! let ports = Ports::new(&topology);
//! let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
//! let tor = ports.of(NodeId(0))[0].peer;
//! assert_eq!(topology.label(tor), "tor0");
//! assert_eq!(routes.next_hops(tor, HostId(319)), [16, 17, 18, 19]);
//! # Ok::<(), incast_diagnostic::Diagnostic>(())
//! ```
//!
//! ```text
//! TopologySpec, file, edges ──► Topology ──► Ports     which node is at the other end of a port?
//!                                       └──► Routes    which ports of a switch lead to a host?
//! ```

#[cfg(test)]
mod digest;
mod ports;
mod routes;
mod shapes;
mod topology;

pub use ports::{Port, Ports};
pub use routes::{Hop, NextHopOrder, Path, Routes};
pub use shapes::*;
pub use topology::{
    CELLS_MAX, GraphNames, LINKS_MAX, LabelledBy, Link, Machines, NODES_MAX, PORTS_MAX,
    ParallelLinks, Topology, check_size,
};
