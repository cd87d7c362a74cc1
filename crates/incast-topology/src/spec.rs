//! Networks as scenarios name them: a kind with parameters, or one of the names.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ParameterError, TopologyError};
use crate::shapes::{Clos64, Clos320, Dumbbell, FatTree, LeafSpine, ParkingLot, Size, Star};
use crate::topology::Topology;

/// A network described by its kind and parameters; absent parameters have their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TopologySpec {
    /// Hosts around one switch.
    Star(Star),
    /// Senders, a chain of switches, receivers.
    Dumbbell(Dumbbell),
    /// One long path, and cross traffic at each of its bottlenecks.
    ParkingLot(ParkingLot),
    /// Three tiers of switches with k ports each.
    FatTree(FatTree),
    /// Two tiers, every leaf joined to every spine.
    LeafSpine(LeafSpine),
    /// The fat tree of HPCC's evaluation: 320 hosts, 56 switches.
    #[serde(rename = "clos-320")]
    Clos320(Clos320),
    /// LGC's half-populated fat tree of k = 8: 64 hosts, 80 switches.
    #[serde(rename = "clos-64")]
    Clos64(Clos64),
}

/// All names that a network has: the kinds, each with its defaults, and the presets.
static AVAILABLE: [(&str, &str); 10] = [
    ("star", "17 hosts around one switch, 100 Gb/s, 1 µs"),
    ("star-97", "97 hosts around one switch, 100 Gb/s, 1 µs"),
    (
        "dumbbell",
        "2 senders, 3 switches, 1 receiver, 100 Gb/s, 1.5 µs (FNCC)",
    ),
    ("parking-lot", "2 bottlenecks, 6 hosts, 100 Gb/s, 1.5 µs"),
    (
        "fat-tree",
        "128 hosts, three tiers of 8-port switches, 100 Gb/s, 1 µs",
    ),
    ("fat-tree-128", "the same with links of 1.5 µs (FNCC)"),
    (
        "leaf-spine",
        "144 hosts, 9 leaves, 4 spines, 100 and 400 Gb/s, 1 µs",
    ),
    (
        "leaf-spine-144",
        "the same with 10 and 40 Gb/s and links of 25 µs (LGC)",
    ),
    (
        "clos-320",
        "320 hosts, three tiers, 100 and 400 Gb/s, 1 µs (HPCC)",
    ),
    (
        "clos-64",
        "64 hosts, half-populated fat tree of k = 8, 10 Gb/s (LGC)",
    ),
];

/// All names that a network has, each with a line on what it is.
pub fn available() -> &'static [(&'static str, &'static str)] {
    &AVAILABLE
}

impl TopologySpec {
    /// The network of this name.
    ///
    /// # Errors
    /// If there is none: with the nearest name, and all others.
    pub fn named(name: &str) -> Result<Self, ParameterError> {
        Ok(match name {
            "star" => Self::Star(Star::default()),
            "star-97" => Self::Star(Star {
                hosts: 97,
                ..Star::default()
            }),
            "dumbbell" => Self::Dumbbell(Dumbbell::default()),
            "parking-lot" => Self::ParkingLot(ParkingLot::default()),
            "fat-tree" => Self::FatTree(FatTree::default()),
            "fat-tree-128" => Self::FatTree(FatTree {
                delay: Time::from_ns(1_500),
                ..FatTree::default()
            }),
            "leaf-spine" => Self::LeafSpine(LeafSpine::default()),
            "leaf-spine-144" => Self::LeafSpine(LeafSpine::lgc()),
            "clos-320" => Self::Clos320(Clos320::default()),
            "clos-64" => Self::Clos64(Clos64::default()),
            _ => return Err(unknown(name)),
        })
    }

    /// How large the network is, without building it.
    pub fn size(&self) -> Size {
        match self {
            Self::Star(star) => star.size(),
            Self::Dumbbell(dumbbell) => dumbbell.size(),
            Self::ParkingLot(lot) => lot.size(),
            Self::FatTree(tree) => tree.size(),
            Self::LeafSpine(network) => network.size(),
            Self::Clos320(clos) => clos.size(),
            Self::Clos64(clos) => clos.size(),
        }
    }

    /// The network itself, valid.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, TopologyError> {
        let topology = match self {
            Self::Star(star) => star.build(),
            Self::Dumbbell(dumbbell) => dumbbell.build(),
            Self::ParkingLot(lot) => lot.build(),
            Self::FatTree(tree) => tree.build(),
            Self::LeafSpine(network) => network.build(),
            Self::Clos320(clos) => clos.build(),
            Self::Clos64(clos) => clos.build(),
        }?;
        topology.validate()?;
        Ok(topology)
    }
}

fn unknown(name: &str) -> ParameterError {
    // Two slips of the keyboard, or a third of the word.
    let near = 2.max(name.len() / 3);
    let suggestion = AVAILABLE
        .iter()
        .map(|&(known, _)| (strsim::osa_distance(name, known), known))
        .min()
        .filter(|&(distance, _)| distance <= near)
        .map(|(_, known)| known);
    ParameterError::UnknownName {
        name: name.to_owned(),
        suggestion,
        available: AVAILABLE.iter().map(|&(known, _)| known).collect(),
    }
}

#[cfg(test)]
mod tests;
