//! Paths of a flow's packets if the flow takes several, and feedback on the paths.

use incast_units::Time;

use super::Transfer;
use crate::measure::EntropyRecord;
use crate::routing::{LeavingPacket, PathFeedback, PathReport, PathSelector};
use crate::transport::recovery::Recovery;
use crate::transport::sequence::NextSegment;
use crate::wire::{Kind, Packet};

/// Paths, if the flow takes several.
impl Transfer {
    /// Sets the entropy of a data packet that leaves now with the last segment.
    #[inline]
    pub(crate) fn choose_path<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        segment: &NextSegment,
        mtu: u64,
        now: Time,
    ) {
        if let Some(selector) = &mut self.selector {
            let sent = self.sequence.first_unsent();
            let entropy = selector.next(&LeavingPacket {
                new_packets: sent - u32::from(!segment.is_retransmission),
                window: u32::try_from(segment.window / mtu).unwrap_or(u32::MAX),
                now,
            });
            packet.address = packet.address.with_entropy(entropy);
            if let Recovery::Scoreboard(scoreboard) = &mut self.recovery {
                scoreboard.note_entropy(entropy);
            }
        }
    }

    /// Counts of the flow's entropies, if counts are kept.
    pub(crate) fn entropies(&self) -> impl Iterator<Item = EntropyRecord> {
        let flow = self.flow.id;
        let counts = self.selector.as_ref().map(|selector| selector.counts());
        let counts = counts.into_iter().flatten();
        counts.map(move |(entropy, counters)| EntropyRecord {
            flow,
            entropy,
            counters,
        })
    }

    /// Counts an ACK that carries a mark.
    #[inline(always)]
    pub(crate) fn count_mark<const WORDS: usize>(&mut self, ack: &Packet<WORDS>) {
        self.counters.marked_acks += u32::from(ack.marked());
    }

    /// Reports the path of an ACK's data packet to the selector.
    #[inline]
    pub(crate) fn report_path<const WORDS: usize>(&mut self, ack: &Packet<WORDS>, now: Time) {
        if let Some(selector) = &mut self.selector
            && ack.kind() == Kind::Ack
        {
            let feedback = match ack.marked() {
                false => PathFeedback::Good,
                true => PathFeedback::Marked,
            };
            selector.on_feedback(&PathReport {
                entropy: ack.entropy(),
                feedback,
                now,
                expected: self.sequence.acked.max(ack.psn()),
                stamp: ack.timestamp(),
            });
        }
    }
}

/// Returns a function that reports `feedback` on entropies to the selector; all packets before
/// `expected` have arrived.
pub(super) fn blame(
    selector: &mut Option<Box<dyn PathSelector>>,
    feedback: PathFeedback,
    expected: u32,
    now: Time,
) -> impl FnMut(u16) {
    move |entropy| {
        if let Some(selector) = selector {
            selector.on_feedback(&PathReport {
                entropy,
                feedback,
                now,
                expected,
                stamp: now,
            });
        }
    }
}
