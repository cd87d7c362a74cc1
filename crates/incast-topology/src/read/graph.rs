//! Our own files: named nodes and links, a line each.
//!
//! ```text
//! # comment
//! hosts h0 h1 h2            any number of nodes in a line; any number of such lines
//! switches tor0
//! link h0 tor0 100Gbps 1us
//! link h1 tor0 100Gbps 1us 1e-6      with an error rate
//! link h2 tor0 100Gbps 1us
//! ```
//!
//! Nodes are declared above the links that join them. Hosts and switches are each numbered in
//! order of declaration, hosts first, and their names become labels. A line `parallel-links`
//! allows several links between the same nodes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use incast_units::{NodeId, Rate, Time};

use super::error::{ReadError, ReadFault};
use super::lines::{Lines, Words, nearest, probability, shortened};
use crate::error::GraphError;
use crate::topology::{LINKS_MAX, Link, NODES_MAX, ParallelLinks, Topology};

const LINK: &str = "`link a b rate delay [error_rate]`, e.g. `link h0 tor0 100Gbps 1us`";
const NODES: &str = "names of nodes, e.g. `hosts h0 h1`";

static KEYWORDS: [&str; 4] = ["hosts", "switches", "link", "parallel-links"];

/// A host or a switch, by its number among its kind.
#[derive(Copy, Clone)]
enum Node {
    Host(u32),
    Switch(u32),
}

/// A link whose ends have no final numbers yet, because hosts may still follow.
struct Draft {
    ends: [Node; 2],
    link: Link,
    line: u64,
}

#[derive(Default)]
struct Graph {
    nodes: HashMap<String, Node>,
    hosts: Names,
    switches: Names,
    links: Vec<Draft>,
    parallel_links: ParallelLinks,
}

/// Names in order of declaration, and their lines.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    lines: Vec<u64>,
}

pub(super) fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Topology, ReadError> {
    lines.advance_to_first("`hosts`, e.g. `hosts h0 h1 h2`")?;
    let mut graph = Graph::default();
    loop {
        let line = lines.number();
        graph
            .take(lines.line(), line, lines)
            .map_err(|fault| lines.here(fault))?;
        if !lines.advance()? {
            break;
        }
    }
    graph.topology().map_err(|(line, fault)| match line {
        Some(line) => lines.at(line, fault),
        None => lines.whole_file(fault),
    })
}

impl Graph {
    /// Takes in a line.
    fn take<R: BufRead>(
        &mut self,
        text: &str,
        line: u64,
        lines: &Lines<R>,
    ) -> Result<(), ReadFault> {
        let keyword = text.split_whitespace().next().unwrap_or_default();
        if keyword.starts_with('#') {
            return Ok(());
        }
        match keyword {
            "hosts" => self.declare(lines.words(NODES), line, Node::Host),
            "switches" => self.declare(lines.words(NODES), line, Node::Switch),
            "link" => self.join(lines.words(LINK), line),
            "parallel-links" => {
                self.parallel_links = ParallelLinks::Allowed;
                let mut words = lines.words("`parallel-links` alone");
                words.word("keyword")?;
                words.end()
            }
            _ => {
                let word = shortened(keyword);
                let suggestion = nearest(&word, &KEYWORDS);
                Err(ReadFault::UnknownKeyword {
                    word,
                    suggestion,
                    known: &KEYWORDS,
                })
            }
        }
    }

    fn declare(
        &mut self,
        mut words: Words<'_>,
        line: u64,
        kind: fn(u32) -> Node,
    ) -> Result<(), ReadFault> {
        words.word("keyword")?;
        let mut name = Some(words.word("name")?);
        while let Some(current) = name {
            let names = match kind(0) {
                Node::Host(_) => &mut self.hosts,
                Node::Switch(_) => &mut self.switches,
            };
            let node = kind(names.names.len() as u32);
            if self.nodes.insert(current.to_owned(), node).is_some() {
                return Err(ReadFault::NodeTwice {
                    name: shortened(current),
                });
            }
            names.names.push(current.to_owned());
            names.lines.push(line);
            let (nodes, links) = (self.nodes.len() as u64, self.links.len() as u64);
            if nodes > u64::from(NODES_MAX) {
                return Err(ReadFault::TooLarge { nodes, links });
            }
            name = words.optional();
        }
        Ok(())
    }

    fn join(&mut self, mut words: Words<'_>, line: u64) -> Result<(), ReadFault> {
        words.word("keyword")?;
        let ends = [self.node(words.word("a")?)?, self.node(words.word("b")?)?];
        let rate: Rate = words.quantity("rate")?;
        let delay: Time = words.quantity("delay")?;
        let error_rate = match words.optional() {
            Some(word) => probability("error_rate", word)?,
            None => 0.0,
        };
        words.end()?;
        let link = Link {
            error_rate,
            ..Link::new(NodeId(0), NodeId(0), rate, delay)
        };
        self.links.push(Draft { ends, link, line });
        let (nodes, links) = (self.nodes.len() as u64, self.links.len() as u64);
        match links > u64::from(LINKS_MAX) {
            true => Err(ReadFault::TooLarge { nodes, links }),
            false => Ok(()),
        }
    }

    fn node(&self, name: &str) -> Result<Node, ReadFault> {
        let node = self.nodes.get(name).copied();
        node.ok_or_else(|| ReadFault::UnknownNode {
            name: shortened(name),
        })
    }

    fn topology(self) -> Result<Topology, (Option<u64>, ReadFault)> {
        let hosts = self.hosts.names.len() as u32;
        let switches = self.switches.names.len() as u32;
        let number = |node| match node {
            Node::Host(number) => NodeId(number),
            Node::Switch(number) => NodeId(hosts + number),
        };
        let link = |draft: &Draft| {
            let [a, b] = draft.ends.map(number);
            Link { a, b, ..draft.link }
        };
        let links = self.links.iter().map(link).collect();
        let mut topology = Topology::new("graph", hosts, switches, links);
        topology.parallel_links = self.parallel_links;
        match topology.validate() {
            Ok(()) => {
                topology.labels = [self.hosts.names, self.switches.names].concat();
                Ok(topology)
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    /// The error, the line that it is about, and what the file calls the host.
    fn fault(&self, error: GraphError) -> (Option<u64>, ReadFault) {
        let host = match error {
            GraphError::HostWithoutLink { host } | GraphError::HostWithManyLinks { host, .. } => {
                host
            }
            GraphError::Disconnected { to, .. } => to,
            _ => {
                let line = error.link().map(|link| self.links[link as usize].line);
                return (line, ReadFault::Graph(error));
            }
        };
        let name = shortened(&self.hosts.names[host.index()]);
        (
            Some(self.hosts.lines[host.index()]),
            ReadFault::Host { error, host, name },
        )
    }
}

/// Writes `topology` in this format; reading it back gives the same network.
///
/// Labels that cannot be names, because they are not distinct or hold blanks, are replaced.
///
/// # Errors
/// Those of `out`.
pub fn write_graph(topology: &Topology, mut out: impl Write) -> io::Result<()> {
    let names = names(topology);
    let (hosts, switches) = names.split_at(topology.hosts as usize);
    writeln!(
        out,
        "# {}",
        topology.name.lines().next().unwrap_or_default()
    )?;
    for (keyword, names) in [("hosts", hosts), ("switches", switches)] {
        for line in names.chunks(NAMES_IN_A_LINE) {
            writeln!(out, "{keyword} {}", line.join(" "))?;
        }
    }
    if topology.parallel_links == ParallelLinks::Allowed {
        writeln!(out, "parallel-links")?;
    }
    for link in &topology.links {
        let (a, b) = (&names[link.a.index()], &names[link.b.index()]);
        write!(out, "link {a} {b} {} {}", link.rate, link.delay)?;
        match link.error_rate {
            0.0 => writeln!(out)?,
            error_rate => writeln!(out, " {error_rate}")?,
        }
    }
    Ok(())
}

const NAMES_IN_A_LINE: usize = 16;

fn names(topology: &Topology) -> Vec<Cow<'_, str>> {
    let nodes = || (0..topology.nodes()).map(NodeId);
    let labels: Vec<_> = nodes().map(|node| topology.label(node)).collect();
    let well_formed = |label: &str| !label.is_empty() && !label.contains(char::is_whitespace);
    let distinct: HashSet<_> = labels.iter().filter(|label| well_formed(label)).collect();
    if distinct.len() == labels.len() {
        return labels;
    }
    nodes()
        .map(|node| Cow::Owned(topology.default_label(node)))
        .collect()
}
