//! Fat tree: three tiers of switches with k ports each.
//!
//! Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture",
//! SIGCOMM 2008, Fig. 3. Xu et al., "FNCC", §5.5, has k = 8, 128 hosts, 100 Gb/s, 1.5 µs.
//!
//! ```text
//! core   0 1 │ 2 3          (k/2)² cores (here k = 4); aggregation switch p of each pod has
//!        ╱╲     ╲ …         links to cores p·k/2 to p·k/2 + k/2 − 1
//! agg    0 1 │ 2 3 │ …      k/2 in each of k pods
//!        ╳      ╳
//! tor    0 1 │ 2 3 │ …      k/2 in each of k pods
//! host   01 23 …            k/2 on each ToR
//! ```
//!
//! | parameter       | unit  | default       | meaning                                   |
//! |-----------------|-------|---------------|-------------------------------------------|
//! | `k`             | 1     | 8             | ports of a switch, even                   |
//! | `hosts_per_tor` | 1     | k/2           | fewer: half populated; more: oversubscribed |
//! | `host_rate`     | bit/s | 100 Gb/s      | of links from hosts to ToRs               |
//! | `agg_rate`      | bit/s | `host_rate`   | of links from ToRs to aggregation switches |
//! | `core_rate`     | bit/s | `agg_rate`    | of links from aggregation switches to cores |
//! | `delay`         | s     | 1 µs          | of every link                             |
//! | `slowed_links`  | 1     | 0             | links to cores at a quarter, see below    |
//!
//! The first `slowed_links` links between aggregation switches and cores, beginning with those of
//! aggregation switch 0, have a quarter of their rate downwards, and all of it upwards. This is
//! `-failed` of uet-htsim (`fat_tree_topology.cpp`) in three tiers.
//!
//! With h hosts on each ToR: hosts k²/2·h (k³/4 for h = k/2), switches 5k²/4, links
//! k²/2·h + k·(k/2)² + k·(k/2)².

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::clos::{Clos, CoreOrder, Tier, quarter};
use super::plan::{Size, product};
use crate::topology::Topology;

/// Three tiers of switches with k ports each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FatTree {
    /// How many ports a switch has; an even number.
    pub k: u32,
    /// How many hosts each ToR has; k/2 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts_per_tor: Option<u32>,
    /// The rate of links from hosts to ToRs.
    pub host_rate: Rate,
    /// The rate of links from ToRs to aggregation switches; `host_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agg_rate: Option<Rate>,
    /// The rate of links from aggregation switches to cores; `agg_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_rate: Option<Rate>,
    /// The propagation delay of every link.
    pub delay: Time,
    /// How many links between aggregation switches and cores have a quarter of their rate
    /// downwards, beginning with those of aggregation switch 0; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowed_links: Option<u32>,
}

impl Default for FatTree {
    fn default() -> Self {
        Self {
            k: 8,
            hosts_per_tor: None,
            host_rate: Rate::from_gbps(100),
            agg_rate: None,
            core_rate: None,
            delay: Time::from_us(1),
            slowed_links: None,
        }
    }
}

impl Shape for FatTree {
    const SETS: &'static [NamedSet<Self>] = &[NamedSet {
        name: "fat-tree-128",
        summary: "fat-tree with links of 1.5 µs (FNCC)",
        values: || Self {
            delay: Time::from_ns(1_500),
            ..Self::default()
        },
    }];
}

impl FatTree {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        self.clos().size()
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let mut topology = self.clos().build()?;
        let core_links = topology.links.len() - self.core_links() as usize;
        let slowed = self.slowed_links.unwrap_or(0) as usize;
        for link in topology.links.iter_mut().skip(core_links).take(slowed) {
            link.rate_back = Some(quarter(link.rate));
        }
        Ok(topology)
    }

    /// Number of links between aggregation switches and cores.
    fn core_links(&self) -> u64 {
        let half = self.k / 2;
        product([self.k, half, half])
    }

    fn clos(&self) -> Clos {
        let half = self.k / 2;
        let agg_rate = self.agg_rate.unwrap_or(self.host_rate);
        let core_rate = self.core_rate.unwrap_or(agg_rate);
        Clos {
            name: format!("fat tree of k = {}", self.k),
            pods: self.k,
            tors_per_pod: half,
            hosts_per_tor: self.hosts_per_tor.unwrap_or(half),
            aggs_per_pod: half,
            cores_per_agg: half,
            core_order: CoreOrder::Grouped,
            host_links: Tier::single(self.host_rate, self.delay),
            agg_links: Tier::single(agg_rate, self.delay),
            core_links: Tier::single(core_rate, self.delay),
            labels: ["tor", "agg", "core"],
        }
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(2, "k", self.k)?;
        check::even("k", self.k)?;
        check::at_least(1, "hosts_per_tor", self.hosts_per_tor.unwrap_or(1))?;
        check::rate("host_rate", self.host_rate)?;
        check::rate("agg_rate", self.agg_rate.unwrap_or(self.host_rate))?;
        check::rate("core_rate", self.core_rate.unwrap_or(self.host_rate))?;
        let slowed = self.slowed_links.unwrap_or(0);
        check::at_most(self.core_links(), "slowed_links", slowed)?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{HostId, NodeId};

    use super::*;
    use crate::{NextHopOrder, Ports, Routes};

    fn fat_tree(k: u32) -> FatTree {
        FatTree {
            k,
            ..FatTree::default()
        }
    }

    /// k = 4: hosts 0 to 15, ToRs 16 to 23, aggregation switches 24 to 31, cores 32 to 35. The
    /// first three links of 24 and 25 to cores carry 25 Gb/s downwards, and 100 upwards.
    #[test]
    fn the_first_links_of_cores_are_slow_downwards() {
        let slowed = |count| FatTree {
            slowed_links: Some(count),
            ..fat_tree(4)
        };
        let topology = slowed(3).build().unwrap();
        let slow = topology
            .links
            .iter()
            .filter(|link| link.rate_back.is_some());
        let slow: Vec<_> = slow
            .map(|link| (link.a.0, link.b.0, link.rate_back))
            .collect();
        let quarter = Some(Rate::from_gbps(25));
        assert_eq!(
            slow,
            [(24, 32, quarter), (24, 33, quarter), (25, 34, quarter)]
        );
        assert!(
            topology
                .links
                .iter()
                .all(|link| link.rate == Rate::from_gbps(100))
        );
        assert_eq!(
            slowed(16)
                .build()
                .unwrap()
                .links
                .iter()
                .filter(|link| link.rate_back.is_some())
                .count(),
            16
        );
        let said = slowed(17).build().unwrap_err().to_string();
        assert_eq!(
            said,
            "slowed_links: `slowed_links` is 17, and there are 16; write at most 16"
        );
    }

    /// k³/4 hosts, 5k²/4 switches, 3k³/4 links.
    #[test]
    fn sizes_follow_the_formulas() {
        for (k, hosts, switches, links) in [
            (2, 2, 5, 6),
            (4, 16, 20, 48),
            (8, 128, 80, 384),
            (16, 1_024, 320, 3_072),
            (32, 8_192, 1_280, 24_576),
        ] {
            assert_eq!(
                fat_tree(k).size(),
                Size {
                    hosts,
                    switches,
                    links
                }
            );
        }
        let topology = fat_tree(8).build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        assert_eq!(topology.links.len(), 384);
    }

    /// k = 8 with 2 hosts on each of 32 ToRs: 64 hosts, 64 + 8·16 + 8·16 = 320 links.
    #[test]
    fn tors_may_have_any_number_of_hosts() {
        let half = FatTree {
            hosts_per_tor: Some(2),
            ..fat_tree(8)
        };
        assert_eq!(
            half.size(),
            Size {
                hosts: 64,
                switches: 80,
                links: 320
            }
        );
        assert_eq!(half.build().unwrap().validate(), Ok(()));
    }

    /// k = 4: hosts 0–15, ToRs 16–23, aggregation 24–31, cores 32–35.
    #[test]
    fn tiers_are_wired_as_drawn() {
        let topology = fat_tree(4).build().unwrap();
        let ports = Ports::new(&topology);
        let peers = |node| -> Vec<u32> {
            ports
                .of(NodeId(node))
                .iter()
                .map(|port| port.peer.0)
                .collect()
        };
        assert_eq!(peers(16), [0, 1, 24, 25], "tor0");
        assert_eq!(peers(23), [14, 15, 30, 31], "tor7");
        assert_eq!(peers(24), [16, 17, 32, 33], "agg0, place 0 of pod 0");
        assert_eq!(peers(31), [22, 23, 34, 35], "agg7, place 1 of pod 3");
        assert_eq!(peers(32), [24, 26, 28, 30], "core0: place 0 of every pod");
        assert_eq!(peers(35), [25, 27, 29, 31], "core3: place 1 of every pod");
        let labels = [16, 24, 35].map(|node| topology.label(NodeId(node)).into_owned());
        assert_eq!(labels, ["tor0", "agg0", "core3"]);
    }

    /// Same ToR 2 links, same pod 4, other pod 6; k/2 = 4 uplinks at each of two tiers.
    #[test]
    fn paths_are_equal_in_cost() {
        let routes = Routes::shortest(&fat_tree(8).build().unwrap(), NextHopOrder::ByPort);
        let hops = |to| routes.hops(HostId(0), HostId(to));
        assert_eq!([hops(3), hops(4), hops(16)], [Some(2), Some(4), Some(6)]);
        assert_eq!(
            routes.next_hops(NodeId(128), HostId(127)),
            [4, 5, 6, 7],
            "tor0"
        );
        assert_eq!(
            routes.next_hops(NodeId(160), HostId(127)),
            [4, 5, 6, 7],
            "agg0"
        );
        assert_eq!(routes.next_hops(NodeId(192), HostId(127)), [7], "core0");
        assert_eq!(routes.longest_path_switches(), 5);
    }

    #[test]
    fn each_tier_has_its_rate() {
        let rates = |tree: FatTree| {
            let links = tree.build().unwrap().links;
            [0, 16, 32].map(|link| links[link].rate.as_bps() / 1_000_000_000)
        };
        let gbps = |gbps| Some(Rate::from_gbps(gbps));
        assert_eq!(rates(fat_tree(4)), [100, 100, 100]);
        assert_eq!(
            rates(FatTree {
                agg_rate: gbps(400),
                ..fat_tree(4)
            }),
            [100, 400, 400]
        );
        assert_eq!(
            rates(FatTree {
                core_rate: gbps(800),
                ..fat_tree(4)
            }),
            [100, 100, 800]
        );
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut FatTree)| {
            let mut tree = FatTree::default();
            change(&mut tree);
            let wrong = tree.build().unwrap_err();
            format!("{}; {}", wrong.what, wrong.hint)
        };
        for (found, expected) in [
            (message(|tree| tree.k = 0), "`k` is 0; write at least 2"),
            (
                message(|tree| tree.k = 5),
                "`k` is 5, an odd number; write 4 or 6",
            ),
            (
                message(|tree| tree.k = u32::MAX),
                "`k` is 4294967295, an odd number; write ",
            ),
            (
                message(|tree| tree.k = u32::MAX - 1),
                "18446744073709551615 nodes",
            ),
            (
                message(|tree| tree.hosts_per_tor = Some(0)),
                "`hosts_per_tor` is 0",
            ),
            (
                message(|tree| tree.host_rate = Rate::ZERO),
                "`host_rate` is 0",
            ),
            (
                message(|tree| tree.agg_rate = Some(Rate::ZERO)),
                "`agg_rate` is 0",
            ),
            (
                message(|tree| tree.core_rate = Some(Rate::ZERO)),
                "`core_rate` is 0",
            ),
            (message(|tree| tree.delay = Time::ZERO), "`delay` is 0"),
        ] {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
