//! An input of a switch: the buffer of one channel at the end of a link.

use std::collections::VecDeque;

use crate::packet::{CHANNELS, Channel, Cycle, Ticket};

/// The buffer of one channel at the receiving end of a link.
#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    /// Packets, each with the cycle from which it is ready.
    pub(super) queue: VecDeque<(Cycle, Ticket)>,
    /// Packets that may have to wait, for room or for a table entry.
    pub(super) uncertain: u32,
    /// Copies of the first packet that wait for room in output queues.
    pub(super) copies_waiting: u32,
    /// Whether the first packet has a table entry.
    pub(super) has_entry: bool,
    pub(super) state: InputState,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum InputState {
    /// Empty.
    #[default]
    Empty,
    /// The first packet is still crossing the switch.
    Crossing,
    /// The first packet waits for a table entry.
    NeedsEntry,
    /// Copies of the first packet wait for room.
    NeedsRoom,
}

/// The input's number: one for each port and channel.
pub(super) fn input_number(port: u16, channel: Channel) -> u32 {
    (usize::from(port) * CHANNELS + channel) as u32
}

pub(super) fn port_of(input: u32) -> u16 {
    (input as usize / CHANNELS) as u16
}
