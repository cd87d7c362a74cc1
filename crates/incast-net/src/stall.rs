//! Stalls: unfinished flows make no progress.

use incast_units::{FlowId, NodeId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The effect of a PFC deadlock on a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnDeadlock {
    /// A deadlock ends the run.
    #[default]
    Stop,
    /// The deadlock is reported in the results; the run goes on to its stop time.
    Report,
}

/// The stalls that end a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct StallConfig {
    /// The effect of a PFC deadlock.
    pub on_deadlock: OnDeadlock,
    /// The run ends if no byte of these flows is acknowledged for this time; `None`: it does not.
    pub no_progress: Option<(Time, StuckFlows)>,
}

/// The number of flows that have to be stuck.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StuckFlows {
    /// One is enough.
    Any,
    /// All unfinished flows. A flow is not stuck if it retransmits nothing, and has sent since or
    /// waits for its pacing. If no flow retransmits anything, a flow is not stuck if its packets
    /// wait in a network in which packets move.
    All,
}

/// A stall of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Ports that wait for each other in a circle: a deadlock of PFC.
    Deadlock {
        /// Time at which the last port of the circle was paused.
        closed: Time,
        /// Time at which the deadlock was found.
        found: Time,
        /// Ports in a circle: each is paused by the node of the next port.
        circle: Vec<StuckPort>,
        /// Flows whose packets are the first from their links in the queues of the circle.
        flows: Vec<FlowId>,
    },
    /// No event is left.
    Silence {
        /// Time of the last event.
        since: Time,
        /// Flows alive.
        flows: Vec<FlowId>,
    },
    /// No byte of these flows was acknowledged for the longest time that the run allows.
    NoProgress {
        /// Since when.
        since: Time,
        /// Time at which the stall was found.
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
    /// Time since which the node at the other end has paused the port's data.
    pub paused: Time,
    /// Flows whose packets are the first from their links in the port's queue.
    pub flows: Vec<FlowId>,
}

impl Stall {
    /// Time since which there is no progress, or since which ports wait in a circle.
    pub fn since(&self) -> Time {
        match self {
            Self::Deadlock { closed, .. } => *closed,
            Self::Silence { since, .. } | Self::NoProgress { since, .. } => *since,
        }
    }

    /// Time at which the stall was found.
    pub fn found(&self) -> Time {
        match self {
            Self::Deadlock { found, .. } | Self::NoProgress { found, .. } => *found,
            Self::Silence { since, .. } => *since,
        }
    }

    /// The flows that make no progress.
    pub fn flows(&self) -> &[FlowId] {
        match self {
            Self::Deadlock { flows, .. }
            | Self::Silence { flows, .. }
            | Self::NoProgress { flows, .. } => flows,
        }
    }

    /// The ports that wait in a circle. Each is paused by the node of the next port.
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

/// The ports of a circle as text, each with the port that it waits for.
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

/// The first few flows, and their number.
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
