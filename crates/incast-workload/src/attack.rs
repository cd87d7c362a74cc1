//! Attacks on congestion control: how attackers send the flows of any traffic.
//!
//! An attack is a transform of a stream of flows. Each flow of the traffic is a *message*. The
//! messages of attackers are cut into pieces, each a flow with a QP of its own; messages of victims
//! stay whole. The three attacks are those of Snyder's dissertation, §3.5. All of them rely on one
//! fact: a new QP starts at line rate. Adding an attack touches its file, one `mod` line and one
//! line of the table.

use std::borrow::Cow;
use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_registry::registry;
use incast_units::{Bytes, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};

use crate::diagnostics;
use crate::flow::Flow;
use shuffled::Overlay;

mod attackers;
mod none;
mod parallel;
mod shuffled;
mod staggered;
mod stream;
mod valid;

pub use attackers::{AttackersSpec, Role};
pub use stream::{Batch, BatchStream, Piece, PieceStream};
pub(crate) use stream::{attacked, batches, whole};
pub use valid::Roles;
pub(crate) use valid::{AttackContext, ValidAttack};

registry! {
    /// An attack.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum AttackName as "attack" => &'static dyn Attack {
        "none" => Untouched = &none::Untouched,
            "attackers send as all others do; roles are told apart as under the attacks";
        "parallel" => Parallel = &parallel::Parallel,
            "all pieces of a message at once, each on a QP of its own";
        "staggered" => Staggered = &staggered::Staggered,
            "one piece after the other, each on a fresh QP, faster than feedback comes";
        "shuffled" => Shuffled = &shuffled::Shuffled,
            "each piece to another destination, along the equal-cost rings of the attackers";
    }
}

/// Who attacks, and how.
///
/// ```toml
/// [attack]
/// kind = "staggered"
/// piece = "150KB"
/// spacing = "13us"
/// attackers = { larger_than = "1MB" }
/// ```
///
/// One section serves all kinds: keys that a kind does not use are allowed, and change nothing.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Attack")]
pub struct AttackSpec {
    /// The attack.
    pub kind: AttackName,
    /// Who attacks.
    pub attackers: AttackersSpec,
    /// Size of a piece; the last piece of a message has the remaining bytes. Default: the BDP of
    /// the largest base RTT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<Bytes>,
    /// `parallel`: this many equal pieces, whatever the size of the message, instead of `piece`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub qps: Option<u32>,
    /// `staggered`, `shuffled`: time from the start of one piece to the start of the next. Default:
    /// the largest base RTT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Time>,
    /// `shuffled`: number of pieces that start together, each along another ring. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub overlays: Option<u32>,
}

/// The parameters of an attack, checked and with defaults filled in.
#[derive(Debug)]
pub(crate) struct AttackNumbers {
    piece: Bytes,
    qps: Option<u32>,
    spacing: Time,
    overlays: u32,
    /// The rings of the attackers' hosts, if the attack uses rings.
    overlay: Option<Overlay>,
}

/// An attack: how it cuts a message into pieces.
pub(crate) trait Attack: fmt::Debug + Sync {
    /// Number of pieces of a message: at least 1.
    fn pieces(&self, message: &Flow, numbers: &AttackNumbers) -> u64;

    /// Piece `index` of the message, and its lane. Pieces are in order of start; the first starts
    /// with the message.
    fn piece(&self, message: &Flow, index: u64, numbers: &AttackNumbers) -> (Flow, u16);

    /// Whether pieces go along the rings of the attackers' hosts.
    fn takes_rings(&self) -> bool {
        false
    }
}

impl AttackNumbers {
    /// The size of piece `index` if a message is cut into pieces of size `piece`.
    fn cut(&self, message: &Flow, index: u64) -> Bytes {
        let before = self.piece * index;
        self.piece.min(message.size - before)
    }

    /// The start of a piece that is `turns` spacings behind the message.
    fn start(&self, message: &Flow, turns: u64) -> Time {
        let delay = Time::from_ps(self.spacing.as_ps().saturating_mul(turns));
        message.start.saturating_add(delay)
    }

    /// How many pieces of size `piece` a message has; the last may be smaller.
    fn cuts(&self, message: &Flow) -> u64 {
        message.size.as_u64().div_ceil(self.piece.as_u64())
    }
}

impl AttackSpec {
    /// The attack, with sizes and times that are not given derived from the network.
    #[must_use]
    pub fn with_defaults(mut self, bdp: Bytes, base_rtt: Time) -> Self {
        self.piece.get_or_insert(bdp);
        self.spacing.get_or_insert(base_rtt);
        self
    }

    fn check_numbers(&self) -> Result<(), Diagnostic> {
        if self.piece == Some(Bytes::ZERO) {
            return Err(diagnostics::no_piece().at("piece"));
        }
        if self.qps == Some(0) {
            return Err(diagnostics::no_qps().at("qps"));
        }
        if self.spacing == Some(Time::ZERO) {
            return Err(diagnostics::no_spacing().at("spacing"));
        }
        if self.overlays == Some(0) {
            return Err(diagnostics::no_overlays().at("overlays"));
        }
        Ok(())
    }
}

impl Serialize for AttackName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for AttackName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).map_err(D::Error::custom)
    }
}

impl JsonSchema for AttackName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AttackName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Self::ALL.iter().map(|attack| attack.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests;
