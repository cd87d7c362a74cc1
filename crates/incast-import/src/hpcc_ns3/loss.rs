//! `ERROR_RATE_PER_LINK`: each packet is lost with this probability at the end of each link.
//!
//! ns-3 has one random stream for all links. Here each direction of a link has a stream of its own,
//! so that other packets are lost. PFC frames are never lost here.

use incast_diagnostic::Diagnostic;
use incast_topology::Topology;
use incast_units::NodeId;
use toml::{Table, Value};

use super::config::Config;
use super::notes::Notes;

/// The probability of loss; `None` if no packets are lost.
pub(super) fn probability(config: &Config, notes: &mut Notes) -> Result<Option<f64>, Diagnostic> {
    let key = "ERROR_RATE_PER_LINK";
    let probability = config.number(key, 0.0)?;
    if !(0.0..=1.0).contains(&probability) {
        let what = format!("`{probability}` is not a probability");
        return Err(config.wrong(key, what, "write 0 to 1"));
    }
    if probability == 0.0 {
        notes.used(key, "0 is what every network here has");
        return Ok(None);
    }
    notes.used(
        key,
        "a [[fault]] of all links, and network.model.ties: other packets are lost than in ns-3, \
         and no PFC frame; flows have the retransmission timeout of a [[fault]], which ns-3 has \
         not: there a flow whose last packets are lost never ends",
    );
    Ok(Some(probability))
}

/// The fault that loses packets on every link.
pub(super) fn fault(probability: f64, topology: &Topology) -> Table {
    let mut named = vec![false; topology.nodes() as usize];
    for link in &topology.links {
        // The switch of a host's link, or one end of a link between switches: it has the larger
        // node number.
        named[link.a.max(link.b).index()] = true;
    }
    let nodes = (0..topology.nodes()).map(NodeId);
    let nodes = nodes.filter(|node| named[node.index()]);
    let links = nodes.map(|node| Value::String(topology.node_name(node)));
    let mut fault = Table::new();
    fault.insert("kind".into(), "loss".into());
    fault.insert("probability".into(), probability.into());
    fault.insert("links".into(), Value::Array(links.collect()));
    fault
}
