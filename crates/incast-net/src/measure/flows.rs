//! Quantities of flows.

use incast_units::{Bytes, FlowId, HostId, Rate, Time};

use super::quantity::quantities;

/// A flow that completed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow.
    pub id: FlowId,
    /// The sending host.
    pub source: HostId,
    /// The receiving host.
    pub destination: HostId,
    /// Its payload.
    pub size: Bytes,
    /// The traffic entry it belongs to.
    pub tag: u16,
    /// UDP source port of its QP.
    pub source_port: u16,
    /// Creation of the QP.
    pub start: Time,
    /// Arrival at the sender of the ACK that completes it.
    pub finish: Time,
    /// The counters of its sender.
    pub counters: FlowCounters,
}

quantities! {
    /// Counters of a flow at its sender.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct FlowCounters {
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
    /// Its name.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}
