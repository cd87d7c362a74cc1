//! One-RTT Convergence (1RC): options of the switches' window tables.
//!
//! Snyder's dissertation, §5.2: flows start at line rate with speculative packets; a table at every
//! port says how many of a flow's first packets it lets through in this epoch.

use incast_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// The options of every port's table, and of the senders.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneRttOptions {
    /// Length of an epoch. Default: the largest base RTT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Time>,
    /// Clocks differ from the true time by up to this much, earlier or later; each node by an
    /// amount of its own.
    pub clock_skew: Time,
    /// Whether the flows that a host starts in one epoch share one sequence of speculative
    /// packets.
    pub shared: bool,
    /// By which count of connections a window is divided among the flows of a host, if at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divided_by: Option<WindowDivisor>,
    /// Bytes that every table lets through at most. Default: the largest BDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_window: Option<Bytes>,
}

/// Connections of a host, by which a window of speculative packets is divided.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowDivisor {
    /// Connections that were open just before the epoch began.
    #[default]
    EpochStart,
    /// Connections that are open when the flow starts, itself among them.
    FlowStart,
}

impl Default for OneRttOptions {
    fn default() -> Self {
        Self {
            epoch: None,
            clock_skew: Time::ZERO,
            shared: true,
            divided_by: None,
            largest_window: None,
        }
    }
}

impl ProgramOptions for OneRttOptions {
    const PROGRAM: &'static str = "1rc";
}
