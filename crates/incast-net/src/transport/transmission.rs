//! One transmission of a packet, at its sender.

use incast_units::Time;

/// A transmission of a flow. Its number is its position in the scoreboard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Transmission {
    pub(super) sent: Time,
    pub(super) psn: u32,
    pub(super) payload: u32,
    /// The entropy of the packet, which determines its path.
    pub(super) entropy: u16,
    pub(super) requests_ack: bool,
    /// Whether the transmission is neither acknowledged nor lost.
    pub(super) is_open: bool,
}

/// The latest transmission that is known to have arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Newest {
    pub(super) number: u64,
    pub(super) round_trip: Time,
}
