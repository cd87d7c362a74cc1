//! Quantities of flows.

use incast_units::{Bytes, FlowId, HostId, Rate, Time};

use super::quantity::quantities;

quantities! {
    /// A flow that completed.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct FlowRecord {
        /// The flow.
        id: FlowId => "flow_id",
        /// Who sent it.
        source: HostId => "source",
        /// Who received it.
        destination: HostId => "destination",
        /// Its payload.
        size: Bytes => "size_bytes",
        /// The traffic entry it belongs to.
        tag: u16 => "traffic",
        /// UDP source port of its QP.
        source_port: u16 => "source_port",
        /// Creation of the QP.
        start: Time => "start_ps",
        /// Arrival at the sender of the ACK that completes it.
        finish: Time => "finish_ps",
        /// Packets sent again.
        retransmitted: u32 => "retransmitted_packets",
    }
}

/// One flow at one time, as its sender knows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowSample {
    /// When.
    pub time: Time,
    /// Which.
    pub flow: FlowId,
    /// Pacing rate.
    pub rate: Rate,
    /// Window; [`Bytes::MAX`] if none.
    pub window: Bytes,
    /// Payload bytes sent.
    pub sent: Bytes,
    /// Payload bytes acknowledged.
    pub acked: Bytes,
}

/// One value that a flow's algorithm shows of its state, at one time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ProbeSample {
    /// When.
    pub time: Time,
    /// Of which flow.
    pub flow: FlowId,
    /// What it is called.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}
