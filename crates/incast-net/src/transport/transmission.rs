//! One transmission of a packet, as its sender knows it.

use incast_units::Time;

/// A transmission of a flow, whose number follows from its place among all.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Transmission {
    pub(super) sent: Time,
    pub(super) psn: u32,
    pub(super) payload: u32,
    /// What its path follows from.
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
