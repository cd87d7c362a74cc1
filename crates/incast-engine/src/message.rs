//! Messages from node to node.

use incast_units::Time;

/// Anything that travels from node to node.
pub trait Message: Copy {
    /// Time of arrival.
    fn time(&self) -> Time;
}
