//! The transfer of one flow, at its sender: its sequence numbers, losses and retransmissions.
//!
//! A transfer has no limit of its own: its QP passes it the window.

use incast_cc::{AckNews, LossKind, Sent};
use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};

use super::acknowledgement::{AckOutcome, Acknowledgement, Payloads};
use super::probes::Prober;
use super::recovery::{Recovery, RecoveryConfig};
use super::sequence::{NextSegment, Segments, Sequence};
use super::timeout::{RetransmissionTimer, TimeoutOf};
use crate::diagnostics;
use crate::flow::Flow;
use crate::measure::{CompletedBy, FlowCounters, FlowRecord, OfFlow, Timeline, UnfinishedFlow};
use crate::routing::{Balance, CountedPaths, FlowEntropy, PathFeedback, PathSelector};
use crate::wire::{Address, Kind, MAX_FLOWS, MAX_PACKETS, MarkReport, Packet, TrimmedAt};

mod paths;
mod probing;
mod time_parts;

use self::paths::blame;
pub(crate) use self::probing::ProbeSegment;

/// One flow, at its sender.
#[derive(Clone)]
pub(crate) struct Transfer {
    pub(crate) flow: Flow,
    /// The address of the flow's packets.
    pub(crate) address: Address,
    pub(crate) sequence: Sequence,
    pub(crate) retransmission: RetransmissionTimer,
    /// Counters of retransmissions, marks and timeouts.
    counters: FlowCounters,
    recovery: Recovery,
    pub(crate) samples: OfFlow,
    /// The selector of packets' entropies, if the flow takes several paths.
    selector: Option<Box<dyn PathSelector>>,
    prober: Option<Box<Prober>>,
    /// The parts of the flow's time, if they are measured.
    pub(crate) timeline: Option<Box<Timeline>>,
}

/// The common parameters of all transfers of a run.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TransferFacts<'a> {
    /// Payload bytes of a full packet.
    pub(crate) mtu: u64,
    /// Receivers send an ACK for this many packets, or earlier on request.
    pub(crate) ack_every: u32,
    pub(crate) recovery: &'a RecoveryConfig,
    pub(crate) balance: &'a Balance,
    /// The largest base RTT of the network.
    pub(crate) base_rtt: Time,
    /// Seed of all random streams of the network.
    pub(crate) seed: u64,
    /// Whether the feedback on each entropy is counted.
    pub(crate) counts_entropies: bool,
    /// Which packet completes a flow, if the parts of flows' times are measured.
    pub(crate) timeline: Option<CompletedBy>,
}

/// Sequence numbers in bytes, for a controller.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SequenceNumbers {
    pub(crate) next_expected: u64,
    pub(crate) next_to_send: u64,
    pub(crate) size: Bytes,
}

/// A flow's contribution to the sums of its congestion state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Payload bytes in flight.
    pub(crate) in_flight: u64,
    /// Bytes sent at least once.
    pub(crate) sent: u64,
    /// Bytes acknowledged in order.
    pub(crate) acked: u64,
    /// Whether the receiver owes an ACK even if no more packets are sent.
    pub(crate) is_owed_ack: bool,
}

impl Tally {
    pub(crate) fn with_nothing_in_flight(self) -> Self {
        Self {
            in_flight: 0,
            is_owed_ack: false,
            ..self
        }
    }
}

impl TransferFacts<'_> {
    /// The selector of entropies; `None` if the flow takes one path.
    fn selector(&self, flow: &Flow) -> Option<Box<dyn PathSelector>> {
        let selector = self.balance.selector(&FlowEntropy {
            flow: flow.id,
            first: flow.source_port,
            seed: self.seed,
        })?;
        Some(match self.counts_entropies {
            true => Box::new(CountedPaths::new(selector, flow.source_port)),
            false => selector,
        })
    }
}

impl Transfer {
    /// # Errors
    /// If the flow has more packets than there are sequence numbers, or its number is too large.
    pub(crate) fn new(
        flow: Flow,
        mark_report: MarkReport,
        facts: &TransferFacts<'_>,
    ) -> Result<Self, Diagnostic> {
        let packets = flow.size.as_u64().div_ceil(facts.mtu).max(1);
        if packets > MAX_PACKETS.into() {
            return Err(diagnostics::flow_too_large(flow.id));
        }
        if flow.id.0 >= MAX_FLOWS {
            return Err(diagnostics::too_many_flows(flow.id));
        }
        let packets = packets as u32;
        let segments = Segments {
            mtu: facts.mtu,
            size: flow.size.as_u64(),
        };
        Ok(Self {
            flow,
            address: Address::new(flow.source.0, flow.destination.0, flow.source_port)
                .reporting(mark_report),
            sequence: Sequence::new(packets, facts.ack_every),
            retransmission: RetransmissionTimer::new(
                facts.recovery.timeout,
                facts.recovery.timeout_of,
                facts.recovery.backoff,
            ),
            counters: FlowCounters::default(),
            recovery: Recovery::new(facts.recovery, segments),
            samples: OfFlow::default(),
            selector: facts.selector(&flow),
            prober: facts.recovery.prober(facts.base_rtt),
            timeline: facts
                .timeline
                .map(|last| Box::new(Timeline::new(flow.start, last))),
        })
    }

    #[inline(always)]
    fn segments(&self, mtu: u64) -> Segments {
        Segments {
            mtu,
            size: self.flow.size.as_u64(),
        }
    }

    /// Whether all packets are acknowledged.
    #[inline]
    pub(crate) fn is_finished(&self) -> bool {
        self.sequence.is_finished()
    }

    /// Whether every packet has been sent and none is known to be lost.
    #[inline]
    pub(crate) fn has_sent_all(&self) -> bool {
        self.recovery.has_sent_all(&self.sequence)
    }

    /// Whether packets are in flight.
    pub(crate) fn has_in_flight(&self) -> bool {
        self.recovery.has_in_flight(&self.sequence)
    }

    /// Sequence numbers in bytes, for the flow's own controller.
    #[inline(always)]
    pub(crate) fn progress(&self) -> SequenceNumbers {
        SequenceNumbers {
            next_expected: self.sequence.acked_byte,
            next_to_send: self.sequence.next_byte,
            size: self.flow.size,
        }
    }

    /// The transfer's contribution to the sums of its congestion state.
    pub(crate) fn tally(&self, mtu: u64) -> Tally {
        let is_owed_ack = || self.recovery.is_owed_ack(&self.sequence);
        Tally {
            in_flight: self.in_flight(),
            sent: self.segments(mtu).first_byte(self.sequence.first_unsent()),
            acked: self.sequence.acked_byte,
            is_owed_ack: self.has_in_flight() && (self.has_sent_all() || is_owed_ack()),
        }
    }

    /// Bytes acknowledged in order, and the flow's state for samples.
    pub(crate) fn sampled(&mut self) -> (u64, &mut OfFlow) {
        (self.sequence.acked_byte, &mut self.samples)
    }

    /// Payload bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.sequence)
    }

    /// Payload bytes and number of packets to be sent: from `snd_nxt` on, and earlier lost packets
    /// that are retransmitted alone.
    pub(crate) fn unsent(&self) -> (u64, u32) {
        let (bytes, packets) = self.recovery.lost();
        let new_bytes = self.flow.size.as_u64() - self.sequence.next_byte;
        let new_packets = self.sequence.packets - self.sequence.next;
        (bytes + new_bytes, packets + new_packets)
    }

    /// The record of the flow while it is not complete. `next_send`: earliest time of its next
    /// packet.
    pub(crate) fn unfinished(&self, next_send: Time) -> UnfinishedFlow {
        UnfinishedFlow {
            flow: self.flow,
            acked: Bytes::new(self.sequence.acked_byte),
            sent: self.sequence.first_unsent(),
            next_send,
            counters: self.counters,
        }
    }

    /// Whether the next packet is a retransmission.
    pub(crate) fn sends_again(&self) -> bool {
        !self.has_sent_all() && self.recovery.sends_again(&self.sequence)
    }

    /// Retransmission timeouts that have expired.
    pub(crate) fn timeouts(&self) -> u32 {
        self.counters.timeouts
    }

    /// The record of the flow, which completes at `finish`.
    pub(crate) fn record(&self, finish: Time) -> FlowRecord {
        self.flow.record(finish, self.counters)
    }
}

/// Sending.
impl Transfer {
    /// Whether bytes are left and `window` admits the next packet, apart from pacing. The window
    /// counts payload; a packet may leave while less than the window is in flight.
    ///
    /// Deadlock avoidance: with one ACK for several packets, a packet may also leave despite a full
    /// window, if the packets in flight are too few to cause an ACK and none requested one.
    pub(crate) fn may_send(&self, window: u64) -> bool {
        self.recovery.may_send(&self.sequence, window)
    }

    /// [`Transfer::may_send`] under go-back-N.
    #[inline(always)]
    pub(crate) fn may_send_in_order(&self, window: u64) -> bool {
        self.sequence.may_send(window)
    }

    /// Whether the next packet begins before this sequence number.
    pub(crate) fn begins_before(&self, until: u64, mtu: u64) -> bool {
        let lost = self.recovery.next_lost();
        let first_byte = |psn| self.segments(mtu).first_byte(psn);
        lost.map_or(self.sequence.next_byte, first_byte) < until
    }

    /// Payload bytes of the next packet; there is one.
    pub(crate) fn next_payload(&self, mtu: u64) -> u64 {
        let psn = self.recovery.next_lost().unwrap_or(self.sequence.next);
        self.segments(mtu).payload(psn)
    }

    /// Takes the next packet to send, which leaves now.
    #[inline(always)]
    pub(crate) fn send_next(&mut self, mtu: u64, window: u64, now: Time) -> NextSegment {
        let segments = self.segments(mtu);
        let sequence = &mut self.sequence;
        let segment = self.recovery.send(sequence, segments, window, now);
        self.count(&segment);
        segment
    }

    /// [`Transfer::send_next`] under go-back-N.
    #[inline(always)]
    pub(crate) fn send_in_order(&mut self, mtu: u64, window: u64) -> NextSegment {
        let segments = self.segments(mtu);
        let segment = self.sequence.send(segments, window);
        self.count(&segment);
        segment
    }

    #[inline(always)]
    fn count(&mut self, segment: &NextSegment) {
        if segment.is_retransmission {
            self.count_again(segment);
        }
    }

    /// Counts a retransmission.
    #[cold]
    fn count_again(&mut self, segment: &NextSegment) {
        let counters = &mut self.counters;
        counters.retransmitted += 1;
        counters.retransmitted_bytes += segment.payload;
        if segment.is_after_timeout {
            counters.timeout_bytes += segment.payload;
        }
    }

    /// Speculative packets from `psn` on were dropped: continues at `psn`, or at `snd_nxt` if that
    /// is lower. These drops do not count as retransmissions.
    ///
    /// # Errors
    /// The number of acknowledged packets, if they include a dropped one.
    pub(crate) fn resume_at(&mut self, psn: u32, mtu: u64) -> Result<(), u32> {
        let segments = self.segments(mtu);
        self.sequence.resume_at(psn, segments);
        match self.sequence.next >= self.sequence.acked {
            true => Ok(()),
            false => Err(self.sequence.acked),
        }
    }
}

/// Facts on single transmissions for controllers, each reported once; none with go-back-N.
impl Transfer {
    /// Takes the facts of the last ACK; headers of packets have `overhead` bytes.
    pub(crate) fn take_ack_news(&mut self, overhead: u64) -> AckNews {
        let Some(untold) = self.recovery.untold() else {
            return AckNews::default();
        };
        AckNews {
            newly_received: Bytes::new(std::mem::take(&mut untold.newly_received)),
            restored: std::mem::take(&mut untold.restored).on_wire(overhead),
            was_awaited: untold.was_awaited || untold.answers_probe,
            answers_probe: untold.answers_probe,
        }
    }

    /// Takes the packets that were lost since the last call.
    pub(crate) fn take_lost(&mut self) -> Payloads {
        let untold = self.recovery.untold();
        untold.map_or_else(Payloads::default, |untold| std::mem::take(&mut untold.lost))
    }

    /// Notes the controller's window for loss detection, if the last packet left under another
    /// limit.
    pub(crate) fn note_window(&mut self, window: u64) {
        self.recovery.note_window(window);
    }
}

/// ACKs and losses.
impl Transfer {
    /// All packets before `psn` have arrived; returns the payload bytes acknowledged for the first
    /// time.
    #[inline(always)]
    pub(crate) fn acknowledge_before(&mut self, psn: u32, mtu: u64) -> u64 {
        let segments = self.segments(mtu);
        self.sequence.acknowledge_before(psn, segments)
    }

    /// Applies an ACK or NACK that arrives at `now`, and sets the timer. The timeout restarts if
    /// more data have arrived.
    pub(crate) fn acknowledge(
        &mut self,
        mut ack: Acknowledgement,
        mtu: u64,
        now: Time,
    ) -> AckOutcome {
        let advance = self.acknowledge_before(ack.expected, mtu);
        ack.expected = self.sequence.acked;
        if let Some(prober) = &mut self.prober {
            prober.hear(&ack, &mut self.recovery, now);
        }
        let outcome = self.settle(&ack, advance, now);
        // A NACK for a packet in flight shows that the packet's path works.
        if outcome.newly_acked > 0 || outcome.trimmed > 0 {
            let in_flight = self.has_in_flight();
            self.retransmission.on_progress(now, in_flight);
        }
        if ack.kind == Kind::Ack {
            self.expect_probe(now);
        }
        self.expect_loss();
        outcome
    }

    /// Applies an ACK or NACK by which `advance` bytes were acknowledged in order.
    fn settle(&mut self, ack: &Acknowledgement, advance: u64, now: Time) -> AckOutcome {
        let feedback = match ack.trim {
            None => PathFeedback::Lost,
            // All paths share the last hop, so the path is not to blame.
            Some(trim) if trim.at == TrimmedAt::LastHop => match trim.marked {
                true => PathFeedback::Marked,
                false => PathFeedback::Good,
            },
            Some(_) => PathFeedback::Trimmed,
        };
        let mut on_lost = blame(&mut self.selector, feedback, self.sequence.acked, now);
        let outcome = self.recovery.acknowledge(ack, advance, now, &mut on_lost);
        if ack.trim.is_some() {
            self.counters.nacks += 1;
            self.counters.trimmed_bytes += outcome.trimmed;
        }
        outcome
    }

    /// The scoreboard's part of [`Transfer::acknowledge`], for an ACK of new packets in order
    /// without other effects. Otherwise returns `false`, without effect.
    #[inline(always)]
    pub(crate) fn acknowledge_transmission<const WORDS: usize>(
        &mut self,
        ack: &Packet<WORDS>,
    ) -> bool {
        match &mut self.recovery {
            Recovery::GoBackN => true,
            Recovery::Scoreboard(scoreboard) => {
                scoreboard.acknowledge_in_order(ack.transmission_number(), ack.psn())
            }
        }
    }

    /// Reacts to a loss: go-back-N sends all unacknowledged packets again; a scoreboard has noted
    /// the lost packets.
    pub(crate) fn recover(&mut self) {
        self.recovery.recover(&mut self.sequence);
    }

    /// The timer may have expired: finds the losses, and returns their kind.
    pub(crate) fn on_timer(&mut self, now: Time) -> Option<LossKind> {
        let was_overtaken = self.recovery.loss_deadline() <= now && self.find_overtaken(now);
        // Without packets in flight none can be lost.
        let expires =
            self.retransmission.expires(now) && self.has_in_flight() && self.time_out(now);
        if let Some(prober) = &mut self.prober {
            prober.on_timer(now);
        }
        self.expect_loss();
        match (expires, was_overtaken) {
            (true, _) => Some(LossKind::Timeout),
            (false, true) => Some(LossKind::Nack),
            (false, false) => None,
        }
    }

    /// Finds overtaken packets that count as lost at `now`; returns whether there are any.
    fn find_overtaken(&mut self, now: Time) -> bool {
        let expected = self.sequence.acked;
        let mut on_lost = blame(&mut self.selector, PathFeedback::Lost, expected, now);
        self.recovery.find_lost(now, &mut on_lost)
    }

    /// Handles an expired timeout, of the flow or of packets; returns whether it shows a loss.
    fn time_out(&mut self, now: Time) -> bool {
        let expected = self.sequence.acked;
        let mut on_lost = blame(&mut self.selector, PathFeedback::TimedOut, expected, now);
        let timer = &mut self.retransmission;
        if timer.of() == TimeoutOf::Packet
            && let Some(late) = self.recovery.time_out_late(timer, now, &mut on_lost)
        {
            timer.expect(late.next);
            if late.packets == 0 {
                return false;
            }
            self.counters.timeouts += late.packets;
            self.counters.timeout_wait += timer.wait(late.since, now);
            return true;
        }
        self.recovery.time_out(&mut self.sequence, &mut on_lost);
        self.counters.timeouts += 1;
        self.counters.timeout_wait += self.retransmission.length();
        self.retransmission.back_off();
        true
    }
}

impl NextSegment {
    /// The segment as passed to a controller. `wire`: the packet's bytes on the wire.
    #[inline]
    pub(crate) fn sent(&self, wire: u64, next_to_send: u64) -> Sent {
        Sent {
            payload: Bytes::new(self.payload),
            wire: Bytes::new(wire),
            next_to_send,
            retransmission: self.is_retransmission,
        }
    }
}

#[cfg(test)]
mod tests;
