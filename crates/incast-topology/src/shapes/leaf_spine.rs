//! Leaf-spine: two tiers, every leaf joined to every spine.
//!
//! Teymoori et al., "LGC", §VI: 9 leaves of 16 hosts, 4 spines, 10 Gb/s to hosts and 40 Gb/s
//! between switches (the preset `leaf-spine-144`). With 8 leaves of 8 hosts, and two links to each
//! of 4 spines, it is the memory fabric of 3CPO.
//!
//! ```text
//! spine   0   1   2   …        every leaf has `links_per_pair` links to every spine
//!         │╲ ╱│╲ ╱│
//! leaf    0   1   2   3  …
//! host    0 1 …                `hosts_per_leaf` on each leaf
//! ```
//!
//! | parameter          | unit  | default  | meaning                                |
//! |--------------------|-------|----------|----------------------------------------|
//! | `leaves`           | 1     | 9        | L                                      |
//! | `spines`           | 1     | 4        | S                                      |
//! | `hosts_per_leaf`   | 1     | 16       | h                                      |
//! | `links_per_pair`   | 1     | 1        | b, links from a leaf to the same spine |
//! | `host_rate`        | bit/s | 100 Gb/s | of links from hosts to leaves          |
//! | `spine_rate`       | bit/s | 400 Gb/s | of links from leaves to spines         |
//! | `oversubscription` |       | none     | of leaves, in place of `spine_rate`    |
//! | `delay`            | s     | 1 µs     | of every link                          |
//! | `slowed_spines`    | 1     | 0        | spines whose links carry a quarter, the first ones |
//!
//! `slowed_spines` is `-failed` of uet-htsim (`fat_tree_topology.cpp`) in two tiers.
//!
//! Links: L·h + L·S·b.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::clos::{Clos, CoreOrder, Tier, quarter};
use super::oversubscription::{Oversubscription, TierLinks};
use super::plan::{Size, product};
use crate::topology::Topology;

/// Two tiers, every leaf joined to every spine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LeafSpine {
    /// How many leaves there are.
    pub leaves: u32,
    /// How many spines there are.
    pub spines: u32,
    /// How many hosts each leaf has.
    pub hosts_per_leaf: u32,
    /// How many links join a leaf and a spine.
    pub links_per_pair: u32,
    /// The rate of links from hosts to leaves.
    pub host_rate: Rate,
    /// The rate of links from leaves to spines; 400 Gb/s if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spine_rate: Option<Rate>,
    /// Capacity of a leaf's links to hosts over that of its links to spines, in place of
    /// `spine_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversubscription: Option<Oversubscription>,
    /// The propagation delay of every link.
    pub delay: Time,
    /// How many spines, the first ones, have links that carry a quarter of their rate; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowed_spines: Option<u32>,
}

impl Default for LeafSpine {
    fn default() -> Self {
        Self {
            leaves: 9,
            spines: 4,
            hosts_per_leaf: 16,
            links_per_pair: 1,
            host_rate: Rate::from_gbps(100),
            spine_rate: None,
            oversubscription: None,
            delay: Time::from_us(1),
            slowed_spines: None,
        }
    }
}

impl Shape for LeafSpine {
    const SETS: &'static [NamedSet<Self>] = &[NamedSet {
        name: "leaf-spine-144",
        summary: "leaf-spine with 10 and 40 Gb/s and links of 25 µs (LGC)",
        values: Self::lgc,
    }];
}

const SPINE_RATE: Rate = Rate::from_gbps(400);

impl LeafSpine {
    /// LGC's: 144 hosts at 10 Gb/s, 40 Gb/s upwards. The paper's one-way delay of 100 µs is divided
    /// by the four links of a path between leaves.
    pub fn lgc() -> Self {
        Self {
            host_rate: Rate::from_gbps(10),
            spine_rate: Some(Rate::from_gbps(40)),
            delay: Time::from_us(25),
            ..Self::default()
        }
    }

    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        self.clos(SPINE_RATE).size()
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let mut topology = self.clos(self.spine_rate()?).build()?;
        let first = topology.nodes() - self.spines;
        let fast = first + self.slowed_spines.unwrap_or(0);
        for link in &mut topology.links {
            if (first..fast).contains(&link.b.0) {
                link.rate = quarter(link.rate);
            }
        }
        Ok(topology)
    }

    fn spine_rate(&self) -> Result<Rate, Diagnostic> {
        let tier = TierLinks {
            hosts: self.hosts_per_leaf,
            host_rate: self.host_rate,
            uplinks: product([self.spines, self.links_per_pair]),
        };
        Oversubscription::or_rate(self.oversubscription, self.spine_rate, SPINE_RATE, tier)
    }

    fn clos(&self, spine_rate: Rate) -> Clos {
        let Self {
            leaves,
            spines,
            hosts_per_leaf,
            ..
        } = *self;
        let spine_links = Tier {
            rate: spine_rate,
            delay: self.delay,
            bundle: self.links_per_pair,
        };
        Clos {
            name: format!("leaf-spine of {leaves} × {hosts_per_leaf} hosts, {spines} spines"),
            pods: 1,
            tors_per_pod: leaves,
            hosts_per_tor: hosts_per_leaf,
            aggs_per_pod: spines,
            cores_per_agg: 0,
            core_order: CoreOrder::Grouped,
            host_links: Tier::single(self.host_rate, self.delay),
            agg_links: spine_links,
            core_links: spine_links,
            labels: ["leaf", "spine", "core"],
        }
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(1, "leaves", self.leaves)?;
        check::at_least(1, "spines", self.spines)?;
        check::at_least(1, "hosts_per_leaf", self.hosts_per_leaf)?;
        check::at_least(1, "links_per_pair", self.links_per_pair)?;
        check::rate("host_rate", self.host_rate)?;
        check::rate("spine_rate", self.spine_rate.unwrap_or(SPINE_RATE))?;
        let slowed = self.slowed_spines.unwrap_or(0);
        check::at_most(self.spines.into(), "slowed_spines", slowed)?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{HostId, NodeId};

    use super::*;
    use crate::{NextHopOrder, Routes};

    /// Two leaves of one host, three spines: hosts 0 and 1, leaves 2 and 3, spines 4 to 6. Links to
    /// the first two carry 100 of 400 Gb/s, in both directions.
    #[test]
    fn links_of_the_first_spines_are_slow() {
        let slowed = |count| LeafSpine {
            leaves: 2,
            spines: 3,
            hosts_per_leaf: 1,
            slowed_spines: Some(count),
            ..LeafSpine::default()
        };
        let topology = slowed(2).build().unwrap();
        assert!(topology.links.iter().all(|link| link.rate_back.is_none()));
        for link in &topology.links {
            let gbps = if link.b.0 == 6 { 400 } else { 100 };
            assert_eq!(link.rate, Rate::from_gbps(gbps), "{link:?}");
        }
        let said = slowed(4).build().unwrap_err().to_string();
        assert_eq!(
            said,
            "slowed_spines: `slowed_spines` is 4, and there are 3; write at most 3"
        );
    }

    /// 9·16 + 9·4 = 180 links.
    #[test]
    fn the_size_follows_the_formula() {
        let lgc = LeafSpine::lgc();
        assert_eq!(
            lgc.size(),
            Size {
                hosts: 144,
                switches: 13,
                links: 180
            }
        );
        let topology = lgc.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        let ends = |link: usize| (topology.links[link].a.0, topology.links[link].b.0);
        assert_eq!(
            [ends(0), ends(143), ends(144), ends(179)],
            [(0, 144), (143, 152), (144, 153), (152, 156)]
        );
        assert_eq!(topology.links[143].rate, Rate::from_gbps(10));
        assert_eq!(topology.links[144].rate, Rate::from_gbps(40));
        assert_eq!(topology.label(NodeId(156)), "spine3");
    }

    #[test]
    fn other_leaves_are_reached_by_all_spines() {
        let routes = Routes::shortest(&LeafSpine::lgc().build().unwrap(), NextHopOrder::ByPort);
        assert_eq!(routes.next_hops(NodeId(144), HostId(143)), [16, 17, 18, 19]);
        assert_eq!(routes.hops(HostId(0), HostId(143)), Some(4));
    }

    /// 3CPO's 64 accelerators: 8·8 + 8·4·2 = 128 links; 8 uplinks at each leaf.
    #[test]
    fn leaves_and_spines_may_be_joined_by_bundles() {
        let fabric = LeafSpine {
            leaves: 8,
            spines: 4,
            hosts_per_leaf: 8,
            links_per_pair: 2,
            ..LeafSpine::default()
        };
        assert_eq!(
            fabric.size(),
            Size {
                hosts: 64,
                switches: 12,
                links: 128
            }
        );
        let topology = fabric.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        assert_eq!(routes.next_hops(NodeId(64), HostId(63)).len(), 8);
    }

    /// 16·100 Gb/s over 4 spines by 2 links each: 200 Gb/s at 1:1, 100 at 2:1.
    #[test]
    fn uplinks_may_be_oversubscribed() {
        for (ratio, gbps) in [("1:1", 200), ("2:1", 100)] {
            let network = LeafSpine {
                links_per_pair: 2,
                oversubscription: ratio.parse().ok(),
                ..LeafSpine::default()
            };
            let links = network.build().unwrap().links;
            assert_eq!(links[144].rate, Rate::from_gbps(gbps), "{ratio}");
        }
        let both = LeafSpine {
            oversubscription: "1:1".parse().ok(),
            ..LeafSpine::lgc()
        };
        let wrong = both.build().unwrap_err();
        assert_eq!(
            wrong.what,
            "`oversubscription` and `spine_rate` are both given"
        );
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut LeafSpine)| {
            let mut network = LeafSpine::default();
            change(&mut network);
            network.build().unwrap_err().what
        };
        for (found, parameter) in [
            (message(|network| network.leaves = 0), "`leaves` is 0"),
            (message(|network| network.spines = 0), "`spines` is 0"),
            (
                message(|network| network.hosts_per_leaf = 0),
                "`hosts_per_leaf` is 0",
            ),
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
                message(|network| network.delay = Time::ZERO),
                "`delay` is 0",
            ),
            (
                message(|network| network.leaves = u32::MAX),
                "73014444019 nodes",
            ),
        ] {
            assert!(found.starts_with(parameter), "{found}");
        }
    }
}
