//! `flows.parquet`: completed flows, collected while the run goes on, and those that had not
//! completed when it ended.
//!
//! Rows become columns in chunks: a million flows take 90 MB, and growing never copies what is
//! there. Statistics need none of them.

mod late_columns;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use incast_net::{FlowCounters, FlowRecord, UnfinishedFlow};
use incast_topology::Machines;
use incast_units::{Bytes, FlowId, Time};

use super::fingerprint::FlowsHash;
use super::table::{Table, numbers};
use crate::spec::FlowRows;

pub(crate) use late_columns::LateColumns;
use late_columns::ToldOf;

/// The columns. A new one takes a line here, or among [`FlowCounters`] if a sender counts it, and
/// one in the table of `docs/results/columns.md`.
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
    /// The row of a flow that has neither FCT nor ideal FCT.
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

/// A row among those of the slowest flows: the least is the one that gives way first.
struct SlowRow(FlowRow);

impl Ord for SlowRow {
    /// By slowdown, and from that of the larger number on.
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

/// Rows of a chunk: 1 MB, which is used again for the next.
const CHUNK: usize = 1 << 14;

/// Which flows of a run have rows.
#[derive(Copy, Clone, Debug)]
pub(crate) struct KeptRows {
    pub(crate) of: FlowRows,
    /// The run's seed, for a sample.
    pub(crate) seed: u64,
    /// Whether rows of all would not fit into memory, and the scenario leaves it open.
    pub(crate) for_memory: bool,
}

impl KeptRows {
    /// Whether that of a flow is, unless slower ones take its place.
    fn keeps(self, flow: FlowId) -> bool {
        match self.of {
            FlowRows::All | FlowRows::Slowest(_) => true,
            FlowRows::Sample(percent) => FlowRows::samples(percent, self.seed, flow),
            FlowRows::None => false,
        }
    }
}

/// Completed flows, in order of completion, and what is summed over them.
pub(crate) struct CompletedFlows {
    kept: KeptRows,
    /// If the slowest are kept: the least slow of them first.
    slowest: BinaryHeap<SlowRow>,
    full: Vec<RecordBatch>,
    open: Vec<FlowRow>,
    hash: FlowsHash,
    totals: FlowTotals,
    /// The hosts whose NICs the ends of flows are, if hosts have several.
    machines: Option<Machines>,
}

/// Sums over completed flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTotals {
    pub(crate) flows: u64,
    pub(crate) payload: Bytes,
    /// When the last of them completed.
    pub(crate) latest: Time,
}

impl CompletedFlows {
    pub(crate) fn new(kept: KeptRows, machines: Option<&Machines>) -> Self {
        Self {
            kept,
            slowest: BinaryHeap::new(),
            machines: machines.cloned(),
            full: Vec::new(),
            open: Vec::new(),
            hash: FlowsHash::default(),
            totals: FlowTotals::default(),
        }
    }

    pub(crate) fn push(&mut self, flow: &FlowRecord, ideal: Time, slowdown: f64) {
        self.hash.add(flow);
        self.totals.flows += 1;
        self.totals.payload = self.totals.payload.saturating_add(flow.size);
        self.totals.latest = self.totals.latest.max(flow.finish);
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
        self.open.push(row);
        if self.open.len() == CHUNK {
            self.close_chunk();
        }
    }

    pub(crate) fn totals(&self) -> FlowTotals {
        self.totals
    }

    /// The completed flows, with the columns that are known now; and their hash.
    pub(crate) fn finish(mut self, late: &LateColumns<'_>) -> (Table, FlowsHash) {
        let mut slowest = std::mem::take(&mut self.slowest).into_vec();
        slowest.sort_unstable_by_key(|SlowRow(row)| (row.flow.finish, row.flow.id));
        slowest.into_iter().for_each(|SlowRow(row)| self.keep(row));
        self.close_chunk();
        let mut flows = Table::new(self.full[0].schema(), self.full);
        for column in late.columns() {
            flows = flows.with_column(column.name, &column.kind, column.values);
        }
        (flows, self.hash)
    }

    fn close_chunk(&mut self) {
        let chunk = Table::of(columns(&self.open, self.machines.as_ref()));
        self.full.extend(chunk.batches().iter().cloned());
        self.open.clear();
    }
}

/// Columns that say nothing of a flow that has not completed.
const OF_COMPLETED: [&str; 3] = ["fct_ps", "ideal_fct_ps", "slowdown"];

/// The rows of completed flows, and after them those of flows that had not completed when the run
/// ended; without FCT and what follows from it.
pub(crate) fn with_unfinished(
    completed: Table,
    unfinished: &[UnfinishedFlow],
    kept: KeptRows,
    late: &LateColumns<'_>,
    machines: Option<&Machines>,
) -> Table {
    let rows = unfinished.iter().filter(|each| kept.keeps(each.flow.id));
    let rows: Vec<_> = rows.map(FlowRow::unfinished).collect();
    if rows.is_empty() {
        return completed;
    }
    let mut others = Table::of(columns(&rows, machines));
    let mut missing: Vec<&str> = OF_COMPLETED.to_vec();
    for column in late.columns() {
        others = match column.told_of {
            ToldOf::All => others.with_column(column.name, &column.kind, column.values),
            ToldOf::Completed => {
                missing.push(column.name);
                let none = |rows: &RecordBatch| new_null_array(&column.kind, rows.num_rows());
                others.with_nulls(column.name, &column.kind, none)
            }
        };
    }
    completed.followed_by(&others, &missing)
}

/// Start and finish of every flow, in ps.
pub(crate) fn lifetimes(flows: &Table) -> impl Iterator<Item = (f64, f64)> + Clone {
    let starts = flows.values::<UInt64Type>("start_ps");
    let times = flows.values::<UInt64Type>("fct_ps");
    starts
        .zip(times)
        .map(|(start, fct)| (start as f64, (start + fct) as f64))
}
