//! Ports at which data wait, as the search for deadlocks sees them.

use incast_units::{FlowId, NodeId, Time};

/// A port of a switch at which data wait.
#[derive(Clone, Debug)]
pub(crate) struct WaitingPort {
    pub(crate) node: NodeId,
    pub(crate) port: u32,
    /// Its number among all ports of all nodes.
    pub(crate) index: u32,
    /// Since when the peer has paused its data, if it has.
    pub(crate) paused_since: Option<Time>,
    /// The ports by which the packets came.
    pub(crate) came_by: Vec<ArrivalPort>,
}

/// A port by which packets came that wait.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ArrivalPort {
    /// Its number among all ports of all nodes.
    pub(crate) index: u32,
    /// When it decided that its peer is to pause, if the peer is.
    pub(crate) pauses_since: Option<Time>,
    /// The flow of the first of the packets.
    pub(crate) flow: FlowId,
}
