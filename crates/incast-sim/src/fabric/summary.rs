//! `summary.json` of a memory fabric's run.

use std::collections::BTreeMap;
use std::time::Duration;

use incast_fabric::{
    CollectiveTiming, FabricOutcome, LatencyFigures, OperationKind, OperationRecord,
    OperationTotals,
};
use serde::{Deserialize, Serialize};

use super::spec::ValidFabricSpec;
use crate::identity::{ENGINE, Identity};

/// The value of `kind`, which a network's summary does not have.
pub(crate) const KIND: &str = "fabric";

/// The cost of a run.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FabricEffort {
    /// Number of flits times links crossed.
    pub flit_hops: u64,
    /// Wall-clock time.
    pub wall: Duration,
    /// Processor time of all threads.
    pub cpu: Duration,
}

impl FabricEffort {
    fn flit_hops_per_cpu_second(&self) -> f64 {
        self.flit_hops as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FabricSummary {
    /// Version of the program.
    pub incast: String,
    /// The [engine](crate::ENGINE) of the run; empty if unknown.
    #[serde(default)]
    pub engine: String,
    /// `fabric`.
    pub kind: String,
    /// The scenario's name.
    pub name: String,
    /// Hash of scenario, seed and engine.
    pub identity: Identity,
    /// Hash of all results.
    pub fingerprint: String,
    /// The scheme of injection control.
    pub algorithm: String,
    /// Whether the run was stopped before its end.
    pub partial: bool,
    /// The seed.
    pub seed: u64,
    /// Number of endpoints of the fabric.
    pub endpoints: u64,
    /// Number of switches of the fabric.
    pub switches: u64,
    /// Number of endpoints with completed operations.
    pub initiators: u64,
    /// The cycle in which the last operation completed.
    pub cycles: u64,
    /// The end of the run in seconds.
    pub seconds: f64,
    /// Flits of data per endpoint and cycle.
    pub effective_bandwidth: f64,
    /// Operations, in numbers.
    pub operations: OperationCounts,
    /// Latency of all operations.
    pub latency: FabricLatency,
    /// Latency of each kind of operation in the run.
    pub latency_by_kind: BTreeMap<String, FabricLatency>,
    /// The groups, by number.
    pub groups: Vec<GroupFigures>,
    /// Rows in the form of nccl-tests' tables.
    pub collectives: Vec<FabricCollective>,
    /// Number of flits times links crossed.
    pub flit_hops: u64,
    /// The kept intervals of samples over time; `None` if all samples were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinned_series: Option<ThinnedFabricSeries>,
    /// The cost of the run.
    pub effort: EffortFigures,
}

/// Samples of which only a part was kept, because there were too many rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinnedFabricSeries {
    /// The interval in the scenario.
    pub every_cycles: u64,
    /// The interval of the samples that were kept.
    pub kept_every_cycles: u64,
}

impl ThinnedFabricSeries {
    /// The two intervals; `None` if all samples were kept.
    fn of(asked: u64, kept: u64) -> Option<Self> {
        (asked < kept).then_some(Self {
            every_cycles: asked,
            kept_every_cycles: kept,
        })
    }
}

/// Operations, in numbers.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationCounts {
    /// Issued.
    pub issued: u64,
    /// Completed.
    pub completed: u64,
}

/// Latencies, from issue to completion.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FabricLatency {
    /// Number of operations.
    pub operations: u64,
    /// Mean of the latencies, in cycles.
    pub mean_cycles: f64,
    /// The median.
    pub median_cycles: u64,
    /// 99th percentile.
    pub p99_cycles: u64,
    /// The longest.
    pub max_cycles: u64,
}

/// Figures of a group: bandwidth per member, up to the group's last cycle.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFigures {
    /// Number of endpoints of the group.
    pub members: u64,
    /// The cycle in which the group's last operation completed.
    pub cycles: u64,
    /// Flits of data per member and cycle.
    pub effective_bandwidth: f64,
    /// Latencies of the group's operations.
    pub latency: FabricLatency,
}

/// A collective, which ends with the last operation of its group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FabricCollective {
    /// The kind of the collective.
    pub collective: String,
    /// Number of endpoints that take part.
    pub members: u64,
    /// Size of each endpoint's data.
    pub size_bytes: u64,
    /// Cycles from the start of the collective to its end.
    pub cycles: u64,
    /// Time from start to end, in microseconds.
    pub time_us: f64,
    /// Data over time.
    pub algorithm_bandwidth_gbytes_per_second: f64,
    /// Bus bandwidth: algorithm bandwidth times the factor of the collective.
    pub bus_bandwidth_gbytes_per_second: f64,
}

/// The cost of a run.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffortFigures {
    /// Wall-clock time.
    pub wall_seconds: f64,
    /// Processor time of all threads.
    pub cpu_seconds: f64,
    /// Flit-hops per second of processor time.
    pub flit_hops_per_cpu_second: f64,
}

impl FabricSummary {
    pub(super) fn of(
        spec: &ValidFabricSpec,
        outcome: &FabricOutcome,
        effort: FabricEffort,
    ) -> Self {
        let shape = spec.simulation().config.shape;
        let totals = &outcome.totals;
        let mut initiators: Vec<u16> = outcome.operations.iter().map(|r| r.initiator).collect();
        initiators.dedup();
        Self {
            incast: env!("CARGO_PKG_VERSION").to_owned(),
            engine: ENGINE.to_owned(),
            kind: KIND.to_owned(),
            name: spec.name().to_owned(),
            identity: spec.identity(),
            fingerprint: fingerprint(outcome),
            algorithm: spec.scheme().to_owned(),
            partial: outcome.partial,
            seed: spec.seed(),
            endpoints: shape.endpoints().into(),
            switches: shape.switches().into(),
            initiators: initiators.len() as u64,
            cycles: totals.last,
            seconds: totals.last as f64 * spec.cycle_seconds(),
            effective_bandwidth: totals.effective_bandwidth(shape.endpoints()),
            operations: OperationCounts {
                issued: spec.operations(),
                completed: outcome.operations.len() as u64,
            },
            latency: FabricLatency::of(&totals.latency),
            latency_by_kind: by_kind(outcome),
            groups: groups(spec, outcome),
            collectives: collectives(spec, outcome),
            flit_hops: outcome.flit_hops,
            thinned_series: ThinnedFabricSeries::of(
                spec.simulation().measure.every,
                outcome.sampled_every,
            ),
            effort: EffortFigures {
                wall_seconds: effort.wall.as_secs_f64(),
                cpu_seconds: effort.cpu.as_secs_f64(),
                flit_hops_per_cpu_second: effort.flit_hops_per_cpu_second(),
            },
        }
    }

    /// The summary as text for `summary.json`.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("numbers and names have a JSON form");
        json + "\n"
    }
}

pub(super) fn fingerprint(outcome: &FabricOutcome) -> String {
    format!("{:016x}", outcome.fingerprint())
}

impl FabricLatency {
    fn of(figures: &LatencyFigures) -> Self {
        Self {
            operations: figures.count,
            mean_cycles: figures.mean,
            median_cycles: figures.median,
            p99_cycles: figures.p99,
            max_cycles: figures.max,
        }
    }
}

fn by_kind(outcome: &FabricOutcome) -> BTreeMap<String, FabricLatency> {
    let kinds = [
        OperationKind::ReadReduction,
        OperationKind::WriteMulticast,
        OperationKind::Read,
        OperationKind::Write,
    ];
    let figures = kinds.iter().map(|&kind| {
        let records = outcome.operations.iter();
        let own = records.filter(|record| record.kind == kind);
        (kind, LatencyFigures::of(own.map(OperationRecord::latency)))
    });
    figures
        .filter(|(_, figures)| figures.count > 0)
        .map(|(kind, figures)| (kind.name().to_owned(), FabricLatency::of(&figures)))
        .collect()
}

fn groups(spec: &ValidFabricSpec, outcome: &FabricOutcome) -> Vec<GroupFigures> {
    let groups = &spec.simulation().groups;
    let figures = (0_u16..).zip(groups).map(|(number, group)| {
        let records = outcome.operations.iter();
        let own = records.filter(|r| r.kind.is_collective() && r.target == number);
        let own: Vec<OperationRecord> = own.copied().collect();
        let totals = OperationTotals::of(&own, groups);
        GroupFigures {
            members: group.members().len() as u64,
            cycles: totals.last,
            effective_bandwidth: totals.effective_bandwidth(group.members().len() as u16),
            latency: FabricLatency::of(&totals.latency),
        }
    });
    figures.collect()
}

fn collectives(spec: &ValidFabricSpec, outcome: &FabricOutcome) -> Vec<FabricCollective> {
    let rows = spec.collectives().into_iter().map(|(collective, members)| {
        let records = outcome.operations.iter();
        let own = records.filter(|r| r.kind.is_collective() && r.target == collective.group);
        let end = own.map(|record| record.completed).max().unwrap_or(0);
        let cycles = end - collective.start.min(end);
        let hertz = 1.0 / spec.cycle_seconds();
        let row = CollectiveTiming::new(&collective, members, cycles, hertz);
        FabricCollective {
            collective: row.kind.name().to_owned(),
            members,
            size_bytes: row.bytes,
            cycles: row.cycles,
            time_us: row.seconds * 1e6,
            algorithm_bandwidth_gbytes_per_second: row.algorithm_bandwidth / 1e9,
            bus_bandwidth_gbytes_per_second: row.bus_bandwidth / 1e9,
        }
    });
    rows.collect()
}
