//! Topology files of the HPCC artifact for ns-3 (alibaba-edu/High-Precision-Congestion-Control,
//! `simulation/mix/*.txt`) and of the simulators that descend from it.
//!
//! ```text
//! nodes switches links
//! switch switch …              the numbers of the switches; all other nodes are hosts
//! a b rate delay error_rate    a line for each link
//! ```
//!
//! Any number may be a switch. Hosts come first with us, so nodes are numbered anew, hosts and
//! switches each in their own order; `Topology::original_ids` keeps the numbers of the file, by
//! which its flow files and its ECMP hashes go. The port numbers of a node, 1 and up there, are 0
//! and up here.

use std::io::BufRead;

use incast_units::{NodeId, Rate, Time};

use super::error::{ReadError, ReadFault};
use super::lines::{Lines, Words, probability, whole_number};
use crate::error::{Ends, GraphError};
use crate::topology::{LINKS_MAX, Link, NODES_MAX, Topology};

const HEADER: &str = "`nodes switches links`, e.g. `376 56 480`";
const SWITCHES: &str = "the numbers of the switches, e.g. `320 321 322`";
const LINK: &str = "`a b rate delay error_rate`, e.g. `0 320 100Gbps 1000ns 0`";

struct Header {
    nodes: u32,
    switches: u32,
    links: u32,
}

/// The new number of each node, and the old numbers by the new.
struct Numbering {
    new: Vec<u32>,
    old: Vec<u32>,
}

pub(super) fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Topology, ReadError> {
    lines.advance_to_first(HEADER)?;
    let header = header(lines.words(HEADER)).map_err(|fault| lines.here(fault))?;
    let numbering = numbering(lines, &header)?;
    let (links, line_numbers) = links(lines, &header, &numbering)?;
    let hosts = header.nodes - header.switches;
    let mut topology = Topology::new("hpcc-ns3", hosts, header.switches, links);
    if !numbering.old.is_sorted() {
        topology.original_ids.clone_from(&numbering.old);
    }
    match topology.validate() {
        Ok(()) => Ok(topology),
        Err(error) => Err(numbering.fault(error, &line_numbers, lines)),
    }
}

fn header(mut words: Words<'_>) -> Result<Header, ReadFault> {
    let nodes = words.number("nodes")?;
    let switches = words.number("switches")?;
    let links = words.number("links")?;
    words.end()?;
    if nodes > NODES_MAX || links > LINKS_MAX {
        return Err(ReadFault::TooLarge {
            nodes: nodes.into(),
            links: links.into(),
        });
    }
    if switches >= nodes {
        return Err(ReadFault::NoHosts { nodes, switches });
    }
    Ok(Header {
        nodes,
        switches,
        links,
    })
}

fn numbering<R: BufRead>(lines: &mut Lines<R>, header: &Header) -> Result<Numbering, ReadError> {
    let mut is_switch = vec![false; header.nodes as usize];
    if header.switches > 0 {
        if !lines.advance()? {
            let announced = header.switches;
            return Err(lines.whole_file(ReadFault::SwitchCount {
                announced,
                found: 0,
            }));
        }
        mark_switches(lines.words(SWITCHES), header, &mut is_switch)
            .map_err(|fault| lines.here(fault))?;
    }
    let (switches, hosts): (Vec<u32>, Vec<u32>) =
        (0..header.nodes).partition(|&id| is_switch[id as usize]);
    let old = [hosts, switches].concat();
    let mut new = vec![0; old.len()];
    for (number, &id) in (0..).zip(&old) {
        new[id as usize] = number;
    }
    Ok(Numbering { new, old })
}

fn mark_switches(
    mut words: Words<'_>,
    header: &Header,
    is_switch: &mut [bool],
) -> Result<(), ReadFault> {
    let mut found = 0;
    while let Some(word) = words.optional() {
        let id = existing("switch", whole_number("switch", word)?, header)?;
        if std::mem::replace(&mut is_switch[id as usize], true) {
            return Err(ReadFault::SwitchTwice { id });
        }
        found += 1;
    }
    match found == header.switches as usize {
        true => Ok(()),
        false => Err(ReadFault::SwitchCount {
            announced: header.switches,
            found,
        }),
    }
}

/// The links, and the line of each.
fn links<R: BufRead>(
    lines: &mut Lines<R>,
    header: &Header,
    numbering: &Numbering,
) -> Result<(Vec<Link>, Vec<u64>), ReadError> {
    let announced = header.links;
    let (mut links, mut line_numbers) = (Vec::new(), Vec::new());
    while lines.advance()? {
        if links.len() == announced as usize {
            return Err(lines.here(ReadFault::LinksBeyond { announced }));
        }
        let link = link(lines.words(LINK), header).map_err(|fault| lines.here(fault))?;
        let error = link.check(Ends::new(links.len(), &link));
        error.map_err(|error| lines.here(ReadFault::Graph(error)))?;
        let new = |node: NodeId| NodeId(numbering.new[node.index()]);
        links.push(Link {
            a: new(link.a),
            b: new(link.b),
            ..link
        });
        line_numbers.push(lines.number());
    }
    match links.len() == announced as usize {
        true => Ok((links, line_numbers)),
        false => {
            let found = links.len();
            Err(lines.whole_file(ReadFault::LinksMissing { announced, found }))
        }
    }
}

/// A link between nodes by their numbers in the file.
fn link(mut words: Words<'_>, header: &Header) -> Result<Link, ReadFault> {
    let a = existing("a", words.number("a")?, header)?;
    let b = existing("b", words.number("b")?, header)?;
    let rate: Rate = words.quantity("rate")?;
    let delay: Time = words.quantity("delay")?;
    let error_rate = probability("error_rate", words.word("error_rate")?)?;
    words.end()?;
    Ok(Link {
        error_rate,
        ..Link::new(NodeId(a), NodeId(b), rate, delay)
    })
}

fn existing(field: &'static str, id: u32, header: &Header) -> Result<u32, ReadFault> {
    match id < header.nodes {
        true => Ok(id),
        false => Err(ReadFault::NoSuchNode {
            field,
            id,
            nodes: header.nodes,
        }),
    }
}

impl Numbering {
    /// The error, with the numbers of the file and the line that it is about.
    fn fault<R: BufRead>(
        &self,
        error: GraphError,
        line_numbers: &[u64],
        lines: &Lines<R>,
    ) -> ReadError {
        let error = error.renumbered(|node| NodeId(self.old[node.index()]));
        let line = error.link().map(|link| line_numbers[link as usize]);
        let fault = ReadFault::Graph(error);
        match line {
            Some(line) => lines.at(line, fault),
            None => lines.whole_file(fault),
        }
    }
}
