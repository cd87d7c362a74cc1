//! The contents of ACKs and NACKs, and their effects.

use incast_units::Bytes;

use crate::wire::{Kind, TrimmedAt};

/// The contents of an ACK or NACK.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Acknowledgement {
    pub(crate) kind: Kind,
    /// All packets before this one have arrived.
    pub(crate) expected: u32,
    /// With a scoreboard: the transmission that this ACK or NACK answers. The transmission has
    /// arrived or, for a NACK, was trimmed.
    pub(crate) transmission: u64,
    /// Early packets that the ACK names; `None` if it names none.
    pub(crate) sack: Option<Sack>,
    /// The receiver's count of bytes on the wire at the departure of this ACK; 0 if receivers do
    /// not count.
    pub(crate) received: u64,
    /// For a NACK of a trimmed packet: the place of trimming, and whether the packet was marked.
    pub(crate) trim: Option<Trim>,
}

/// Facts in a NACK about the trimmed packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trim {
    pub(crate) at: TrimmedAt,
    /// Whether the packet was marked before it was trimmed.
    pub(crate) marked: bool,
}

/// A number of packets, and the sum of their payload.
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

    /// The packets' bytes on the wire, with headers of `overhead` each.
    pub(crate) fn on_wire(self, overhead: u64) -> Bytes {
        Bytes::new(self.payload + self.packets * overhead)
    }
}

/// Facts on single transmissions that a scoreboard has not yet passed to the controller.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Untold {
    /// The receiver's largest reported count of bytes on the wire.
    received: u64,
    /// Its growth.
    pub(super) newly_received: u64,
    /// Packets that arrived after all while they waited for retransmission.
    pub(super) restored: Payloads,
    /// Whether the last ACK answers a transmission that was open.
    pub(super) was_awaited: bool,
    /// Whether an ACK answers the latest probe.
    pub(super) answers_probe: bool,
    /// Transmissions that are lost.
    pub(super) lost: Payloads,
}

impl Untold {
    /// Takes the receiver's count from an ACK. An ACK that was overtaken has an old count.
    pub(super) fn hear(&mut self, received: u64) {
        self.newly_received += received.saturating_sub(self.received);
        self.received = self.received.max(received);
    }
}

/// The effects of an ACK or NACK.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckOutcome {
    /// Payload bytes acknowledged for the first time, in order or not; passed to controllers.
    pub(crate) newly_acked: u64,
    /// Payload bytes acknowledged in order for the first time; for measurements.
    pub(crate) in_order: u64,
    /// Whether the ACK shows a loss.
    pub(crate) shows_loss: bool,
    /// Payload of a trimmed transmission that was not known to be lost.
    pub(crate) trimmed: u64,
}

/// Called with the entropy, and so the path, of each lost transmission.
pub(crate) type OnLost<'a> = &'a mut dyn FnMut(u16);

/// Early packets as a bitmap: bit k stands for packet `base + k`; a bit of 0 means nothing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sack {
    pub(crate) base: u32,
    pub(crate) bits: u64,
}
