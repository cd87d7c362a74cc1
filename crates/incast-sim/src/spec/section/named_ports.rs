//! Ports as scenarios name them: `leaf 0 port 16`, `switch 17 port 16`, or all of `switch 17`.

use incast_diagnostic::Diagnostic;
use incast_topology::{LabelledBy, Machines, Ports, Topology};
use incast_units::{HostId, NodeId};

/// Indices of the ports of a node.
pub(super) fn indices(node: NodeId, ports: &Ports) -> impl Iterator<Item = u32> + use<> {
    let first = ports.index(node, 0);
    first..first + ports.of(node).len() as u32
}

/// The nodes whose ports a text may name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Nodes {
    /// Ports of hosts and switches.
    All,
    /// Ports of switches only.
    Switches,
}

/// Indices of all ports that the texts at `key` name, in order, each once.
pub(super) fn find_all(
    names: &[String],
    key: &str,
    nodes: Nodes,
    topology: &Topology,
    ports: &Ports,
) -> Result<Vec<u32>, Diagnostic> {
    let mut all = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let found = find(name, nodes, topology, ports)
            .map_err(|diagnostic| diagnostic.at(format!("{key}[{index}]")))?;
        all.extend(found);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The ports that a text names: one port (`leaf 0 port 16`) or all ports of a node (`leaf 0`). As
/// in printed results, ` → host 16` may follow. A node is named by its label, or a switch by its
/// number (`switch 17`).
fn find(
    name: &str,
    nodes: Nodes,
    topology: &Topology,
    ports: &Ports,
) -> Result<Vec<u32>, Diagnostic> {
    let wanted = name.split('→').next().unwrap_or_default().trim();
    let (node_name, port) = match wanted.rsplit_once(" port ") {
        Some((node, port)) => (node.trim(), Some(port.trim())),
        None => (wanted, None),
    };
    let node = named(node_name, " port 0", topology)?;
    if nodes == Nodes::Switches && topology.is_host(node) {
        let hint = "name a switch; a host's queue is its QPs'";
        return Err(Diagnostic::new(format!("`{wanted}` is a host"), hint));
    }
    let Some(port) = port else {
        return Ok(indices(node, ports).collect());
    };
    let count = ports.of(node).len();
    match port.parse::<u16>() {
        Ok(port) if usize::from(port) < count => Ok(vec![ports.index(node, port)]),
        _ => {
            let what = format!("`{node_name}` has no port `{port}`");
            Err(Diagnostic::new(
                what,
                format!("it has ports 0 to {}", count.saturating_sub(1)),
            ))
        }
    }
}

/// The node that a text names.
pub(super) fn node(name: &str, topology: &Topology) -> Result<NodeId, Diagnostic> {
    named(name, "", topology)
}

/// The node of this name. In hints, `rest` follows the name of a node.
fn named(name: &str, rest: &str, topology: &Topology) -> Result<NodeId, Diagnostic> {
    let by_label = topology.labels.iter().position(|label| label == name);
    if let Some(index) = by_label {
        return Ok(NodeId(index as u32));
    }
    if let Some(switch) = topology.switch_named(name) {
        return Ok(switch);
    }
    if let Some(machines) = &topology.machines {
        if let Some(host) = machines.names().iter().position(|own| own == name) {
            return Err(no_nic(name, name, machines.nics(HostId(host as u32)).len()));
        }
        if let Some(number) = name.strip_prefix("host ") {
            return nic(name, number, machines);
        }
    }
    let number = name
        .strip_prefix("switch ")
        .or_else(|| name.strip_prefix("host "));
    let node = number
        .and_then(|number| number.trim().parse().ok())
        .map(NodeId);
    let (hosts, nodes) = (topology.hosts, topology.nodes());
    node.filter(|node| node.0 < nodes && topology.is_host(*node) == name.starts_with("host "))
        .ok_or_else(|| {
            let what = format!("there is no node `{name}`");
            let hint = match (topology.switches, topology.labelled_by) {
                (0, _) => "this network has no switches".to_owned(),
                (_, LabelledBy::File) => format!(
                    "write a name of the topology's file, e.g. \"{}{rest}\"",
                    topology.node_name(NodeId(hosts))
                ),
                (1, LabelledBy::Shape) => {
                    let only = topology.node_name(NodeId(hosts));
                    format!("write e.g. \"{only}{rest}\"; it is the only switch")
                }
                (_, LabelledBy::Shape) => {
                    let ends = [hosts, nodes - 1].map(NodeId);
                    let [first, last] = ends.map(|node| topology.node_name(node));
                    format!("write e.g. \"{first}{rest}\"; switches are {first} to {last}")
                }
            };
            Diagnostic::new(what, hint)
        })
}

/// The NIC that `name` names, such as `host 3 NIC 1`, where hosts have several NICs. `number` is
/// `name` without its first word.
fn nic(name: &str, number: &str, machines: &Machines) -> Result<NodeId, Diagnostic> {
    let (host, nic) = match number.split_once(" NIC ") {
        Some((host, nic)) => (host, Some(nic)),
        None => (number, None),
    };
    let host = host
        .trim()
        .parse()
        .ok()
        .filter(|host| *host < machines.count());
    let Some(host) = host else {
        let what = format!("there is no node `{name}`");
        let hint = format!(
            "write e.g. \"host 0 NIC 0\"; hosts are 0 to {}",
            machines.count() - 1
        );
        return Err(Diagnostic::new(what, hint));
    };
    let mut nics = machines.nics(HostId(host));
    let count = nics.len();
    let found = match nic {
        Some(nic) => nic.trim().parse().ok().and_then(|nic: usize| nics.nth(nic)),
        None => nics.next().filter(|_| count == 1),
    };
    let found = found.map(NodeId);
    found.ok_or_else(|| no_nic(name, &format!("host {host}"), count))
}

/// The error for a text that names a host with several NICs, but none of its NICs.
fn no_nic(name: &str, host: &str, nics: usize) -> Diagnostic {
    let hint = format!("write \"{host} NIC 0\"; it has NICs 0 to {}", nics - 1);
    Diagnostic::new(format!("`{name}` is no NIC"), hint)
}
