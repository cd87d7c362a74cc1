//! Our own topology files: named nodes and links, one on each line.
//!
//! ```text
//! # comment
//! hosts h0 h1 h2            any number of nodes on a line; any number of such lines
//! switches tor0
//! link h0 tor0 100Gbps 1us
//! link h1 tor0 100Gbps 1us 1e-6      with an error rate
//! link h2 tor0 100Gbps,25Gbps 1us    from h2 to tor0, and back
//! ```
//!
//! Nodes are declared above their links. Hosts and switches are each numbered in order of
//! declaration, hosts first, and their names become labels. A host with several links has a NIC for
//! each link, numbered in order of the lines. A line `parallel-links` allows several links between
//! the same switches.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use incast_diagnostic::{Diagnostic, excerpt, unprintable};
use incast_topology::{
    GraphNames, LabelledBy, Link, Machines, ParallelLinks, Topology, check_size,
};
use incast_units::{HostId, NodeId};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

const LINK: &str = "link a b rate delay [error_rate]";
const NODES: &str = "keyword name name …";
const PARALLEL_LINKS: &str = "parallel-links";

static KEYWORDS: [&str; 4] = ["hosts", "switches", "link", PARALLEL_LINKS];

/// A host or a switch, by its index among hosts or switches.
#[derive(Copy, Clone)]
enum DeclaredNode {
    Host(u32),
    Switch(u32),
}

/// A link whose ends have no final numbers yet, because more hosts may follow.
struct Draft {
    ends: [DeclaredNode; 2],
    link: Link,
    line: u64,
}

#[derive(Default)]
struct Graph {
    nodes: HashMap<String, DeclaredNode>,
    hosts: DeclaredNames,
    switches: DeclaredNames,
    links: Vec<Draft>,
    parallel_links: ParallelLinks,
}

/// Names in order of declaration, with their lines.
#[derive(Default)]
struct DeclaredNames {
    names: Vec<String>,
    lines: Vec<u64>,
}

pub(crate) fn read<R: BufRead>(lines: &mut TextLines<R>) -> Result<Topology, Diagnostic> {
    let mut graph = Graph::default();
    graph.add(lines.first_line("`hosts`, e.g. `hosts h0 h1 h2`")?)?;
    while let Some(line) = lines.next_line()? {
        graph.add(line)?;
    }
    graph.topology().map_err(|wrong| lines.in_file(wrong))
}

impl Graph {
    /// Adds the content of a line.
    fn add(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let keyword = line.text().split_whitespace().next().unwrap_or_default();
        if keyword.starts_with('#') {
            return Ok(());
        }
        match keyword {
            "hosts" => self.declare(line, DeclaredNode::Host),
            "switches" => self.declare(line, DeclaredNode::Switch),
            "link" => self.join(line),
            PARALLEL_LINKS => {
                self.parallel_links = ParallelLinks::Allowed;
                let mut words = line.words(PARALLEL_LINKS);
                words.next("keyword")?;
                words.end()
            }
            _ => Err(line.wrong(diagnostics::unknown_keyword(keyword, &KEYWORDS))),
        }
    }

    fn declare(
        &mut self,
        line: TextLine<'_>,
        kind: fn(u32) -> DeclaredNode,
    ) -> Result<(), Diagnostic> {
        let mut words = line.words(NODES);
        words.next("keyword")?;
        let mut name = Some(words.next("name")?);
        while let Some(Field { text, .. }) = name {
            let names = match kind(0) {
                DeclaredNode::Host(_) => &mut self.hosts,
                DeclaredNode::Switch(_) => &mut self.switches,
            };
            let node = kind(names.names.len() as u32);
            if let Some(wrong) = unprintable(text) {
                return Err(line.wrong(wrong));
            }
            if self.nodes.insert(text.to_owned(), node).is_some() {
                return Err(line.wrong(diagnostics::node_twice(text)));
            }
            names.names.push(text.to_owned());
            names.lines.push(line.number());
            self.check_size(line)?;
            name = words.optional("name");
        }
        Ok(())
    }

    fn join(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let mut words = line.words(LINK);
        words.next("keyword")?;
        let ends = [
            self.node(line, words.next("a")?)?,
            self.node(line, words.next("b")?)?,
        ];
        let (rate, rate_back) = words.next("rate")?.split_at_comma();
        let rate = rate.quantity()?;
        let rate_back = rate_back.map(Field::quantity).transpose()?;
        let delay = words.next("delay")?.quantity()?;
        let error_rate = match words.optional("error_rate") {
            Some(word) => word.probability()?,
            None => 0.0,
        };
        words.end()?;
        let link = Link {
            error_rate,
            rate_back,
            ..Link::new(NodeId(0), NodeId(0), rate, delay)
        };
        let line_number = line.number();
        self.links.push(Draft {
            ends,
            link,
            line: line_number,
        });
        self.check_size(line)
    }

    fn check_size(&self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let checked = check_size(self.nodes.len() as u64, self.links.len() as u64);
        checked.map_err(|wrong| line.wrong(wrong))
    }

    fn node(&self, line: TextLine<'_>, name: Field<'_>) -> Result<DeclaredNode, Diagnostic> {
        let node = self.nodes.get(name.text).copied();
        node.ok_or_else(|| line.wrong(diagnostics::unknown_node(name.text)))
    }

    fn topology(self) -> Result<Topology, Diagnostic> {
        let hosts = self.hosts.names.len() as u32;
        let switches = self.switches.names.len() as u32;
        let number = |node| match node {
            DeclaredNode::Host(number) => NodeId(number),
            DeclaredNode::Switch(number) => NodeId(hosts + number),
        };
        let link = |draft: &Draft| {
            let [a, b] = draft.ends.map(number);
            Link { a, b, ..draft.link }
        };
        let links = self.links.iter().map(link).collect();
        let mut topology = Topology::new("graph", hosts, switches, links);
        topology.parallel_links = self.parallel_links;
        let mut topology = topology.split_nics();
        topology.validate_as(&NamesOfFile {
            graph: &self,
            machines: topology.machines.as_ref(),
        })?;
        topology.labelled_by = LabelledBy::File;
        let machines = topology.machines.take();
        let ends = vec![String::new(); topology.hosts as usize];
        match machines {
            Some(machines) => {
                topology.labels = [ends, self.switches.names].concat();
                topology.set_machines(machines.named(self.hosts.names));
            }
            None => topology.labels = [self.hosts.names, self.switches.names].concat(),
        }
        Ok(topology)
    }
}

/// Adds the lines of the file, and the names of its hosts, to diagnostics.
struct NamesOfFile<'a> {
    graph: &'a Graph,
    /// The machines, if some hosts of the file have several NICs.
    machines: Option<&'a Machines>,
}

impl NamesOfFile<'_> {
    fn host(&self, end: HostId) -> HostId {
        self.machines.map_or(end, |machines| machines.of(end).0)
    }
}

impl GraphNames for NamesOfFile<'_> {
    fn number(&self, node: NodeId) -> NodeId {
        match self.machines {
            Some(machines) if node.0 < machines.ends() => self.host(HostId(node.0)).into(),
            Some(machines) => NodeId(node.0 - machines.ends() + machines.count()),
            None => node,
        }
    }

    fn at_link(&self, link: usize, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.on_line(self.graph.links[link].line)
    }

    fn at_host(&self, host: HostId, mut diagnostic: Diagnostic) -> Diagnostic {
        let host = self.host(host);
        let hosts = &self.graph.hosts;
        let name = excerpt(&hosts.names[host.index()]);
        diagnostic.hint += &format!(" (host {host} is `{name}`)");
        diagnostic.on_line(hosts.lines[host.index()])
    }
}

/// Errors of `out`.
pub fn write_graph(topology: &Topology, mut out: impl Write) -> io::Result<()> {
    let names = names(topology);
    let (hosts, switches) = names.split_at(topology.machine_count() as usize);
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
    let name = |node: NodeId| match topology.is_host(node) {
        true => &hosts[topology.machine_of(HostId(node.0)).0.index()],
        false => &switches[(node.0 - topology.hosts) as usize],
    };
    for link in &topology.links {
        let (a, b) = (name(link.a), name(link.b));
        write!(out, "link {a} {b} {}", link.rate)?;
        if let Some(back) = link.rate_back {
            write!(out, ",{back}")?;
        }
        write!(out, " {}", link.delay)?;
        match link.error_rate {
            0.0 => writeln!(out)?,
            error_rate => writeln!(out, " {error_rate}")?,
        }
    }
    Ok(())
}

const NAMES_IN_A_LINE: usize = 16;

/// The names of machines, or of hosts with one NIC each; then the names of switches.
fn names(topology: &Topology) -> Vec<String> {
    let machines = || (0..topology.machine_count()).map(HostId);
    let switches = || (topology.hosts..topology.nodes()).map(NodeId);
    let host = |host: HostId| match (&topology.machines, topology.host_names()) {
        (Some(_), Some(names)) => names[host.index()].clone(),
        (Some(_), None) => format!("host{host}"),
        (None, _) => topology.label(host.into()).into_owned(),
    };
    let label = |node| topology.label(node).into_owned();
    let labels: Vec<_> = machines().map(host).chain(switches().map(label)).collect();
    let well_formed = |label: &str| !label.is_empty() && !label.contains(char::is_whitespace);
    let distinct: HashSet<_> = labels.iter().filter(|label| well_formed(label)).collect();
    if distinct.len() == labels.len() {
        return labels;
    }
    let hosts = machines().map(|host| format!("host{host}"));
    let switches = switches().map(|node| topology.default_label(node));
    hosts.chain(switches).collect()
}
