//! One flow at its receiver: the packets that have arrived, and when an ACK is due.

use incast_units::{Bytes, Time};

use crate::cnp::CnpLimiter;
use crate::measure::ArrivalOrder;
use crate::shared::Shared;
use crate::transport::{AckPolicy, Arrivals, NackLimiter, Reassembly, Released};
use crate::wire::{Kind, Packet};

use super::Answer;

/// One flow, at its receiver, until it is complete.
#[derive(Clone, Debug, Default)]
pub(in crate::host) struct ReceivedFlow {
    /// The next expected PSN.
    pub(in crate::host) expected: u32,
    /// Since the last ACK: in-order packets, or bytes on the wire, by [`AckPolicy`].
    unacknowledged: u32,
    /// Its sender, where feedback is per sender.
    pub(super) sender: Option<(u32, u16)>,
    pub(super) nacks: NackLimiter,
    pub(super) cnps: CnpLimiter,
    /// The longest latency of a packet, if latencies are measured.
    pub(super) longest_latency: Time,
    /// Out-of-order packets, if there ever were any.
    pub(super) reorder: Option<Box<Reassembly>>,
    /// Counts of arrivals, if ACKs go by bytes or carry them.
    pub(super) arrivals: Option<Box<Arrivals>>,
}

impl ReceivedFlow {
    /// Notes the latency of a packet that arrives, if latencies are measured.
    #[inline]
    pub(in crate::host) fn time_packet<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        shared: &Shared,
    ) {
        if shared.measures_packet_latency {
            self.longest_latency = self.longest_latency.max(now - packet.timestamp());
        }
    }

    /// Accepts the expected packet; returns whether an ACK is due.
    #[inline]
    pub(in crate::host) fn accept<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        shared: &Shared,
    ) -> bool {
        self.expected += 1;
        let requests_ack = packet.kind() != Kind::Data;
        let is_due = match shared.config.acks {
            AckPolicy::Packets(packets) => {
                if shared.counts_received {
                    self.count(packet);
                }
                self.unacknowledged += 1;
                requests_ack || self.unacknowledged >= packets
            }
            AckPolicy::Bytes(bytes) => self.is_due_by_bytes(packet, bytes),
        };
        if is_due {
            self.unacknowledged = 0;
        }
        is_due
    }

    /// Whether a packet has arrived.
    pub(super) fn has(&self, psn: u32) -> bool {
        let is_early = || self.reorder.as_ref().is_some_and(|buffer| buffer.has(psn));
        psn < self.expected || is_early()
    }

    /// Accepts an early packet that is no duplicate; returns whether an ACK is due.
    pub(super) fn accept_early<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        shared: &Shared,
    ) -> bool {
        match shared.config.acks {
            AckPolicy::Bytes(bytes) => {
                self.is_due_by_bytes(packet, bytes) || shared.acks_early_at_once
            }
            AckPolicy::Packets(_) => {
                if shared.counts_received {
                    self.count(packet);
                }
                true
            }
        }
    }

    /// Counts a packet that is no duplicate; returns whether an ACK is due, where ACKs go by bytes.
    #[inline]
    fn is_due_by_bytes<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        bytes: Bytes,
    ) -> bool {
        let is_first = self.arrivals.is_none();
        let requests_ack = packet.kind() != Kind::Data;
        let has_gap = self.reorder.as_ref().is_some_and(|early| !early.is_empty());
        self.count(packet).is_asked |= requests_ack && has_gap;
        self.unacknowledged = self.unacknowledged.saturating_add(packet.size().into());
        let is_enough = u64::from(self.unacknowledged) >= bytes.as_u64();
        requests_ack || is_enough || is_first || packet.marked()
    }

    /// Counts the bytes of a packet that is no duplicate.
    #[inline]
    fn count<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) -> &mut Arrivals {
        let arrivals = self.arrivals.get_or_insert_default();
        arrivals.received += u64::from(packet.size());
        arrivals
    }

    /// Whether no packet is missing any more, and an ACK was requested while one was.
    pub(super) fn fills_last_gap(&mut self) -> bool {
        let has_gap = self.reorder.as_ref().is_some_and(|early| !early.is_empty());
        let asked = self.arrivals.as_mut().filter(|_| !has_gap);
        let fills = asked.is_some_and(|arrivals| std::mem::take(&mut arrivals.is_asked));
        if fills {
            self.unacknowledged = 0;
        }
        fills
    }

    /// The ACK for a packet that is not the expected one.
    pub(super) fn acknowledge_at_once(&mut self, shared: &Shared) -> Answer {
        if let AckPolicy::Bytes(_) = shared.config.acks {
            self.unacknowledged = 0;
        }
        Answer::Ack(self.expected)
    }

    /// The order in which packets have arrived, if any arrived early.
    pub(super) fn order(&self) -> Option<ArrivalOrder> {
        let buffer = self.reorder.as_ref();
        buffer.map(|buffer| buffer.order(self.expected))
    }

    /// The expected packet arrives: the distance of its PSN from the highest PSN before, if any
    /// packet waits for it.
    pub(super) fn end_wait(&mut self) -> Option<u32> {
        self.reorder.as_mut()?.end_wait(self.expected)
    }

    /// Accepts the out-of-order packets that are expected now.
    pub(super) fn release(&mut self, shared: &Shared) -> Released {
        let Some(reorder) = &mut self.reorder else {
            return Released::default();
        };
        let released = reorder.release(self.expected, shared.mtu);
        self.expected += released.packets;
        if released.packets > 0 && shared.acks_early_at_once {
            self.unacknowledged = 0;
        }
        released
    }
}
