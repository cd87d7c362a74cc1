//! What a scenario says about faults of links.

use incast_units::{Rate, Time};

/// A fault of one or more links, once.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFault {
    /// The links, by their numbers in the topology.
    pub links: Vec<u32>,
    /// What is wrong with them.
    pub kind: FaultKind,
    /// From when on.
    pub from: Time,
    /// Until when; [`Time::MAX`]: for good.
    pub until: Time,
}

/// What is wrong with a link.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// It carries nothing.
    Down {
        /// How long the link has to be down, or back, until routes take notice.
        detection: Time,
    },
    /// It is slower.
    Degraded {
        /// Its rate.
        rate: Rate,
    },
    /// It corrupts packets.
    Loss {
        /// The probability, of each packet by itself.
        probability: f64,
    },
}
