//! Tiers: switches of a network with the same role, by their labels.

use std::collections::BTreeSet;

use incast_units::NodeId;

use super::Topology;

/// The tier of switches in a shape that has only one tier.
const PLAIN_TIER: &str = "switch";

impl Topology {
    /// The tier of a switch: its label without the number at the end. `leaf3` is of the tier
    /// `leaf`, `tor-1-2` of `tor`, and `core` of `core`. `None` if the switch has no label, or the
    /// label is only a number.
    pub fn tier(&self, switch: NodeId) -> Option<&str> {
        let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | ':' | '/');
        let label = self.labels.get(switch.index())?;
        let tier = label.trim_end_matches(number);
        (!tier.is_empty()).then_some(tier)
    }

    /// The name of a shape's switch in results: `leaf 0`, or `switch 17` if the shape has only one
    /// tier.
    pub(super) fn switch_name(&self, switch: NodeId) -> String {
        let place = self.tier(switch).filter(|tier| *tier != PLAIN_TIER);
        let place = place.and_then(|tier| {
            let number = self.labels[switch.index()].strip_prefix(tier)?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| format!("{tier} {number}"))
        });
        place.unwrap_or_else(|| format!("{PLAIN_TIER} {switch}"))
    }

    /// The switch of a shape that has this name in results.
    pub fn switch_named(&self, name: &str) -> Option<NodeId> {
        let (tier, number) = name.rsplit_once(' ')?;
        let number: u32 = number.parse().ok()?;
        let label = format!("{tier}{number}");
        let mut switches = (self.hosts..self.nodes()).map(NodeId);
        let is_it = |switch: &NodeId| self.labels.get(switch.index()) == Some(&label);
        switches
            .find(is_it)
            .filter(|switch| self.switch_name(*switch) == name)
    }

    /// The tiers of all switches, each once, in alphabetical order. `None` is among them if a
    /// switch has no tier.
    pub fn tiers(&self) -> Vec<Option<&str>> {
        let switches = (self.hosts..self.nodes()).map(NodeId);
        let tiers: BTreeSet<_> = switches.map(|switch| self.tier(switch)).collect();
        tiers.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelledBy, TopologySpec};

    /// The tiers of the shapes, which docs/scenario/topology.md lists.
    #[test]
    fn tiers_of_shapes_are_the_words_of_their_labels() {
        for (name, tiers) in [
            ("star", &["switch"][..]),
            ("star-97", &["switch"]),
            ("dumbbell", &["switch"]),
            ("parking-lot", &["switch"]),
            ("torus", &["switch"]),
            ("dragonfly", &["router"]),
            ("leaf-spine", &["leaf", "spine"]),
            ("leaf-spine-144", &["leaf", "spine"]),
            ("rail-optimised", &["leaf", "spine"]),
            ("fat-tree", &["agg", "core", "tor"]),
            ("fat-tree-128", &["agg", "core", "tor"]),
            ("clos-64", &["agg", "core", "tor"]),
            ("clos-320", &["agg", "core", "tor"]),
        ] {
            let topology = TopologySpec::named(name).unwrap().build().unwrap();
            let expected: Vec<_> = tiers.iter().copied().map(Some).collect();
            assert_eq!(topology.tiers(), expected, "{name}");
        }
        let named = TopologySpec::names().len();
        assert_eq!(named, 13, "each name is in this table, and in the docs");
    }

    /// 32 hosts, 8 leaves, 4 spines: nodes 32 to 39 and 40 to 43. A star has only one tier.
    #[test]
    fn switches_go_by_their_place_in_their_tier() {
        let shape = "kind = \"leaf-spine\"\nleaves = 8\nspines = 4\nhosts_per_leaf = 4";
        let shape: TopologySpec = toml::from_str(shape).unwrap();
        let topology = shape.build().unwrap();
        for (node, name) in [
            (32, "leaf 0"),
            (39, "leaf 7"),
            (40, "spine 0"),
            (43, "spine 3"),
        ] {
            assert_eq!(topology.node_name(NodeId(node)), name);
            assert_eq!(topology.switch_named(name), Some(NodeId(node)));
        }
        assert_eq!(topology.node_name(NodeId(3)), "host 3");
        for name in [
            "leaf 8",
            "leaf",
            "spine -1",
            "leaf 00",
            "switch 32",
            "host 3",
            "",
        ] {
            assert_eq!(topology.switch_named(name), None, "{name}");
        }
        let star = TopologySpec::named("star").unwrap().build().unwrap();
        let switch = NodeId(star.hosts);
        assert_eq!(star.node_name(switch), format!("switch {}", star.hosts));
    }

    #[test]
    fn tiers_of_files_are_names_without_their_numbers() {
        let mut topology = Topology::new("file", 1, 6, Vec::new());
        assert_eq!(topology.tiers(), [None], "without labels there are none");
        let labels = [
            "h0",
            "tor0",
            "tor-1-2",
            "pod1/tor_3",
            "10gate",
            "core",
            "17-1",
        ];
        topology.labels = labels.map(String::from).to_vec();
        topology.labelled_by = LabelledBy::File;
        let tiers: Vec<_> = (1..=6)
            .map(|switch| topology.tier(NodeId(switch)))
            .collect();
        let expected = [
            Some("tor"),
            Some("tor"),
            Some("pod1/tor"),
            Some("10gate"),
            Some("core"),
            None,
        ];
        assert_eq!(tiers, expected);
        let all = [
            None,
            Some("10gate"),
            Some("core"),
            Some("pod1/tor"),
            Some("tor"),
        ];
        assert_eq!(topology.tiers(), all);
    }
}
