//! Results of a memory fabric's run: tables, a summary, and their folder.

use std::path::Path;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_fabric::{ControlSample, FabricOutcome, OccupancySample, OperationRecord};

use super::spec::ValidFabricSpec;
use super::summary::{FabricEffort, FabricSummary, fingerprint};
use crate::file_error::FileError;
use crate::results::{LockWatch, Spare, Table, folder, numbers, texts};

/// The results of a memory fabric's run.
#[derive(Clone, Debug)]
pub struct FabricResults {
    /// Operations: kind, size, group, start, end, latency.
    pub operations: Table,
    /// Tokens, watermarks and unmatched flits of endpoints over time.
    pub controls: Table,
    /// Flits in queues over time, by switch and virtual channel.
    pub queues: Table,
    /// Hash of the results: equal fingerprints, equal results.
    pub fingerprint: String,
    /// The cost of the run.
    pub effort: FabricEffort,
    /// The figures.
    pub summary: FabricSummary,
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
            summary: FabricSummary::of(spec, outcome, effort),
            scenario: spec.to_toml(),
        }
    }

    /// Writes `operations.parquet`, `controls.parquet`, `queues.parquet`, `summary.json` and
    /// `scenario.toml` into a folder: all of them or none.
    ///
    /// # Errors
    /// If the folder has other content than results, or results that are to be spared; if it cannot
    /// be written, or is locked for longer than `watch` waits.
    pub fn write_sparing(
        &self,
        path: &Path,
        spare: Spare,
        watch: LockWatch<'_>,
    ) -> Result<(), FileError> {
        folder::replace(path, spare, watch, |staging| {
            self.operations
                .write_parquet(&staging.join(folder::OPERATIONS))?;
            self.controls
                .write_parquet(&staging.join(folder::CONTROLS))?;
            self.queues.write_parquet(&staging.join(folder::QUEUES))?;
            folder::write_text(&staging.join(folder::SUMMARY), &self.summary.to_json())?;
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
