//! Results of a fabric's run: tables, a summary, a folder that holds both.

use std::path::Path;
use std::time::Duration;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_fabric::{
    CollectiveTiming, ControlSample, FabricOutcome, LatencyFigures, OccupancySample, OperationKind,
    OperationRecord, OperationTotals,
};
use serde_json::{Value, json};

use super::spec::ValidFabricSpec;
use crate::file_error::FileError;
use crate::results::{Table, folder, numbers, texts};

/// The cost of a run.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FabricEffort {
    /// Flits times links crossed.
    pub flit_hops: u64,
    /// Time on the clock.
    pub wall: Duration,
    /// Processor time of all threads.
    pub cpu: Duration,
}

impl FabricEffort {
    fn flit_hops_per_cpu_second(&self) -> f64 {
        self.flit_hops as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}

/// The results of a fabric's run.
#[derive(Clone, Debug)]
pub struct FabricResults {
    /// Operations: kind, size, group, start, end, latency.
    pub operations: Table,
    /// Tokens, watermarks and unmatched flits of endpoints over time.
    pub controls: Table,
    /// Flits in queues over time, by switch and virtual channel.
    pub queues: Table,
    /// Equal fingerprints, equal results.
    pub fingerprint: String,
    /// The cost of the run.
    pub effort: FabricEffort,
    /// The figures, as JSON.
    pub summary: String,
    /// The scenario, with all defaults filled in, as TOML.
    pub scenario: String,
}

impl FabricResults {
    pub(super) fn new(
        spec: &ValidFabricSpec,
        outcome: &FabricOutcome,
        effort: FabricEffort,
    ) -> Self {
        Self {
            operations: operations(&outcome.operations),
            controls: controls(&outcome.controls),
            queues: queues(&outcome.occupancy),
            fingerprint: fingerprint(outcome),
            effort,
            summary: summary(spec, outcome, effort),
            scenario: spec.to_toml(),
        }
    }

    /// Writes `operations.parquet`, `controls.parquet`, `queues.parquet`, `summary.json` and
    /// `scenario.toml` into a folder: all of them or none.
    ///
    /// # Errors
    /// If the folder holds something else than results, or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        folder::replace(path, |staging| {
            self.operations
                .write_parquet(&staging.join(folder::OPERATIONS))?;
            self.controls
                .write_parquet(&staging.join(folder::CONTROLS))?;
            self.queues.write_parquet(&staging.join(folder::QUEUES))?;
            folder::write_text(&staging.join(folder::SUMMARY), &self.summary)?;
            folder::write_text(&staging.join(folder::SCENARIO), &self.scenario)
        })
    }
}

fn operations(records: &[OperationRecord]) -> Table {
    Table::of(vec![
        (
            "initiator",
            numbers::<UInt16Type, _>(records, |r| r.initiator),
        ),
        ("kind", texts(records, |r| r.kind.name())),
        ("target", numbers::<UInt16Type, _>(records, |r| r.target)),
        (
            "data_flits",
            numbers::<UInt16Type, _>(records, |r| r.data.into()),
        ),
        (
            "issued_cycle",
            numbers::<UInt64Type, _>(records, |r| r.issued),
        ),
        (
            "injected_cycle",
            numbers::<UInt64Type, _>(records, |r| r.injected),
        ),
        (
            "completed_cycle",
            numbers::<UInt64Type, _>(records, |r| r.completed),
        ),
        (
            "latency_cycles",
            numbers::<UInt64Type, _>(records, OperationRecord::latency),
        ),
    ])
}

fn controls(samples: &[ControlSample]) -> Table {
    let float = |value: fn(&ControlSample) -> f64| numbers::<Float64Type, _>(samples, value);
    let count = |value: fn(&ControlSample) -> u64| numbers::<UInt64Type, _>(samples, value);
    Table::of(vec![
        ("cycle", count(|s| s.cycle)),
        (
            "endpoint",
            numbers::<UInt16Type, _>(samples, |s| s.endpoint),
        ),
        ("request_tokens", float(|s| s.state.tokens[0])),
        ("response_tokens", float(|s| s.state.tokens[1])),
        ("request_watermark", float(|s| s.state.watermarks[0])),
        ("response_watermark", float(|s| s.state.watermarks[1])),
        ("request_unmatched_own", count(|s| s.state.unmatched_own[0])),
        (
            "response_unmatched_own",
            count(|s| s.state.unmatched_own[1]),
        ),
        (
            "request_unmatched_remote",
            count(|s| s.state.unmatched_remote[0]),
        ),
        (
            "response_unmatched_remote",
            count(|s| s.state.unmatched_remote[1]),
        ),
        (
            "outstanding",
            numbers::<UInt32Type, _>(samples, |s| s.state.outstanding),
        ),
    ])
}

fn queues(samples: &[OccupancySample]) -> Table {
    let count = |value: fn(&OccupancySample) -> u64| numbers::<UInt64Type, _>(samples, value);
    Table::of(vec![
        ("cycle", count(|s| s.cycle)),
        ("switch", numbers::<UInt16Type, _>(samples, |s| s.switch)),
        ("requests_to_endpoints_flits", count(|s| s.to_endpoints[0])),
        ("responses_to_endpoints_flits", count(|s| s.to_endpoints[1])),
        ("requests_to_switches_flits", count(|s| s.to_switches[0])),
        ("responses_to_switches_flits", count(|s| s.to_switches[1])),
        ("requests_at_endpoints_flits", count(|s| s.at_endpoints[0])),
        ("responses_at_endpoints_flits", count(|s| s.at_endpoints[1])),
    ])
}

fn fingerprint(outcome: &FabricOutcome) -> String {
    format!("{:016x}", outcome.fingerprint())
}

/// The figures of a run.
fn summary(spec: &ValidFabricSpec, outcome: &FabricOutcome, effort: FabricEffort) -> String {
    let shape = spec.simulation().config.shape;
    let totals = &outcome.totals;
    let kinds = [
        OperationKind::ReadReduction,
        OperationKind::WriteMulticast,
        OperationKind::Read,
        OperationKind::Write,
    ];
    let by_kind = kinds.iter().filter_map(|&kind| {
        let records = outcome
            .operations
            .iter()
            .filter(|record| record.kind == kind);
        let figures = LatencyFigures::of(records.map(OperationRecord::latency));
        (figures.count > 0).then(|| (kind.name().to_owned(), latency(&figures)))
    });
    let mut initiators: Vec<u16> = outcome.operations.iter().map(|r| r.initiator).collect();
    initiators.dedup();
    let summary = json!({
        "incast": env!("CARGO_PKG_VERSION"),
        "kind": "fabric",
        "name": spec.name(),
        "identity": spec.identity(),
        "fingerprint": fingerprint(outcome),
        "algorithm": spec.scheme(),
        "partial": outcome.partial,
        "seed": spec.seed(),
        "endpoints": shape.endpoints(),
        "switches": shape.switches(),
        "initiators": initiators.len(),
        "cycles": totals.last,
        "seconds": totals.last as f64 * spec.cycle_seconds(),
        "effective_bandwidth": totals.effective_bandwidth(shape.endpoints()),
        "operations": { "issued": spec.operations(), "completed": outcome.operations.len() },
        "latency": latency(&totals.latency),
        "latency_by_kind": Value::Object(by_kind.collect()),
        "groups": groups(spec, outcome),
        "collectives": collectives(spec, outcome),
        "flit_hops": outcome.flit_hops,
        "effort": {
            "wall_seconds": effort.wall.as_secs_f64(),
            "cpu_seconds": effort.cpu.as_secs_f64(),
            "flit_hops_per_cpu_second": effort.flit_hops_per_cpu_second(),
        },
    });
    format!("{summary:#}\n")
}

fn latency(figures: &LatencyFigures) -> Value {
    json!({
        "operations": figures.count,
        "mean_cycles": figures.mean,
        "median_cycles": figures.median,
        "p99_cycles": figures.p99,
        "max_cycles": figures.max,
    })
}

/// Figures of each group: its bandwidth is by its members and by its own last cycle.
fn groups(spec: &ValidFabricSpec, outcome: &FabricOutcome) -> Value {
    let groups = &spec.simulation().groups;
    let rows = (0_u16..).zip(groups).map(|(number, group)| {
        let records = outcome.operations.iter();
        let own = records.filter(|r| r.kind.is_collective() && r.target == number);
        let own: Vec<OperationRecord> = own.copied().collect();
        let totals = OperationTotals::of(&own, groups);
        json!({
            "members": group.members().len(),
            "cycles": totals.last,
            "effective_bandwidth": totals.effective_bandwidth(group.members().len() as u16),
            "latency": latency(&totals.latency),
        })
    });
    rows.collect()
}

/// Rows in the shape of nccl-tests' tables. A collective ends with the last operation of its group.
fn collectives(spec: &ValidFabricSpec, outcome: &FabricOutcome) -> Value {
    let rows = spec.collectives().into_iter().map(|(collective, members)| {
        let records = outcome.operations.iter();
        let own = records.filter(|r| r.kind.is_collective() && r.target == collective.group);
        let end = own.map(|record| record.completed).max().unwrap_or(0);
        let cycles = end - collective.start.min(end);
        let hertz = 1.0 / spec.cycle_seconds();
        let row = CollectiveTiming::new(&collective, members, cycles, hertz);
        json!({
            "collective": row.kind.name(),
            "members": members,
            "size_bytes": row.bytes,
            "cycles": row.cycles,
            "time_us": row.seconds * 1e6,
            "algorithm_bandwidth_gbytes_per_second": row.algorithm_bandwidth / 1e9,
            "bus_bandwidth_gbytes_per_second": row.bus_bandwidth / 1e9,
        })
    });
    rows.collect()
}
