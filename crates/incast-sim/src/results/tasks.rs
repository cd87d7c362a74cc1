//! Task graphs: when ranks were done, and what held up the end.

use std::sync::Arc;

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use incast_units::{Bytes, FlowId, HostId, Time};

use super::collectives::CollectiveRow;
use super::table::{Table, numbers};

/// What became of the task graphs of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskRows {
    /// Rounds that are done, in this order.
    pub(crate) rounds: Vec<CollectiveRow>,
    /// Every rank of every graph.
    pub(crate) ranks: Vec<RankRow>,
    /// The critical path of every graph that is done, in order of time.
    pub(crate) paths: Vec<PathStep>,
}

/// A rank.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RankRow {
    /// Number of the `[[traffic]]` entry.
    pub(crate) tag: u16,
    pub(crate) rank: u32,
    pub(crate) host: HostId,
    /// Rounds with which it is done.
    pub(crate) rounds: u64,
    /// Rounds that it was to do.
    pub(crate) planned: u64,
    /// When it was done with the last of those that it did.
    pub(crate) end: Option<Time>,
}

impl TaskRows {
    /// Ranks that had not come to their end.
    pub(super) fn unfinished(&self) -> u64 {
        let left = self.ranks.iter().filter(|rank| rank.rounds < rank.planned);
        left.count() as u64
    }
}

/// A message on the critical path of a graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathStep {
    /// Number of the `[[traffic]]` entry.
    pub(crate) tag: u16,
    pub(crate) flow: FlowId,
    pub(crate) source: HostId,
    pub(crate) destination: HostId,
    pub(crate) size: Bytes,
    pub(crate) start: Time,
    /// When what waited for it was told: all of it had arrived, or was acknowledged.
    pub(crate) end: Time,
    /// How long a rank then computed before the next message of the path started.
    pub(crate) computing: Time,
}

/// The ranks, by traffic entry.
pub(super) fn ranks(rows: &[RankRow]) -> Table {
    let ends = rows.iter().map(|row| row.end.map(Time::as_ps));
    let ends: ArrayRef = Arc::new(ends.collect::<PrimitiveArray<UInt64Type>>());
    let always = Table::of(vec![
        ("traffic", numbers::<UInt16Type, _>(rows, |row| row.tag)),
        ("rank", numbers::<UInt32Type, _>(rows, |row| row.rank)),
        ("host", numbers::<UInt32Type, _>(rows, |row| row.host.0)),
        ("rounds", numbers::<UInt64Type, _>(rows, |row| row.rounds)),
    ]);
    always.with_nulls("end_ps", &DataType::UInt64, |_| Arc::clone(&ends))
}

/// The critical paths, by traffic entry, in order of time.
pub(super) fn critical_path(rows: &[PathStep]) -> Table {
    Table::of(vec![
        ("traffic", numbers::<UInt16Type, _>(rows, |row| row.tag)),
        ("flow_id", numbers::<UInt32Type, _>(rows, |row| row.flow.0)),
        ("source", numbers::<UInt32Type, _>(rows, |row| row.source.0)),
        (
            "destination",
            numbers::<UInt32Type, _>(rows, |row| row.destination.0),
        ),
        (
            "size_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.size.as_u64()),
        ),
        (
            "start_ps",
            numbers::<UInt64Type, _>(rows, |row| row.start.as_ps()),
        ),
        (
            "end_ps",
            numbers::<UInt64Type, _>(rows, |row| row.end.as_ps()),
        ),
        (
            "computing_ps",
            numbers::<UInt64Type, _>(rows, |row| row.computing.as_ps()),
        ),
    ])
}
