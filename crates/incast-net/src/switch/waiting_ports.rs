//! Ports at which data wait, for the search for deadlocks.

use incast_units::{FlowId, NodeId, Time};

/// A port of a switch at which data wait.
#[derive(Clone, Debug)]
pub(crate) struct WaitingPort {
    pub(crate) node: NodeId,
    pub(crate) port: u32,
    /// The port's number, counted over all nodes.
    pub(crate) index: u32,
    /// Time since which the peer has paused the port's data; `None`: data are not paused.
    pub(crate) paused_since: Option<Time>,
    /// The ports by which the waiting packets arrived.
    pub(crate) came_by: Vec<ArrivalPort>,
}

/// A port by which waiting packets arrived.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ArrivalPort {
    /// The port's number, counted over all nodes.
    pub(crate) index: u32,
    /// Time at which the port decided to pause its peer; `None`: the peer is not paused.
    pub(crate) pauses_since: Option<Time>,
    /// The flow of the first of these packets.
    pub(crate) flow: FlowId,
}
