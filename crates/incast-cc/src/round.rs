//! Round trips told by sequence numbers.

use crate::Ack;

/// One round trip: it is over when a packet is acknowledged that was sent after it began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// Sequence number that ends it; 0 before the first one begins.
    end: u64,
}

impl Round {
    /// Whether there was a first one.
    #[inline]
    pub(crate) fn begun(&self) -> bool {
        self.end != 0
    }

    #[inline]
    pub(crate) fn is_over(&self, ack: &Ack<'_>) -> bool {
        ack.next_expected > self.end
    }

    /// A new one begins. It never ends before the one before it, even where the sender has gone
    /// back to an earlier packet.
    #[inline]
    pub(crate) fn begin(&mut self, ack: &Ack<'_>) {
        self.end = self.end.max(ack.next_to_send);
    }
}
