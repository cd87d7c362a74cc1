//! `flows.parquet`: completed flows, collected during the run, and the flows that had not completed
//! at its end.
//!
//! Rows are converted to columns in chunks, and many chunks form a row group of a file, so that
//! memory does not follow the number of flows. Statistics do not need the rows.

mod finished;
mod late_columns;
mod row_groups;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch};
use incast_net::{FlowCounters, FlowRecord, UnfinishedFlow};
use incast_topology::Machines;
use incast_units::{Bytes, FlowId, Time};

use super::correlation::{Correlation, Means};
use super::fingerprint::FlowsHash;
use super::room::RoomForRows;
use super::table::{numbers, one_batch};
use crate::file_error::FileError;
use crate::spec::FlowRows;

pub(crate) use finished::FinishedTable;
use finished::Joining;
pub(crate) use late_columns::LateColumns;
use row_groups::RowGroups;

/// The columns. A new column takes a line here, or in [`FlowCounters`] if the sender counts it, and
/// a line in the table of `docs/results/columns.md`.
fn columns(rows: &[FlowRow], machines: Option<&Machines>) -> Vec<(&'static str, ArrayRef)> {
    let host = |end| machines.map_or(end, |machines| machines.of(end).0).0;
    let mut columns = vec![
        (
            "flow_id",
            numbers::<UInt32Type, _>(rows, |row| row.flow.id.0),
        ),
        (
            "traffic",
            numbers::<UInt16Type, _>(rows, |row| row.flow.tag),
        ),
        (
            "source",
            numbers::<UInt32Type, _>(rows, |row| host(row.flow.source)),
        ),
        (
            "destination",
            numbers::<UInt32Type, _>(rows, |row| host(row.flow.destination)),
        ),
        (
            "source_port",
            numbers::<UInt16Type, _>(rows, |row| row.flow.source_port),
        ),
        (
            "size_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.flow.size.as_u64()),
        ),
        (
            "acked_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.acked.as_u64()),
        ),
        (
            "start_ps",
            numbers::<UInt64Type, _>(rows, |row| row.flow.start.as_ps()),
        ),
        (
            "fct_ps",
            numbers::<UInt64Type, _>(rows, |row| row.fct().as_ps()),
        ),
        (
            "ideal_fct_ps",
            numbers::<UInt64Type, _>(rows, |row| row.ideal.as_ps()),
        ),
        (
            "slowdown",
            numbers::<Float64Type, _>(rows, |row| row.slowdown),
        ),
    ];
    if let Some(machines) = machines {
        let nic = |end| machines.of(end).1;
        let sources = numbers::<UInt16Type, _>(rows, |row| nic(row.flow.source));
        let destinations = numbers::<UInt16Type, _>(rows, |row| nic(row.flow.destination));
        columns.push(("source_nic", sources));
        columns.push(("destination_nic", destinations));
    }
    for (name, read) in FlowCounters::NAMES.into_iter().zip(FlowCounters::READERS) {
        let number = |row: &FlowRow| read(&row.flow.counters);
        let column = match name.ends_with("_bytes") || name.ends_with("_ps") {
            true => numbers::<UInt64Type, _>(rows, number),
            false => numbers::<UInt32Type, _>(rows, |row| number(row) as u32),
        };
        columns.push((name, column));
    }
    columns
}

/// A flow, as a row.
struct FlowRow {
    flow: FlowRecord,
    acked: Bytes,
    ideal: Time,
    slowdown: f64,
}

impl FlowRow {
    /// The row of an unfinished flow, without FCT and ideal FCT.
    fn unfinished(unfinished: &UnfinishedFlow) -> Self {
        let UnfinishedFlow {
            flow,
            acked,
            counters,
            ..
        } = *unfinished;
        Self {
            flow: flow.record(flow.start, counters),
            acked,
            ideal: Time::ZERO,
            slowdown: 0.0,
        }
    }

    fn fct(&self) -> Time {
        self.flow.finish - self.flow.start
    }
}

/// A row among those of the slowest flows; the least in order is replaced first.
struct SlowRow(FlowRow);

impl Ord for SlowRow {
    /// By slowdown; of equal slowdowns, the flow with the larger number is less.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_slowdown = other.0.slowdown.total_cmp(&self.0.slowdown);
        by_slowdown.then(self.0.flow.id.cmp(&other.0.flow.id))
    }
}

impl PartialOrd for SlowRow {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SlowRow {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SlowRow {}

/// Number of rows in a chunk: 1 MB, which is reused for the next chunk.
const CHUNK: usize = 1 << 14;

/// Which flows of a run have rows.
#[derive(Copy, Clone, Debug)]
pub(crate) struct KeptRows {
    pub(crate) of: FlowRows,
    /// The run's seed, for a sample.
    pub(crate) seed: u64,
    /// Whether the scenario leaves the choice open, and rows of all flows would not fit into
    /// memory.
    pub(crate) for_memory: bool,
    /// The most rows for which rows of all flows are loaded.
    pub(crate) most_loaded: u64,
}

impl KeptRows {
    /// Whether a flow's row is kept, unless those of slower flows replace it.
    fn keeps(self, flow: FlowId) -> bool {
        match self.of {
            FlowRows::All | FlowRows::Slowest(_) => true,
            FlowRows::Sample(percent) => FlowRows::samples(percent, self.seed, flow),
            FlowRows::None => false,
        }
    }
}

/// Completed flows in order of completion, and sums over them.
pub(crate) struct CompletedFlows<'a> {
    kept: KeptRows,
    /// If the slowest flows are kept: their rows, the least slow at the top.
    slowest: BinaryHeap<SlowRow>,
    groups: RowGroups<'a>,
    open: Vec<FlowRow>,
    /// The most open rows.
    chunk: usize,
    hash: FlowsHash,
    totals: FlowTotals,
    /// Means of start and finish over flows whose rows are kept.
    means: Means,
    /// Means of start and finish over all flows.
    start_and_finish: Correlation,
    /// The machines, if hosts have several NICs.
    machines: Option<&'a Machines>,
}

/// Sums over completed flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTotals {
    pub(crate) flows: u64,
    pub(crate) payload: Bytes,
    /// The time at which the last flow completed.
    pub(crate) latest: Time,
}

/// The flows of a finished run.
pub(crate) struct FinishedFlows {
    pub(crate) table: FinishedTable,
    /// Number of rows of completed flows.
    pub(crate) completed: u64,
    /// Number of rows of unfinished flows.
    pub(crate) unfinished: u64,
    /// Pearson's correlation of start and finish over completed flows.
    pub(crate) start_finish_correlation: Option<f64>,
    /// Hash of all completed flows.
    pub(crate) hash: FlowsHash,
}

impl<'a> CompletedFlows<'a> {
    pub(crate) fn new(
        kept: KeptRows,
        room: RoomForRows<'a>,
        machines: Option<&'a Machines>,
    ) -> Self {
        Self {
            kept,
            slowest: BinaryHeap::new(),
            machines,
            groups: RowGroups::new(room),
            open: Vec::new(),
            chunk: CHUNK.min(room.in_memory),
            hash: FlowsHash::default(),
            totals: FlowTotals::default(),
            means: Means::default(),
            start_and_finish: Correlation::default(),
        }
    }

    pub(crate) fn push(&mut self, flow: &FlowRecord, ideal: Time, slowdown: f64) {
        self.hash.add(flow);
        self.totals.flows += 1;
        self.totals.payload = self.totals.payload.saturating_add(flow.size);
        self.totals.latest = self.totals.latest.max(flow.finish);
        let (start, finish) = (flow.start.as_ps() as f64, flow.finish.as_ps() as f64);
        self.start_and_finish.add(start, finish);
        if !self.kept.keeps(flow.id) {
            return;
        }
        let row = FlowRow {
            flow: *flow,
            acked: flow.size,
            ideal,
            slowdown,
        };
        match self.kept.of {
            FlowRows::Slowest(most) => self.keep_if_slow(row, most),
            _ => self.keep(row),
        }
    }

    fn keep_if_slow(&mut self, row: FlowRow, most: u64) {
        let row = SlowRow(row);
        if (self.slowest.len() as u64) < most {
            self.slowest.push(row);
        } else if let Some(mut least) = self.slowest.peek_mut()
            && row < *least
        {
            *least = row;
        }
    }

    fn keep(&mut self, row: FlowRow) {
        let (start, finish) = (row.flow.start.as_ps(), row.flow.finish.as_ps());
        self.means.add(start as f64, finish as f64);
        self.open.push(row);
        if self.open.len() == self.chunk {
            self.close_chunk();
        }
    }

    pub(crate) fn totals(&self) -> FlowTotals {
        self.totals
    }

    /// Whether rows could not be written: the run then has no results.
    pub(crate) fn has_error(&self) -> bool {
        self.groups.has_error()
    }

    /// Why they are.
    pub(crate) fn take_error(&mut self) -> Option<FileError> {
        self.groups.take_error()
    }

    /// The table: completed flows with the columns that are known at the end of the run; then
    /// unfinished flows, without FCT and the columns derived from it.
    pub(crate) fn finish(
        mut self,
        unfinished: &[UnfinishedFlow],
        late: &LateColumns<'_>,
    ) -> Result<FinishedFlows, FileError> {
        let mut slowest = std::mem::take(&mut self.slowest).into_vec();
        slowest.sort_unstable_by_key(|SlowRow(row)| (row.flow.finish, row.flow.id));
        slowest.into_iter().for_each(|SlowRow(row)| self.keep(row));
        self.close_chunk();
        if let Some(error) = self.take_error() {
            return Err(error);
        }
        let unfinished = unfinished
            .iter()
            .filter(|each| self.kept.keeps(each.flow.id));
        let unfinished: Vec<_> = unfinished.map(FlowRow::unfinished).collect();
        let joining = Joining::new(late.columns(), self.batch(&unfinished));
        let rows = self.groups.finish()?;
        let completed = rows.count as u64;
        let (table, of_rows) = joining.table(rows, self.means)?;
        Ok(FinishedFlows {
            table,
            completed,
            unfinished: unfinished.len() as u64,
            start_finish_correlation: match self.kept.of {
                FlowRows::All => of_rows,
                _ => self.start_and_finish.coefficient(),
            },
            hash: self.hash,
        })
    }

    fn close_chunk(&mut self) {
        if !self.open.is_empty() {
            self.groups.push(self.batch(&self.open));
            self.open.clear();
        }
    }

    fn batch(&self, rows: &[FlowRow]) -> RecordBatch {
        one_batch(columns(rows, self.machines))
    }
}

#[cfg(test)]
mod tests;
