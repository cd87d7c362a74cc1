//! s-PERC: the options of links, and the record in control packets.
//!
//! Jose et al., "A Distributed Algorithm to Calculate Max-Min Fair Rates Without Per-Flow State",
//! SIGMETRICS 2019, and the authors' simulators. The algorithm of the links is a switch program in
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

/// T_round in the authors' data-centre simulator.
pub const DEFAULT_ROUND: Time = Time::from_us(20);

/// The options of every link.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SPercOptions {
    /// T_round: time after which a link forgets the largest limit rates of the previous round.
    /// Default: [`DEFAULT_ROUND`], or the largest base RTT if longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Time>,
    /// Fraction of a link's rate for control packets.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub control_share: f64,
    /// Fraction of a link's rate that stays unused.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub headroom: f64,
    /// RTT by which hosts compute a flow's largest usable rate. Default: the largest base RTT.
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
