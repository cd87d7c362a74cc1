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
    /// For a port whose link has this `rate`, if it has a curve, where a full data packet has
    /// `full_packet` bytes on the wire.
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

    /// Whether a packet is marked that comes to, or leaves behind, a queue of this many bytes.
    #[inline]
    pub(crate) fn marks<const WORDS: usize>(
        &mut self,
        at: MarkingPoint,
        queue: u64,
        packet: &Packet<WORDS>,
    ) -> bool {
        // An ACK's mark is the echo of its data packet's, and says nothing of the way back.
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
