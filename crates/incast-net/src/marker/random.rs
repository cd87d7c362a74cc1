//! The source of the random numbers of marking.

use std::sync::{Arc, Mutex, MutexGuard};

use incast_random::{Mrg32k3aStreams, NetworkPurpose, RandomStream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source of the random numbers of marking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkingRandom {
    /// Each port of a switch has a stream of its own.
    Own,
    /// Every number is the first of a new stream of MRG32k3a, as in ns-3.
    // Streams are taken in the order of events in the whole network: ns-3's `UniformVariable`
    // does so when it is created for one number. The seed is ns-3's run number. Needs
    // `Ties::Insertion`.
    Ns3,
}

/// The random numbers of one port.
#[derive(Clone, Debug)]
pub(crate) enum MarkingRandomStream {
    /// Numbers come from a stream of the port's own.
    Own(RandomStream),
    /// Each number comes from the next of ns-3's streams, in the order of draws.
    Ns3(Ns3MarkingStreams),
}

impl MarkingRandomStream {
    /// `port` is its number among all ports of all nodes.
    pub(crate) fn new(seed: u64, port: u32, shared: Option<&Ns3MarkingStreams>) -> Self {
        match shared {
            None => Self::Own(RandomStream::of_network(
                seed,
                port.into(),
                NetworkPurpose::Marking,
            )),
            Some(shared) => Self::Ns3(shared.clone()),
        }
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        match self {
            Self::Own(stream) => stream.uniform(),
            Self::Ns3(shared) => shared.streams().uniform(),
        }
    }

    /// Whether ACKs and other packets that are never marked draw numbers, too.
    #[inline]
    pub(crate) fn draws_for_every_packet(&self) -> bool {
        matches!(self, Self::Ns3(_))
    }
}

/// The streams of ns-3, one for each number. The whole network takes them in the order of events.
#[derive(Clone, Debug)]
pub(crate) struct Ns3MarkingStreams(Arc<Mutex<Mrg32k3aStreams>>);

/// Streams of other objects of the artifact: six per node (its global routing and five IPv6
/// extensions), and two of the links' error model.
const STREAMS_PER_NODE: u64 = 6;
const OTHER_STREAMS: u64 = 2;

/// ns-3's default seed, which the artifact keeps.
const SEED: u32 = 1;

impl Ns3MarkingStreams {
    /// The streams, if the model draws as ns-3 does. A scenario's seed is ns-3's run number.
    pub(crate) fn new(kind: MarkingRandom, run: u64, nodes: usize) -> Option<Self> {
        if kind == MarkingRandom::Own {
            return None;
        }
        let first = STREAMS_PER_NODE * nodes as u64 + OTHER_STREAMS;
        let streams = Mrg32k3aStreams::new(SEED, first, run);
        Some(Self(Arc::new(Mutex::new(streams))))
    }

    /// Skips one number: a PFC frame draws one for a field that no code reads.
    pub(crate) fn skip(&self) {
        self.streams().skip();
    }

    fn streams(&self) -> MutexGuard<'_, Mrg32k3aStreams> {
        self.0.lock().expect("a draw cannot panic")
    }
}
