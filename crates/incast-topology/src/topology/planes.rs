//! Hosts with several NICs, from graphs in which a host is one node.
//!
//! ```text
//! planes     2 hosts and a switch, twice        several links of a host, a NIC for each
//!
//!            s0      s1                         s0      s1
//!            │ ╲    ╱ │                         │ ╲    ╱
//! NIC        0 0    1 1                         0  1  0
//! host       0 1    0 1                         └ 0 ┘ 1
//! ```

use std::collections::HashMap;

use incast_diagnostic::Diagnostic;
use incast_units::{HostId, NodeId};

use super::{LabelledBy, Link, Machines, Topology, check_size};

/// The most planes, and so the most NICs that they give a host.
const PLANES_MAX: u32 = 64;

impl Topology {
    /// Copies of this network as separate planes: every host has a NIC in each plane, and NIC 0 is
    /// in the first. Switches are numbered plane by plane, and their labels count on (`leaf0` …
    /// `leaf3`, in the next plane `leaf4` …).
    ///
    /// # Errors
    /// No planes, more than 64, more nodes than a network may have, hosts that have several NICs
    /// already, or a file that numbers hosts and switches together.
    pub fn in_planes(self, planes: u32) -> Result<Self, Diagnostic> {
        if planes == 1 {
            return Ok(self);
        }
        if planes == 0 || planes > PLANES_MAX {
            let what = format!("{planes} planes are not possible");
            return Err(Diagnostic::new(what, format!("write 1 to {PLANES_MAX}")));
        }
        if self.machines.is_some() {
            let what = "hosts of this topology have several NICs already";
            return Err(Diagnostic::new(what, "leave the planes out"));
        }
        if !self.original_ids.is_empty() {
            let what = "a file that numbers hosts and switches together has no planes";
            return Err(Diagnostic::new(what, "leave the planes out"));
        }
        let times = |count: u32| u64::from(count) * u64::from(planes);
        let links = self.links.len() as u64 * u64::from(planes);
        check_size(times(self.nodes()), links)?;
        let in_plane = |node: NodeId, plane: u32| {
            NodeId(match self.is_host(node) {
                true => node.0 * planes + plane,
                false => self.hosts * planes + plane * self.switches + (node.0 - self.hosts),
            })
        };
        let of_plane = |plane: u32| {
            self.links.iter().map(move |link| Link {
                a: in_plane(link.a, plane),
                b: in_plane(link.b, plane),
                ..*link
            })
        };
        let links = (0..planes).flat_map(of_plane).collect();
        let machines = Machines::of_equal(self.hosts, planes);
        let (hosts, switches) = self
            .labels
            .split_at(self.labels.len().min(self.hosts as usize));
        let name = format!("{}, {planes} planes", self.name);
        let mut built = Self::new(name, self.hosts * planes, self.switches * planes, links);
        built.parallel_links = self.parallel_links;
        built.labelled_by = self.labelled_by;
        if !self.labels.is_empty() {
            let nics = vec![String::new(); built.hosts as usize];
            built.labels = [nics, labels_of_planes(switches, planes, self.labelled_by)].concat();
        }
        built.set_machines(match self.labelled_by {
            LabelledBy::File => machines.named(hosts.to_vec()),
            LabelledBy::Shape => machines,
        });
        built.validate()?;
        Ok(built)
    }

    /// A network from a graph in which a host may have several links: each link gets a NIC of its
    /// own. Hosts without a link keep one NIC without a link. The network is not validated, and has
    /// no labels.
    pub fn split_nics(self) -> Self {
        let mut nics = vec![0_u32; self.hosts as usize];
        for end in self.links.iter().flat_map(|link| [link.a, link.b]) {
            if let Some(count) = nics.get_mut(end.index()) {
                *count += 1;
            }
        }
        if nics.iter().all(|&count| count <= 1) {
            return self;
        }
        let machines = Machines::new(nics.iter().map(|&count| count.max(1)));
        let mut next: Vec<u32> = (0..self.hosts)
            .map(|host| machines.nics(HostId(host)).start)
            .collect();
        let added = machines.ends() - self.hosts;
        let mut end = |node: NodeId| match next.get_mut(node.index()) {
            Some(nic) => {
                *nic += 1;
                NodeId(*nic - 1)
            }
            None => NodeId(node.0.saturating_add(added)),
        };
        let links = self.links.iter().map(|link| Link {
            a: end(link.a),
            b: end(link.b),
            ..*link
        });
        let links = links.collect();
        let mut built = Self::new(self.name, machines.ends(), self.switches, links);
        built.parallel_links = self.parallel_links;
        built.machines = Some(machines);
        built
    }

    /// Sets which hosts are NICs of one machine, and labels them accordingly.
    pub fn set_machines(&mut self, machines: Machines) {
        for machine in (0..machines.count()).map(HostId) {
            let nics = machines.nics(machine);
            let several = nics.len() > 1;
            for (nic, end) in nics.enumerate() {
                let Some(label) = self.labels.get_mut(end as usize) else {
                    continue;
                };
                *label = match machines.names().get(machine.index()) {
                    Some(name) if several => format!("{name} NIC {nic}"),
                    Some(name) => name.clone(),
                    None => format!("host{machine}.nic{nic}"),
                };
            }
        }
        self.machines = Some(machines);
    }
}

/// Labels of the switches of all planes. Numbers in a shape's labels continue from plane to plane;
/// labels of a file get the number of the plane.
fn labels_of_planes(labels: &[String], planes: u32, labelled_by: LabelledBy) -> Vec<String> {
    let stem = |label: &str| {
        label
            .trim_end_matches(|digit: char| digit.is_ascii_digit())
            .len()
    };
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for label in labels {
        *counts.entry(&label[..stem(label)]).or_default() += 1;
    }
    let in_plane = |label: &String, plane: u32| match labelled_by {
        LabelledBy::File => format!("{label}:{plane}"),
        LabelledBy::Shape => {
            let (stem, number) = label.split_at(stem(label));
            let number: u32 = number.parse().unwrap_or_default();
            format!("{stem}{}", number + plane * counts[stem])
        }
    };
    (0..planes)
        .flat_map(|plane| labels.iter().map(move |label| in_plane(label, plane)))
        .collect()
}

#[cfg(test)]
mod tests {
    use incast_units::{Rate, Time};

    use super::*;

    fn link(a: u32, b: u32) -> Link {
        Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1))
    }

    fn ends(topology: &Topology) -> Vec<(u32, u32)> {
        let ends = topology.links.iter().map(|link| (link.a.0, link.b.0));
        ends.collect()
    }

    fn labels(topology: &Topology) -> Vec<String> {
        let nodes = (0..topology.nodes()).map(NodeId);
        nodes
            .map(|node| topology.label(node).into_owned())
            .collect()
    }

    /// Hosts 0 and 1 at switch 2, which has a link to switch 3.
    fn small() -> Topology {
        let mut topology = Topology::new("small", 2, 2, vec![link(0, 2), link(1, 2), link(2, 3)]);
        topology.labels = ["host0", "host1", "leaf0", "spine0"]
            .map(str::to_owned)
            .to_vec();
        topology
    }

    /// NIC p of host h is node 2h + p; switches 4 and 5 are in plane 0, 6 and 7 in plane 1.
    #[test]
    fn planes_repeat_the_switches() {
        let built = small().in_planes(2).unwrap();
        assert_eq!((built.hosts, built.switches), (4, 4));
        let expected = [(0, 4), (2, 4), (4, 5), (1, 6), (3, 6), (6, 7)];
        assert_eq!(ends(&built), expected);
        let expected = "host0.nic0 host0.nic1 host1.nic0 host1.nic1 leaf0 spine0 leaf1 spine1";
        assert_eq!(labels(&built).join(" "), expected);
        assert_eq!(built.machines, Some(Machines::of_equal(2, 2)));
        assert_eq!(built.node_name(NodeId(3)), "host 1 NIC 1");
        assert_eq!(built.node_name(NodeId(4)), "leaf 0");
        assert_eq!(built.machine_count(), 2);
        assert_eq!(small().in_planes(1).unwrap(), small());
    }

    #[test]
    fn switches_of_a_file_keep_their_names() {
        let mut named = small();
        named.labels = ["a", "b", "rack", "top"].map(str::to_owned).to_vec();
        named.labelled_by = LabelledBy::File;
        let built = named.in_planes(2).unwrap();
        let expected = "a NIC 0|a NIC 1|b NIC 0|b NIC 1|rack:0|top:0|rack:1";
        assert!(labels(&built).join("|").starts_with(expected));
        assert_eq!(
            built.host_names(),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(built.node_name(NodeId(3)), "b NIC 1");
    }

    #[test]
    fn impossible_planes_are_refused() {
        let message = |topology: Topology, planes| {
            let wrong = topology.in_planes(planes).unwrap_err();
            assert!(["write 1 to 64", "leave the planes out"].contains(&wrong.hint.as_str()));
            wrong.what
        };
        assert_eq!(message(small(), 0), "0 planes are not possible");
        assert_eq!(message(small(), 65), "65 planes are not possible");
        let twice = small().in_planes(2).unwrap();
        let already = "hosts of this topology have several NICs already";
        assert_eq!(message(twice, 2), already);
        let mut numbered = small();
        numbered.original_ids = vec![1, 2, 0, 3];
        let together = "a file that numbers hosts and switches together has no planes";
        assert_eq!(message(numbered, 2), together);
    }

    /// Host 0 has links to switches 2 and 3, host 1 to 3 only.
    #[test]
    fn a_host_has_a_nic_for_each_of_its_links() {
        let graph = Topology::new("", 2, 2, vec![link(0, 2), link(1, 3), link(3, 0)]);
        let built = graph.split_nics();
        assert_eq!((built.hosts, built.switches), (3, 2));
        assert_eq!(ends(&built), [(0, 3), (2, 4), (4, 1)]);
        assert_eq!(built.machines, Some(Machines::new([2, 1])));
        assert_eq!(built.validate(), Ok(()));
        assert_eq!(small().split_nics(), small());
    }

    /// Host 0 has NICs at switches 3 and 4, host 1 at 3, host 2 at 4: no path joins hosts 1 and 2.
    #[test]
    fn machines_must_meet_somewhere() {
        let links = vec![link(0, 3), link(1, 3), link(0, 4), link(2, 4)];
        let built = Topology::new("", 3, 2, links).split_nics();
        let wrong = built.validate().unwrap_err();
        assert_eq!(wrong.what, "no path leads from host 2 to host 3");
    }
}
