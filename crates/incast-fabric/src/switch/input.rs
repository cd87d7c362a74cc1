//! An input of a switch: the buffer of one channel at the end of a link.

use std::collections::VecDeque;

use crate::packet::{CHANNELS, Channel, Cycle, Ticket};

/// A channel's buffer at the end of a link.
#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    /// Packets, and when they are ready.
    pub(super) queue: VecDeque<(Cycle, Ticket)>,
    /// Packets that must find room, or an entry.
    pub(super) uncertain: u32,
    /// Copies of the first packet that wait for room.
    pub(super) copies_waiting: u32,
    /// Whether the first packet was given a table entry.
    pub(super) has_entry: bool,
    pub(super) state: InputState,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum InputState {
    /// Empty.
    #[default]
    Empty,
    /// The first packet is crossing the switch.
    Crossing,
    /// The packet waits for a table entry.
    NeedsEntry,
    /// Copies of it wait for room.
    NeedsRoom,
}

/// Number of the input for a channel of a port.
pub(super) fn input_number(port: u16, channel: Channel) -> u32 {
    (usize::from(port) * CHANNELS + channel) as u32
}

pub(super) fn port_of(input: u32) -> u16 {
    (input as usize / CHANNELS) as u16
}
