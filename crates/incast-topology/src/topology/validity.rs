//! Validation: a graph must be a network on which every host can reach every other.

use std::collections::{BTreeMap, VecDeque};

use incast_diagnostic::Diagnostic;
use incast_units::{HostId, NodeId, Rate, Time};

use super::{CELLS_MAX, LINKS_MAX, Link, Machines, NODES_MAX, PORTS_MAX, ParallelLinks, Topology};

/// The numbers that a file gives to the nodes of its graph, and the lines they stand on.
///
/// Readers that renumber nodes implement this trait, so that diagnostics show the numbers and lines
/// of the file. With `()` numbers stay, and lines are not known.
pub trait GraphNames {
    /// The number of a node in messages.
    fn number(&self, node: NodeId) -> NodeId {
        node
    }

    /// Adds the file's line to a diagnostic about a link, counted from 0.
    fn at_link(&self, link: usize, diagnostic: Diagnostic) -> Diagnostic {
        let _ = link;
        diagnostic
    }

    /// Adds the file's line to a diagnostic about a host.
    fn at_host(&self, host: HostId, diagnostic: Diagnostic) -> Diagnostic {
        let _ = host;
        diagnostic
    }
}

impl GraphNames for () {}

/// Checks that the size of a network is within the limits.
///
/// # Errors
/// More than [`NODES_MAX`] nodes or [`LINKS_MAX`] links.
pub fn check_size(nodes: u64, links: u64) -> Result<(), Diagnostic> {
    match nodes > u64::from(NODES_MAX) || links > u64::from(LINKS_MAX) {
        true => Err(Diagnostic::new(
            format!(
                "{nodes} nodes and {links} links are too many: at most {NODES_MAX} and {LINKS_MAX}"
            ),
            "",
        )),
        false => Ok(()),
    }
}

impl Link {
    /// Checks one link by itself; `number` names the link in messages.
    ///
    /// # Errors
    /// Equal ends, rate 0, delay 0, or an error rate that is not a probability.
    pub fn check(&self, number: usize) -> Result<(), Diagnostic> {
        let ends = ends(number, self);
        let wrong = |what: String, hint| Err(Diagnostic::new(format!("{ends}: {what}"), hint));
        if self.a == self.b {
            return wrong("a link must join two different nodes".to_owned(), "");
        }
        if self.rates().contains(&Rate::ZERO) {
            let what = "rate 0 is not allowed: nothing would ever leave";
            return wrong(what.to_owned(), "write e.g. `100Gbps`");
        }
        if self.delay == Time::ZERO {
            let what = "delay 0 is not allowed: simulated time advances by the smallest link delay";
            return wrong(what.to_owned(), "write at least 1ns");
        }
        if !(0.0..=1.0).contains(&self.error_rate) {
            let what = format!("error rate {} is not a probability", self.error_rate);
            return wrong(what, "write 0 to 1, e.g. `1e-6`");
        }
        Ok(())
    }
}

impl Topology {
    /// The first mistake.
    pub fn validate(&self) -> Result<(), Diagnostic> {
        self.validate_as(&())
    }

    /// As [`Topology::validate`], with the node numbers and lines of the file in diagnostics.
    ///
    /// # Errors
    /// The first mistake.
    pub fn validate_as(&self, names: &impl GraphNames) -> Result<(), Diagnostic> {
        let check = Check { graph: self, names };
        check.counts()?;
        check.links()?;
        check.parallel_links()?;
        check.degrees()?;
        check.direct_links()?;
        check.routes()?;
        check.connected()
    }
}

impl Topology {
    /// Whether all hosts are in one connected component. With NICs on several planes they are not.
    pub fn is_connected(&self) -> bool {
        let parts = Check {
            graph: self,
            names: &(),
        }
        .parts();
        parts[..self.hosts as usize].iter().all(|part| *part == 0)
    }
}

/// A graph under examination.
struct Check<'a, N> {
    graph: &'a Topology,
    names: &'a N,
}

impl<N: GraphNames> Check<'_, N> {
    fn counts(&self) -> Result<(), Diagnostic> {
        let graph = self.graph;
        if graph.hosts == 0 {
            let what = "a topology without hosts is not allowed: there must be at least 1";
            return Err(Diagnostic::new(what, ""));
        }
        let nodes = u64::from(graph.hosts) + u64::from(graph.switches);
        check_size(nodes, graph.links.len() as u64)?;
        for table in [graph.labels.len(), graph.original_ids.len()] {
            if table != 0 && table as u64 != nodes {
                let what = format!("a table of {table} entries does not fit {nodes} nodes");
                return Err(Diagnostic::new(what + ": one for each, or none", ""));
            }
        }
        Ok(())
    }

    fn links(&self) -> Result<(), Diagnostic> {
        let graph = self.graph;
        for (number, link) in graph.links.iter().enumerate() {
            let missing = [link.a, link.b]
                .into_iter()
                .find(|node| node.0 >= graph.nodes());
            let checked = match missing {
                Some(node) => Err(Diagnostic::new(
                    format!("{}: node {node} does not exist", ends(number, link)),
                    existing(graph.hosts, graph.switches),
                )),
                None => self.named(link).check(number),
            };
            checked.map_err(|diagnostic| self.names.at_link(number, diagnostic))?;
        }
        Ok(())
    }

    /// The link, with the file's numbers of its ends.
    fn named(&self, link: &Link) -> Link {
        Link {
            a: self.names.number(link.a),
            b: self.names.number(link.b),
            ..*link
        }
    }

    fn parallel_links(&self) -> Result<(), Diagnostic> {
        let links = &self.graph.links;
        if self.graph.parallel_links == ParallelLinks::Allowed {
            return Ok(());
        }
        let pair = |link: u32| {
            let link = &links[link as usize];
            (link.a.min(link.b), link.a.max(link.b))
        };
        let mut order: Vec<u32> = (0..links.len() as u32).collect();
        order.sort_by_key(|&number| (pair(number), number));
        let repeats = order
            .windows(2)
            .filter(|two| pair(two[0]) == pair(two[1]))
            .min_by_key(|two| two[1]);
        let Some(&[first, second]) = repeats else {
            return Ok(());
        };
        let second = second as usize;
        let ends = ends(second, &self.named(&links[second]));
        let repeated = Diagnostic::new(
            format!("{ends} repeats link {first}"),
            "two nodes have one link unless parallel links are allowed",
        );
        Err(self.names.at_link(second, repeated))
    }

    fn degrees(&self) -> Result<(), Diagnostic> {
        let graph = self.graph;
        let mut degrees = vec![0_u32; graph.nodes() as usize];
        for link in &graph.links {
            degrees[link.a.index()] += 1;
            degrees[link.b.index()] += 1;
        }
        let (hosts, switches) = degrees.split_at(graph.hosts as usize);
        if let Some(host) = hosts.iter().position(|&links| links != 1) {
            return Err(self.wrong_degree(HostId(host as u32), hosts[host]));
        }
        for (&links, switch) in switches.iter().zip(graph.hosts..) {
            if links > PORTS_MAX {
                let node = self.names.number(NodeId(switch));
                return Err(Diagnostic::new(
                    format!("switch {node} has {links} links"),
                    format!("a switch has at most {PORTS_MAX} ports"),
                ));
            }
        }
        Ok(())
    }

    /// Without machines, a link between two hosts must be the only link, because no path leads
    /// through a host. NICs of a machine may have such links.
    fn direct_links(&self) -> Result<(), Diagnostic> {
        match &self.graph.machines {
            Some(_) => Ok(()),
            None => self.direct_link().map_or(Ok(()), Err),
        }
    }

    /// A diagnostic about the first link between two hosts, if there are other links.
    fn direct_link(&self) -> Option<Diagnostic> {
        let graph = self.graph;
        let is_direct = |link: &Link| graph.is_host(link.a) && graph.is_host(link.b);
        let direct = graph.links.iter().position(is_direct);
        let direct = direct.filter(|_| graph.links.len() > 1)?;
        let ends = ends(direct, &self.named(&graph.links[direct]));
        let what = format!("{ends} joins two hosts, and there are other links");
        let wrong = Diagnostic::new(what, "put a switch between them");
        Some(self.names.at_link(direct, wrong))
    }

    fn wrong_degree(&self, host: HostId, links: u32) -> Diagnostic {
        let number = self.names.number(host.into());
        let (links, hint) = match links {
            0 => ("no link".to_owned(), "every host needs one"),
            _ => (format!("{links} links"), "every host needs exactly one"),
        };
        let what = format!("host {number} has {links}");
        let wrong = Diagnostic::new(what, hint);
        self.names.at_host(host, wrong)
    }

    fn routes(&self) -> Result<(), Diagnostic> {
        let graph = self.graph;
        let mut has_hosts = vec![false; graph.nodes() as usize];
        for link in &graph.links {
            has_hosts[link.a.index()] |= graph.is_host(link.b);
            has_hosts[link.b.index()] |= graph.is_host(link.a);
        }
        let edges = has_hosts[graph.hosts as usize..].iter();
        let (switches, edges) = (graph.switches, edges.filter(|&&has| has).count());
        match u64::from(switches) * edges as u64 > CELLS_MAX {
            true => Err(Diagnostic::new(
                format!(
                    "{switches} switches, {edges} of them with hosts, are too many: \
                     their product is at most {CELLS_MAX}"
                ),
                "",
            )),
            false => Ok(()),
        }
    }

    /// Checks that every host reaches every other; if hosts are NICs, that every machine reaches
    /// every other by some NIC. Each host has one link, so that no path leads through a host.
    fn connected(&self) -> Result<(), Diagnostic> {
        let parts = self.parts();
        match &self.graph.machines {
            Some(machines) => {
                let connected = self.machines_are_connected(machines, &parts);
                connected.map_err(|apart| self.direct_link().unwrap_or(apart))
            }
            None => {
                let apart = (0..self.graph.hosts).find(|&host| parts[host as usize] != 0);
                apart.map_or(Ok(()), |host| {
                    Err(self.disconnected(HostId(0), HostId(host)))
                })
            }
        }
    }

    /// The connected component of each node; that of node 0 is 0.
    fn parts(&self) -> Vec<u32> {
        let graph = self.graph;
        let mut neighbours = vec![Vec::new(); graph.nodes() as usize];
        for link in &graph.links {
            neighbours[link.a.index()].push(link.b);
            neighbours[link.b.index()].push(link.a);
        }
        let mut parts = vec![u32::MAX; neighbours.len()];
        let mut queue = VecDeque::new();
        let mut count = 0;
        for begin in 0..parts.len() {
            if parts[begin] != u32::MAX {
                continue;
            }
            parts[begin] = count;
            queue.push_back(NodeId(begin as u32));
            while let Some(node) = queue.pop_front() {
                for &neighbour in &neighbours[node.index()] {
                    if parts[neighbour.index()] == u32::MAX {
                        parts[neighbour.index()] = count;
                        queue.push_back(neighbour);
                    }
                }
            }
            count += 1;
        }
        parts
    }

    fn machines_are_connected(&self, machines: &Machines, parts: &[u32]) -> Result<(), Diagnostic> {
        // Machines whose NICs are in the same components need one check.
        let mut kinds: BTreeMap<Vec<u32>, HostId> = BTreeMap::new();
        for machine in (0..machines.count()).map(HostId) {
            let nics = machines.nics(machine);
            let mut own: Vec<u32> = nics.map(|nic| parts[nic as usize]).collect();
            own.sort_unstable();
            own.dedup();
            kinds.entry(own).or_insert(machine);
        }
        let mut first: Vec<_> = kinds.iter().collect();
        first.sort_unstable_by_key(|(_, machine)| **machine);
        for (index, (own, machine)) in first.iter().enumerate() {
            let apart = first[..index]
                .iter()
                .find(|(other, _)| other.iter().all(|part| own.binary_search(part).is_err()));
            if let Some((_, other)) = apart {
                let [from, to] = [**other, **machine].map(|each| machines.nics(each).start);
                return Err(self.disconnected(HostId(from), HostId(to)));
            }
        }
        Ok(())
    }

    fn disconnected(&self, from: HostId, host: HostId) -> Diagnostic {
        let [from, to] = [from, host].map(|end| self.names.number(end.into()));
        let disconnected = Diagnostic::new(
            format!("no path leads from host {from} to host {to}"),
            "add the links that join them",
        );
        self.names.at_host(host, disconnected)
    }
}

/// A link as it appears in messages: `link 3 (0–17)`.
fn ends(number: usize, link: &Link) -> String {
    format!("link {number} ({}–{})", link.a, link.b)
}

fn existing(hosts: u32, switches: u32) -> String {
    let range = |first: u32, count: u32| match count {
        1 => format!("{first}"),
        _ => format!("{first}–{}", first + count - 1),
    };
    match switches {
        0 => format!("hosts are {}", range(0, hosts)),
        _ => format!(
            "hosts are {}, switches {}",
            range(0, hosts),
            range(hosts, switches)
        ),
    }
}
