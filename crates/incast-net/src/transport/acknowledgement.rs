//! What ACKs and NACKs say, and what they show.

use crate::wire::{Kind, TrimmedAt};

/// What an ACK or NACK says.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Acknowledgement {
    pub(crate) kind: Kind,
    /// All packets before this one have arrived.
    pub(crate) expected: u32,
    /// With a scoreboard: the transmission that it answers. It has arrived, or was trimmed if this
    /// is a NACK.
    pub(crate) transmission: u64,
    /// Packets that came early, if it names any.
    pub(crate) sack: Option<Sack>,
    /// Of a NACK: that this transmission was trimmed, if it says so.
    pub(crate) trim: Option<Trim>,
}

/// What a NACK says about the packet that was trimmed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trim {
    pub(crate) at: TrimmedAt,
    /// Whether it was marked before.
    pub(crate) marked: bool,
}

/// What an ACK or NACK shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckOutcome {
    /// Payload bytes acknowledged for the first time, in order or not: what controllers are told.
    pub(crate) newly_acked: u64,
    /// Payload bytes acknowledged in order for the first time: what is measured.
    pub(crate) in_order: u64,
    /// Whether it shows a loss.
    pub(crate) shows_loss: bool,
    /// Payload of the transmission that it says was trimmed, if that was not known.
    pub(crate) trimmed: u64,
}

/// Is told the entropy of each transmission that was lost: the path that it took.
pub(crate) type OnLost<'a> = &'a mut dyn FnMut(u16);

/// Packets that came early: bit k stands for packet `base + k`; a bit that is 0 says nothing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sack {
    pub(crate) base: u32,
    pub(crate) bits: u64,
}
