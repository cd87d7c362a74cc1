//! Faults of links in scenarios.

use incast_units::{Rate, Time};

/// One fault, of one or more links at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFault {
    /// The links, by their numbers in the topology.
    pub links: Vec<u32>,
    /// The kind of fault.
    pub kind: FaultKind,
    /// From when on.
    pub from: Time,
    /// End of the fault; [`Time::MAX`]: it never ends.
    pub until: Time,
}

/// The kind of a fault.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// It carries nothing.
    Down {
        /// Time after which routes follow a link that goes down or comes back.
        detection: Time,
    },
    /// It is slower.
    Degraded {
        /// Its rate.
        rate: Rate,
    },
    /// It corrupts packets.
    Loss {
        /// Probability that a packet is corrupted, independent of other packets.
        probability: f64,
    },
}
