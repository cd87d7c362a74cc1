//! Rail-optimised: every GPU of a node has a NIC of its own. All NICs of one number in a unit, one
//! of each node, are on the same leaf switch.
//!
//! Wang, Ghobadi et al., "Rail-only: A Low-Cost High-Performance Network for Training LLMs with
//! Trillion Parameters", HOTI 2024, which has this network of GPU clusters as its baseline.
//!
//! ```text
//! spine   0   1   …              every leaf has `links_per_pair` links to every spine
//!         │╲ ╱│
//! leaf    0   1  │  2   3        a leaf for each rail of each unit
//!         │╲ ╱│
//!         │╱ ╲│
//! node    01 23  │  45 67        hosts are NICs: `rails` of each node, here 2; leaf 0 has hosts
//! unit    0      │  1            0 and 2, leaf 1 has 1 and 3
//! ```
//!
//! | parameter          | unit  | default     | meaning                                         |
//! |--------------------|-------|-------------|-------------------------------------------------|
//! | `units`            | 1     | 2           | U                                               |
//! | `nodes_per_unit`   | 1     | 8           | n                                               |
//! | `rails`            | 1     | 8           | g, GPUs and NICs of a node, leaves of a unit    |
//! | `spines`           | 1     | 8           | S                                               |
//! | `links_per_pair`   | 1     | 1           | b, links from a leaf to the same spine          |
//! | `host_rate`        | bit/s | 400 Gb/s    | of links from hosts to leaves                   |
//! | `spine_rate`       | bit/s | `host_rate` | of links from leaves to spines                  |
//! | `oversubscription` |       | none        | of leaves, in place of `spine_rate`             |
//! | `delay`            | s     | 500 ns      | of every link                                   |
//! | `hosts`            |       | `gpus`      | what a host is: a GPU with its NIC, or a node   |
//! | `nvlink_rate`      | bit/s | none        | of links from each GPU to its node's NVSwitch   |
//!
//! Links: U·n·g + U·g·S·b, and U·n·g more with NVLink. If hosts are GPUs, host g·m + r is the GPU
//! of node m on rail r. If hosts are nodes, host m is node m, whose NIC r is on rail r.
//!
//! Without NVLink, GPUs of one node are on different rails, and reach each other by leaf, spine and
//! leaf. With NVLink, a host is a GPU with two NICs: NIC 0 is on its rail, NIC 1 is its NVLink
//! port, which leads to the other GPUs of the node only.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::oversubscription::{Oversubscription, TierLinks};
use super::plan::{Size, TopologyBuilder, Wire, product};
use crate::topology::{Machines, Topology};

/// A NIC for each GPU of a node. All NICs of one number in a unit are on the same leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RailOptimised {
    /// How many units there are, each with leaves of its own.
    pub units: u32,
    /// How many nodes each unit has.
    pub nodes_per_unit: u32,
    /// How many NICs a node has; a unit has as many leaves.
    pub rails: u32,
    /// How many spines there are.
    pub spines: u32,
    /// How many links join a leaf and a spine.
    pub links_per_pair: u32,
    /// The rate of links from hosts to leaves.
    pub host_rate: Rate,
    /// The rate of links from leaves to spines; `host_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spine_rate: Option<Rate>,
    /// Capacity of a leaf's links to hosts over that of its links to spines, in place of
    /// `spine_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversubscription: Option<Oversubscription>,
    /// The propagation delay of every link.
    pub delay: Time,
    /// Whether hosts are GPUs or nodes.
    #[serde(skip_serializing_if = "RailHosts::are_gpus")]
    pub hosts: RailHosts,
    /// The rate of links from each GPU to a switch of its node; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nvlink_rate: Option<Rate>,
}

/// Whether hosts of a rail-optimised network are GPUs or nodes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RailHosts {
    /// A GPU, with its NIC.
    #[default]
    Gpus,
    /// A node, with the NICs of all of its GPUs.
    Nodes,
}

impl RailHosts {
    fn are_gpus(&self) -> bool {
        *self == Self::Gpus
    }
}

impl Default for RailOptimised {
    fn default() -> Self {
        Self {
            units: 2,
            nodes_per_unit: 8,
            rails: 8,
            spines: 8,
            links_per_pair: 1,
            host_rate: Rate::from_gbps(400),
            spine_rate: None,
            oversubscription: None,
            delay: Time::from_ns(500),
            hosts: RailHosts::Gpus,
            nvlink_rate: None,
        }
    }
}

impl Shape for RailOptimised {}

impl RailOptimised {
    /// The size of the network, by formula; NICs count as hosts.
    pub fn size(&self) -> Size {
        let leaves = product([self.units, self.rails]);
        let gpus = leaves.saturating_mul(self.nodes_per_unit.into());
        let nodes = product([self.units, self.nodes_per_unit]);
        let (by_nvlink, nvswitches) = match self.nvlink_rate {
            Some(_) => (gpus, nodes),
            None => (0, 0),
        };
        let switches = leaves.saturating_add(self.spines.into());
        let links = gpus.saturating_add(leaves.saturating_mul(self.uplinks()));
        Size {
            hosts: gpus.saturating_add(by_nvlink),
            switches: switches.saturating_add(nvswitches),
            links: links.saturating_add(by_nvlink),
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let spine_rate = self.spine_rate()?;
        let name = format!(
            "rail-optimised, {} × {} nodes of {} GPUs, {} spines",
            self.units, self.nodes_per_unit, self.rails, self.spines
        );
        let size = self.size();
        let mut plan = TopologyBuilder::new(name, size)?;
        let first_leaf = plan.switches("leaf", self.units * self.rails);
        let first_spine = plan.switches("spine", self.spines);
        let nodes = self.units * self.nodes_per_unit;
        let nics_per_gpu = if self.nvlink_rate.is_some() { 2 } else { 1 };
        for gpu in 0..nodes * self.rails {
            let (node, rail) = (gpu / self.rails, gpu % self.rails);
            let leaf = first_leaf + node / self.nodes_per_unit * self.rails + rail;
            plan.link(gpu * nics_per_gpu, leaf, self.wire(self.host_rate));
        }
        for leaf in first_leaf..first_spine {
            for spine in (0..self.spines).map(|spine| first_spine + spine) {
                for _ in 0..self.links_per_pair {
                    plan.link(leaf, spine, self.wire(spine_rate));
                }
            }
        }
        if let Some(rate) = self.nvlink_rate {
            let first = plan.switches("nvswitch", nodes);
            for gpu in 0..nodes * self.rails {
                plan.link(gpu * 2 + 1, first + gpu / self.rails, self.wire(rate));
            }
        }
        if self.links_per_pair > 1 {
            plan.allow_parallel_links();
        }
        match self.hosts {
            RailHosts::Nodes => plan.set_machines(Machines::of_equal(nodes, self.rails)),
            RailHosts::Gpus if nics_per_gpu == 2 => {
                plan.set_machines(Machines::of_equal(nodes * self.rails, 2));
            }
            RailHosts::Gpus => {}
        }
        plan.finish()
    }

    /// Number of a leaf's links to spines.
    fn uplinks(&self) -> u64 {
        product([self.spines, self.links_per_pair])
    }

    fn spine_rate(&self) -> Result<Rate, Diagnostic> {
        let tier = TierLinks {
            hosts: self.nodes_per_unit,
            host_rate: self.host_rate,
            uplinks: self.uplinks(),
        };
        Oversubscription::or_rate(self.oversubscription, self.spine_rate, self.host_rate, tier)
    }

    fn wire(&self, rate: Rate) -> Wire {
        let delay = self.delay;
        Wire { rate, delay }
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(1, "units", self.units)?;
        check::at_least(1, "nodes_per_unit", self.nodes_per_unit)?;
        check::at_least(1, "rails", self.rails)?;
        check::at_least(1, "spines", self.spines)?;
        check::at_least(1, "links_per_pair", self.links_per_pair)?;
        check::rate("host_rate", self.host_rate)?;
        check::rate("spine_rate", self.spine_rate.unwrap_or(self.host_rate))?;
        check::rate("nvlink_rate", self.nvlink_rate.unwrap_or(self.host_rate))?;
        if self.nvlink_rate.is_some() && self.hosts == RailHosts::Nodes {
            let what = "`nvlink_rate` is of links inside of a node, and hosts are nodes";
            return Err(Diagnostic::new(
                what,
                "leave it out, or let hosts be \"gpus\"",
            ));
        }
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::NodeId;

    use super::super::path_count::{assert_size, diameter, paths, peers};
    use super::*;

    /// Two units of 2 nodes of 2 NICs: hosts 0 to 7, leaves 8 to 11, spines 12 and 13.
    fn small() -> RailOptimised {
        RailOptimised {
            units: 2,
            nodes_per_unit: 2,
            rails: 2,
            spines: 2,
            ..RailOptimised::default()
        }
    }

    /// 2·8·8 = 128 hosts, 2·8 + 8 switches, 128 + 16·8 links; the small network has 8 + 4·2 links,
    /// and 8 + 4·2·3 with three links for each pair.
    #[test]
    fn sizes_follow_the_formula() {
        let bundles = RailOptimised {
            links_per_pair: 3,
            ..small()
        };
        for (network, hosts, switches, links) in [
            (RailOptimised::default(), 128, 24, 256),
            (small(), 8, 6, 16),
            (bundles, 8, 6, 32),
        ] {
            let built = network.build().unwrap();
            assert_size(network.size(), &built, [hosts, switches, links]);
        }
    }

    #[test]
    fn rails_are_wired_as_drawn() {
        let topology = small().build().unwrap();
        assert_eq!(peers(&topology, 8), [0, 2, 12, 13], "rail 0 of unit 0");
        assert_eq!(peers(&topology, 9), [1, 3, 12, 13], "rail 1 of unit 0");
        assert_eq!(peers(&topology, 10), [4, 6, 12, 13], "rail 0 of unit 1");
        assert_eq!(peers(&topology, 12), [8, 9, 10, 11]);
        let labels = [8, 12].map(|node| topology.label(NodeId(node)).into_owned());
        assert_eq!(labels, ["leaf0", "spine0"]);
    }

    /// Node 1 has hosts 2 and 3. Host 2 is on the rail of host 0. Its neighbour in the node, host
    /// 1, and hosts of other rails and units are 4 links away, by either spine.
    #[test]
    fn rails_meet_at_spines_even_within_a_node() {
        let topology = small().build().unwrap();
        assert_eq!(paths(&topology, 0, 2), (2, 1));
        for other in [1, 3, 4, 5] {
            assert_eq!(paths(&topology, 0, other), (4, 2));
        }
        assert_eq!(diameter(&topology), 2);
    }

    /// Nodes 0 to 3 of 2 NICs: NIC r of node m is end 2m + r, on rail r.
    #[test]
    fn a_node_can_be_a_host() {
        let network = RailOptimised {
            hosts: RailHosts::Nodes,
            ..small()
        };
        let topology = network.build().unwrap();
        assert_eq!(topology.machines, Some(Machines::of_equal(4, 2)));
        assert_eq!(topology.node_name(NodeId(5)), "host 2 NIC 1");
        assert_eq!(peers(&topology, 9), [1, 3, 12, 13], "as without");
        let by_nvlink = RailOptimised {
            nvlink_rate: Some(Rate::from_gbps(3600)),
            ..network
        };
        let wrong = by_nvlink.build().unwrap_err();
        let what = "`nvlink_rate` is of links inside of a node, and hosts are nodes";
        assert_eq!(wrong.what, what);
        assert_eq!(wrong.hint, "leave it out, or let hosts be \"gpus\"");
    }

    /// GPU 2m + r has ends 4m + 2r, on rail r, and 4m + 2r + 1, at NVSwitch m: leaves are 16 to 19,
    /// spines 20 and 21, NVSwitches 22 to 25. 8 + 4·2 + 8 links.
    #[test]
    fn gpus_of_a_node_meet_at_its_nvswitch() {
        let network = RailOptimised {
            nvlink_rate: Some(Rate::from_gbps(3600)),
            ..small()
        };
        let topology = network.build().unwrap();
        assert_size(network.size(), &topology, [16, 10, 24]);
        assert_eq!(peers(&topology, 16), [0, 4, 20, 21], "rail 0 of unit 0");
        assert_eq!(peers(&topology, 17), [2, 6, 20, 21], "rail 1 of unit 0");
        assert_eq!(peers(&topology, 22), [1, 3], "node 0");
        assert_eq!(peers(&topology, 25), [13, 15], "node 3");
        assert_eq!(topology.machines, Some(Machines::of_equal(8, 2)));
        assert_eq!(topology.label(NodeId(22)), "nvswitch0");
        assert_eq!(topology.label(NodeId(3)), "host1.nic1");
    }

    /// 8 hosts of 400 Gb/s on a leaf with 8 uplinks: 400 Gb/s at 1:1, 100 at 4:1.
    #[test]
    fn uplinks_have_a_rate_or_a_ratio() {
        let rate = |network: RailOptimised| {
            let links = network.build().map_err(|wrong| wrong.what)?.links;
            Ok::<_, String>(links[128].rate)
        };
        let default = RailOptimised::default;
        let four = "4:1".parse().ok();
        let given = Some(Rate::from_gbps(800));
        assert_eq!(rate(default()), Ok(Rate::from_gbps(400)));
        let network = RailOptimised {
            oversubscription: four,
            ..default()
        };
        assert_eq!(rate(network), Ok(Rate::from_gbps(100)));
        let network = RailOptimised {
            spine_rate: given,
            ..default()
        };
        assert_eq!(rate(network), Ok(Rate::from_gbps(800)));
        let network = RailOptimised {
            spine_rate: given,
            oversubscription: four,
            ..default()
        };
        let both = "`oversubscription` and `spine_rate` are both given";
        assert_eq!(rate(network), Err(both.to_owned()));
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut RailOptimised)| {
            let mut network = RailOptimised::default();
            change(&mut network);
            network.build().unwrap_err().what
        };
        for (found, expected) in [
            (message(|network| network.units = 0), "`units` is 0"),
            (
                message(|network| network.nodes_per_unit = 0),
                "`nodes_per_unit` is 0",
            ),
            (message(|network| network.rails = 0), "`rails` is 0"),
            (message(|network| network.spines = 0), "`spines` is 0"),
            (
                message(|network| network.links_per_pair = 0),
                "`links_per_pair` is 0",
            ),
            (
                message(|network| network.host_rate = Rate::ZERO),
                "`host_rate` is 0",
            ),
            (
                message(|network| network.spine_rate = Some(Rate::ZERO)),
                "`spine_rate` is 0",
            ),
            (
                message(|network| network.nvlink_rate = Some(Rate::ZERO)),
                "`nvlink_rate` is 0",
            ),
            (
                message(|network| network.delay = Time::ZERO),
                "`delay` is 0",
            ),
            (
                message(|network| network.units = u32::MAX),
                "309237645248 nodes",
            ),
        ] {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
