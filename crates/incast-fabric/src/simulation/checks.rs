//! Invariants of every run: there is progress; at the end operations are complete and the network
//! is empty.

use crate::node::FabricNode;
use crate::packet::{Cycle, REQUESTS};
use crate::switch::FabricFacts;
use crate::violation::FabricViolation;
use crate::work::OperationRecord;

/// Cycles without progress after which a run counts as deadlocked. While an operation waits for
/// others, the others' packets are progress.
const PATIENCE: Cycle = 1 << 17;

/// Checks from time to time that there is progress.
#[derive(Debug, Default)]
pub(super) struct Watchdog {
    next: Cycle,
    /// Packets sent up to the last check.
    packets: u64,
    /// Cycle of the last progress.
    progress: Cycle,
}

impl Watchdog {
    /// Whether packets other than probes have moved lately, or a script waits for a fixed start
    /// time.
    pub(super) fn watch<'n, I: Iterator<Item = &'n FabricNode>>(
        &mut self,
        now: Cycle,
        nodes: impl Fn() -> I,
    ) -> Result<(), FabricViolation> {
        if now < self.next {
            return Ok(());
        }
        self.next = now + PATIENCE / 8;
        first_violation(nodes())?;
        let packets = nodes().map(packets_sent).sum();
        let waits = |node: &FabricNode| node.endpoints.iter().any(|e| e.waits_for_time());
        if packets != self.packets || nodes().any(waits) {
            self.packets = packets;
            self.progress = now;
        } else if now - self.progress > PATIENCE && unfinished(nodes()) > 0 {
            return Err(deadlock(nodes(), self.progress));
        }
        Ok(())
    }
}

fn packets_sent(node: &FabricNode) -> u64 {
    let injected = node
        .endpoints
        .iter()
        .map(|endpoint| endpoint.port().packets());
    node.switched_packets + injected.sum::<u64>()
}

fn unfinished<'n>(nodes: impl Iterator<Item = &'n FabricNode>) -> u64 {
    let endpoints = nodes.flat_map(|node| &node.endpoints);
    endpoints.map(|endpoint| endpoint.unfinished()).sum()
}

fn first_violation<'n>(
    mut nodes: impl Iterator<Item = &'n FabricNode>,
) -> Result<(), FabricViolation> {
    let violation = nodes.find_map(|node| {
        let mut endpoints = node.endpoints.iter();
        endpoints.find_map(|endpoint| endpoint.violation.clone())
    });
    violation.map_or(Ok(()), Err)
}

/// Checks the end state of a run, when no events are left.
pub(super) fn check_end<'n>(
    nodes: impl Iterator<Item = &'n FabricNode>,
    facts: &FabricFacts,
    end: Cycle,
) -> Result<(), FabricViolation> {
    let nodes: Vec<_> = nodes.collect();
    let nodes = || nodes.iter().copied();
    first_violation(nodes())?;
    if unfinished(nodes()) > 0 {
        return Err(deadlock(nodes(), end));
    }
    check_empty(nodes(), facts, end)?;
    check_flits(nodes(), facts)
}

/// Checks that no packet is held, no table entry is taken, and all credits are back.
fn check_empty<'n>(
    nodes: impl Iterator<Item = &'n FabricNode>,
    facts: &FabricFacts,
    cycle: Cycle,
) -> Result<(), FabricViolation> {
    let (mut packets, mut entries, mut debts) = (0, 0, 0);
    let depth = facts.config.input_depth;
    for node in nodes {
        let census = node.switch.census(depth);
        packets += census.packets;
        entries += census.entries;
        debts += census.outputs_in_debt;
        for endpoint in &node.endpoints {
            packets += endpoint.held() as u64;
            debts += u32::from(!endpoint.port().has_all_credits(depth));
        }
    }
    if packets == 0 && entries == 0 && debts == 0 {
        return Ok(());
    }
    Err(FabricViolation::LeftOver {
        packets,
        entries,
        debts,
        cycle,
    })
}

/// Checks that every flit sent to an endpoint has arrived exactly once.
fn check_flits<'n>(
    nodes: impl Iterator<Item = &'n FabricNode> + Clone,
    facts: &FabricFacts,
) -> Result<(), FabricViolation> {
    let endpoints = nodes.flat_map(|node| &node.endpoints);
    let received = endpoints.clone().map(|endpoint| endpoint.received()).sum();
    let records = endpoints.flat_map(|endpoint| endpoint.records());
    let sent = records
        .map(|record| flits_to_endpoints(record, facts))
        .sum();
    if sent == received {
        return Ok(());
    }
    Err(FabricViolation::FlitsDiffer { sent, received })
}

fn flits_to_endpoints(record: &OperationRecord, facts: &FabricFacts) -> u64 {
    let receivers = if record.kind.is_collective() {
        facts.groups[usize::from(record.target)].members().len() as u64
    } else {
        1
    };
    let request = u64::from(record.kind.request_flits(record.data));
    request * receivers + u64::from(record.kind.response_flits(record.data))
}

/// Reports which nodes wait for which others.
fn deadlock<'n>(nodes: impl Iterator<Item = &'n FabricNode>, cycle: Cycle) -> FabricViolation {
    let nodes: Vec<_> = nodes.collect();
    FabricViolation::Deadlock {
        cycle,
        unfinished: unfinished(nodes.iter().copied()),
        waits: circle(&nodes),
    }
}

/// Switches that wait for each other, in a circle if there is one. A switch whose table is full
/// waits for the switches at which its requests wait for an entry or for room.
fn circle(nodes: &[&FabricNode]) -> Vec<String> {
    let waits = |node: &&&FabricNode| !node.switch.ports_without_entry().is_empty();
    let Some(first) = nodes.iter().find(waits) else {
        return congested(nodes);
    };
    let (mut path, mut number) = (Vec::new(), first.number);
    let mut seen = Vec::new();
    while !seen.contains(&number) {
        seen.push(number);
        let node = nodes[usize::from(number)];
        let held = node.switch.census(0).entries;
        let Some(next) = node.blocking_switch(nodes) else {
            path.push(format!(
                "switch {number} has all {held} table entries taken"
            ));
            return path;
        };
        path.push(format!(
            "switch {number} has all {held} table entries taken and waits for switch {next}"
        ));
        number = next;
    }
    let start = seen.iter().position(|&other| other == number).unwrap_or(0);
    path.split_off(start)
}

/// If no table is full: output queues that other packets wait for.
fn congested(nodes: &[&FabricNode]) -> Vec<String> {
    let full = nodes.iter().flat_map(|node| {
        let ports = node.switch.full_outputs(REQUESTS);
        ports
            .into_iter()
            .map(|port| format!("switch {} port {port} has no room", node.number))
    });
    let refusing = nodes.iter().flat_map(|node| {
        let refusing = node
            .endpoints
            .iter()
            .enumerate()
            .filter(|(_, e)| e.refused() > 0);
        refusing.map(|(place, _)| format!("endpoint {place} of switch {} refuses", node.number))
    });
    full.chain(refusing).take(16).collect()
}

impl FabricNode {
    /// A switch without a free entry at which a request of this switch waits.
    fn blocking_switch(&self, nodes: &[&Self]) -> Option<u16> {
        let shape = &self.facts().config.shape;
        let others = nodes.iter().filter(|node| node.number != self.number);
        let blocking = others.filter(|node| {
            let ports = node.switch.ports_without_entry();
            let links = ports
                .iter()
                .filter(|&&port| port >= shape.endpoints_of(node.number));
            let mut peers = links.map(|&port| shape.peer(node.number, port).0);
            peers.any(|peer| peer == self.number || peer >= shape.tors)
        });
        blocking.map(|node| node.number).next()
    }
}
