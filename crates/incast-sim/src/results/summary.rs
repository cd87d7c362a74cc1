//! The figures of a run on one page: `summary.json`.
//!
//! Numbers are raw, and their names end in a unit, as in all output of Rust.

use std::time::Duration;

use incast_net::{Clock, MeasuringWindow, PacketTrace, PortCounters, Recording};
use incast_units::Time;
use serde::{Deserialize, Serialize};

use super::Measurements;
use super::arrival_order::ReorderingFacts;
use super::collectives::CollectiveFacts;
use super::counted_facts::CountedFacts;
use super::distribution::Distribution;
use super::equal_links::EqualLinks;
use super::faults::FaultFacts;
use super::fcts::{FctFacts, Slowdowns};
use super::fingerprint::Fingerprint;
use super::goodput::Goodput;
use super::int_age::IntAge;
use super::jain_index::Fairness;
use super::kept_rows::KeptRowsFacts;
use super::loads::Loads;
use super::max_min_shares::FairShares;
use super::packet_counts::Packets;
use super::parties::Party;
use super::ports::{LinkUse, PortNames};
use super::queues::Queues;
use super::rates::ratio;
use super::recovery::RecoveryFacts;
use super::round_trips::Rtts;
use super::stall::StallFacts;
use super::tasks::TaskRows;
use super::thinned::ThinnedSeries;
use crate::identity::{ENGINE, Identity};

/// The figures of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the program.
    pub incast: String,
    /// The [engine](crate::ENGINE) of the run; empty if unknown.
    #[serde(default)]
    pub engine: String,
    /// Scenario and network of the run.
    #[serde(flatten)]
    pub scenario: ScenarioFacts,
    /// Hash of all results.
    pub fingerprint: Fingerprint,
    /// Whether the run was stopped before its end.
    pub partial: bool,
    /// Time and memory that the run took.
    #[serde(flatten)]
    pub effort: Effort,
    /// Flows, in numbers.
    pub flows: FlowCounts,
    /// Which flows have rows, if not all have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_rows: Option<KeptRowsFacts>,
    /// FCT over ideal FCT, of completed flows that count.
    pub fct_slowdown: Slowdowns,
    /// The FCT of completed flows that count, in ps.
    pub fct_ps: Distribution,
    /// Which flows of open-loop traffic count in FCT statistics, and whether the network was
    /// steady.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted_flows: Vec<CountedFacts>,
    /// FCT statistics of all completed flows, if some may not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_flows: Option<FctFacts>,
    /// The measuring window of goodput, Jain's index and queue statistics, if it is not the whole
    /// run.
    pub measuring_window: Option<WindowFacts>,
    /// Payload delivered.
    pub goodput_bps: Goodput,
    /// How equally flows shared; `None` if not measured, or if no two flows were under way
    /// together.
    pub jain_index: Option<Fairness>,
    /// Pearson's correlation of start and finish over completed flows. For equal flows that start
    /// one after the other: 1 if they finish in order of start, -1 if in reverse order.
    pub start_finish_correlation: Option<f64>,
    /// Flows' shares of their max-min fair rates, if they are wanted and any flow completed.
    pub fair_share: Option<FairShares>,
    /// The thinning of series that would have had too many rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinned_series: Option<ThinnedSeries>,
    /// Switch queues.
    pub queue_bytes: Queues,
    /// Priority flow control.
    pub pfc: Pfc,
    /// Packets, in numbers.
    pub packets: Packets,
    /// Retransmissions and their reasons.
    #[serde(default)]
    pub recovery: RecoveryFacts,
    /// The order in which data packets arrived, if receivers keep out-of-order packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordering: Option<ReorderingFacts>,
    /// Utilisation of links.
    pub utilisation: Utilisation,
    /// The balance of traffic over equivalent links, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_links: Option<EqualLinks>,
    /// Loads of open-loop traffic, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loads: Option<Loads>,
    /// Statistics of traffic entries, if there are several, or one with a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Party>,
    /// Statistics of attackers and victims, if there is an attack.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Party>,
    /// Statistics of tenants, if the traffic has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<Party>,
    /// Collectives with a finished round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<CollectiveFacts>,
    /// Number of ranks of collectives and other task graphs that had not finished.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished_ranks: u64,
    /// Round trips of packets by traffic entry, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_ps: Option<Vec<Rtts>>,
    /// Ages of INT by position of the switch on the path, if they were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub int_age_ps: Vec<IntAge>,
    /// Latency of the slowest packet of each completed flow, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_packet_latency_ps: Option<Distribution>,
    /// Effects of link faults, if the scenario has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultFacts>,
    /// The trace of packets, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_trace: Option<TraceFacts>,
    /// The stall of the run, if there was one: a deadlock, or no progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall: Option<StallFacts>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Scenario and network of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScenarioFacts {
    /// Hash of scenario, seed and engine.
    pub identity: Identity,
    /// The scenario's name.
    pub name: String,
    /// The congestion control, as scenarios name it; several names are separated by commas.
    pub algorithm: String,
    /// The profile of the network model.
    pub profile: String,
    /// The model's clock: a clock of ns shortens packets, so that links may exceed their rates.
    #[serde(default)]
    pub clock: Clock,
    /// The seed.
    pub seed: u64,
    /// Number of hosts of the network.
    pub hosts: u64,
    /// Number of NICs, if some hosts have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nics: Option<u64>,
    /// Number of switches of the network.
    pub switches: u64,
    /// Number of links, each counted once for both directions.
    pub links: u64,
    /// The largest base RTT of any two hosts.
    pub base_rtt_ps: u64,
    /// The BDP: bytes sent at line rate in the largest base RTT.
    pub bdp_bytes: u64,
    /// The traffic entries whose messages the attack leaves whole, because they are tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_whole: Vec<u16>,
    /// Whether the results are of a live network, which may continue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
}

/// A measuring window.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowFacts {
    /// Begin of the window.
    pub from_ps: u64,
    /// End of the window: that of the run, but not before the window's begin.
    pub until_ps: u64,
}

/// Time and memory that a run took.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// Time at which the last flow completed and the last rank finished, or the run was stopped.
    pub simulated_ps: u64,
    /// Wall-clock time.
    pub wall_seconds: f64,
    /// Processor time of all threads together.
    pub cpu_seconds: f64,
    /// Number of threads used.
    pub threads: u64,
    /// Data packets and ACKs that crossed a link, summed over links.
    pub packet_hops: u64,
    /// Packet-hops per second of processor time.
    pub packet_hops_per_cpu_second: f64,
}

/// Flows, in numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCounts {
    /// Started.
    pub started: u64,
    /// Completed.
    pub finished: u64,
}

/// Priority flow control, summed over ports.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pfc {
    /// Pause frames sent.
    pub pauses: u64,
    /// Sum of the times for which ports were paused.
    pub paused_ps: u64,
    /// Number of ports that were ever paused.
    pub ports_paused: u64,
}

/// The size of a packet trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceFacts {
    /// Packet events.
    pub events: u64,
    /// With more events than the limit: the time from which on the trace has none; it has all
    /// events before.
    pub cut_ps: Option<u64>,
}

/// Utilisation of links, from the first arrival until the run ended and no packet was leaving any
/// more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Utilisation {
    /// The largest utilisation of any port.
    pub max: f64,
    /// The most utilised port; if there are several, the first.
    pub max_port: Option<String>,
    /// Mean utilisation of the ports of hosts.
    pub mean_host_links: f64,
}

/// Begin and end of a run in simulated time, and its duration in real time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct RunTiming {
    /// Start of the first flow.
    pub(crate) first_arrival: Time,
    /// Completion of the last flow, or the time at which the run was stopped.
    pub(crate) end: Time,
    /// The end, or the later time at which links had carried needless retransmissions.
    pub(crate) links_end: Time,
    /// Whether the run was stopped before its end.
    pub(crate) partial: bool,
    /// Wall-clock time.
    pub(crate) wall: Duration,
    /// Processor time.
    pub(crate) cpu: Duration,
    pub(crate) threads: usize,
}

impl RunTiming {
    /// Time from the first arrival until links were free, over which utilisation is computed.
    pub(crate) fn of_links(&self) -> Time {
        self.links_end.saturating_sub(self.first_arrival)
    }

    /// Time from the first arrival to the end, over which rates are computed.
    pub(crate) fn duration(&self) -> Time {
        self.end.saturating_sub(self.first_arrival)
    }
}

impl Summary {
    pub(crate) fn of(scenario: ScenarioFacts, measured: &Measurements, ports: &PortNames) -> Self {
        let Measurements {
            recording,
            statistics,
            timing,
            ..
        } = measured;
        let [traffic, roles, tenants] = measured.parties();
        let counted = statistics.counted_fcts();
        Self {
            incast: env!("CARGO_PKG_VERSION").to_owned(),
            engine: ENGINE.to_owned(),
            scenario,
            fingerprint: measured.fingerprint,
            partial: timing.partial,
            effort: Effort::of(recording, *timing),
            flows: FlowCounts {
                started: recording.started,
                finished: measured.finished,
            },
            flow_rows: measured.kept_rows.clone(),
            fct_slowdown: counted.fct_slowdown,
            fct_ps: counted.fct_ps,
            counted_flows: statistics.counted_facts(timing.end),
            all_flows: statistics.all_fcts(),
            measuring_window: WindowFacts::of(measured.window, timing.end),
            goodput_bps: Goodput::of(recording, measured),
            jain_index: Fairness::of(
                &recording.flow_ticks,
                measured.asked_intervals.flows.unwrap_or_default(),
                &measured.arrivals,
                measured.window,
            ),
            thinned_series: ThinnedSeries::of(recording, measured.asked_intervals),
            start_finish_correlation: measured.start_finish_correlation,
            fair_share: measured.fair_shares.as_deref().and_then(FairShares::of),
            queue_bytes: Queues::of(recording, ports),
            pfc: Pfc::of(&recording.ports),
            packets: Packets::of(recording, ports, &statistics.counters),
            recovery: RecoveryFacts::of(recording, &statistics.counters, statistics.alive_ps),
            reordering: ReorderingFacts::of_run(recording, ports),
            utilisation: Utilisation::of(LinkUse::of(recording, timing.of_links()), ports),
            equal_links: EqualLinks::of(LinkUse::of(recording, timing.of_links()), ports),
            loads: Loads::of(measured, ports),
            traffic,
            roles,
            tenants,
            collectives: measured
                .tasks
                .as_ref()
                .map(|tasks| CollectiveFacts::of(&tasks.rounds))
                .unwrap_or_default(),
            unfinished_ranks: measured.tasks.as_ref().map_or(0, TaskRows::unfinished),
            rtt_ps: measured.round_trips().map(Rtts::of),
            int_age_ps: IntAge::of(recording),
            longest_packet_latency_ps: measured.longest_packet_latencies(),
            faults: recording
                .faults
                .as_ref()
                .zip(measured.faults.as_deref())
                .map(|(record, rows)| FaultFacts::of(record, rows)),
            packet_trace: recording.packets.as_ref().map(TraceFacts::of),
            stall: measured.stall.clone(),
        }
    }

    /// The summary as text for `summary.json`.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("numbers and names have a JSON form");
        json + "\n"
    }
}

impl WindowFacts {
    fn of(window: MeasuringWindow, end: Time) -> Option<Self> {
        (window != MeasuringWindow::WHOLE).then(|| Self {
            from_ps: window.from.as_ps(),
            until_ps: window.until.min(end).max(window.from).as_ps(),
        })
    }
}

impl Effort {
    fn of(recording: &Recording, timing: RunTiming) -> Self {
        let cpu_seconds = timing.cpu.as_secs_f64();
        Self {
            simulated_ps: timing.end.as_ps(),
            wall_seconds: timing.wall.as_secs_f64(),
            cpu_seconds,
            threads: timing.threads as u64,
            packet_hops: recording.packet_hops,
            packet_hops_per_cpu_second: ratio(recording.packet_hops as f64, cpu_seconds),
        }
    }
}

impl Pfc {
    fn of(counters: &[PortCounters]) -> Self {
        Self {
            pauses: counters.iter().map(|port| port.pauses_sent).sum(),
            paused_ps: counters.iter().map(|port| port.paused.as_ps()).sum(),
            ports_paused: counters
                .iter()
                .filter(|port| port.paused > Time::ZERO)
                .count() as u64,
        }
    }
}

impl TraceFacts {
    fn of(trace: &PacketTrace) -> Self {
        Self {
            events: trace.events.len() as u64,
            cut_ps: trace.cut.map(Time::as_ps),
        }
    }
}

impl Utilisation {
    fn of(links: LinkUse<'_>, ports: &PortNames) -> Self {
        let mut result = Self {
            max: 0.0,
            max_port: None,
            mean_host_links: 0.0,
        };
        let (mut host_sum, mut host_ports) = (0.0, 0_u32);
        for (number, port) in ports.iter().enumerate() {
            let used = links.utilisation(number, port);
            if used > result.max {
                (result.max, result.max_port) = (used, Some(port.label.clone()));
            }
            if port.at_host {
                host_sum += used;
                host_ports += 1;
            }
        }
        result.mean_host_links = ratio(host_sum, f64::from(host_ports));
        result
    }
}
