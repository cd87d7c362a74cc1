//! Selective repeat at the receiver: out-of-order data wait for the packets before them.

use std::collections::BTreeMap;

/// Out-of-order packets of one flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReorderBuffer {
    /// Payload of each packet that waits.
    packets: BTreeMap<u32, u64>,
    /// The last packet of the flow, once it has come.
    last: Option<u32>,
}

/// Packets that leave the buffer in order.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Released {
    pub(crate) packets: u32,
    pub(crate) payload: u64,
    /// Whether the last packet of the flow is among them.
    pub(crate) completes_flow: bool,
}

impl ReorderBuffer {
    /// Keeps an out-of-order packet.
    pub(crate) fn keep(&mut self, psn: u32, payload: u64, is_last: bool) {
        self.packets.insert(psn, payload);
        if is_last {
            self.last = Some(psn);
        }
    }

    /// Whether no packet waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether the last packet of the flow has come.
    pub(crate) fn has_last(&self) -> bool {
        self.last.is_some()
    }

    /// Releases packet `expected` and those that follow it without a gap.
    pub(crate) fn release(&mut self, expected: u32) -> Released {
        let mut released = Released::default();
        while let Some(payload) = self.packets.remove(&(expected + released.packets)) {
            released.completes_flow = self.last == Some(expected + released.packets);
            released.packets += 1;
            released.payload += payload;
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 and 3 wait for 1; 5, the last, waits for 4.
    #[test]
    fn packets_are_released_up_to_the_next_gap() {
        let mut buffer = ReorderBuffer::default();
        for (psn, is_last) in [(3, false), (5, true), (2, false)] {
            buffer.keep(psn, 1_000, is_last);
        }
        assert_eq!(buffer.release(1), Released::default());
        let two = Released {
            packets: 2,
            payload: 2_000,
            completes_flow: false,
        };
        assert_eq!(buffer.release(2), two);
        let last = buffer.release(5);
        assert_eq!((last.packets, last.completes_flow), (1, true));
    }
}
