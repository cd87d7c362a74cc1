//! A scenario with nothing left open.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_cc::AlgorithmConfig;
use incast_diagnostic::Diagnostic;
use incast_net::{
    Carried, Direction, FlowAddress, MeasureConfig, MeasuringWindow, NetworkConfig, OnDeadlock,
    PathShares, SingleThreadedBecause, StallConfig, StuckFlows,
};
use incast_topology::{Hop, Ports, Routes, Topology};
use incast_units::{Bytes, HostId, Time};
use incast_workload::{
    Flow, FlowStream, GivenFlow, ListSize, PieceStream, Roles, TaskGraph, Workload,
};

use super::algorithms::{Algorithms, FlowAlgorithm};
use super::base_rtt::{BaseRtt, BaseRtts};
use super::canonical::{self, ScenarioFile};
use super::graph::NetworkGraph;
use super::nic_pairs::By;
use super::profile::{Choices, Profile};
use super::resolve::Faults;
use super::scenario::Scenario;
use super::section::flow_rows::WrittenRows;
use super::section::measure::Which;
use super::section::network::BaseRttScope;
use super::section::traffic::TrafficSection;

/// Simulated time without a byte acknowledged after which a run without a stop time ends, at least;
/// on long or slow links so many base RTTs, and retransmission timeouts.
const STALLED_AFTER: Time = Time::from_ms(10_000);
const STALLED_AFTER_RTTS: u64 = 100;
const STALLED_AFTER_TIMEOUTS: u64 = 4;
/// Timeouts that a flow may wait for when a link is back: twice the longest back-off.
const STALLED_AFTER_BACKED_OFF: u64 = 128;

/// A scenario that can run: checked, all defaults filled in, files read, network built.
#[derive(Debug)]
pub struct ValidSpec {
    /// The scenario as written, with every default.
    pub(crate) scenario: Scenario,
    pub(crate) algorithms: Algorithms,
    /// Where relative paths in it begin.
    pub(crate) folder: PathBuf,
    pub(crate) graph: Arc<NetworkGraph>,
    pub(crate) network: NetworkConfig,
    pub(crate) measure: MeasureConfig,
    pub(crate) workload: Workload,
    pub(crate) expected_flows: f64,
    pub(crate) base_rtts: Arc<BaseRtts>,
    /// What happens to links, if anything.
    pub(crate) faults: Option<Faults>,
}

impl ValidSpec {
    /// The name of the run.
    pub fn name(&self) -> &str {
        self.scenario.run.name.as_deref().unwrap_or_default()
    }

    /// Seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.scenario.run.seed
    }

    /// When to stop at the latest.
    pub fn stop(&self) -> Option<Time> {
        self.scenario.run.stop
    }

    /// Which stalls end the run.
    pub(crate) fn stalls(&self) -> StallConfig {
        let run = &self.scenario.run;
        StallConfig {
            on_deadlock: run.on_deadlock.unwrap_or(match run.stop {
                Some(_) => OnDeadlock::Report,
                None => OnDeadlock::Stop,
            }),
            no_progress: match (run.stall_after, run.stop) {
                (Some(after), _) => Some((after, StuckFlows::Any)),
                (None, None) => Some((self.stall_guard(), StuckFlows::All)),
                (None, Some(_)) => None,
            },
        }
    }

    /// After how long without a byte acknowledged a run is thought to be stuck that says nothing of
    /// it. A base RTT has the transmission of a full packet on each link; rates may be a small part
    /// of those of links.
    fn stall_guard(&self) -> Time {
        let timeout = self.network.recovery.timeout.unwrap_or_default().as_ps();
        let timeouts = timeout.saturating_mul(STALLED_AFTER_TIMEOUTS);
        let rtt = self.base_rtts.largest.rtt.as_ps();
        let rtts = rtt.saturating_mul(STALLED_AFTER_RTTS);
        let guard = STALLED_AFTER.max(Time::from_ps(timeouts.max(rtts)));
        let Some(faults) = &self.faults else {
            return guard;
        };
        // Flows wait for a link that comes back, and after it for their timeout.
        let waits = timeout.saturating_mul(STALLED_AFTER_BACKED_OFF);
        let outage = faults.plan.longest_outage();
        guard
            .saturating_add(outage)
            .saturating_add(Time::from_ps(waits))
    }

    /// The faults of links, if there are any.
    pub(crate) fn faults(&self) -> Option<&Faults> {
        self.faults.as_ref()
    }

    /// Why only one thread can run it, if that is so.
    pub fn single_threaded_because(&self) -> Option<SingleThreadedBecause> {
        let external = self.has_external();
        SingleThreadedBecause::of(self.network(), self.measure())
            .or(external.then_some(SingleThreadedBecause::ExternalAlgorithm))
    }

    /// The named set of model choices that the network began with.
    pub fn profile(&self) -> Profile {
        self.scenario.network.profile
    }

    /// The choices of that set.
    pub(crate) fn choices(&self) -> &'static Choices {
        self.profile().choices()
    }

    /// The congestion control of `[cc]`, with its parameters.
    pub fn algorithm(&self) -> &AlgorithmConfig {
        &self.scenario.cc.algorithm
    }

    /// The name of the congestion control with its parts, e.g. `hpcc+vai+sf`; of several, the
    /// names with commas between.
    pub fn algorithm_name(&self) -> &str {
        self.algorithms.label()
    }

    /// The algorithms of all flows.
    pub(crate) fn algorithms(&self) -> &Algorithms {
        &self.algorithms
    }

    /// By `[[traffic]]` entry: the group of its flows, which have one algorithm, or none.
    pub(crate) fn groups(&self) -> Vec<u16> {
        let entries = 0..self.scenario.traffic.len() as u16;
        entries.map(|tag| self.algorithms.group(tag)).collect()
    }

    /// Whether flows have an algorithm that is no part of this program.
    pub(crate) fn has_external(&self) -> bool {
        let is_external =
            |one: &FlowAlgorithm| matches!(one.config(), AlgorithmConfig::External(_));
        self.algorithms.iter().any(is_external)
    }

    /// The graph.
    pub fn topology(&self) -> &Topology {
        &self.graph.topology
    }

    /// Its ports.
    pub fn ports(&self) -> &Ports {
        &self.graph.ports
    }

    /// Its routes.
    pub fn routes(&self) -> &Routes {
        &self.graph.routes
    }

    /// How packets cross it.
    pub fn network(&self) -> &NetworkConfig {
        &self.network
    }

    /// Which paths flows of a traffic entry take.
    pub(crate) fn path_shares(&self, tag: u16) -> PathShares<'_> {
        PathShares {
            choice: self.network.path_choice(),
            balance: self.network.balance_of(tag),
            topology: self.topology(),
            ports: self.ports(),
            routes: self.routes(),
        }
    }

    /// The ports by which a flow's data, or ACKs, leave, each once, as long as no link has failed:
    /// of all paths that they may take. `None` if there is no such traffic entry, or no such pair
    /// of hosts.
    pub fn ports_of_flow(
        &self,
        tag: u16,
        flow: FlowAddress,
        direction: Direction,
    ) -> Option<BTreeSet<Hop>> {
        let hosts = self.topology().hosts;
        let is_known = usize::from(tag) < self.workload.entries().len()
            && flow.source.0.max(flow.destination.0) < hosts
            && flow.source != flow.destination;
        let paths = || self.path_shares(tag).paths(flow, direction);
        is_known.then(|| paths().flatten().collect())
    }

    /// Recordings.
    pub fn measure(&self) -> &MeasureConfig {
        &self.measure
    }

    /// The measuring window, if it is not all of the run.
    pub fn measuring_window(&self) -> Option<MeasuringWindow> {
        Some(self.measure.window).filter(|window| *window != MeasuringWindow::WHOLE)
    }

    /// Whether to compute each flow's share of its max-min fair rate.
    pub fn fair_share(&self) -> bool {
        self.scenario.measure.fair_share == Some(Which::All)
    }

    /// Which flows have a row in results.
    pub(crate) fn flow_rows(&self) -> WrittenRows {
        self.scenario.measure.flows.rows.unwrap_or_default()
    }

    /// Whether the memory that there is decides that.
    pub fn leaves_rows_open(&self) -> bool {
        self.flow_rows().is_open()
    }

    /// All flows in order of start; a flow's tag is the number of its `[[traffic]]` entry.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn flows(&self) -> Result<FlowStream, Diagnostic> {
        self.workload.flows(self.seed())
    }

    /// The flows, with the messages that they are, or are pieces of.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub(crate) fn pieces(&self) -> Result<PieceStream, Diagnostic> {
        self.workload.pieces(self.seed())
    }

    /// A flow that a program starts while the network is under way, of this `[[traffic]]` entry.
    pub(crate) fn live_flow(&self, given: &GivenFlow, tag: u16) -> Result<Flow, Diagnostic> {
        let flow = given.on(self.workload.network())?;
        Ok(Flow { tag, ..flow })
    }

    /// The `[[traffic]]` entries whose flows a program starts, with what results call them.
    pub(crate) fn live_traffic(&self) -> Vec<(u16, String)> {
        let entries = &self.scenario.traffic;
        let names = TrafficSection::names(entries);
        let numbered = (0..).zip(names).zip(entries);
        let live = numbered.filter(|(_, entry)| entry.kind.is_live());
        live.map(|(named, _)| named).collect()
    }

    /// The task graphs, with the numbers of their `[[traffic]]` entries.
    pub(crate) fn task_graphs(&self) -> impl Iterator<Item = (u16, Arc<dyn TaskGraph>)> {
        self.workload.task_graphs()
    }

    /// What is held in memory of task graphs, all together.
    pub(crate) fn listed_tasks(&self) -> ListSize {
        let mut sum = ListSize::default();
        for (_, graph) in self.task_graphs() {
            let listed = graph.listed();
            sum.tasks += listed.tasks;
            sum.widest += listed.widest;
        }
        sum
    }

    /// Who attacks, if there is an attack.
    pub(crate) fn roles(&self) -> Option<Roles> {
        self.workload.roles(self.seed())
    }

    /// The traffic entries whose messages the attack leaves whole, because they are tasks.
    pub(crate) fn left_whole(&self) -> Vec<u16> {
        self.workload.left_whole(self.seed())
    }

    /// Whether the scenario has an attack, be it none: whether roles are told apart.
    pub(crate) fn is_attacked(&self) -> bool {
        self.scenario.attack.is_some()
    }

    /// By `[[traffic]]` entry: what results call it. Empty if there is one entry without a name.
    pub(crate) fn traffic_names(&self) -> Vec<String> {
        let entries = &self.scenario.traffic;
        match entries.as_slice() {
            [only] if only.name.is_none() => Vec::new(),
            entries => TrafficSection::names(entries),
        }
    }

    /// By `[[traffic]]` entry: the name of its flows' congestion control, if there are several
    /// algorithms.
    pub(crate) fn algorithms_by_entry(&self) -> Option<Vec<String>> {
        let algorithms = self.algorithms();
        algorithms.are_mixed().then(|| algorithms.names_by_entry())
    }

    /// By `[[traffic]]` entry.
    pub(crate) fn tenants(&self) -> Vec<Option<String>> {
        let entries = self.scenario.traffic.iter();
        entries.map(|entry| entry.tenant.clone()).collect()
    }

    /// How many flows there will be: exactly, or on average over seeds; under an attack, how many
    /// pieces of messages.
    pub fn expected_flows(&self) -> f64 {
        self.expected_flows
    }

    /// What the congestion control of a flow is told: of its own pair of hosts, or the largest of
    /// the network, as the scenario says.
    pub fn base_rtt(&self, source: HostId, destination: HostId) -> BaseRtt {
        match self.scenario.network.base_rtt {
            BaseRttScope::Global => self.base_rtts.largest,
            BaseRttScope::Path => self.pair(source, destination),
        }
    }

    /// Base RTT, window and smallest rate of a pair of hosts.
    pub fn pair(&self, source: HostId, destination: HostId) -> BaseRtt {
        self.base_rtts
            .pair(source, destination, self.ports(), self.routes())
    }

    /// The largest base RTT and window of any pair.
    pub fn largest_base_rtt(&self) -> BaseRtt {
        self.base_rtts.largest
    }

    /// A data packet with this payload on the wire.
    pub fn wire_size(&self, payload: Bytes) -> Bytes {
        let NetworkConfig {
            packets,
            int,
            timestamps,
            ..
        } = &self.network;
        payload + packets.data_header + Carried::new(packets, *int, *timestamps).data
    }

    /// The ends of a flow from one host to another: other than these where hosts have several NICs.
    pub(crate) fn ends(&self, from: HostId, to: HostId, by: By) -> (HostId, HostId) {
        let nics = self.graph.nic_pairs.as_ref();
        nics.map_or((from, to), |nics| nics.ends(from, to, by))
    }

    /// The files that the scenario refers to.
    pub fn files(&self) -> Vec<ScenarioFile> {
        canonical::files(&self.scenario, &self.folder)
    }

    /// The scenario with every default filled in, in a fixed order. Reading it again, from the
    /// same folder, gives the same scenario.
    pub fn to_toml(&self) -> String {
        canonical::print(&self.scenario, |_, written| {
            written.to_string_lossy().into_owned()
        })
    }

    /// The scenario as TOML with other file names: `rename` is told a file's key and where it is,
    /// and says what to write instead. For a copy in another folder, or a hash of the contents.
    pub fn to_toml_with(&self, mut rename: impl FnMut(&str, &Path) -> String) -> String {
        canonical::print(&self.scenario, |key, written| {
            rename(key, &self.folder.join(written))
        })
    }
}
