//! NewAck with the options that only the artifact has: `fast_react = false`, `sample_feedback`,
//! `multi_rate`.

use incast_signals::int::{HopRecords, RecordReader};
use incast_units::Bytes;

use super::{Hpcc, MeasuredHops, Variant, averaged};
use crate::Ack;
use crate::parts::Policy;

impl<P: Policy, V: Variant> Hpcc<P, V> {
    /// NewAck with any of these options.
    #[inline(never)]
    pub(super) fn new_ack_with_options<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>) {
        let config = &self.constants.config;
        let rtt_passed = self.reference.rtt_passed(ack);
        if !P::HAS_PARTS && !rtt_passed && !config.fast_react {
            return;
        }
        let hops = match config.sample_feedback && !rtt_passed {
            true => MeasuredHops::WithQueue,
            false => MeasuredHops::All,
        };
        match config.multi_rate {
            true => self.react_per_hop(reader, ack, hops),
            false => self.react(reader, ack, hops),
        }
    }

    /// `multi_rate`: every hop has its own `Reference`; the lowest rate is used.
    fn react_per_hop<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>, measured: MeasuredHops) {
        let constants = &self.constants;
        let mut lowest = constants.line_rate;
        let mut changed = false;
        let hops = HopRecords::of(reader, ack.telemetry.words(), &mut self.last_int);
        for (hop, reference) in hops.zip(&mut self.per_hop) {
            if measured == MeasuredHops::WithQueue && hop.has_empty_queue() {
                lowest = lowest.min(reference.rate);
                continue;
            }
            let queue = Bytes::new(hop.queue());
            let elapsed_ns = reader.ns(hop.elapsed());
            let utilisation = constants.utilisation(&hop);
            let base_rtt_ns = constants.base_rtt_ns;
            let average = &mut reference.utilisation;
            *average = averaged(*average, utilisation, elapsed_ns, base_rtt_ns);
            hop.remember();
            match reference.compute_rate(constants, ack, queue) {
                Some(rate) => {
                    changed = true;
                    lowest = lowest.min(rate);
                }
                // A hop whose decrease is ignored must not raise the flow's rate.
                None => lowest = lowest.min(self.rate),
            }
        }
        if self.reference.rtt_passed(ack) {
            let last_update_seq = self.reference.last_update_seq;
            self.reference.last_update_seq = last_update_seq.max(ack.next_to_send);
        }
        if changed {
            self.set_rate(lowest);
        }
    }
}
