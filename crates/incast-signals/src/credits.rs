//! Credit from receivers: options of the host program that requests and grants credit.

use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// Credit from receivers, as in the RCCC of Ultra Ethernet. Data packets carry the credit that
/// their flow requests. Each NIC grants credit to its flows in turn, in packets called pulls.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CreditOptions {
    /// Unit of credit, in bytes on the wire.
    pub quantum: Bytes,
    /// Largest credit of one pull.
    pub pull: Bytes,
    /// Total rate of the credit that a NIC grants, as a fraction of its link's rate.
    pub rate: f64,
    /// Most credit that a flow gets beyond its request, in BDPs of the largest base RTT.
    pub window: f64,
    /// How flows with satisfied requests take turns.
    pub idle_turns: IdleTurns,
    /// Whether a completely received flow still gets credit, up to the window, like a connection
    /// that may have more to send.
    pub grants_after_end: bool,
    /// The oversubscription of the network. A NIC grants less while packets are marked or trimmed
    /// before their last hop, down to 0.9 of the link's rate divided by the oversubscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversubscription: Option<f64>,
}

/// How flows with satisfied requests take turns at the remaining credit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleTurns {
    /// Each flow has one turn.
    #[default]
    OfFlows,
    /// Each flow has one turn for each of its satisfied requests.
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
