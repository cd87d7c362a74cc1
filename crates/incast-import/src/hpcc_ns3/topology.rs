//! Topology files of the HPCC artifact for ns-3 (alibaba-edu/High-Precision-Congestion-Control,
//! `simulation/mix/*.txt`) and of the simulators that descend from it, read as `scratch/third.cc`
//! reads them.
//!
//! ```text
//! nodes switches links
//! switch switch …              the numbers of the switches; all other nodes are hosts
//! a b rate delay error_rate    one line for each link
//! notes                        after the announced links nothing is read
//! ```
//!
//! Other forms of the first line are in `topology/header.rs`. Rates without a unit are in bit/s,
//! delays without a unit in seconds. Of several links between two nodes only the last counts. A
//! host without a link is left out. A host with several links has a NIC for each link.
//!
//! In a file, any node number may be a switch. Here hosts come first, so nodes are renumbered;
//! hosts and switches each keep their order. `Topology::original_ids` has the file's numbers, which
//! flow files and ECMP hashes use. Ports are numbered from 1 in ns-3, and from 0 here.
//!
//! Deviation: in ns-3, a link that a later one replaces still has a port at its switch, which takes
//! its share of the buffer.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::{GraphNames, LabelledBy, Machines, Topology};
use incast_units::{HostId, NodeId};

use crate::diagnostics;
use crate::text::TextLines;
use crate::topology_note::TopologyNote;
use header::Header;
use numbering::Numbering;

mod header;
mod links;
mod numbering;

/// The network, and notes on the parts of the file that the network does not have.
pub(crate) fn read<R: BufRead>(
    lines: &mut TextLines<R>,
) -> Result<(Topology, Vec<TopologyNote>), Diagnostic> {
    let header = Header::read(lines)?;
    let (mut numbering, held) = numbering::read(lines, &header)?;
    let mut links = links::read(lines, &header, held)?;
    let mut notes = Vec::new();
    links.keep_the_last_of_two_nodes(&mut notes);
    numbering.leave_out_hosts_without_link(&links.links, &mut notes);
    if numbering.hosts == 0 {
        return Err(lines.in_file(diagnostics::no_host_linked()));
    }
    let topology = network(&numbering, &links.links);
    let names = FileNumbers {
        topology: &topology,
        lines: &links.lines,
    };
    let valid = topology.validate_as(&names);
    valid.map_err(|wrong| lines.in_file(wrong))?;
    if let Some(rest) = lines.rest() {
        notes.push(TopologyNote {
            line: Some(rest.first),
            subject: rest.counted(),
            outcome: format!("after the {} links ns-3 reads nothing", header.links),
        });
    }
    Ok((labelled(topology), notes))
}

/// The network, not validated and without labels.
fn network(numbering: &Numbering, links: &[incast_topology::Link]) -> Topology {
    let (hosts, switches) = (numbering.hosts, numbering.switches());
    let links = numbering.renumbered(links);
    let mut topology = Topology::new("hpcc-ns3", hosts, switches, links).split_nics();
    let is_as_counted = (0..).zip(&numbering.old).all(|(new, old)| new == *old);
    if !is_as_counted {
        topology.original_ids = original_ids(numbering, topology.machines.as_ref());
    }
    topology
}

/// The file's number of each node; a NIC has the number of its host.
fn original_ids(numbering: &Numbering, machines: Option<&Machines>) -> Vec<u32> {
    let (hosts, switches) = numbering.old.split_at(numbering.hosts as usize);
    let nics = |host: u32| machines.map_or(1, |all| all.nics(HostId(host)).len());
    let ends = (0..).zip(hosts);
    let ends = ends.flat_map(|(host, &id)| std::iter::repeat_n(id, nics(host)));
    ends.chain(switches.iter().copied()).collect()
}

/// Labels nodes by their numbers in the file (`node2`), if the file has other numbers.
fn labelled(mut topology: Topology) -> Topology {
    let Some(numbers) = topology.machine_numbers() else {
        return topology;
    };
    let name = |number: &u32| format!("node{number}");
    topology.labelled_by = LabelledBy::File;
    topology.labels = topology.original_ids.iter().map(name).collect();
    if let Some(machines) = topology.machines.take() {
        topology.set_machines(machines.named(numbers.iter().map(name).collect()));
    }
    topology
}

/// Adds the node numbers and the lines of the file to diagnostics.
struct FileNumbers<'a> {
    topology: &'a Topology,
    lines: &'a [u64],
}

impl GraphNames for FileNumbers<'_> {
    fn number(&self, node: NodeId) -> NodeId {
        let topology = self.topology;
        match (&topology.machines, topology.original_ids.is_empty()) {
            (Some(machines), true) if topology.is_host(node) => {
                machines.of(HostId(node.0)).0.into()
            }
            (Some(machines), true) => NodeId(node.0 - machines.ends() + machines.count()),
            _ => NodeId(topology.original_id(node)),
        }
    }

    fn at_link(&self, link: usize, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.on_line(self.lines[link])
    }
}
