//! Task graphs: the times at which ranks finished, and the critical path.

use std::sync::Arc;

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use incast_units::{Bytes, FlowId, HostId, Time};

use super::collectives::CollectiveRow;
use super::table::{Table, numbers};

/// Results of the task graphs of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskRows {
    /// Finished rounds, in the order in which they were finished.
    pub(crate) rounds: Vec<CollectiveRow>,
    /// Every rank of every graph.
    pub(crate) ranks: Vec<RankRow>,
    /// The critical path of every finished graph, in order of time.
    pub(crate) paths: Vec<PathStep>,
}

/// A rank.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RankRow {
    /// Number of the `[[traffic]]` entry.
    pub(crate) tag: u16,
    pub(crate) rank: u32,
    pub(crate) host: HostId,
    /// Number of rounds that the rank has finished.
    pub(crate) rounds: u64,
    /// Number of rounds that the rank had to do.
    pub(crate) planned: u64,
    /// The time at which the rank finished its last round; `None` before the first is finished.
    pub(crate) end: Option<Time>,
}

impl TaskRows {
    /// Number of ranks that had not finished.
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
    /// The time of the message's arrival, or of its acknowledgement, whichever the next task waited
    /// for.
    pub(crate) end: Time,
    /// Time that the waiting rank then computed, before the next message of the path started.
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
