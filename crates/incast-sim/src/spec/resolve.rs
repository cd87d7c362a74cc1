//! From a scenario as written to one that can run.

use std::path::{Path, PathBuf};

use incast_cc::IntCarrier;
use incast_net::{NetworkConfig, Routing};
use incast_topology::{Ports, Routes, Topology};
use incast_units::{HostId, NodeId, Rate, Time};
use incast_workload::{Network, Workload};

use super::base_rtt::{BaseRtts, Law};
use super::error::{Complaint, Problem, SpecError};
use super::scenario::{Scenario, Spec};
use super::section::cc::CcSection;
use super::section::model::Profile;
use super::section::network::NetworkSection;
use super::section::traffic::TrafficError;
use super::valid::ValidSpec;

mod fit;

/// A problem with the scenario, or with a file that it names.
pub(crate) enum Trouble {
    Scenario(Problem),
    File(SpecError),
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self::Scenario(problem)
    }
}

impl Spec {
    /// Fills in what was left out, reads the files, builds the network and checks that all of it
    /// fits together.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn validate(self) -> Result<ValidSpec, SpecError> {
        resolve(self.scenario.clone(), self.folder.clone()).map_err(|trouble| match trouble {
            Trouble::Scenario(problem) => self.error(problem),
            Trouble::File(error) => error,
        })
    }
}

/// The complaint about a file that cannot be read.
pub(crate) fn unreadable(file: &str, error: &std::io::Error) -> SpecError {
    let complaint = Complaint::unreadable(error);
    SpecError {
        file: Some(file.to_owned()),
        line: None,
        key: String::new(),
        what: complaint.what,
        hint: complaint.hint,
    }
}

fn resolve(mut scenario: Scenario, folder: PathBuf) -> Result<ValidSpec, Trouble> {
    check_run(&scenario)?;
    let topology = scenario.network.build_topology(&folder)?;
    fit::check_topology(&topology)?;
    fit::check_numbering(&topology, &scenario.traffic)?;
    scenario.cc.check_ranges()?;
    check_parameters(&scenario.cc)?;
    let ports = Ports::new(&topology);
    let needs = scenario.cc.algorithm.needs();
    let (routing, routes) = scenario.network.fill_routes(needs, &topology);
    let facts = Facts::new(&topology, &ports);
    let ways = Ways {
        topology: &topology,
        ports: &ports,
        routing,
        routes: &routes,
    };
    let (network, base_rtts) = fill_network(&mut scenario, &ways, &facts)?;
    fit::check_ties(&network, &topology)?;
    fit::check_int(&network, &ports, &routes)?;
    let on_acks = needs.int == Some(IntCarrier::Acks);
    let asked_by = on_acks.then_some(scenario.cc.name.as_str());
    fit::check_retracing(&network, asked_by, &ports, &routes)?;
    fit::check_buffers(&network, &topology, &ports)?;
    let mut hosts = Network::new(facts.host_rates);
    if scenario
        .traffic
        .iter()
        .any(|entry| entry.0.asks_for_distances())
    {
        hosts = hosts.with_distances(|from, to| routes.hops(from, to).unwrap_or(0));
    }
    let workload = open_traffic(&scenario, &hosts, &folder)?;
    let (expected, stop) = (workload.expected_flows(), scenario.run.stop);
    let measure = scenario.measure.fill(&topology, &ports, expected, stop)?;
    Ok(ValidSpec {
        scenario,
        folder,
        topology,
        ports,
        routes,
        network,
        measure,
        workload,
        base_rtts,
    })
}

/// The graph, and the ways through it.
struct Ways<'a> {
    topology: &'a Topology,
    ports: &'a Ports,
    routing: Routing,
    routes: &'a Routes,
}

/// What the sections ask of the graph.
struct Facts {
    /// Of the first host, which stands for all where one rate is meant.
    nic_rate: Rate,
    host_rates: Vec<Rate>,
    /// The rates of switch ports, each once, in order.
    port_rates: Vec<Rate>,
}

impl Facts {
    fn new(topology: &Topology, ports: &Ports) -> Self {
        let rate_of = |host| ports.of(NodeId::from(HostId(host)))[0].rate;
        let host_rates: Vec<_> = (0..topology.hosts).map(rate_of).collect();
        let switches = (topology.hosts..topology.nodes()).map(NodeId);
        let switch_ports = switches.flat_map(|switch| ports.of(switch));
        let mut port_rates: Vec<_> = switch_ports.map(|port| port.rate).collect();
        port_rates.sort_unstable();
        port_rates.dedup();
        Self {
            nic_rate: host_rates[0],
            host_rates,
            port_rates,
        }
    }
}

fn check_run(scenario: &Scenario) -> Result<(), Problem> {
    let run = &scenario.run;
    if run.stop == Some(Time::ZERO) {
        let complaint = Complaint::new("a run of no time", "write e.g. \"10ms\", or leave it out");
        return Err(complaint.at("run.stop"));
    }
    if i64::try_from(run.seed).is_err() {
        let complaint = Complaint::new(
            format!("`{}` is too large", run.seed),
            "write at most 2^63 - 1",
        );
        return Err(complaint.at("run.seed"));
    }
    if scenario.traffic.is_empty() {
        let complaint = Complaint::new(
            "there is no traffic",
            "add e.g. [[traffic]] with kind = \"incast\"",
        );
        return Err(complaint.at("traffic"));
    }
    Ok(())
}

/// Values that the algorithm cannot work with.
fn check_parameters(cc: &CcSection) -> Result<(), Problem> {
    cc.algorithm.check().map_err(|flaw| {
        let complaint = Complaint::new(flaw.what, flaw.hint);
        complaint.at(format!("cc.{}", flaw.parameter))
    })
}

fn fill_network(
    scenario: &mut Scenario,
    ways: &Ways<'_>,
    facts: &Facts,
) -> Result<(NetworkConfig, BaseRtts), Problem> {
    let (section, cc) = (&mut scenario.network, &scenario.cc);
    let profile = section.profile;
    let model = section.model.fill(profile, facts.nic_rate)?;
    let packets = section.packets.fill(profile)?;
    let (algorithm, needs) = (cc.name.as_str(), cc.algorithm.needs());
    let signals = section.fill_signals(algorithm, needs, &facts.port_rates, &packets)?;
    let law = match profile {
        Profile::Default => {
            let (data, ack) = NetworkSection::full_packet(&packets, &signals);
            Law::Exact { data, ack }
        }
        Profile::HpccNs3 => Law::Artifact {
            payload: packets.mtu,
        },
    };
    let base_rtts = BaseRtts::new(law, ways.topology, ways.ports, ways.routes);
    let flow_control = section.fill_flow_control(facts.nic_rate)?;
    let recovery = section
        .recovery
        .fill(profile, &flow_control, base_rtts.largest.rtt)?;
    let network = NetworkConfig {
        model,
        packets,
        flow_control,
        buffer: section.buffer.fill(facts.nic_rate),
        ecn: signals.ecn,
        routing: ways.routing,
        int: signals.int,
        fair_rate: signals.fair_rate,
        timestamps: signals.timestamps,
        cnp: signals.cnp,
        ack_every: section.ack_every,
        recovery,
        seed: scenario.run.seed,
    };
    Ok((network, base_rtts))
}

fn open_traffic(scenario: &Scenario, hosts: &Network, folder: &Path) -> Result<Workload, Trouble> {
    let entries: Vec<_> = scenario
        .traffic
        .iter()
        .map(|entry| entry.0.clone())
        .collect();
    Workload::new(&entries, hosts, folder).map_err(|error| match TrafficError::from(error) {
        TrafficError::Scenario(problem) => Trouble::Scenario(problem),
        TrafficError::File(error) => Trouble::File(error),
    })
}
