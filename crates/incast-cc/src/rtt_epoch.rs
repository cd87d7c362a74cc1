//! RTT epochs, delimited by sequence numbers.

use crate::Ack;

/// One RTT epoch: it ends when a packet sent after the epoch's start is acknowledged.
#[derive(Clone, Debug, Default)]
pub(crate) struct RttEpoch {
    /// Sequence number that ends the epoch; 0 before the first epoch.
    end: u64,
}

impl RttEpoch {
    /// Whether the first epoch has begun.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.end != 0
    }

    /// Whether this ACK ends the epoch.
    #[inline]
    pub(crate) fn is_over(&self, ack: &Ack<'_>) -> bool {
        ack.next_expected > self.end
    }

    /// Begins a new epoch. Its end is never before the previous epoch's end, even after a go-back.
    #[inline]
    pub(crate) fn begin(&mut self, ack: &Ack<'_>) {
        self.end = self.end.max(ack.next_to_send);
    }
}
