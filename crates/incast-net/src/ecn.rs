//! ECN: which packets a port marks, by the length of its data queue.
//!
//! ```text
//! p(q) = 0                                   q ≤ k_min
//!        p_max · (q − k_min)/(k_max − k_min)  k_min < q ≤ k_max
//!        1                                   q > k_max
//! ```

mod random;

use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::packet::Packet;

pub use self::random::MarkingRandom;
pub(crate) use self::random::{MarkingRandomStream, Ns3MarkingStreams};

/// Marking of one kind of port.
#[derive(Clone, Debug, PartialEq)]
pub struct EcnConfig {
    /// Ports of this rate; all ports if `None`.
    pub link_rate: Option<Rate>,
    /// No mark up to here.
    pub k_min: Bytes,
    /// Every packet is marked above this; equal to `k_min` for a step.
    pub k_max: Bytes,
    /// Marking probability at `k_max`.
    pub p_max: f64,
    /// When the queue is looked at.
    pub at: MarkingPoint,
}

/// When a queue is looked at.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkingPoint {
    /// As a packet leaves, by the bytes it leaves behind.
    Dequeue,
    /// As a packet arrives that has to wait, by the bytes it finds, its own included.
    Enqueue,
}

/// RED on the instantaneous queue; a step if both thresholds are equal.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    k_min: u64,
    k_max: u64,
    p_max: f64,
    at: MarkingPoint,
    random: MarkingRandomStream,
}

impl Marker {
    pub(crate) fn of(
        rate: Rate,
        configs: &[EcnConfig],
        random: MarkingRandomStream,
    ) -> Option<Self> {
        let config = configs
            .iter()
            .find(|config| config.link_rate.is_none_or(|own| own == rate))?;
        Some(Self {
            k_min: config.k_min.as_u64(),
            k_max: config.k_max.as_u64(),
            p_max: config.p_max,
            at: config.at,
            random,
        })
    }

    /// Whether a packet is marked that comes to, or leaves behind, a queue of so many bytes.
    #[inline]
    pub(crate) fn marks<const WORDS: usize>(
        &mut self,
        at: MarkingPoint,
        queue: u64,
        packet: &Packet<WORDS>,
    ) -> bool {
        // An ACK's mark is the echo of its data packet's, and says nothing of the way back.
        queue > self.k_min
            && at == self.at
            && (packet.is_data() || self.random.draws_for_every_packet())
            && self.draws(queue)
            && packet.is_data()
    }

    /// Whether a queue above `k_min` marks.
    fn draws(&mut self, queue: u64) -> bool {
        if queue > self.k_max {
            return true;
        }
        let span = (self.k_max - self.k_min) as f64;
        self.random.uniform() < self.p_max * (queue - self.k_min) as f64 / span
    }
}
