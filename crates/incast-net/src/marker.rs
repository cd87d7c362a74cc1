//! The ECN marker of a port: its curve, and its stream of random numbers.

mod random;

use incast_signals::{EcnCurve, EcnOptions, Marking, MarkingPoint};
use incast_units::{Bytes, Rate};

use crate::wire::Packet;

pub use self::random::MarkingRandom;
pub(crate) use self::random::{MarkingRandomStream, Ns3MarkingStreams};

/// Marks packets by the data queue of one port.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    curve: EcnCurve,
    at: MarkingPoint,
    random: MarkingRandomStream,
}

impl Marker {
    /// The marker of a port whose link has this rate; `None` if the port does not mark.
    /// `full_packet`: bytes of a full data packet on the wire.
    pub(crate) fn new(
        options: &EcnOptions,
        rate: Rate,
        full_packet: Bytes,
        random: MarkingRandomStream,
    ) -> Option<Self> {
        Some(Self {
            curve: options.curve(rate, full_packet)?,
            at: options.marking_point(),
            random,
        })
    }

    /// Whether to mark a packet that meets, or leaves behind, a queue of `queue` bytes.
    #[inline]
    pub(crate) fn marks<const WORDS: usize>(
        &mut self,
        at: MarkingPoint,
        queue: u64,
        packet: &Packet<WORDS>,
    ) -> bool {
        // An ACK carries the mark of its data packet, so it is never marked itself.
        queue > self.curve.k_min.as_u64()
            && at == self.at
            && (packet.is_data() || self.random.draws_for_every_packet())
            && self.decides_to_mark(queue)
            && packet.is_data()
    }

    fn decides_to_mark(&mut self, queue: u64) -> bool {
        match self.curve.marking(Bytes::new(queue)) {
            Marking::Never => false,
            Marking::Always => true,
            Marking::With(probability) => self.random.uniform() < probability,
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_signals::QueueThreshold;

    use super::*;
    use crate::wire::{Kind, ONE_LINE};

    /// Above 3000 B every data packet is marked, and no ACK in any class: an ACK carries the mark
    /// of its data packet.
    #[test]
    fn data_alone_are_marked() {
        let threshold = QueueThreshold::Size(Bytes::new(3_000));
        let options = EcnOptions::step(threshold, MarkingPoint::Dequeue);
        for kind in [MarkingRandom::Own, MarkingRandom::Ns3] {
            let shared = Ns3MarkingStreams::new(kind, 1, 3);
            let random = MarkingRandomStream::new(1, 0, shared.as_ref());
            let rate = Rate::from_gbps(100);
            let mut marker =
                Marker::new(&options, rate, Bytes::new(1_048), random).expect("a curve");
            let mut marks =
                |kind, queue, at| marker.marks(at, queue, &Packet::<ONE_LINE>::new(kind, 1_048));
            for kind in [Kind::Data, Kind::DataWithAckRequest, Kind::LastData] {
                assert!(marks(kind, 3_001, MarkingPoint::Dequeue));
                assert!(!marks(kind, 3_000, MarkingPoint::Dequeue));
                assert!(!marks(kind, 3_001, MarkingPoint::Enqueue));
            }
            for kind in [Kind::Ack, Kind::Nack, Kind::Cnp] {
                assert!(!marks(kind, 3_001, MarkingPoint::Dequeue));
            }
        }
    }
}
