//! Collectives: how long each round took, and the bandwidth that this makes.

use arrow_array::types::{Float64Type, UInt16Type, UInt64Type};
use incast_units::{Bytes, Time};
use incast_workload::CollectiveOperation;
use serde::{Deserialize, Serialize};

use super::rates::bps;
use super::table::{Table, numbers};

/// A round of a task graph that is done at all of its ranks.
#[derive(Copy, Clone, Debug)]
pub(crate) struct CollectiveRow {
    /// Number of the `[[traffic]]` entry.
    pub(crate) tag: u16,
    pub(crate) round: u64,
    pub(crate) ranks: u64,
    /// What is done to how much data, if it is a collective.
    pub(crate) collective: Option<(CollectiveOperation, Bytes)>,
    /// When the first rank began.
    pub(crate) start: Time,
    /// When the last rank was done.
    pub(crate) end: Time,
}

impl CollectiveRow {
    fn time(&self) -> Time {
        self.end.saturating_sub(self.start)
    }

    fn data(&self) -> Bytes {
        self.collective.map_or(Bytes::ZERO, |(_, data)| data)
    }

    /// Data over time.
    fn algorithm_bandwidth(&self) -> f64 {
        bps(self.data(), self.time())
    }

    /// What each link to a rank carries, on average.
    fn bus_bandwidth(&self) -> f64 {
        let factor = |(operation, _): (CollectiveOperation, _)| operation.bus_factor(self.ranks);
        self.algorithm_bandwidth() * self.collective.map_or(0.0, factor)
    }
}

/// The rounds of one collective, or other task graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveFacts {
    /// Number of the `[[traffic]]` entry.
    pub traffic: u64,
    /// What is done: `all-reduce` and the like; none of other task graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Hosts that take part.
    pub hosts: u64,
    /// The data of each of them.
    pub data_bytes: u64,
    /// Rounds that are done.
    pub rounds: u64,
    /// Mean over them: from the start at the first rank until the last one is done.
    pub time_ps: f64,
    /// Mean over them of data / time.
    pub algorithm_bandwidth_bps: f64,
    /// The algorithm bandwidth times the factor of nccl-tests: 2(n - 1)/n for an all-reduce.
    pub bus_bandwidth_bps: f64,
}

impl CollectiveFacts {
    /// Facts on every entry of which a round is done.
    pub(super) fn of(rows: &[CollectiveRow]) -> Vec<Self> {
        let mut tags: Vec<_> = rows.iter().map(|row| row.tag).collect();
        tags.sort_unstable();
        tags.dedup();
        let of_entry = |tag: u16| {
            let own: Vec<_> = rows.iter().filter(|row| row.tag == tag).collect();
            let first = own.first()?;
            let mean = |value: fn(&CollectiveRow) -> f64| {
                own.iter().map(|row| value(row)).sum::<f64>() / own.len() as f64
            };
            Some(Self {
                traffic: tag.into(),
                operation: first
                    .collective
                    .map(|(operation, _)| operation.name().to_owned()),
                hosts: first.ranks,
                data_bytes: first.data().as_u64(),
                rounds: own.len() as u64,
                time_ps: mean(|row| row.time().as_ps() as f64),
                algorithm_bandwidth_bps: mean(CollectiveRow::algorithm_bandwidth),
                bus_bandwidth_bps: mean(CollectiveRow::bus_bandwidth),
            })
        };
        tags.into_iter().filter_map(of_entry).collect()
    }
}

/// The rounds, in the order in which they were done.
pub(super) fn table(rows: &[CollectiveRow]) -> Table {
    Table::of(vec![
        ("traffic", numbers::<UInt16Type, _>(rows, |row| row.tag)),
        ("round", numbers::<UInt64Type, _>(rows, |row| row.round)),
        ("hosts", numbers::<UInt64Type, _>(rows, |row| row.ranks)),
        (
            "data_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.data().as_u64()),
        ),
        (
            "start_ps",
            numbers::<UInt64Type, _>(rows, |row| row.start.as_ps()),
        ),
        (
            "time_ps",
            numbers::<UInt64Type, _>(rows, |row| row.time().as_ps()),
        ),
        (
            "algorithm_bandwidth_bps",
            numbers::<Float64Type, _>(rows, CollectiveRow::algorithm_bandwidth),
        ),
        (
            "bus_bandwidth_bps",
            numbers::<Float64Type, _>(rows, CollectiveRow::bus_bandwidth),
        ),
    ])
}
