//! Cross-checks of `[nic]`: whether algorithm and network allow several flows to share one
//! congestion state.

use incast_cc::Serves;
use incast_diagnostic::Diagnostic;
use incast_net::{Enforcement, NetworkConfig, NicConfig, NicScheduler};

use crate::spec::section::network::BaseRttScope;
use crate::spec::{Algorithms, FlowAlgorithm};

/// Checks that the algorithms and the network suit the NICs.
///
/// # Errors
/// If one congestion state cannot serve the flows that would share it.
pub(super) fn check(
    network: &NetworkConfig,
    base_rtt: BaseRttScope,
    algorithms: &Algorithms,
) -> Result<(), Diagnostic> {
    let nic = &network.nic;
    if !nic.shares_states() {
        return Ok(());
    }
    for algorithm in algorithms.iter() {
        check_algorithm(nic, algorithm)?;
    }
    if network.model.nic_scheduler == NicScheduler::LinearScan {
        let diagnostic = Diagnostic::new(
            "the linear scan is that of HPCC's ns-3 code, whose QPs share no state",
            "write network.model.nic_scheduler = \"round-robin\", or remove it",
        );
        return Err(diagnostic.at(key(nic)));
    }
    if nic.enforcement == Enforcement::PerSource && base_rtt == BaseRttScope::Path {
        let diagnostic = Diagnostic::new(
            "a state of a source serves several paths and is told one base RTT",
            "write network.base_rtt = \"global\", or another enforcement",
        );
        return Err(diagnostic.at("nic.enforcement"));
    }
    Ok(())
}

fn check_algorithm(nic: &NicConfig, algorithm: &FlowAlgorithm) -> Result<(), Diagnostic> {
    let name = algorithm.name();
    let per_source = nic.enforcement == Enforcement::PerSource;
    let (what, hint) = match algorithm.needs.serves {
        Serves::OnePath(why) if per_source => (
            format!("one state of `{name}` cannot serve several paths: {why}"),
            "write \"per-pair\", or take another algorithm",
        ),
        Serves::OneFlow(why) => (
            format!("one state of `{name}` cannot serve several flows: {why}"),
            "remove it, or take another algorithm",
        ),
        Serves::AnyFlows | Serves::OnePath(_) => return Ok(()),
    };
    Err(Diagnostic::new(what, hint).at(key(nic)))
}

/// The key that makes QPs share congestion states.
fn key(nic: &NicConfig) -> &'static str {
    match nic.enforcement {
        Enforcement::PerQp => "nic.qps",
        _ => "nic.enforcement",
    }
}
