//! Congestion notification packets: how receivers report CE marks.

use incast_units::Time;

/// How receivers report marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CnpConfig {
    /// By the echo in ACKs alone.
    Off,
    /// By CNPs, at most one per flow and interval.
    Interval(Time),
}
