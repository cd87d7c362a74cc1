//! What ACKs and NACKs say, and what they show.

use incast_units::Bytes;

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
    /// Bytes on the wire that had arrived when it left, if receivers count them; else 0.
    pub(crate) received: u64,
    /// Of a NACK: that this transmission was trimmed, if it says so.
    pub(crate) trim: Option<Trim>,
}

/// What a NACK says about the packet that was trimmed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trim {
    pub(crate) at: TrimmedAt,
    /// Whether the packet was marked before it was trimmed.
    pub(crate) marked: bool,
}

/// So many packets, with so much payload together.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Payloads {
    packets: u64,
    payload: u64,
}

impl Payloads {
    pub(super) fn add(&mut self, payload: u64) {
        self.packets += 1;
        self.payload += payload;
    }

    /// Their bytes on the wire, where the headers of each take `overhead`.
    pub(crate) fn on_wire(self, overhead: u64) -> Bytes {
        Bytes::new(self.payload + self.packets * overhead)
    }
}

/// What a scoreboard has learnt of single transmissions and has not yet told the controller.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Untold {
    /// The receiver's count of bytes on the wire, as far as ACKs have told.
    received: u64,
    /// Its growth.
    pub(super) newly_received: u64,
    /// Packets that waited to be sent again, and have arrived.
    pub(super) restored: Payloads,
    /// Whether the last ACK answers a transmission that was open.
    pub(super) was_awaited: bool,
    /// Whether an ACK answers the latest probe.
    pub(super) answers_probe: bool,
    /// Transmissions that are lost.
    pub(super) lost: Payloads,
}

impl Untold {
    /// An ACK tells the receiver's count. One that was overtaken tells an old one.
    pub(super) fn hear(&mut self, received: u64) {
        self.newly_received += received.saturating_sub(self.received);
        self.received = self.received.max(received);
    }
}

/// What an ACK or NACK shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckOutcome {
    /// Payload bytes acknowledged for the first time, in order or not: what controllers are told.
    pub(crate) newly_acked: u64,
    /// Payload bytes acknowledged in order for the first time: what is measured.
    pub(crate) in_order: u64,
    /// Whether the ACK shows a loss.
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
