//! Packets that came before their turn, at the receiver: they wait for the packets before them.
//!
//! A bitmap is enough. What a packet holds follows from its number, but for the last packet of a
//! flow, which may be shorter than all others.

use super::acknowledgement::Sack;
use super::psn_set::PsnSet;
use crate::measure::ArrivalOrder;

/// Packets of one flow that came early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    early: PsnSet,
    /// The last packet of the flow, once it has come early.
    last: Option<LastPacket>,
    /// The highest number that came early.
    highest: u32,
    /// Payload that waits.
    waiting: u64,
    /// The order of arrival, but for the number of packets that have come.
    order: ArrivalOrder,
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

/// What has arrived of a flow, and what its sender has asked for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// Bytes on the wire, duplicates apart.
    pub(crate) received: u64,
    /// Whether a packet asked for an ACK while others were missing.
    pub(crate) is_asked: bool,
}

impl Reassembly {
    /// Keeps an early packet, if it is new; returns how far its number is behind the highest that
    /// came before: not at all if it is the highest.
    pub(crate) fn keep(&mut self, psn: u32, payload: u64, is_last: bool) -> Option<u32> {
        if is_last {
            self.last = Some(LastPacket { psn, payload });
        }
        if !self.early.insert(psn) {
            return None;
        }
        self.waiting += payload;
        self.order.most_waiting = self.order.most_waiting.max(self.waiting);
        let distance = self.highest.saturating_sub(psn);
        match distance {
            0 => self.highest = psn,
            _ => self.order.count(distance),
        }
        Some(distance)
    }

    /// The packet that is expected comes; returns how far its number is behind the highest that
    /// came before, if any that came early waits.
    pub(crate) fn end_wait(&mut self, expected: u32) -> Option<u32> {
        let distance = self.highest.saturating_sub(expected);
        let is_late = !self.is_empty();
        if is_late {
            self.order.count(distance);
        }
        is_late.then_some(distance)
    }

    /// The order in which the flow's packets came, of which so many are released.
    pub(crate) fn order(&self, released: u32) -> ArrivalOrder {
        ArrivalOrder {
            received: released + self.early.len(),
            ..self.order
        }
    }

    /// Whether a packet waits.
    pub(crate) fn has(&self, psn: u32) -> bool {
        self.early.contains(psn)
    }

    /// Which of the 64 packets from `base` on wait here, as ACKs name them.
    pub(crate) fn sack(&self, base: u32) -> Sack {
        Sack {
            base,
            bits: self.early.bits_from(base),
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
        let payload = full * mtu + last.map_or(0, |last| last.payload);
        self.waiting -= payload;
        Released {
            packets,
            payload,
            completes_flow: last.is_some(),
        }
    }
}

#[cfg(test)]
mod tests;
