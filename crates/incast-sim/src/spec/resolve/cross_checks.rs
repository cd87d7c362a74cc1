//! Cross-checks: whether the parts of a network fit together. Without these checks a run would fail
//! after its begin.

use incast_cc::Needs;
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::{
    AckClass, Clock, FaultPlan, FlowControl, IntSource, LossDetection, MAX_HOPS, MAX_INT_WORDS,
    MarkingRandom, NetworkConfig, RecoveryKind, Routing, Ties, check_path_symmetry,
};
use incast_signals::int::IntFormat;
use incast_topology::{Ports, Routes, Topology};
use incast_units::{NodeId, Rate, Time};
use incast_workload::AttackSpec;

use crate::spec::graph::NetworkGraph;
use crate::spec::{Algorithms, FlowAlgorithm};

pub(super) fn check_topology(topology: &Topology) -> Result<(), Diagnostic> {
    match topology.links.iter().find(|link| link.error_rate > 0.0) {
        None => Ok(()),
        Some(link) => {
            let what = format!(
                "the link {}–{} loses packets at random (error rate {})",
                topology.name_in_file(link.a),
                topology.name_in_file(link.b),
                link.error_rate
            );
            let hint = "write error rate 0, and [[fault]] with kind = \"loss\"";
            Err(Diagnostic::new(what, hint).at("network.topology"))
        }
    }
}

/// Refuses an attack where hosts have several NICs. An attack cuts messages into pieces and needs
/// their ideal times, and both are known for one pair of NICs only.
pub(super) fn check_attack(
    attack: Option<&AttackSpec>,
    topology: &Topology,
) -> Result<(), Diagnostic> {
    if attack.is_none() || topology.machines.is_none() {
        return Ok(());
    }
    let what = "attacks among hosts with several NICs are not in this version";
    let wrong = Diagnostic::new(what, "leave [attack] out, or give each host one NIC");
    Err(wrong.at("attack"))
}

/// Checks that the configuration of the network suits its graph.
pub(super) fn check_network(
    network: &NetworkConfig,
    algorithms: &Algorithms,
    graph: &NetworkGraph,
) -> Result<(), Diagnostic> {
    let (topology, ports, routes) = (&graph.topology, &graph.ports, &*graph.routes);
    check_ties(network, topology)?;
    network.check_timing_errors().at("network")?;
    let delays = network.check_delays(ports);
    delays.map_err(|diagnostic| diagnostic.at("network"))?;
    check_balances(network, algorithms)?;
    check_losses(network, algorithms)?;
    check_paths(routes)?;
    check_int(network, ports, routes, More::default())?;
    let mut on_acks = algorithms
        .iter()
        .filter(|one| one.needs.int == IntSource::Acks);
    let asked_by = on_acks.next().map(FlowAlgorithm::name);
    check_retracing(network, asked_by, topology, ports, routes)?;
    check_programs(network, algorithms.label(), topology, ports, routes)?;
    check_buffers(network, topology, ports)
}

/// Checks that the algorithm of each flow goes together with the flow's load balancing.
fn check_balances(network: &NetworkConfig, algorithms: &Algorithms) -> Result<(), Diagnostic> {
    let of_network = "network.balance";
    network.balance.check().at(of_network)?;
    let who = |name: &str| format!("algorithm `{name}`");
    if network.entry_balances.is_empty() {
        return algorithms
            .named()
            .into_iter()
            .try_for_each(|(name, needs)| {
                let checked = network.check_balance(&network.balance, &who(name), needs);
                checked.at(of_network)
            });
    }
    for (tag, own) in (0..).zip(&network.entry_balances) {
        let key = match own {
            Some(_) => format!("traffic[{tag}].balance"),
            None => of_network.to_owned(),
        };
        let balance = network.balance_of(tag);
        let checked = match algorithms.of_flows(tag) {
            Some(one) => network.check_balance(balance, &who(one.name()), &one.needs),
            None => network.check_balance(balance, "no algorithm", &Needs::default()),
        };
        checked.at(key)?;
    }
    Ok(())
}

/// Checks that the order of insertion is used only with times in whole nanoseconds, as in the
/// simulator that has this order.
fn check_ties(network: &NetworkConfig, topology: &Topology) -> Result<(), Diagnostic> {
    if network.model.ties != Ties::Insertion {
        if network.model.marking_random == MarkingRandom::Ns3 {
            let what = "ns-3 draws in the order of events of its one queue";
            let hint = "write ties = \"insertion\" too, or marking_random = \"own\"";
            return Err(Diagnostic::new(what, hint).at("network.model.marking_random"));
        }
        return Ok(());
    }
    if network.model.clock == Clock::Picoseconds {
        let hint = "write clock = \"nanoseconds\" too, or ties = \"port\"";
        let what = "insertion order is that of a clock of whole nanoseconds";
        return Err(Diagnostic::new(what, hint).at("network.model.ties"));
    }
    let nanosecond = Time::from_ns(1).as_ps();
    match topology
        .links
        .iter()
        .find(|link| !link.delay.as_ps().is_multiple_of(nanosecond))
    {
        None => Ok(()),
        Some(link) => {
            let what = format!(
                "insertion order needs whole nanoseconds, a link has {}",
                link.delay
            );
            let hint = "write link delays in whole nanoseconds, or ties = \"port\"";
            Err(Diagnostic::new(what, hint).at("network.topology"))
        }
    }
}

/// Whether the network finds losses before the retransmission timeout.
fn finds_losses(network: &NetworkConfig) -> bool {
    let recovery = &network.recovery;
    matches!(network.flow_control, FlowControl::Pfc(_))
        || network.trims()
        || recovery.kind == RecoveryKind::GoBackN
        || !matches!(recovery.loss_detection, LossDetection::Explicit(_))
}

/// Checks that losses are found early where an algorithm needs this.
fn check_losses(network: &NetworkConfig, algorithms: &Algorithms) -> Result<(), Diagnostic> {
    let mut needed_by = algorithms.iter().filter(|one| one.needs.finds_losses);
    match needed_by.next() {
        Some(one) if !finds_losses(network) => {
            let what = format!(
                "algorithm `{}` needs losses to be found before the timeout: the credit of a lost \
                 packet is lost, too, and a flow without credit sends nothing that would show it",
                one.name()
            );
            let hint = "write kind = \"in-order\", \"reordering\" or \"early-count\", or have \
                        switches trim packets";
            Err(Diagnostic::new(what, hint).at("network.recovery.loss_detection"))
        }
        _ => Ok(()),
    }
}

/// Checks that no path has more switches than a packet can count.
fn check_paths(routes: &Routes) -> Result<(), Diagnostic> {
    let hops = routes.longest_path_switches();
    if hops <= MAX_HOPS {
        return Ok(());
    }
    let what = format!("paths have {hops} switches, a packet can count {MAX_HOPS}");
    Err(Diagnostic::new(what, "use shorter paths").at("network.topology"))
}

/// Demands on INT and packets beside those of a network without faults: more link rates, and words
/// of a packet.
#[derive(Debug, Default)]
struct More {
    rates: Vec<Rate>,
    words: usize,
}

/// Words in a packet that tell its path and its place in the order of sending.
const PATH_WORDS: usize = 3;

/// Checks INT on these routes around faults, with the rates of degraded links added.
pub(super) fn check_int_of_faults(
    network: &NetworkConfig,
    ports: &Ports,
    plan: &FaultPlan,
    routes: &Routes,
) -> Result<(), Diagnostic> {
    check_paths(routes)?;
    let more = More {
        rates: plan.rates().collect(),
        words: PATH_WORDS,
    };
    check_int(network, ports, routes, more).map_err(|wrong| Diagnostic {
        what: format!("with faults, {}", wrong.what),
        ..wrong
    })
}

/// Checks that INT records can tell all link rates apart, and that a packet has room for the
/// records of the longest path. The code of the rate has the bits of a 64-bit record that clock,
/// sent bytes and queue leave (see incast-net).
fn check_int(
    network: &NetworkConfig,
    ports: &Ports,
    routes: &Routes,
    more: More,
) -> Result<(), Diagnostic> {
    if network.int == IntSource::Off {
        return Ok(());
    }
    let format = &network.model.int_format;
    let exact = *format == IntFormat::Exact;
    let mut rates: Vec<_> = ports.iter().map(|port| port.rate).collect();
    rates.extend(more.rates);
    rates.sort_unstable();
    rates.dedup();
    let codes = format.rate_codes();
    if rates.len() > codes {
        let what = format!(
            "links have {} different rates, INT can tell {codes} apart",
            rates.len()
        );
        let diagnostic = Diagnostic::new(what, "write int_format = \"exact\", or fewer queue_bits");
        return Err(diagnostic.at("network.model.int_format"));
    }
    let words = MAX_INT_WORDS - usize::from(network.timestamps).max(more.words);
    let most = if exact { words / 2 } else { words };
    let hops = routes.longest_path_switches() as usize;
    if hops > most {
        let what = format!("paths have {hops} switches, a packet carries INT of {most}");
        let hint = match exact {
            true => "use quantised INT, or shorter paths",
            false => "use shorter paths",
        };
        let key = if exact {
            "network.model.int_format"
        } else {
            "network.topology"
        };
        return Err(Diagnostic::new(what, hint).at(key));
    }
    Ok(())
}

/// Checks that ACKs with INT come back by the switches of their data, so that the INT describes the
/// ports that the data left by. `asked_by`: the algorithm that needs INT on ACKs, if any.
fn check_retracing(
    network: &NetworkConfig,
    asked_by: Option<&str>,
    topology: &Topology,
    ports: &Ports,
    routes: &Routes,
) -> Result<(), Diagnostic> {
    if network.int != IntSource::Acks {
        return Ok(());
    }
    let Err(asymmetric) = check_path_symmetry(network.routing, ports, routes) else {
        return Ok(());
    };
    let asked = asked_by.map_or(String::new(), |name| format!(", for algorithm `{name}`,"));
    let what = format!(
        "{}, but INT on ACKs{asked} needs the same",
        asymmetric.describe(topology)
    );
    let hint = symmetric_routing(network.routing);
    let hint = match asked_by {
        Some(_) => hint.to_owned(),
        None => format!("{hint}, or leave network.int out"),
    };
    Err(Diagnostic::new(what, hint).at("network.routing"))
}

/// Checks the demands of the algorithm's switch programs on the network.
fn check_programs(
    network: &NetworkConfig,
    algorithm: &str,
    topology: &Topology,
    ports: &Ports,
    routes: &Routes,
) -> Result<(), Diagnostic> {
    for program in &network.programs {
        let demands = program.demands();
        let who = format!(
            "switch program `{}`, for algorithm `{algorithm}`,",
            program.name()
        );
        if demands.lossless && matches!(network.flow_control, FlowControl::Drop(_)) {
            let what = format!("{who} tells its own drops from others only if there are no others");
            let hint = "write flow_control = \"pfc\"";
            return Err(Diagnostic::new(what, hint).at("network.flow_control"));
        }
        if demands.lossless && network.recovery.kind == RecoveryKind::Selective {
            let what = format!("{who} drops what its senders send again by themselves, in order");
            let hint = "write \"go-back-n\", or leave it out";
            return Err(Diagnostic::new(what, hint).at("network.recovery.kind"));
        }
        let acks_wait = network.model.ack_class == AckClass::Data;
        if demands.packet_sources && acks_wait && network.int == IntSource::Acks {
            let what = format!(
                "{who} answers to the sources of all packets that wait, but ACKs that collect INT \
                 do not name theirs"
            );
            let hint = "leave it out, or write network.model.ack_class = \"control\"";
            return Err(Diagnostic::new(what, hint).at("network.int"));
        }
        let hops = routes.longest_path_switches() as usize;
        if let Some(most) = demands.most_switches.filter(|most| hops > *most) {
            let what = format!("paths have {hops} switches, a control packet has room for {most}");
            return Err(Diagnostic::new(what, "use shorter paths").at("network.topology"));
        }
        if demands.symmetric_paths
            && let Err(asymmetric) = check_path_symmetry(network.routing, ports, routes)
        {
            let what = format!(
                "{}, but {who} needs the same",
                asymmetric.describe(topology)
            );
            let hint = symmetric_routing(network.routing);
            return Err(Diagnostic::new(what, hint).at("network.routing"));
        }
    }
    Ok(())
}

/// A hint to write a routing whose paths are symmetric where those of `routing` are not.
fn symmetric_routing(routing: Routing) -> &'static str {
    match routing {
        Routing::Ecmp => "write \"symmetric-ecmp\" or \"spanning-trees\"",
        _ => "write \"spanning-trees\"",
    }
}

/// Checks that reserves and headrooms leave a part of the buffer to share. Where packets may be
/// dropped, checks the limits of queues instead.
fn check_buffers(
    network: &NetworkConfig,
    topology: &Topology,
    ports: &Ports,
) -> Result<(), Diagnostic> {
    let FlowControl::Pfc(pfc) = &network.flow_control else {
        return network.check_drops().at("network");
    };
    let buffer = &network.buffer;
    let kept = |switch: NodeId| {
        let links = ports.of(switch).iter();
        let links = links.map(|port| network.ingress_link(port, topology));
        pfc.kept(links, buffer, &network.packets, network.model.clock)
    };
    let switches = (topology.hosts..topology.nodes()).map(NodeId);
    let most = switches
        .map(|switch| (kept(switch), switch))
        .max_by_key(|(kept, _)| *kept);
    match most {
        Some((kept, switch)) if kept >= buffer.size => {
            let what = format!(
                "the headroom and reserve of {}'s {} ports take {kept}, the whole buffer of {}",
                topology.node_name(switch),
                ports.of(switch).len(),
                buffer.size
            );
            let hint = "write a larger buffer, or a smaller network.pfc.headroom";
            Err(Diagnostic::new(what, hint).at("network.buffer.size"))
        }
        _ => Ok(()),
    }
}
