//! The effects of an ACK or NACK at its sender that own and shared congestion states have in
//! common: it gives a round trip, moves sequence numbers, shows losses, and reaches the controller.
//! Effects of a NACK on the packets of its flow are in `transport/recovery.rs`, for selective
//! repeat in `transport/scoreboard.rs`. The controller's part is in `own.rs` and `shared.rs`.

use incast_cc::AckNews;
use incast_units::Time;

use super::base::SenderBase;
use super::congestion::CongestionState;
use crate::host::packets::{ack_of, acknowledgement_of};
use crate::measure::Recorder;
use crate::transport::{AckOutcome, SequenceNumbers, Transfer};
use crate::wire::Packet;

impl SenderBase<'_> {
    /// Applies an ACK or NACK to the flow in this slot, and to the record of round trips. Packets
    /// that it shows to be lost will be sent again.
    #[inline(always)]
    pub(super) fn acknowledge<const WORDS: usize>(
        &mut self,
        (slot, transfer): (u32, &mut Transfer),
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> AckOutcome {
        let shared = &*self.shared;
        let is_trim = shared.tells_of_trimming(packet);
        if now >= shared.round_trips_from && !is_trim {
            recorder.round_trip(transfer.flow.tag, now - packet.timestamp());
        }
        if !is_trim {
            transfer.count_mark(packet);
        }
        transfer.report_path(packet, now);
        let ack = acknowledgement_of(packet, shared);
        let outcome = transfer.acknowledge(ack, shared.mtu, now);
        let samples = &mut transfer.samples;
        self.since_sample
            .acknowledge(slot, samples, outcome.in_order);
        if outcome.shows_loss {
            transfer.recover();
        }
        outcome
    }

    /// Tells a congestion state of an ACK, with the state's sequence numbers.
    #[inline]
    pub(super) fn deliver_ack<const WORDS: usize>(
        &self,
        congestion: &mut CongestionState,
        (packet, newly_acked, news): (&Packet<WORDS>, u64, AckNews),
        progress: SequenceNumbers,
        now: Time,
        recorder: &mut Recorder,
    ) {
        let (shared, words) = (&*self.shared, self.words_per_record);
        let timestamps = shared.config.timestamps;
        let round_trip = timestamps.then(|| now - packet.timestamp());
        let told = (newly_acked, news);
        let ack = ack_of(packet, progress, told, shared, words, round_trip);
        if let Some(order) = shared.measures_int_age {
            recorder.int_ages(ack.telemetry, order, now);
        }
        congestion.on_ack(now, &ack);
    }
}
