//! Quantities of one entropy of a flow.

use incast_units::FlowId;

use super::quantity::quantities;

quantities! {
    /// What a sender did with an entropy, and heard of it.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct EntropyCounters {
        /// Data packets that left with it.
        sent: u32 => "sent_packets",
        /// ACKs without a mark that answered one of these, and NACKs for those that were trimmed at
        /// the last hop, which say nothing against the path.
        unmarked: u32 => "unmarked_replies",
        /// Replies with a mark.
        marked: u32 => "marked_replies",
        /// Trimmed packets that other NACKs told of, and that had not timed out before.
        trimmed: u32 => "trimmed_packets",
        /// Packets that later ones showed to be lost.
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
    /// The UDP source port that carries it.
    pub entropy: u16,
    /// What its sender counted.
    pub counters: EntropyCounters,
}
