//! From a scenario as written to a scenario that can run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed as _, unprintable};
use incast_import::ScenarioFiles;
use incast_net::{Carried, NetworkConfig, NetworkFacts, NicConfig, OnDeadlock, PacketSizes};
use incast_topology::{Ports, Topology};
use incast_units::{HostId, NodeId, Rate, Time};
use incast_workload::{AttackSpec, Network, NicCounts, Workload};

use super::algorithms::Algorithms;
use super::base_rtt::BaseRtts;
use super::graph::NetworkGraph;
use super::scenario::{Scenario, Spec};
use super::section::measure::{MeasureSection, Which};
use super::section::network::{MarkingFacts, NetworkSection, Signals};
use super::section::queue_limit::Bdp;
use super::section::run::RunSection;
use super::section::traffic::TrafficSection;
use super::valid::ValidSpec;

mod cross_checks;
mod faults;
mod nic;
mod trimming;

pub(crate) use self::faults::Faults;

impl Spec {
    /// Fills in defaults, reads the files, builds the network, and checks that all parts of the
    /// scenario fit together.
    ///
    /// # Errors
    /// The first mistake that is found.
    pub fn validate(self) -> Result<ValidSpec, Diagnostic> {
        let resolved = resolve(self.scenario.clone(), self.folder.clone());
        resolved.map_err(|diagnostic| self.located(diagnostic))
    }
}

fn resolve(written: Scenario, folder: PathBuf) -> Result<ValidSpec, Diagnostic> {
    check_run(&written)?;
    let topology = written.network.build_topology(&folder)?;
    cross_checks::check_topology(&topology)?;
    let ports = Ports::new(&topology);
    let facts = Facts::new(&topology, &ports);
    let algorithms = Algorithms::of(&written)?;
    let needs = algorithms.needs();

    let section = written.network.with_defaults(needs, facts.nic_rate);
    let packets = section.packets.build()?;
    let signals = section.build_signals(&algorithms.named(), needs, &facts.switches, &packets)?;
    let formula = section.base_rtt_formula(&packets, &signals);
    let nic_rate = facts.nic_rate;
    let (host_rates, switch_ports) = (facts.host_rates, facts.switch_ports);
    let graph = NetworkGraph::shared(topology, ports, &section);
    let base_rtts = match section.largest_base_rtt {
        None => graph.base_rtts(formula),
        Some(rtt) => Arc::new(graph.base_rtts(formula).with_largest(rtt, &graph.ports)),
    };
    let signals = complete_programs(signals, &base_rtts)?;
    let bdp = bdp(&section, nic_rate, &base_rtts, &packets, &signals);
    let signals = complete_marking(signals, &bdp)?;
    let (fault_sections, links) = faults::with_defaults(&written.fault);
    let section = section.with_recovery(links, &bdp, needs);
    let nic = written.nic;
    nic.check().at("nic")?;
    let flows = (&written.traffic[..], written.run.seed);
    let network = build_network(&section, nic, packets, signals, &bdp, flows)?;
    nic::check(&network, section.base_rtt, &algorithms)?;
    trimming::check(&network, network.full_packet())?;
    cross_checks::check_network(&network, &algorithms, &graph)?;

    let planned = (&fault_sections[..], written.run.stop);
    let faults = faults::build(planned, &section, &network, &algorithms, &graph)?;

    let largest = base_rtts.largest;
    cross_checks::check_attack(written.attack.as_ref(), &graph.topology)?;
    let attack = written.attack.clone();
    let attack = attack.map(|attack| attack.with_defaults(largest.window, largest.rtt));
    let parties = Parties::new(&written.traffic, attack.as_ref(), written.run.seed);
    let workload = parties.workload(host_rates, &network.packets, &graph, &folder)?;
    let expected_flows = workload.expected_flows(written.run.seed)?;
    let wanted = beside_collectives(written.measure, &workload)?;
    let wanted = beside_faults(wanted, faults.as_ref())?;
    let most_flows = most_flows(&written.traffic, expected_flows);
    let measure_section = wanted.with_defaults(switch_ports, most_flows);
    let open_loop = workload.open_loop();
    let measure =
        measure_section.build(&graph.topology, &graph.ports, written.run.stop, open_loop)?;
    Ok(ValidSpec {
        scenario: Scenario {
            network: section,
            measure: measure_section,
            attack,
            fault: fault_sections,
            ..written
        },
        algorithms,
        folder,
        graph,
        network,
        measure,
        workload,
        expected_flows,
        base_rtts,
        faults,
    })
}

/// Facts of the graph that defaults and checks of sections need.
struct Facts<'t> {
    /// The NIC rate of the first host, used wherever one rate stands for all hosts.
    nic_rate: Rate,
    host_rates: Vec<Rate>,
    switches: MarkingFacts<'t>,
    /// The number of ports of all switches.
    switch_ports: usize,
}

impl<'t> Facts<'t> {
    fn new(topology: &'t Topology, ports: &Ports) -> Self {
        let hosts = (0..topology.machine_count()).map(HostId);
        let host_rates: Vec<_> = hosts.map(|host| host_rate(host, topology, ports)).collect();
        let switches = (topology.hosts..topology.nodes()).map(NodeId);
        let switch_ports = switches.flat_map(|switch| ports.of(switch));
        let mut port_rates: Vec<_> = switch_ports.map(|port| port.rate).collect();
        let switch_ports = port_rates.len();
        port_rates.sort_unstable();
        port_rates.dedup();
        Self {
            nic_rate: ports.of(NodeId(0))[0].rate,
            host_rates,
            switches: MarkingFacts {
                port_rates,
                tiers: topology.tiers(),
            },
            switch_ports,
        }
    }
}

/// The rate of a host's NIC. Of a host with several NICs: the sum over those as fast as the first.
fn host_rate(host: HostId, topology: &Topology, ports: &Ports) -> Rate {
    let rate_of = |end: u32| ports.of(NodeId(end))[0].rate;
    let Some(machines) = &topology.machines else {
        return rate_of(host.0);
    };
    let nics = machines.nics(host);
    let first = rate_of(nics.start);
    let equal = nics.filter(|nic| rate_of(*nic) == first).count() as u64;
    Rate::from_bps(first.as_bps().saturating_mul(equal))
}

fn check_run(scenario: &Scenario) -> Result<(), Diagnostic> {
    let run = &scenario.run;
    if run.stop == Some(Time::ZERO) {
        let diagnostic =
            Diagnostic::new("a run of no time", "write e.g. \"10ms\", or leave it out");
        return Err(diagnostic.at("run.stop"));
    }
    check_stalls(run)?;
    let names = scenario.run.name.as_deref();
    if let Some(diagnostic) = names.and_then(unprintable) {
        return Err(diagnostic.at("run.name"));
    }
    if i64::try_from(run.seed).is_err() {
        let diagnostic = Diagnostic::new(
            format!("`{}` is too large", run.seed),
            "write at most 2^63 - 1",
        );
        return Err(diagnostic.at("run.seed"));
    }
    if scenario.traffic.is_empty() {
        let diagnostic = Diagnostic::new(
            "there is no traffic",
            "add e.g. [[traffic]] with kind = \"incast\"",
        );
        return Err(diagnostic.at("traffic"));
    }
    Ok(())
}

/// An upper bound on the number of flows: infinite where a program starts flows.
fn most_flows(traffic: &[TrafficSection], expected: f64) -> f64 {
    match traffic.iter().any(|entry| entry.kind.is_live()) {
        true => f64::INFINITY,
        false => expected,
    }
}

/// Checks the keys that end a run without progress.
fn check_stalls(run: &RunSection) -> Result<(), Diagnostic> {
    if run.on_deadlock == Some(OnDeadlock::Report) && run.stop.is_none() {
        let what = "a run that goes on after a deadlock needs an end";
        let hint = "write run.stop, too, or on_deadlock = \"stop\"";
        return Err(Diagnostic::new(what, hint).at("run.on_deadlock"));
    }
    match run.stall_after {
        Some(after) if after < SHORTEST_STALL => {
            let what = format!("{after} is too short: flows wait as long for no bad reason");
            let hint = format!("write at least \"{SHORTEST_STALL}\"");
            Err(Diagnostic::new(what, hint).at("run.stall_after"))
        }
        _ => Ok(()),
    }
}

/// The interval at which a run looks for stalls.
const SHORTEST_STALL: Time = Time::from_ms(1);

fn build_network(
    section: &NetworkSection,
    nic: NicConfig,
    packets: PacketSizes,
    signals: Signals,
    bdp: &Bdp,
    (traffic, seed): (&[TrafficSection], u64),
) -> Result<NetworkConfig, Diagnostic> {
    let base_rtt = bdp.rtt;
    let buffer = section.buffer.build()?;
    Ok(NetworkConfig {
        model: section.model.build()?,
        timing_errors: section
            .jitter
            .unwrap_or_default()
            .with_clocks(section.clock_ppm),
        nic,
        packets,
        flow_control: section.build_flow_control(bdp)?,
        buffer,
        ecn: signals.ecn,
        routing: section.build_routing(),
        balance: section.balance.clone(),
        entry_balances: TrafficSection::balances(traffic),
        int: signals.int,
        int_table_period: section.int_table_period,
        arbitration: section.arbitration,
        contention: section.contention(),
        programs: signals.programs,
        timestamps: signals.timestamps,
        cnp: signals.cnp,
        acks: section.acks(),
        recovery: section.recovery.build(base_rtt)?,
        base_rtt,
        seed,
    })
}

/// Fills in the options of switch programs that follow from the base RTT.
fn complete_programs(mut signals: Signals, base_rtts: &BaseRtts) -> Result<Signals, Diagnostic> {
    let facts = NetworkFacts {
        base_rtt: base_rtts.largest.rtt,
        base_window: base_rtts.largest.window,
    };
    for program in &mut signals.programs {
        program.complete(&facts).at("cc")?;
    }
    Ok(signals)
}

/// The BDP rule of the network, with the values that it needs.
fn bdp(
    section: &NetworkSection,
    nic_rate: Rate,
    base_rtts: &BaseRtts,
    packets: &PacketSizes,
    signals: &Signals,
) -> Bdp {
    let carried = Carried::new(packets, signals.int, signals.timestamps);
    Bdp {
        rule: section.profile.choices().drop.bdp,
        rtt: base_rtts.largest.rtt,
        window: base_rtts.largest.window,
        nic_rate,
        packet: packets.mtu + packets.data_header + carried.data,
    }
}

/// Turns marking thresholds in BDPs into sizes.
fn complete_marking(mut signals: Signals, bdp: &Bdp) -> Result<Signals, Diagnostic> {
    if let Some(options) = signals.ecn {
        let packet = bdp.packet;
        let sized = options.with_thresholds(|threshold| bdp.threshold(threshold));
        // Thresholds in bytes and in BDPs can be compared from here on.
        let entries = sized.per_rate.iter().flatten();
        let rates: Vec<_> = entries.map(|entry| entry.link_rate).collect();
        sized.check(&rates, packet).at("network.ecn")?;
        signals.ecn = Some(sized);
    }
    Ok(signals)
}

/// The most packets of a flow: packet numbers have 32 bits.
const MAX_PACKETS: u64 = u32::MAX as u64;

/// The traffic and the attack on it.
struct Parties<'a> {
    traffic: &'a [TrafficSection],
    attack: Option<&'a AttackSpec>,
    seed: u64,
}

impl<'a> Parties<'a> {
    fn new(traffic: &'a [TrafficSection], attack: Option<&'a AttackSpec>, seed: u64) -> Self {
        Self {
            traffic,
            attack,
            seed,
        }
    }

    fn workload(
        &self,
        host_rates: Vec<Rate>,
        packets: &PacketSizes,
        graph: &NetworkGraph,
        folder: &Path,
    ) -> Result<Workload, Diagnostic> {
        let traffic = self.traffic;
        check_names(traffic)?;
        let largest_flow = packets.mtu * MAX_PACKETS;
        let hosts = Network::new(host_rates).with_seed(self.seed);
        let mut hosts = hosts.with_largest_flow(largest_flow);
        if let Some(names) = graph.topology.host_names() {
            hosts = hosts.with_names(names);
        }
        if let Some(numbers) = graph.topology.machine_numbers() {
            hosts = hosts.with_file_numbers(&numbers);
        }
        if traffic.iter().any(|entry| entry.kind.asks_for_distances()) {
            hosts = hosts.with_distances(|from, to| graph.links_between(from, to));
        }
        if let Some(nics) = &graph.nic_pairs {
            hosts = hosts.with_nics(Arc::clone(nics) as Arc<dyn NicCounts>);
        }
        let entries: Vec<_> = traffic.iter().map(|entry| entry.kind.clone()).collect();
        let workload = Workload::new(&entries, &hosts, &ScenarioFiles::of(folder))?;
        let Some(attack) = self.attack else {
            return Ok(workload);
        };
        let tenants: Vec<_> = traffic.iter().map(|entry| entry.tenant.clone()).collect();
        workload.under(attack, &tenants, &hosts)
    }
}

/// The measurements where flows start after others have arrived: without shares of max-min fair
/// rates.
fn beside_collectives(
    measure: MeasureSection,
    workload: &Workload,
) -> Result<MeasureSection, Diagnostic> {
    let sends: u128 = workload
        .task_graphs()
        .map(|(_, graph)| graph.messages())
        .sum();
    if sends == 0 {
        return Ok(measure);
    }
    if measure.fair_share == Some(Which::All) {
        let wrong = Diagnostic::new(
            "max-min fair rates are not computed where flows wait for each other",
            "leave it out, or the collectives and tasks",
        );
        return Err(wrong.at("measure.fair_share"));
    }
    match sends < (1 << 31) {
        true => Ok(MeasureSection {
            fair_share: Some(Which::None),
            ..measure
        }),
        false => {
            let wrong = Diagnostic::new(
                format!("the task graphs would take {sends} flows"),
                "give fewer rounds, or larger chunks: 2147483647 flows at most",
            );
            Err(wrong.at("traffic"))
        }
    }
}

/// The measurements where links have faults: without shares of max-min fair rates.
fn beside_faults(
    measure: MeasureSection,
    faults: Option<&Faults>,
) -> Result<MeasureSection, Diagnostic> {
    if faults.is_none() {
        return Ok(measure);
    }
    if measure.fair_share == Some(Which::All) {
        let wrong = Diagnostic::new(
            "max-min fair rates are not computed where links have faults",
            "leave it out, or the faults",
        );
        return Err(wrong.at("measure.fair_share"));
    }
    Ok(MeasureSection {
        fair_share: Some(Which::None),
        ..measure
    })
}

/// Checks that names of entries and tenants are not empty, and that no two entries have the same
/// name.
fn check_names(traffic: &[TrafficSection]) -> Result<(), Diagnostic> {
    for (index, entry) in traffic.iter().enumerate() {
        let empty = |key: &str, what: &str, hint: &str| {
            Diagnostic::new(what, hint).at(format!("traffic[{index}].{key}"))
        };
        if entry.tenant.as_deref() == Some("") {
            let hint = "write e.g. \"storage\", or leave it out";
            return Err(empty("tenant", "the tenant has no name", hint));
        }
        for (key, name) in [("tenant", &entry.tenant), ("name", &entry.name)] {
            if let Some(diagnostic) = name.as_deref().and_then(unprintable) {
                return Err(diagnostic.at(format!("traffic[{index}].{key}")));
            }
        }
        let Some(name) = &entry.name else {
            continue;
        };
        if name.is_empty() {
            let hint = "write e.g. \"background\", or leave it out";
            return Err(empty("name", "the name is empty", hint));
        }
        let same = |other: &TrafficSection| other.name.as_ref() == Some(name);
        if let Some(other) = traffic[..index].iter().position(same) {
            let what = format!("traffic[{other}] is called `{name}`, too");
            let hint = "give each entry a name of its own";
            return Err(Diagnostic::new(what, hint).at(format!("traffic[{index}].name")));
        }
    }
    Ok(())
}
