//! From `[[fault]]` entries to a plan; also checks that network and algorithms support faults.

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_net::{FaultPlan, IntSource, NetworkConfig, Routing, Ties, check_path_symmetry};
use incast_topology::{Ports, Routes, Topology};
use incast_units::Time;

use super::cross_checks;
use crate::spec::graph::NetworkGraph;
use crate::spec::section::faults::{FaultName, FaultSection, Occurrence};
use crate::spec::section::network::NetworkSection;
use crate::spec::section::recovery::Losing;
use crate::spec::{Algorithms, Profile};

/// The faults of a scenario.
#[derive(Debug)]
pub(crate) struct Faults {
    pub(crate) plan: Arc<FaultPlan>,
    /// The occurrences by number: entry and round of each.
    pub(crate) occurrences: Vec<Occurrence>,
}

/// The sections with their defaults, and whether any of the faults loses packets.
pub(super) fn with_defaults(sections: &[FaultSection]) -> (Vec<FaultSection>, Losing) {
    let sections = sections.iter().cloned();
    let sections: Vec<_> = sections.map(FaultSection::with_defaults).collect();
    let links = match sections.iter().any(FaultSection::loses) {
        true => Losing::Packets,
        false => Losing::Nothing,
    };
    (sections, links)
}

/// The plan of the faults; `None` without faults. Faults that would begin at the stop time or later
/// are left out.
pub(super) fn build(
    (sections, stop): (&[FaultSection], Option<Time>),
    section: &NetworkSection,
    network: &NetworkConfig,
    algorithms: &Algorithms,
    graph: &NetworkGraph,
) -> Result<Option<Faults>, Diagnostic> {
    if sections.is_empty() {
        return Ok(None);
    }
    check_model(network, section.profile)?;
    check_programs(network, algorithms)?;
    check_routing(sections, network)?;
    let (topology, ports, routes) = (&graph.topology, &graph.ports, &*graph.routes);
    let mut occurrences = FaultSection::build_all(sections, topology, ports)?;
    occurrences.retain(|each| stop.is_none_or(|stop| each.fault.from < stop));
    let faults = occurrences.iter().map(|each| each.fault.clone()).collect();
    let (order, clock) = (section.order_of_next_hops(), network.model.clock);
    let plan = FaultPlan::new(faults, topology, routes, order, clock);
    let delays = plan.check_delays(network, topology);
    delays.map_err(|(fault, wrong)| {
        let key = format!("fault[{}].rate", occurrences[fault as usize].entry);
        Diagnostic::new(wrong.what, "write a higher rate").at(key)
    })?;
    for routes in plan.routes() {
        cross_checks::check_int_of_faults(network, ports, &plan, routes)?;
        check_retracing(network, topology, ports, routes)?;
    }
    Ok(Some(Faults {
        plan: Arc::new(plan),
        occurrences,
    }))
}

/// Refuses faults under the order of insertion, in which they have no place.
fn check_model(network: &NetworkConfig, profile: Profile) -> Result<(), Diagnostic> {
    if network.model.ties != Ties::Insertion {
        return Ok(());
    }
    let what = "faults of links have no place in the order of events of ns-3";
    let (key, hint) = match profile {
        Profile::HpccNs3 => (
            "network.profile",
            "write \"default\", or leave [[fault]] out",
        ),
        Profile::Default | Profile::UetHtsim => (
            "network.model.ties",
            "write \"port\", or leave [[fault]] out",
        ),
    };
    Err(Diagnostic::new(what, hint).at(key))
}

/// Refuses switch programs that keep state of every flow at its switches, or that take any loss for
/// a drop of their own.
fn check_programs(network: &NetworkConfig, algorithms: &Algorithms) -> Result<(), Diagnostic> {
    let mut programs = network.programs.iter();
    let Some(program) = programs.find(|program| {
        let demands = program.demands();
        demands.lossless || demands.symmetric_paths
    }) else {
        return Ok(());
    };
    let what = format!(
        "switch program `{}`, for algorithm `{}`, needs paths that stay and links that lose \
         nothing",
        program.name(),
        algorithms.label(),
    );
    Err(Diagnostic::new(what, "leave it out, or take another algorithm").at("fault"))
}

/// Refuses links that go down under spanning trees, which are computed once.
fn check_routing(sections: &[FaultSection], network: &NetworkConfig) -> Result<(), Diagnostic> {
    let fails = sections
        .iter()
        .any(|section| section.kind == FaultName::Down);
    if fails && network.routing == Routing::SpanningTrees {
        let what = "spanning trees do not go around links that fail";
        let hint = "write \"ecmp\" or \"symmetric-ecmp\"";
        return Err(Diagnostic::new(what, hint).at("network.routing"));
    }
    Ok(())
}

/// Checks that paths around failed links are symmetric, too, if ACKs carry INT.
fn check_retracing(
    network: &NetworkConfig,
    topology: &Topology,
    ports: &Ports,
    routes: &Routes,
) -> Result<(), Diagnostic> {
    if network.int != IntSource::Acks {
        return Ok(());
    }
    check_path_symmetry(network.routing, ports, routes).map_err(|asymmetric| {
        let what = format!(
            "around the failed links {}, but INT on ACKs needs the same",
            asymmetric.describe(topology)
        );
        let hint = "take an algorithm without INT on ACKs, or let other links fail";
        Diagnostic::new(what, hint).at("fault")
    })
}
