//! Options of NICs: to which groups of QPs they apply limits, and how long QPs live.

use incast_diagnostic::Diagnostic;
use incast_units::{HostId, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::flow::Flow;

/// The hosts' NICs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Nic")]
pub struct NicConfig {
    /// The group of QPs to which a NIC applies a limit.
    pub enforcement: Enforcement,
    /// How long QPs live.
    pub qps: QpLifetime,
    /// Whether a shared congestion state is kept or reset while none of its flows has data.
    pub idle: IdleState,
}

/// The group of QPs to which a NIC applies a limit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// Every QP has a congestion state of its own (InfiniBand).
    #[default]
    PerQp,
    /// One state for each destination. Every QP to it may use the whole limit, so that k QPs send
    /// k times as much (ConnectX-5).
    PerDestination,
    /// One state for each pair of hosts; its flows share the limit.
    PerPair,
    /// One state for each source; its flows, whatever their destinations, share the limit.
    PerSource,
}

/// How long QPs live.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QpLifetime {
    /// Every flow has a QP of its own.
    #[default]
    PerFlow,
    /// One QP for source, destination and lane, for the whole run. It sends its flows one after the
    /// other.
    Persistent,
}

/// Whether a shared congestion state is kept or reset while none of its flows has data.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenIdle", into = "WrittenIdle")]
pub enum IdleState {
    /// The state is kept; its controller's timers go on.
    #[default]
    Keep,
    /// The first flow after this much idle time gets a new state.
    ResetAfter(Time),
}

/// How several QPs of one congestion state share its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum LimitShare {
    /// Each QP may use the whole limit.
    Whole,
    /// They divide it.
    Divided,
}

/// The key of a flow's congestion state at its source.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StateKey {
    /// [`Controllers::group`](crate::Controllers::group).
    pub(super) group: u16,
    destination: Option<HostId>,
    lane: Option<u16>,
}

/// The key of a QP at its source.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum QpName {
    /// The QP of one flow.
    OfFlow(u32),
    /// A persistent QP.
    Lane(HostId, u16),
}

/// The unit by which a receiver limits CNPs and counts flows for INT.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum FeedbackScope {
    /// Feedback is per flow.
    Flow,
    /// Feedback is per sender, named by source and UDP source port: a persistent QP, or all flows
    /// of a pair.
    SourcePort,
}

impl NicConfig {
    /// Whether all options have their default values.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that the options fit together.
    ///
    /// # Errors
    /// If a state of one flow is to be kept after the flow.
    pub fn check(&self) -> Result<(), Diagnostic> {
        if self.idle == IdleState::Keep || self.shares_states() {
            return Ok(());
        }
        let diagnostic = Diagnostic::new(
            "has no effect: the QP of a flow ends with it, and its state too",
            "remove it, or write nic.qps = \"persistent\" or another nic.enforcement",
        );
        Err(diagnostic.at("idle"))
    }

    /// Whether flows share congestion states.
    pub fn shares_states(&self) -> bool {
        self.enforcement != Enforcement::PerQp || self.qps == QpLifetime::Persistent
    }

    pub(super) fn share(&self) -> LimitShare {
        match self.enforcement {
            Enforcement::PerDestination => LimitShare::Whole,
            Enforcement::PerQp | Enforcement::PerPair | Enforcement::PerSource => {
                LimitShare::Divided
            }
        }
    }

    /// The key of a flow's congestion state, for controllers of this group. Not for QPs that have a
    /// state each for one flow.
    pub(super) fn state_of(&self, flow: &Flow, group: u16) -> StateKey {
        let (destination, lane) = match self.enforcement {
            Enforcement::PerQp => (Some(flow.destination), Some(flow.lane)),
            Enforcement::PerDestination | Enforcement::PerPair => (Some(flow.destination), None),
            Enforcement::PerSource => (None, None),
        };
        StateKey {
            group,
            destination,
            lane,
        }
    }

    pub(super) fn qp_of(&self, flow: &Flow) -> QpName {
        match self.qps {
            QpLifetime::PerFlow => QpName::OfFlow(flow.id.0),
            QpLifetime::Persistent => QpName::Lane(flow.destination, flow.lane),
        }
    }

    /// Whether receivers know the sender of a packet by its UDP source port.
    pub(crate) fn knows_senders_by_port(&self) -> bool {
        self.feedback_scope() == FeedbackScope::SourcePort
    }

    pub(crate) fn feedback_scope(&self) -> FeedbackScope {
        match (self.enforcement, self.qps) {
            (Enforcement::PerQp | Enforcement::PerDestination, QpLifetime::PerFlow) => {
                FeedbackScope::Flow
            }
            _ => FeedbackScope::SourcePort,
        }
    }
}

/// The idle state as scenarios write it: `"keep"`, or `{ reset_after = "1ms" }`.
type WrittenIdle = OneOf<KeepWhenIdle, ResetWhenIdle>;

/// The state is kept, and its controller's timers go on.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum KeepWhenIdle {
    /// The state is kept.
    Keep,
}

/// The state is reset for a flow that starts late.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResetWhenIdle {
    /// The state is reset after this much time without flows.
    reset_after: Time,
}

impl From<WrittenIdle> for IdleState {
    fn from(written: WrittenIdle) -> Self {
        match written {
            OneOf::Plain(KeepWhenIdle::Keep) => Self::Keep,
            OneOf::Nested(ResetWhenIdle { reset_after }) => Self::ResetAfter(reset_after),
        }
    }
}

impl From<IdleState> for WrittenIdle {
    fn from(idle: IdleState) -> Self {
        match idle {
            IdleState::Keep => Self::Plain(KeepWhenIdle::Keep),
            IdleState::ResetAfter(reset_after) => Self::Nested(ResetWhenIdle { reset_after }),
        }
    }
}
