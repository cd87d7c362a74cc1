//! RTT epochs, told apart by sequence numbers.

use crate::Ack;

/// One RTT epoch: it ends when a packet is acknowledged that was sent after the epoch began.
#[derive(Clone, Debug, Default)]
pub(crate) struct RttEpoch {
    /// Sequence number that ends the epoch; 0 before the first one begins.
    end: u64,
}

impl RttEpoch {
    /// Whether a first epoch has begun.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.end != 0
    }

    /// Whether this ACK ends the epoch.
    #[inline]
    pub(crate) fn is_over(&self, ack: &Ack<'_>) -> bool {
        ack.next_expected > self.end
    }

    /// Begins a new epoch. Its end is never before that of the last one, even where the sender
    /// has gone back to an earlier packet.
    #[inline]
    pub(crate) fn begin(&mut self, ack: &Ack<'_>) {
        self.end = self.end.max(ack.next_to_send);
    }
}
