//! s-PERC: the options of its links, and the record that control packets carry.
//!
//! Jose et al., "A Distributed Algorithm to Calculate Max-Min Fair Rates Without Per-Flow State",
//! SIGMETRICS 2019, and the authors' simulators. The links' own part is a switch program of
//! `incast-net`.

mod compact;
mod record;

pub use compact::CompactRate;
pub use record::{Allocation, ControlRecord, RateClass, UNIT_WEIGHT, weight};

use incast_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// Bytes of a control packet on the wire (the authors' simulators).
pub const CONTROL_PACKET: Bytes = Bytes::new(64);

/// T_round of the authors' simulator in data centres.
pub const DEFAULT_ROUND: Time = Time::from_us(20);

/// The options of every link.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SPercOptions {
    /// T_round, after which a link forgets the largest limit rates of the round before. Default:
    /// [`DEFAULT_ROUND`], or the largest base RTT where that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Time>,
    /// Share of a link for control packets.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub control_share: f64,
    /// Share of a link that is left idle.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub headroom: f64,
    /// RTT by which hosts compute what a flow can use. Default: the largest base RTT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt: Option<Time>,
}

impl Default for SPercOptions {
    /// 2 % and 2 %, as in the authors' experiments on completion times.
    fn default() -> Self {
        Self {
            round: None,
            control_share: 0.02,
            headroom: 0.02,
            rtt: None,
        }
    }
}

impl ProgramOptions for SPercOptions {
    const PROGRAM: &'static str = "s-perc";
}
