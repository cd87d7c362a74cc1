//! Results of a run: tables, a summary, and their folder.
//!
//! Figures that several places need are defined here, once: percentiles of slowdown, the Jain
//! index, the fingerprint.

mod arrival_order;
mod arrivals;
mod collectives;
mod company;
mod correlation;
mod counted;
mod counted_facts;
mod distribution;
mod entropies;
mod equal_links;
mod faults;
mod fcts;
mod fingerprint;
mod flow_statistics;
mod flows;
pub(crate) mod folder;
mod goodput;
mod int_age;
mod jain_index;
mod kept_rows;
mod loads;
mod max_min_shares;
mod messages;
mod packet_counts;
mod packets;
mod parties;
mod pause_causes;
mod ports;
mod queues;
mod rates;
mod recovery;
mod room;
mod round_trips;
mod senders;
mod series;
mod stall;
mod summary;
mod table;
mod tasks;
mod thinned;
mod values;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use incast_net::{MeasuringWindow, Recording, RoundTrips, SampleIntervals};

use crate::file_error::FileError;

pub use collectives::CollectiveFacts;
pub use counted_facts::CountedFacts;
pub use distribution::{Bracket, Distribution, Late};
pub use faults::{FaultEntry, FaultFacts};
pub use fcts::{FctFacts, SizeClass, Slowdowns};
pub use fingerprint::Fingerprint;
pub use folder::{
    LockWatch, Spare, check_file, copy_results, may_be_replaced, other_run, recover, sizes_match,
};
pub use goodput::Goodput;
pub use int_age::IntAge;
pub use jain_index::{Fairness, Settling};
pub use kept_rows::KeptRowsFacts;
pub use loads::{EntryLoad, Loads, WireLoad};
pub use max_min_shares::FairShares;
pub use packet_counts::Packets;
pub use parties::Party;
pub use queues::Queues;
pub use recovery::RecoveryFacts;
pub use room::RoomForRows;
pub use round_trips::Rtts;
pub use stall::{StallFacts, StuckPortFacts};
pub use summary::{
    Effort, FlowCounts, Pfc, ScenarioFacts, Summary, TraceFacts, Utilisation, WindowFacts,
};
pub use table::{Table, TableFile};
pub(crate) use table::{numbers, texts};
pub use thinned::{ThinnedSeries, ThinnedTo};

pub(crate) use arrival_order::by_flow as orders_by_flow;
pub(crate) use arrivals::FlowArrivals;
pub(crate) use collectives::CollectiveRow;
pub(crate) use entropies::in_use as entropies_in_use;
pub(crate) use faults::FaultRow;
pub(crate) use flow_statistics::{FlowStatistics, StatisticsScope};
pub(crate) use flows::{CompletedFlows, FinishedTable, FlowTotals, KeptRows, LateColumns};
pub(crate) use loads::AskedLoads;
pub(crate) use messages::{MessageLedger, MessageRow};
pub(crate) use ports::{LinkUse, PortNames};
pub(crate) use stall::Ended;
pub(crate) use summary::RunTiming;
pub(crate) use tasks::{PathStep, RankRow, TaskRows};

/// The scenario of the results: its facts and its text.
pub(crate) struct RunScenario {
    /// Facts for the summary.
    pub(crate) facts: ScenarioFacts,
    /// The scenario as TOML, with all defaults filled in.
    pub(crate) toml: String,
}

/// The measurements of a run.
pub(crate) struct Measurements {
    pub(crate) recording: Recording,
    /// Completed flows whose rows are kept, then unfinished flows whose rows are kept.
    pub(crate) flows: FinishedTable,
    /// Pearson's correlation of start and finish over completed flows.
    pub(crate) start_finish_correlation: Option<f64>,
    pub(crate) fingerprint: Fingerprint,
    /// When flows started.
    pub(crate) arrivals: FlowArrivals,
    /// The window that means are taken over.
    pub(crate) window: MeasuringWindow,
    pub(crate) statistics: FlowStatistics,
    /// Number of completed flows.
    pub(crate) finished: u64,
    /// Which flows have rows, if not all have.
    pub(crate) kept_rows: Option<KeptRowsFacts>,
    /// The scenario's loads of open-loop traffic.
    pub(crate) asked_loads: AskedLoads,
    /// The intervals of samples before thinning.
    pub(crate) asked_intervals: SampleIntervals,
    /// For each flow, its share of its max-min fair rate, if shares are wanted and the flow
    /// completed.
    pub(crate) fair_shares: Option<Vec<Option<f64>>>,
    /// Completed messages, in order of completion, if there is an attack.
    pub(crate) messages: Option<Vec<MessageRow>>,
    /// Results of the task graphs, if there are any.
    pub(crate) tasks: Option<TaskRows>,
    /// The names of traffic entries, if entries are distinguished.
    pub(crate) traffic: Vec<String>,
    /// The algorithm of each traffic entry, if there are several algorithms.
    pub(crate) algorithms: Option<Vec<String>>,
    /// The tenant of each traffic entry, if it has one.
    pub(crate) tenants: Vec<Option<String>>,
    /// Whether the latencies of packets were measured.
    pub(crate) measures_packet_latency: bool,
    /// Whether round trips were counted; none may have occurred.
    pub(crate) counts_round_trips: bool,
    pub(crate) timing: RunTiming,
    /// The faults of links with their effects, if there are any.
    pub(crate) faults: Option<Vec<FaultRow>>,
    /// The stall of the run, if there was one.
    pub(crate) stall: Option<StallFacts>,
}

impl Measurements {
    /// Statistics of traffic entries, roles and tenants, as far as these are distinguished.
    fn parties(&self) -> [Vec<Party>; 3] {
        let rule = &self.statistics.rule;
        let [traffic, roles, tenants] = match &self.messages {
            None => self.statistics.parties(&self.traffic),
            Some(messages) => [
                Party::by_entry(&self.traffic, messages, rule),
                Party::by_role(messages, rule),
                Party::by_tenant(&self.tenants, messages, rule),
            ],
        };
        let named = traffic.into_iter().enumerate().map(|(entry, party)| Party {
            algorithm: self.algorithms.as_ref().map(|names| names[entry].clone()),
            ..party
        });
        [named.collect(), roles, tenants]
    }

    /// The latency of the slowest packet of each completed flow, if it was measured.
    fn longest_packet_latencies(&self) -> Option<Distribution> {
        let unfinished = self.recording.unfinished.iter();
        let unfinished: BTreeSet<_> = unfinished.map(|each| each.flow.id).collect();
        let all = self.recording.packet_latencies.iter();
        let completed = all.filter(|each| !unfinished.contains(&each.flow));
        let latencies = completed.map(|each| each.longest.as_ps() as f64);
        self.measures_packet_latency
            .then(|| Distribution::of(latencies))
    }

    fn round_trips(&self) -> Option<&[RoundTrips]> {
        let counted = self.recording.round_trips.as_slice();
        self.counts_round_trips.then_some(counted)
    }
}

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// Completed flows in order of completion, then unfinished flows by number; all of them, or
    /// those whose rows the scenario keeps. Empty if they exceed the given memory:
    /// [`read_flows`](Self::read_flows) has them.
    pub flows: Table,
    /// The file of the rows of flows, if they exceed the given memory.
    pub flows_file: Option<Arc<TableFile>>,
    /// Measurements over time, in long form.
    pub series: Table,
    /// Counters of every port.
    pub ports: Table,
    /// The packet trace, if there is one.
    pub packets: Option<Table>,
    /// Causes that held back traced flows at their senders; `None` if causes were not traced.
    pub senders: Option<Table>,
    /// Other flows whose data the explained flows met at ports.
    pub company: Option<Table>,
    /// Why switches paused peers, if the scenario asked for causes.
    pub pause_causes: Option<Table>,
    /// Round trips of packets, if they were counted.
    pub round_trips: Option<Table>,
    /// Feedback on each entropy, if it was counted and any flow had several entropies.
    pub entropies: Option<Table>,
    /// Completed messages, in order of completion, if there is an attack.
    pub messages: Option<Table>,
    /// Rounds of collectives and other task graphs, in the order in which they were finished, if
    /// there are any.
    pub collectives: Option<Table>,
    /// The time at which each rank of a collective or task graph finished.
    pub ranks: Option<Table>,
    /// The critical path of each collective or task graph.
    pub critical_path: Option<Table>,
    /// A row for each occurrence of a link fault, if the scenario has faults.
    pub faults: Option<Table>,
    /// The figures.
    pub summary: Summary,
    /// The scenario, with all defaults filled in, as TOML.
    pub scenario: String,
}

impl Results {
    pub(crate) fn new(
        scenario: RunScenario,
        mut measured: Measurements,
        ports: &PortNames,
    ) -> Self {
        let summary = Summary::of(scenario.facts, &measured, ports);
        let timing = measured.timing;
        let packets = measured.recording.packets.as_ref().map(packets::table);
        let causes = measured.recording.packets.as_ref();
        let causes = causes.and_then(|trace| trace.causes.as_ref());
        let senders = causes.map(|causes| senders::table(&causes.senders));
        let company = causes.map(|causes| company::table(&causes.company));
        let pause_causes = causes.map(|causes| pause_causes::table(&causes.pauses));
        let round_trips = measured.round_trips().map(round_trips::table);
        let entropies = Some(&measured.recording.entropies).filter(|counted| !counted.is_empty());
        let entropies = entropies.map(|counted| entropies::table(counted));
        let messages = measured.messages.as_deref().map(messages::table);
        let rows = measured.tasks.as_ref();
        let collectives = rows.map(|rows| collectives::table(&rows.rounds));
        let ranks = rows.map(|rows| tasks::ranks(&rows.ranks));
        let critical_path = rows.map(|rows| tasks::critical_path(&rows.paths));
        let faults = measured.faults.as_deref().map(faults::table);
        let recording = &mut measured.recording;
        Self {
            series: series::table(recording, ports),
            ports: ports::table(ports, LinkUse::of(recording, timing.of_links())),
            packets,
            senders,
            company,
            pause_causes,
            round_trips,
            entropies,
            messages,
            collectives,
            ranks,
            critical_path,
            faults,
            flows: measured.flows.in_memory,
            flows_file: measured.flows.in_file.map(Arc::new),
            summary,
            scenario: scenario.toml,
        }
    }

    /// The rows of flows, from memory or from their file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_flows(&self) -> Result<Table, FileError> {
        match &self.flows_file {
            Some(file) => file.read(|_| true),
            None => Ok(self.flows.clone()),
        }
    }

    /// Writes the files of a run into a folder: all of them or none. Every run has `flows.parquet`,
    /// `series.parquet`, `ports.parquet`, `summary.json` and `scenario.toml`. Others depend on what
    /// was recorded: `packets.parquet`, `senders.parquet`, `company.parquet`,
    /// `pause_causes.parquet`, `round_trips.parquet`, `entropies.parquet`; or on the traffic:
    /// `messages.parquet` (an attack), `collectives.parquet`, `ranks.parquet` and
    /// `critical_path.parquet` (task graphs), `faults.parquet` (faults of links).
    ///
    /// An existing folder is replaced if it has results or is empty; files in it that are not
    /// results are kept.
    ///
    /// # Errors
    /// If the folder has other content, or cannot be written; no files are left behind then.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        self.write_sparing(folder, Spare::Nothing, &folder::wait_on)
    }

    /// Writes results, unless existing ones are to be spared. `watch` decides how long to wait for
    /// other processes that write there.
    ///
    /// # Errors
    /// [`FileError::Spared`] or [`FileError::Locked`], respectively.
    pub fn write_sparing(
        &self,
        folder: &Path,
        spare: Spare,
        watch: LockWatch<'_>,
    ) -> Result<(), FileError> {
        folder::replace(folder, spare, watch, |staging| self.write_files(staging))
    }

    fn write_files(&self, folder: &Path) -> Result<(), FileError> {
        let flows = folder.join(folder::FLOWS);
        match &self.flows_file {
            Some(file) => file.write_parquet(&flows)?,
            None => self.flows.write_parquet(&flows)?,
        }
        self.series.write_parquet(&folder.join(folder::SERIES))?;
        self.ports.write_parquet(&folder.join(folder::PORTS))?;
        if let Some(packets) = &self.packets {
            packets.write_parquet(&folder.join(folder::PACKETS))?;
        }
        if let Some(round_trips) = &self.round_trips {
            round_trips.write_parquet(&folder.join(folder::ROUND_TRIPS))?;
        }
        if let Some(messages) = &self.messages {
            messages.write_parquet(&folder.join(folder::MESSAGES))?;
        }
        for (table, file) in [
            (&self.senders, folder::SENDERS),
            (&self.company, folder::COMPANY),
            (&self.pause_causes, folder::PAUSE_CAUSES),
            (&self.entropies, folder::ENTROPIES),
            (&self.collectives, folder::COLLECTIVES),
            (&self.ranks, folder::RANKS),
            (&self.critical_path, folder::CRITICAL_PATH),
            (&self.faults, folder::FAULTS),
        ] {
            if let Some(table) = table {
                table.write_parquet(&folder.join(file))?;
            }
        }
        folder::write_text(&folder.join(folder::SUMMARY), &self.summary.to_json())?;
        folder::write_text(&folder.join(folder::SCENARIO), &self.scenario)
    }
}
