//! Packets that came before their turn, at the receiver: they wait for the packets before them.
//!
//! A bitmap is enough. What a packet holds follows from its number, but for the last packet of a
//! flow, which may be shorter than all others.

use super::acknowledgement::Sack;
use super::psn_set::PsnSet;

/// Packets of one flow that came early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    early: PsnSet,
    /// The last packet of the flow, once it has come early.
    last: Option<LastPacket>,
}

#[derive(Copy, Clone, Debug)]
struct LastPacket {
    psn: u32,
    payload: u64,
}

/// Packets that leave in order.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Released {
    pub(crate) packets: u32,
    pub(crate) payload: u64,
    /// Whether the last packet of the flow is among them.
    pub(crate) completes_flow: bool,
}

/// What a receiver has beside the packets before the one that it expects.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SackReport {
    /// The 64 packets from a base on.
    pub(crate) sack: Sack,
    /// Packets that wait for others.
    pub(crate) early: u32,
    /// The highest packet that has come, if one has.
    pub(crate) highest: Option<u32>,
}

/// Running sums of what has arrived of a flow, duplicates apart.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReceivedBytes {
    pub(crate) payload: u64,
    /// With headers.
    pub(crate) wire: u64,
}

impl ReceivedBytes {
    /// A packet arrives that has not come before.
    pub(crate) fn add(&mut self, payload: u64, size: u16) {
        self.payload += payload;
        self.wire += u64::from(size);
    }
}

impl Reassembly {
    /// Keeps an early packet; says whether it is new.
    pub(crate) fn keep(&mut self, psn: u32, payload: u64, is_last: bool) -> bool {
        if is_last {
            self.last = Some(LastPacket { psn, payload });
        }
        self.early.insert(psn)
    }

    /// What receivers report beside the packet that they expect, which is not here.
    #[cfg_attr(not(test), expect(dead_code, reason = "for ACKs that carry it"))]
    pub(crate) fn report(&self, expected: u32, base: u32) -> SackReport {
        // Bits below `expected` say what the number says already.
        let in_order = expected.saturating_sub(base).min(64);
        let below = u64::MAX
            .checked_shl(in_order)
            .map_or(u64::MAX, |above| !above);
        SackReport {
            sack: Sack {
                base,
                bits: self.early.bits_from(base) | below,
            },
            early: self.early.len(),
            highest: self.early.last().or(expected.checked_sub(1)),
        }
    }

    /// Whether no packet waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.early.is_empty()
    }

    /// Whether the last packet of the flow has come.
    pub(crate) fn has_last(&self) -> bool {
        self.last.is_some()
    }

    /// Releases packet `expected` and those that follow it without a gap; full ones hold `mtu`.
    pub(crate) fn release(&mut self, expected: u32, mtu: u64) -> Released {
        let packets = self.early.remove_run(expected);
        let end = expected + packets;
        let last = self.last.filter(|last| packets > 0 && last.psn + 1 == end);
        let full = u64::from(packets - u32::from(last.is_some()));
        Released {
            packets,
            payload: full * mtu + last.map_or(0, |last| last.payload),
            completes_flow: last.is_some(),
        }
    }
}

#[cfg(test)]
mod tests;
