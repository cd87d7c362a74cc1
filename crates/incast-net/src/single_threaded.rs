//! Runs that are single-threaded.

use std::fmt;

use crate::clock::Ties;
use crate::config::NetworkConfig;
use crate::marker::MarkingRandom;
use crate::measure::MeasureConfig;

/// The reason why a run is single-threaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SingleThreadedBecause {
    /// Simultaneous events happen in the order in which they were scheduled, anywhere in the
    /// network: [`Ties::Insertion`].
    OneQueue,
    /// All switches draw from one random stream: [`MarkingRandom`].
    OneStream,
    /// Packets are traced: [`MeasureConfig::packets`].
    Traced,
    /// Its algorithm is external, and may not allow calls from several threads.
    ExternalAlgorithm,
}

impl SingleThreadedBecause {
    /// The first reason that applies to a run, if any.
    pub fn of(config: &NetworkConfig, measure: &MeasureConfig) -> Option<Self> {
        let model = &config.model;
        let reasons = [
            (model.ties == Ties::Insertion, Self::OneQueue),
            (model.marking_random != MarkingRandom::Own, Self::OneStream),
            (measure.packets.is_some(), Self::Traced),
        ];
        let found = reasons.into_iter().find(|(holds, _)| *holds);
        found.map(|(_, reason)| reason)
    }
}

impl fmt::Display for SingleThreadedBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneQueue => "its profile has one queue of events for the whole network",
            Self::OneStream => "its profile has one stream of random numbers for all switches",
            Self::Traced => "it traces packets",
            Self::ExternalAlgorithm => "its algorithm is no part of this program",
        })
    }
}
