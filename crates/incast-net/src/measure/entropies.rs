//! Quantities of one entropy of a flow.

use incast_units::FlowId;

use super::quantity::quantities;

quantities! {
    /// A sender's counts for one entropy of a flow.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct EntropyCounters {
        /// Data packets sent with this entropy.
        sent: u32 => "sent_packets",
        /// Unmarked ACKs for these packets, and NACKs for packets trimmed at the last hop, which
        /// are no sign of congestion on the path.
        unmarked: u32 => "unmarked_replies",
        /// Replies with a mark.
        marked: u32 => "marked_replies",
        /// Packets trimmed before the last hop, by NACK, except packets that had timed out before.
        trimmed: u32 => "trimmed_packets",
        /// Packets shown to be lost by later packets.
        lost: u32 => "lost_packets",
        /// Packets that timed out.
        timed_out: u32 => "timed_out_packets",
    }
}

/// One entropy of one flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EntropyRecord {
    /// The flow.
    pub flow: FlowId,
    /// The entropy: a UDP source port.
    pub entropy: u16,
    /// The counts of the flow's sender.
    pub counters: EntropyCounters,
}
