//! Which packets collect INT, and what switches write into them.

use incast_units::Time;

/// Where INT comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntCollection {
    /// Nowhere.
    Off,
    /// Switches write into data packets as they leave; ACKs echo.
    Data,
    /// Switches write into ACKs, each the state of the port that the data packet left by. ACKs
    /// also say how many flows their receiver has. Their paths must be symmetric to those of
    /// their data.
    Acks(IntTable),
}

/// The age of the port states that switches write into ACKs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntTable {
    /// The state at that moment.
    Live,
    /// The state at the last multiple of this period.
    Refreshed(Time),
}
