//! Names that scenarios may use, each with a one-line summary.

use incast_cc::AlgorithmConfig;
use incast_net::PacketKind;
use incast_sim::{Profile, nearest};
use pyo3::prelude::*;

type NamesWithSummaries = Vec<(&'static str, &'static str)>;

/// Congestion control algorithms.
#[pyfunction]
pub(crate) fn algorithms() -> NamesWithSummaries {
    AlgorithmConfig::available()
        .iter()
        .map(|each| (each.name, each.summary))
        .collect()
}

/// Parts that algorithms take.
#[pyfunction]
pub(crate) fn parts() -> NamesWithSummaries {
    incast_cc::Part::ALL
        .map(|part| (part.name(), part.summary()))
        .to_vec()
}

/// Named parameter sets of an algorithm, the default first; empty if the algorithm has only one.
#[pyfunction]
pub(crate) fn parameter_sets(algorithm: &str) -> NamesWithSummaries {
    let mut all = AlgorithmConfig::available().iter();
    let info = all.find(|info| info.name == algorithm);
    let sets = info.map_or(Vec::new(), |info| info.sets());
    sets.iter().map(|set| (set.name, set.summary)).collect()
}

/// Networks.
#[pyfunction]
pub(crate) fn topologies() -> NamesWithSummaries {
    incast_topology::TopologySpec::names()
}

/// Distributions of flow sizes.
#[pyfunction]
pub(crate) fn workloads() -> NamesWithSummaries {
    incast_workload::Published::available()
        .iter()
        .map(|each| (each.name, each.summary))
        .collect()
}

/// Sets of the network model's open choices.
#[pyfunction]
pub(crate) fn profiles() -> NamesWithSummaries {
    Profile::ALL
        .map(|profile| (profile.name(), profile.summary()))
        .to_vec()
}

/// The nearest of `names` to a mistyped name, if one is near.
#[pyfunction]
pub(crate) fn suggestion(name: &str, names: Vec<String>) -> Option<String> {
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The kinds of packets in traces, in order of their codes: name, whether they go from sender to
/// receiver of their flow, and whether they are PFC frames.
#[pyfunction]
pub(crate) fn packet_kinds() -> Vec<(&'static str, bool, bool)> {
    let names = PacketKind::NAMES.iter().zip(PacketKind::ALL);
    names
        .map(|(name, kind)| (*name, kind.goes_with_data(), kind.is_pfc()))
        .collect()
}
