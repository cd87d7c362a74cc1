//! A stall of a run, with the names of nodes and ports.

use incast_net::{Stall, StuckPort};
use incast_topology::{Ports, Topology};
use serde::{Deserialize, Serialize};

/// The most flows that a summary lists; it also has their number.
const LISTED: usize = 100;

/// A stall: flows of a run that make no progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallFacts {
    /// `deadlock`, `silence` or `no-progress`.
    pub kind: String,
    /// The stall in words.
    pub message: String,
    /// Whether the stall ended the run.
    pub ended_run: bool,
    /// Begin of the stall.
    pub since_ps: u64,
    /// The time at which the stall was found.
    pub found_ps: u64,
    /// Number of flows in the stall.
    pub flow_count: u64,
    /// Numbers of the stalled flows; at most the first 100.
    pub flows: Vec<u64>,
    /// For a deadlock: a circle of ports, each paused by the next one's switch.
    pub circle: Vec<StuckPortFacts>,
}

/// A switch port whose data can never leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckPortFacts {
    /// The switch.
    pub switch: String,
    /// The number of the stuck egress port.
    pub port: u32,
    /// The node at the other end, which pauses its data.
    pub peer: String,
    /// Time since which the port has been paused.
    pub paused_ps: u64,
    /// Flows whose packets are the first from their ingress links in the port's queue; at most the
    /// first 100.
    pub flows: Vec<u64>,
}

/// Whether a stall ended the run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Yes,
    No,
}

impl StallFacts {
    /// `cut_off` is a sentence on hosts that no link leads to any more.
    pub(crate) fn of(
        stall: &Stall,
        ended: Ended,
        cut_off: &str,
        topology: &Topology,
        ports: &Ports,
    ) -> Self {
        let stuck = |stuck: &StuckPort| {
            let peer = ports.of(stuck.node)[stuck.port as usize].peer;
            StuckPortFacts {
                switch: topology.node_name(stuck.node),
                port: stuck.port,
                peer: topology.node_name(peer),
                paused_ps: stuck.paused.as_ps(),
                flows: numbers(&stuck.flows),
            }
        };
        let kind = match stall {
            Stall::Deadlock { .. } => "deadlock",
            Stall::Silence { .. } => "silence",
            Stall::NoProgress { .. } => "no-progress",
        };
        Self {
            kind: kind.to_owned(),
            message: stall.describe(|node| topology.node_name(node)) + cut_off,
            ended_run: ended == Ended::Yes,
            since_ps: stall.since().as_ps(),
            found_ps: stall.found().as_ps(),
            flow_count: stall.flows().len() as u64,
            flows: numbers(stall.flows()),
            circle: stall.circle().iter().map(stuck).collect(),
        }
    }
}

fn numbers(flows: &[incast_units::FlowId]) -> Vec<u64> {
    let listed = flows.iter().take(LISTED);
    listed.map(|flow| flow.index() as u64).collect()
}
