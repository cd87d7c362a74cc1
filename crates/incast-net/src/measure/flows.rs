//! Quantities of flows.

use incast_units::{Bytes, FlowId, HostId, Rate, Time};

use super::quantity::quantities;
use crate::flow::Flow;

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
    /// The traffic entry of the flow.
    pub tag: u16,
    /// UDP source port of its QP.
    pub source_port: u16,
    /// Creation of the QP.
    pub start: Time,
    /// Arrival of the completing ACK at the sender.
    pub finish: Time,
    /// The counters of its sender.
    pub counters: FlowCounters,
}

impl Flow {
    /// The record of a flow that ends at `finish`.
    pub fn record(&self, finish: Time, counters: FlowCounters) -> FlowRecord {
        FlowRecord {
            id: self.id,
            source: self.source,
            destination: self.destination,
            size: self.size,
            tag: self.tag,
            source_port: self.source_port,
            start: self.start,
            finish,
            counters,
        }
    }
}

/// A flow that had started and not completed when the run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedFlow {
    /// The flow.
    pub flow: Flow,
    /// Payload acknowledged.
    pub acked: Bytes,
    /// Packets sent, each counted once.
    pub sent: u32,
    /// The time at which pacing lets it send again; [`Time::MAX`] if something else holds it back.
    pub next_send: Time,
    /// The counters of its sender.
    pub counters: FlowCounters,
}

impl UnfinishedFlow {
    /// A flow that has sent nothing.
    pub(crate) fn untouched(flow: Flow) -> Self {
        Self {
            flow,
            acked: Bytes::ZERO,
            sent: 0,
            next_send: Time::MAX,
            counters: FlowCounters::default(),
        }
    }
}

quantities! {
    /// Counters of a flow, kept at its sender.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct FlowCounters {
        /// Packets sent again.
        retransmitted: u32 => "retransmitted_packets",
        /// Their payload.
        retransmitted_bytes: u64 => "retransmitted_bytes",
        /// Payload retransmitted after a timeout, rather than after an ACK or NACK that showed the
        /// loss.
        timeout_bytes: u64 => "timeout_retransmitted_bytes",
        /// ACKs that carried a mark.
        marked_acks: u32 => "marked_acks",
        /// NACKs for trimmed packets.
        nacks: u32 => "nacks",
        /// Payload of trimmed packets, which was retransmitted for this reason.
        trimmed_bytes: u64 => "trimmed_bytes",
        /// Probes sent.
        probes: u32 => "probes_sent",
        /// Retransmission timeouts that expired.
        timeouts: u32 => "timeouts",
        /// Sum of the lengths of these timeouts, in which the flow waited. Where packets time out
        /// one by one, overlapping timeouts count once.
        timeout_wait: Time => "timeout_wait_ps",
    }
}

/// The state of a flow's sender at one time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowSample {
    /// When.
    pub time: Time,
    /// Which.
    pub flow: FlowId,
    /// Pacing rate.
    pub rate: Rate,
    /// Window; [`Bytes::MAX`] if there is none.
    pub window: Bytes,
    /// Payload bytes sent.
    pub sent: Bytes,
    /// Payload bytes acknowledged.
    pub acked: Bytes,
}

/// One value that a flow's algorithm shows of its state at one time.
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
