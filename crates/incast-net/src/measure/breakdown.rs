//! Where the times of flows went, in sums: without a record of each state and packet.

use incast_units::{FlowId, Time};

/// What a flow did at its sender, or waited for there. Each is a column of `flows.parquet`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SenderPart {
    /// Its packets left the NIC for the first time.
    Sending,
    /// Packets left the NIC that had been sent before.
    Resending,
    /// The window was full.
    Window,
    /// Its pace.
    Pacing,
    /// Other packets left the NIC.
    Nic,
    /// PFC had paused the NIC.
    Pause,
    /// Other flows of its QP, or of those that share its limit, came first.
    Turn,
    /// The flow had no grant to send.
    Grant,
    /// The flow had no credit of its receiver.
    Credit,
    /// A packet was to be sent again, and nothing had told so.
    Loss,
    /// A packet was to be sent again, and only a timeout told so.
    Timeout,
}

impl SenderPart {
    /// The columns, in the order of the parts.
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

/// The parts of the FCT of a flow, which add up to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// The flow.
    pub flow: FlowId,
    /// Time until the flow's last packet left, by [`SenderPart`].
    pub at_sender: [Time; SenderPart::NAMES.len()],
    /// The time from then to the ACK that completed the flow.
    pub last: Time,
    /// How much of this the packet and its ACK were on links.
    pub on_links: OnLinks,
}

/// The time of a data packet and its ACK on links.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OnLinks {
    /// As they told it.
    Told(Time),
    /// As it follows from rates and delays of the only path of the flow, for its last packet.
    LastPacket,
    /// The same for a full packet.
    FullPacket,
}
