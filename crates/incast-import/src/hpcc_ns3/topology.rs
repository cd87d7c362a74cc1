//! Topology files of the HPCC artifact for ns-3 (alibaba-edu/High-Precision-Congestion-Control,
//! `simulation/mix/*.txt`) and of the simulators that descend from it.
//!
//! ```text
//! nodes switches links
//! switch switch …              the numbers of the switches; all other nodes are hosts
//! a b rate delay error_rate    a line for each link
//! ```
//!
//! ns3-datacenter writes `nodes switches tors links`, and rates in bit/s without a unit. SimAI's
//! files, with GPUs and NVSwitches, are refused.
//!
//! Any number may be a switch. Hosts come first with us, so nodes are numbered anew, hosts and
//! switches each in their own order; `Topology::original_ids` keeps the numbers of the file, by
//! which its flow files and its ECMP hashes go. The port numbers of a node, 1 and up there, are 0
//! and up here.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::{GraphNames, Link, Topology, check_size};
use incast_units::NodeId;

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

const HEADER: &str = "nodes switches links";
const SWITCHES: &str = "switch switch …";
const LINK: &str = "a b rate delay error_rate";

struct Header {
    nodes: u32,
    switches: u32,
    links: u32,
    rates: RateUnit,
}

/// Whether rates have their unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum RateUnit {
    Written,
    /// As ns3-datacenter has them.
    BitsPerSecond,
}

/// The new number of each node, the old numbers by the new, and where the links stand.
struct Numbering {
    new: Vec<u32>,
    old: Vec<u32>,
    /// The line of each link.
    lines: Vec<u64>,
}

pub(crate) fn read<R: BufRead>(lines: &mut TextLines<R>) -> Result<Topology, Diagnostic> {
    let header = header(lines.first_line("`nodes switches links`, e.g. `376 56 480`")?)?;
    let mut numbering = numbering(lines, &header)?;
    let links = links(lines, &header, &mut numbering)?;
    let hosts = header.nodes - header.switches;
    let mut topology = Topology::new("hpcc-ns3", hosts, header.switches, links);
    if !numbering.old.is_sorted() {
        topology.original_ids.clone_from(&numbering.old);
    }
    let valid = topology.validate_as(&numbering);
    valid.map_err(|wrong| lines.in_file(wrong))?;
    Ok(topology)
}

fn header(line: TextLine<'_>) -> Result<Header, Diagnostic> {
    let found: Vec<_> = line.text().split_whitespace().collect();
    if let [_, _, _, _, _, gpu] = found[..]
        && gpu.starts_with(|first: char| first.is_ascii_alphabetic())
    {
        return Err(line.wrong(diagnostics::simai_topology()));
    }
    let rates = match found[..] {
        [_, switches, tors, _] if is_at_most(tors, switches) => RateUnit::BitsPerSecond,
        _ => RateUnit::Written,
    };
    let mut words = line.words(HEADER);
    let nodes = words.next("nodes")?.integer_32("376")?;
    let switches = words.next("switches")?.integer_32("56")?;
    if rates == RateUnit::BitsPerSecond {
        words.next("tors")?;
    }
    let links = words.next("links")?.integer_32("480")?;
    words.end()?;
    check_size(nodes.into(), links.into()).map_err(|wrong| line.wrong(wrong))?;
    match switches < nodes {
        true => Ok(Header {
            nodes,
            switches,
            links,
            rates,
        }),
        false => Err(line.wrong(diagnostics::only_switches(nodes, switches))),
    }
}

/// Whether both are numbers, and in order.
fn is_at_most(one: &str, other: &str) -> bool {
    let numbers = (one.parse::<u32>(), other.parse::<u32>());
    matches!(numbers, (Ok(one), Ok(other)) if one <= other)
}

fn numbering<R: BufRead>(
    lines: &mut TextLines<R>,
    header: &Header,
) -> Result<Numbering, Diagnostic> {
    let mut is_switch = vec![false; header.nodes as usize];
    if header.switches > 0 {
        match lines.next_line()? {
            Some(line) => mark_switches(line, header, &mut is_switch)?,
            None => {
                let missing = diagnostics::switch_count(0, header.switches);
                return Err(lines.in_file(missing));
            }
        }
    }
    let (switches, hosts): (Vec<u32>, Vec<u32>) =
        (0..header.nodes).partition(|&id| is_switch[id as usize]);
    let old = [hosts, switches].concat();
    let mut new = vec![0; old.len()];
    for (number, &id) in (0..).zip(&old) {
        new[id as usize] = number;
    }
    let lines = Vec::new();
    Ok(Numbering { new, old, lines })
}

fn mark_switches(
    line: TextLine<'_>,
    header: &Header,
    is_switch: &mut [bool],
) -> Result<(), Diagnostic> {
    let mut words = line.words(SWITCHES);
    let mut found = 0;
    while let Some(word) = words.optional("switch") {
        let id = existing(word, header)?;
        if std::mem::replace(&mut is_switch[id as usize], true) {
            return Err(line.wrong(diagnostics::switch_twice(id)));
        }
        found += 1;
    }
    match found == header.switches {
        true => Ok(()),
        false => Err(line.wrong(diagnostics::switch_count(found, header.switches))),
    }
}

/// The links between nodes by their new numbers.
fn links<R: BufRead>(
    lines: &mut TextLines<R>,
    header: &Header,
    numbering: &mut Numbering,
) -> Result<Vec<Link>, Diagnostic> {
    let announced = header.links as usize;
    let mut links = Vec::new();
    while let Some(line) = lines.next_line()? {
        if links.len() == announced {
            return Err(line.wrong(diagnostics::links_beyond(announced)));
        }
        let link = link(line, header)?;
        let checked = link.check(links.len());
        checked.map_err(|wrong| line.wrong(wrong))?;
        let new = |node: NodeId| NodeId(numbering.new[node.index()]);
        links.push(Link {
            a: new(link.a),
            b: new(link.b),
            ..link
        });
        numbering.lines.push(line.number());
    }
    match links.len() == announced {
        true => Ok(links),
        false => Err(lines.in_file(diagnostics::links_missing(links.len(), announced))),
    }
}

/// A link between nodes by their numbers in the file.
fn link(line: TextLine<'_>, header: &Header) -> Result<Link, Diagnostic> {
    let mut words = line.words(LINK);
    let a = existing(words.next("a")?, header)?;
    let b = existing(words.next("b")?, header)?;
    let rate = words.next("rate")?;
    let rate = match header.rates {
        RateUnit::Written => rate.quantity()?,
        RateUnit::BitsPerSecond => rate.bits_per_second()?,
    };
    let delay = words.next("delay")?.quantity()?;
    let error_rate = words.next("error_rate")?.probability()?;
    words.end()?;
    Ok(Link {
        error_rate,
        ..Link::new(NodeId(a), NodeId(b), rate, delay)
    })
}

fn existing(word: Field<'_>, header: &Header) -> Result<u32, Diagnostic> {
    let id = word.integer_32("16")?;
    match id < header.nodes {
        true => Ok(id),
        false => Err(word.wrong(diagnostics::no_such_node(id, header.nodes))),
    }
}

/// Messages have the numbers and the lines of the file.
impl GraphNames for Numbering {
    fn number(&self, node: NodeId) -> NodeId {
        NodeId(self.old[node.index()])
    }

    fn at_link(&self, link: usize, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.on_line(self.lines[link])
    }
}
