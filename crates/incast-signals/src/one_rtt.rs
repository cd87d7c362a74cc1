//! One-RTT Convergence (1RC): options of the switches' window tables.
//!
//! Snyder's dissertation, §5.2: flows start at line rate with speculative packets. A table at every
//! port limits how many of a flow's first packets pass in each epoch.

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
    /// Largest offset of a node's clock from the true time, in either direction. Each node has its
    /// own offset.
    pub clock_skew: Time,
    /// Whether flows that a host starts in the same epoch share one sequence of speculative
    /// packets.
    pub shared: bool,
    /// The count of a host's connections by which a window is divided among its flows. Default:
    /// windows are not divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divided_by: Option<WindowDivisor>,
    /// Most bytes that a table lets through. Default: the largest BDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_window: Option<Bytes>,
}

/// The count of a host's connections that divides a window of speculative packets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowDivisor {
    /// Connections open just before the start of the epoch.
    #[default]
    EpochStart,
    /// Connections open at the start of the flow, the flow's own included.
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
