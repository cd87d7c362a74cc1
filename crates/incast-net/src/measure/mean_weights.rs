//! Mean weights of flows over their lives.

use incast_units::FlowId;

/// The weight of a completed flow: 1/n for the n connections of its host, averaged over time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MeanWeight {
    /// The flow.
    pub flow: FlowId,
    /// The weight in parts of 2²⁰, rounded down.
    pub parts: u32,
}

impl MeanWeight {
    /// The weight as a fraction of one.
    pub fn fraction(&self) -> f64 {
        f64::from(self.parts) / f64::from(1 << 20)
    }
}
