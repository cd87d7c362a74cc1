//! Early packets at the receiver, which wait for the packets before them.
//!
//! A bitmap of packet numbers suffices: all packets but the last of a flow are full.

use super::acknowledgement::Sack;
use super::psn_set::PsnSet;
use crate::measure::ArrivalOrder;

/// Early packets of one flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    early: PsnSet,
    /// The last packet of the flow, if it was early.
    last: Option<LastPacket>,
    /// The highest number of an early packet.
    highest: u32,
    /// Payload that waits.
    waiting: u64,
    /// The order of arrival, without the number of received packets.
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
    /// Whether they include the last packet of the flow.
    pub(crate) completes_flow: bool,
}

/// Arrivals of a flow, and the ACK requests of its sender.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// Bytes on the wire, without duplicates.
    pub(crate) received: u64,
    /// Whether a packet requested an ACK while others were missing.
    pub(crate) is_asked: bool,
}

impl Reassembly {
    /// Keeps an early packet if it is new. Returns its distance from the highest number before, 0
    /// if this is the highest, or `None` for a duplicate.
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

    /// The expected packet arrives. Returns the distance of its number from the highest number
    /// before, if early packets wait.
    pub(crate) fn end_wait(&mut self, expected: u32) -> Option<u32> {
        let distance = self.highest.saturating_sub(expected);
        let is_late = !self.is_empty();
        if is_late {
            self.order.count(distance);
        }
        is_late.then_some(distance)
    }

    /// The order in which the flow's packets arrived; `released` packets have been delivered.
    pub(crate) fn order(&self, released: u32) -> ArrivalOrder {
        ArrivalOrder {
            received: released + self.early.len(),
            ..self.order
        }
    }

    /// Whether this packet waits here.
    pub(crate) fn has(&self, psn: u32) -> bool {
        self.early.contains(psn)
    }

    /// The packets among the 64 from `base` on that wait here, as a SACK.
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

    /// Whether the last packet of the flow has arrived.
    pub(crate) fn has_last(&self) -> bool {
        self.last.is_some()
    }

    /// Releases packet `expected` and the packets that follow without a gap; full ones hold `mtu`.
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
