//! Stalls: flows are alive, and get nowhere.

use incast_units::{FlowId, NodeId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// What a deadlock of PFC does to a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnDeadlock {
    /// A deadlock ends the run.
    #[default]
    Stop,
    /// It is told in the results; the run goes on to its stop time.
    Report,
}

/// Which stalls end a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct StallConfig {
    /// What a deadlock of PFC does.
    pub on_deadlock: OnDeadlock,
    /// Time after which the run ends if no byte was acknowledged meanwhile, and of how many flows.
    pub no_progress: Option<(Time, StuckFlows)>,
}

/// How many flows have to be stuck.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StuckFlows {
    /// One is enough.
    Any,
    /// All that are alive, and none is only slow: one will get on if it sends nothing twice, and
    /// has sent since or waits for its own pace. If no flow sends anything twice, so will those
    /// whose packets wait in a network that moves.
    All,
}

/// A stall of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Ports wait for each other in a circle, for good: a deadlock of PFC.
    Deadlock {
        /// When the last of its ports was paused.
        closed: Time,
        /// When it was found.
        found: Time,
        /// Ports, each paused by the node of the next.
        circle: Vec<StuckPort>,
        /// Flows whose packets are the first from their links in those queues.
        flows: Vec<FlowId>,
    },
    /// Nothing happens any more.
    Silence {
        /// Time of the last event.
        since: Time,
        /// Flows alive.
        flows: Vec<FlowId>,
    },
    /// No byte of these flows was acknowledged for the time that the run allows for it.
    NoProgress {
        /// Since when.
        since: Time,
        /// When it was found.
        found: Time,
        /// Those flows.
        flows: Vec<FlowId>,
    },
}

/// A port of a switch whose data can never leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckPort {
    /// The switch.
    pub node: NodeId,
    /// Its egress port.
    pub port: u32,
    /// Since when the node at the other end has paused its data.
    pub paused: Time,
    /// Flows whose packets are the first from their links in its queue.
    pub flows: Vec<FlowId>,
}

impl Stall {
    /// Since when there is no progress, or since when ports wait in a circle.
    pub fn since(&self) -> Time {
        match self {
            Self::Deadlock { closed, .. } => *closed,
            Self::Silence { since, .. } | Self::NoProgress { since, .. } => *since,
        }
    }

    /// When it was found.
    pub fn found(&self) -> Time {
        match self {
            Self::Deadlock { found, .. } | Self::NoProgress { found, .. } => *found,
            Self::Silence { since, .. } => *since,
        }
    }

    /// The flows in it.
    pub fn flows(&self) -> &[FlowId] {
        match self {
            Self::Deadlock { flows, .. }
            | Self::Silence { flows, .. }
            | Self::NoProgress { flows, .. } => flows,
        }
    }

    /// The ports in it, each paused by the node of the next.
    pub fn circle(&self) -> &[StuckPort] {
        match self {
            Self::Deadlock { circle, .. } => circle,
            Self::Silence { .. } | Self::NoProgress { .. } => &[],
        }
    }

    /// The stall as a message, with the names of nodes.
    pub fn describe(&self, name: impl Fn(NodeId) -> String) -> String {
        let since = self.since().rounded();
        let flows = flows_text(self.flows());
        match self {
            Self::Deadlock { circle, .. } => format!(
                "deadlock of PFC since {since}: data at {}; packets of {flows} wait there, and \
                 none can leave; use routes without circles (up, then down), or larger buffers",
                circle_text(circle, name),
            ),
            Self::Silence { .. } => format!(
                "nothing happens after {since}, but {flows} did not complete: packets were \
                 lost and there is no retransmission timeout, or data are paused for good"
            ),
            Self::NoProgress { found, .. } => format!(
                "no byte of {flows} was acknowledged from {since} to {}, though packets \
                 travel: what is sent again is lost again, or flows wait for good",
                found.rounded()
            ),
        }
    }
}

/// Ports of a circle, each with the one that it waits for.
fn circle_text(circle: &[StuckPort], name: impl Fn(NodeId) -> String) -> String {
    let names = circle
        .iter()
        .map(|stuck| format!("{} port {}", name(stuck.node), stuck.port));
    let mut names: Vec<_> = names.collect();
    names.rotate_left(1);
    match names.last() {
        Some(first) => format!("{first} wait for {}", names.join(", those for ")),
        None => String::new(),
    }
}

/// The first few flows, and how many there are.
fn flows_text(flows: &[FlowId]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<_> = flows.iter().take(SHOWN).map(FlowId::to_string).collect();
    let (noun, names) = match flows.len() {
        1 => ("flow", names.join(", ")),
        _ => ("flows", names.join(", ")),
    };
    match flows.len() - flows.len().min(SHOWN) {
        0 => format!("{noun} {names}"),
        more => format!("{noun} {names} and {more} more"),
    }
}
