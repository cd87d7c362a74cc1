//! A network as a file in the project's own format.

use std::fmt::Write as _;
use std::ops::Range;

use incast_topology::{Link, Topology};
use incast_units::{HostId, NodeId, Rate, Time};
use toml::{Table, Value};

use super::base::{Base, put, remove, setting};

/// Nodes with names, and the links between them.
#[derive(Clone, Debug)]
pub(super) struct NamedGraph {
    hosts: Vec<String>,
    switches: Vec<String>,
    /// The ends of each link, as indices into hosts followed by switches, and its speed.
    links: Vec<(usize, usize, Speed)>,
}

/// Rate and delay of a link.
type Speed = (Rate, Time);

impl NamedGraph {
    pub(super) fn of(topology: &Topology) -> Self {
        let machines = topology.machines.as_ref();
        let hosts = machines.map_or(topology.hosts, |machines| machines.count());
        let place = |node: NodeId| match (node.0 < topology.hosts, machines) {
            (true, Some(machines)) => machines.of(HostId(node.0)).0.index(),
            (true, None) => node.index(),
            (false, _) => (node.0 - topology.hosts + hosts) as usize,
        };
        let link = |link: &Link| (place(link.a), place(link.b), (link.rate, link.delay));
        let named = |kind: &'static str, count: u32| {
            (0..count).map(move |number| format!("{kind}{number}"))
        };
        Self {
            hosts: named("h", hosts).collect(),
            switches: named("s", topology.switches).collect(),
            links: topology.links.iter().map(link).collect(),
        }
    }

    /// The network with other names, in another alphabetical order.
    pub(super) fn renamed(mut self) -> Self {
        let count = self.hosts.len() + self.switches.len();
        let names = self.hosts.iter_mut().chain(&mut self.switches).enumerate();
        names.for_each(|(place, name)| *name = format!("é{:05}x", count - place));
        self
    }

    /// The network with the two ends of each link exchanged.
    pub(super) fn flipped(mut self) -> Self {
        for (a, b, _) in &mut self.links {
            std::mem::swap(a, b);
        }
        self
    }

    /// The network with half of all rates, and twice all delays.
    pub(super) fn slowed(mut self) -> Self {
        for (_, _, (rate, delay)) in &mut self.links {
            *rate = Rate::from_bps(rate.as_bps() / 2);
            *delay = *delay * 2;
        }
        self
    }

    /// The network with more hosts, after the others, at the last switch, with links like the last
    /// host's.
    pub(super) fn with_idle_hosts(mut self, count: usize) -> Self {
        let hosts = self.hosts.len();
        let speed = self
            .links
            .iter()
            .rfind(|(a, b, _)| *a < hosts || *b < hosts);
        let speed = speed.expect("a host has a link").2;
        let moved = |place: usize| if place < hosts { place } else { place + count };
        for (a, b, _) in &mut self.links {
            (*a, *b) = (moved(*a), moved(*b));
        }
        self.hosts
            .extend((0..count).map(|number| format!("idle{number}")));
        let last = self.hosts.len() + self.switches.len() - 1;
        let idle: Range<usize> = hosts..hosts + count;
        self.links.extend(idle.map(|host| (host, last, speed)));
        self
    }

    /// Whether the last switch has hosts.
    pub(super) fn has_hosts_at_last_switch(&self) -> bool {
        let last = self.hosts.len() + self.switches.len() - 1;
        let hosts = 0..self.hosts.len();
        let mut links = self.links.iter();
        links
            .any(|(a, b, _)| (*b == last && hosts.contains(a)) || (*a == last && hosts.contains(b)))
    }

    fn text(&self) -> String {
        let names: Vec<_> = self.hosts.iter().chain(&self.switches).collect();
        let mut text = "parallel-links\n".to_owned();
        for (kind, names) in [("hosts", &self.hosts), ("switches", &self.switches)] {
            names
                .iter()
                .for_each(|name| writeln!(text, "{kind} {name}").expect("room"));
        }
        for (a, b, (rate, delay)) in &self.links {
            let (rate, delay) = (rate.as_bps(), delay.as_ps());
            let ends = [*a, *b].map(|end| names[end]);
            writeln!(text, "link {} {} {rate}bps {delay}ps", ends[0], ends[1]).expect("room");
        }
        text
    }

    /// Makes this the network of a scenario, by a file in the folder of the base.
    pub(super) fn put_into(&self, scenario: &mut Table, base: &Base) {
        let path = base.folder.path().join("network.graph");
        std::fs::write(&path, self.text()).expect("the disk has room");
        let mut topology = Table::new();
        put(&mut topology, "format", "graph");
        put(
            &mut topology,
            "file",
            path.to_str().expect("a path of letters"),
        );
        put(scenario, "network.topology", topology);
        remove(scenario, "network.planes");
        self.name_faults(scenario);
    }

    /// Renames the hosts in faults: random faults are at links of hosts, which have other names in
    /// a file.
    fn name_faults(&self, scenario: &mut Table) {
        let faults = scenario.get_mut("fault").and_then(Value::as_array_mut);
        for fault in faults.into_iter().flatten() {
            let fault = fault.as_table_mut().expect("a fault");
            let links = setting(fault, "links")
                .and_then(Value::as_array)
                .expect("its links");
            let named = links.iter().map(|link| {
                let host = link.as_str().and_then(|link| link.strip_prefix("host "));
                let number: usize = host.and_then(|host| host.parse().ok()).expect("a host");
                self.hosts[number].clone()
            });
            let named: Vec<String> = named.collect();
            put(fault, "links", named);
        }
    }
}
