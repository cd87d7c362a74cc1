//! The parts of each flow's FCT, as sums, without a record for each state and packet.

use incast_units::{FlowId, Time};

/// A part of a flow's time at its sender. Each is a column of `flows.parquet`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SenderPart {
    /// Packets left the NIC for the first time.
    Sending,
    /// Packets left the NIC again.
    Resending,
    /// The window was full.
    Window,
    /// Its pace.
    Pacing,
    /// Other packets left the NIC.
    Nic,
    /// PFC had paused the NIC.
    Pause,
    /// Other flows of the QP, or flows under the same limit, came first.
    Turn,
    /// The flow had no grant to send.
    Grant,
    /// The flow had no credit from its receiver.
    Credit,
    /// A packet was lost, and the sender did not know.
    Loss,
    /// A packet was lost, and only a timeout showed the loss.
    Timeout,
}

impl SenderPart {
    /// The names of the columns, in the order of the parts.
    pub const NAMES: [&'static str; 11] = [
        "fct_sending_ps",
        "fct_resending_ps",
        "fct_full_window_ps",
        "fct_pacing_ps",
        "fct_nic_ps",
        "fct_nic_paused_ps",
        "fct_turn_ps",
        "fct_grant_ps",
        "fct_credit_ps",
        "fct_loss_ps",
        "fct_timeout_ps",
    ];
}

/// The parts of a flow's FCT. Their sum is the FCT.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// The flow.
    pub flow: FlowId,
    /// Time until the completing packet left, by [`SenderPart`].
    pub at_sender: [Time; SenderPart::NAMES.len()],
    /// The time from the completing packet's departure to the ACK that completed the flow.
    pub last: Time,
    /// The part of `last` in which the packet and its ACK were on links.
    pub on_links: OnLinks,
}

/// The time of a data packet and its ACK on links.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OnLinks {
    /// The time as both packets carried it.
    Told(Time),
    /// The time follows from rates and delays of the flow's only path, for its last packet.
    LastPacket,
    /// The time follows from rates and delays of the flow's only path, for a full packet.
    FullPacket,
}
