//! Credit that receivers grant: options of the host program that asks for it and grants it.

use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// Credit of receivers, as in the RCCC of Ultra Ethernet. Data packets tell how much credit their
/// flow asks for, and each NIC grants credit to its flows in turn, by packets of their own (pulls).
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CreditOptions {
    /// Bytes on the wire that credit is counted in.
    pub quantum: Bytes,
    /// The most that one pull grants.
    pub pull: Bytes,
    /// Share of its link's rate that a NIC grants in all.
    pub rate: f64,
    /// The most credit that a flow gets beyond what it asks for, in BDPs of the largest base RTT.
    pub window: f64,
    /// How the flows whose demand is met take turns.
    pub idle_turns: IdleTurns,
    /// Whether a flow that was received in full goes on getting credit, up to the window, as a
    /// connection would that may have more to send.
    pub grants_after_end: bool,
    /// The oversubscription of the network, for which a NIC grants less while packets are marked or
    /// trimmed before their last hop, as far as 0.9 of the link's rate divided by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversubscription: Option<f64>,
}

/// How the flows whose demand is met take turns at the credit that is left.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleTurns {
    /// Each flow has one turn.
    #[default]
    OfFlows,
    /// Each flow has a turn for every demand of it that was met.
    OfDemands,
}

impl Default for CreditOptions {
    fn default() -> Self {
        Self {
            quantum: Bytes::new(256),
            pull: Bytes::new(64 * 256),
            rate: 0.99,
            window: 1.5,
            idle_turns: IdleTurns::OfFlows,
            grants_after_end: true,
            oversubscription: None,
        }
    }
}

impl ProgramOptions for CreditOptions {
    const PROGRAM: &'static str = "credits";
}
