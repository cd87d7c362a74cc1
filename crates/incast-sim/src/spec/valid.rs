//! A scenario with all defaults filled in.

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

/// The shortest simulated time without an acknowledged byte after which a run without a stop time
/// ends. On long or slow links the time is the number below of base RTTs or of retransmission
/// timeouts, whichever is longer.
const STALLED_AFTER: Time = Time::from_ms(10_000);
const STALLED_AFTER_RTTS: u64 = 100;
const STALLED_AFTER_TIMEOUTS: u64 = 4;
/// Timeouts that a flow may wait for after a link is back: twice the longest back-off.
const STALLED_AFTER_BACKED_OFF: u64 = 128;

/// A scenario that can run: checked, with all defaults filled in, files read and network built.
#[derive(Debug)]
pub struct ValidSpec {
    /// The scenario as written, with every default.
    pub(crate) scenario: Scenario,
    pub(crate) algorithms: Algorithms,
    /// The folder that relative paths in the scenario start from.
    pub(crate) folder: PathBuf,
    pub(crate) graph: Arc<NetworkGraph>,
    pub(crate) network: NetworkConfig,
    pub(crate) measure: MeasureConfig,
    pub(crate) workload: Workload,
    pub(crate) expected_flows: f64,
    pub(crate) base_rtts: Arc<BaseRtts>,
    /// The faults of links, if there are any.
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

    /// The latest simulated time at which the run ends.
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

    /// The time without an acknowledged byte after which a run is taken to be stuck, if the
    /// scenario gives none. It covers base RTTs, since flows may be much slower than links, and the
    /// waiting for links that come back.
    fn stall_guard(&self) -> Time {
        let timeout = self.network.recovery.timeout.unwrap_or_default().as_ps();
        let timeouts = timeout.saturating_mul(STALLED_AFTER_TIMEOUTS);
        let rtt = self.base_rtts.largest.rtt.as_ps();
        let rtts = rtt.saturating_mul(STALLED_AFTER_RTTS);
        let guard = STALLED_AFTER.max(Time::from_ps(timeouts.max(rtts)));
        let Some(faults) = &self.faults else {
            return guard;
        };
        // Flows wait until the link comes back, and then for their timeout.
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

    /// The reason why the run needs a single thread, if it does.
    pub fn single_threaded_because(&self) -> Option<SingleThreadedBecause> {
        let external = self.has_external();
        SingleThreadedBecause::of(self.network(), self.measure())
            .or(external.then_some(SingleThreadedBecause::ExternalAlgorithm))
    }

    /// The profile: the named set of model choices that the scenario begins with.
    pub fn profile(&self) -> Profile {
        self.scenario.network.profile
    }

    /// The model choices of the profile.
    pub(crate) fn choices(&self) -> &'static Choices {
        self.profile().choices()
    }

    /// The algorithm of `[cc]`, with its parameters.
    pub fn algorithm(&self) -> &AlgorithmConfig {
        &self.scenario.cc.algorithm
    }

    /// The algorithm's name with its parts, e.g. `hpcc+vai+sf`. Of several algorithms, the names
    /// with commas between.
    pub fn algorithm_name(&self) -> &str {
        self.algorithms.label()
    }

    /// The algorithms of all flows.
    pub(crate) fn algorithms(&self) -> &Algorithms {
        &self.algorithms
    }

    /// By `[[traffic]]` entry: the group of its flows. The flows of one group share an algorithm,
    /// or all have none.
    pub(crate) fn groups(&self) -> Vec<u16> {
        let entries = 0..self.scenario.traffic.len() as u16;
        entries.map(|tag| self.algorithms.group(tag)).collect()
    }

    /// Whether any algorithm is external, that is, not part of this program.
    pub(crate) fn has_external(&self) -> bool {
        let is_external =
            |one: &FlowAlgorithm| matches!(one.config(), AlgorithmConfig::External(_));
        self.algorithms.iter().any(is_external)
    }

    /// The graph.
    pub fn topology(&self) -> &Topology {
        &self.graph.topology
    }

    /// The ports of the network.
    pub fn ports(&self) -> &Ports {
        &self.graph.ports
    }

    /// The routes of the network.
    pub fn routes(&self) -> &Routes {
        &self.graph.routes
    }

    /// The configuration of the network: how packets cross it.
    pub fn network(&self) -> &NetworkConfig {
        &self.network
    }

    /// The paths that flows of a traffic entry take, with the share of each.
    pub(crate) fn path_shares(&self, tag: u16) -> PathShares<'_> {
        PathShares {
            choice: self.network.path_choice(),
            balance: self.network.balance_of(tag),
            topology: self.topology(),
            ports: self.ports(),
            routes: self.routes(),
        }
    }

    /// The ports by which a flow's data, or its ACKs, may leave on any of their paths, each once,
    /// as long as no link has failed. `None` if there is no such traffic entry or pair of hosts.
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

    /// The measuring window; `None` if it is the whole run.
    pub fn measuring_window(&self) -> Option<MeasuringWindow> {
        Some(self.measure.window).filter(|window| *window != MeasuringWindow::WHOLE)
    }

    /// Whether each flow's share of its max-min fair rate is computed.
    pub fn fair_share(&self) -> bool {
        self.scenario.measure.fair_share == Some(Which::All)
    }

    /// Which flows have a row in results, as written.
    pub(crate) fn flow_rows(&self) -> WrittenRows {
        self.scenario.measure.flows.rows.unwrap_or_default()
    }

    /// Whether the available memory decides which flows have a row.
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

    /// The flows, each with the message that it carries whole or in part.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub(crate) fn pieces(&self) -> Result<PieceStream, Diagnostic> {
        self.workload.pieces(self.seed())
    }

    /// A flow of this `[[traffic]]` entry, which a program starts during the run.
    pub(crate) fn live_flow(&self, given: &GivenFlow, tag: u16) -> Result<Flow, Diagnostic> {
        let flow = given.on(self.workload.network())?;
        Ok(Flow { tag, ..flow })
    }

    /// The `[[traffic]]` entries whose flows a program starts, with their names in results.
    pub(crate) fn live_traffic(&self) -> Vec<(u16, String)> {
        let entries = &self.scenario.traffic;
        let names = TrafficSection::names(entries);
        let numbered = (0..).zip(names).zip(entries);
        let live = numbered.filter(|(_, entry)| entry.kind.is_live());
        live.map(|(named, _)| named).collect()
    }

    /// The task graphs, each with the number of its `[[traffic]]` entry.
    pub(crate) fn task_graphs(&self) -> impl Iterator<Item = (u16, Arc<dyn TaskGraph>)> {
        self.workload.task_graphs()
    }

    /// The size of the task lists in memory, of all task graphs together.
    pub(crate) fn listed_tasks(&self) -> ListSize {
        let mut sum = ListSize::default();
        for (_, graph) in self.task_graphs() {
            let listed = graph.listed();
            sum.tasks += listed.tasks;
            sum.widest += listed.widest;
        }
        sum
    }

    /// The roles of flows under the attack, if there is an attack.
    pub(crate) fn roles(&self) -> Option<Roles> {
        self.workload.roles(self.seed())
    }

    /// The traffic entries whose messages the attack does not cut into pieces, because the messages
    /// are tasks.
    pub(crate) fn left_whole(&self) -> Vec<u16> {
        self.workload.left_whole(self.seed())
    }

    /// Whether the scenario has an `[attack]` section, even one of kind none. Results then tell
    /// roles apart.
    pub(crate) fn is_attacked(&self) -> bool {
        self.scenario.attack.is_some()
    }

    /// By `[[traffic]]` entry: its name in results. Empty for a single entry without a name.
    pub(crate) fn traffic_names(&self) -> Vec<String> {
        let entries = &self.scenario.traffic;
        match entries.as_slice() {
            [only] if only.name.is_none() => Vec::new(),
            entries => TrafficSection::names(entries),
        }
    }

    /// By `[[traffic]]` entry: the name of its flows' algorithm; `None` if the scenario has one
    /// algorithm.
    pub(crate) fn algorithms_by_entry(&self) -> Option<Vec<String>> {
        let algorithms = self.algorithms();
        algorithms.are_mixed().then(|| algorithms.names_by_entry())
    }

    /// The tenant of each `[[traffic]]` entry, if it has one.
    pub(crate) fn tenants(&self) -> Vec<Option<String>> {
        let entries = self.scenario.traffic.iter();
        entries.map(|entry| entry.tenant.clone()).collect()
    }

    /// The number of flows, exact or as the mean over seeds. Under an attack, each piece of a
    /// message counts.
    pub fn expected_flows(&self) -> f64 {
        self.expected_flows
    }

    /// The base RTT that is given to a flow's congestion control: that of its own pair of hosts, or
    /// the largest of the network, as the scenario says.
    pub fn base_rtt(&self, source: HostId, destination: HostId) -> BaseRtt {
        match self.scenario.network.base_rtt {
            BaseRttScope::Global => self.base_rtts.largest,
            BaseRttScope::Path => self.pair(source, destination),
        }
    }

    /// Base RTT, window and smallest rate of the path between a pair of hosts.
    pub fn pair(&self, source: HostId, destination: HostId) -> BaseRtt {
        self.base_rtts
            .pair(source, destination, self.ports(), self.routes())
    }

    /// The largest base RTT and window of any pair.
    pub fn largest_base_rtt(&self) -> BaseRtt {
        self.base_rtts.largest
    }

    /// The size on the wire of a data packet with this payload.
    pub fn wire_size(&self, payload: Bytes) -> Bytes {
        let NetworkConfig {
            packets,
            int,
            timestamps,
            ..
        } = &self.network;
        payload + packets.data_header + Carried::new(packets, *int, *timestamps).data
    }

    /// The ends of a flow from one host to another: the hosts, or two of their NICs where hosts
    /// have several.
    pub(crate) fn ends(&self, from: HostId, to: HostId, by: By) -> (HostId, HostId) {
        let nics = self.graph.nic_pairs.as_ref();
        nics.map_or((from, to), |nics| nics.ends(from, to, by))
    }

    /// The files that the scenario names.
    pub fn files(&self) -> Vec<ScenarioFile> {
        canonical::files(&self.scenario, &self.folder)
    }

    /// The scenario with every default filled in, in a fixed order. Read again from the same
    /// folder, this text gives the same scenario.
    pub fn to_toml(&self) -> String {
        canonical::print(&self.scenario, |_, written| {
            written.to_string_lossy().into_owned()
        })
    }

    /// The scenario as TOML with other file names, for a copy in another folder, or a hash of the
    /// contents. `rename` gets a file's key and path, and returns the new name.
    pub fn to_toml_with(&self, mut rename: impl FnMut(&str, &Path) -> String) -> String {
        canonical::print(&self.scenario, |key, written| {
            rename(key, &self.folder.join(written))
        })
    }
}
