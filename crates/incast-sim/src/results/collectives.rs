//! Collectives: the duration of each round, and its bandwidth.

use arrow_array::types::{Float64Type, UInt16Type, UInt64Type};
use incast_units::{Bytes, Time};
use incast_workload::CollectiveOperation;
use serde::{Deserialize, Serialize};

use super::rates::bps;
use super::table::{Table, numbers};

/// A round of a task graph that all ranks have finished.
#[derive(Copy, Clone, Debug)]
pub(crate) struct CollectiveRow {
    /// Number of the `[[traffic]]` entry.
    pub(crate) tag: u16,
    pub(crate) round: u64,
    pub(crate) ranks: u64,
    /// Operation and size of data, if the graph is a collective.
    pub(crate) collective: Option<(CollectiveOperation, Bytes)>,
    /// The time at which the first rank began.
    pub(crate) start: Time,
    /// The time at which the last rank finished.
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

    /// The mean rate of each rank's link, in bit/s.
    fn bus_bandwidth(&self) -> f64 {
        let factor = |(operation, _): (CollectiveOperation, _)| operation.bus_factor(self.ranks);
        self.algorithm_bandwidth() * self.collective.map_or(0.0, factor)
    }
}

/// The finished rounds of one collective, or of another task graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveFacts {
    /// Number of the `[[traffic]]` entry.
    pub traffic: u64,
    /// The operation, such as `all-reduce`; none for other task graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Number of hosts that take part.
    pub hosts: u64,
    /// Size of each host's data.
    pub data_bytes: u64,
    /// Number of finished rounds.
    pub rounds: u64,
    /// Mean duration of rounds: from the first rank's begin to the last rank's end.
    pub time_ps: f64,
    /// Mean over rounds of data / time.
    pub algorithm_bandwidth_bps: f64,
    /// The algorithm bandwidth times the factor of nccl-tests: 2(n - 1)/n for an all-reduce.
    pub bus_bandwidth_bps: f64,
}

impl CollectiveFacts {
    /// Facts on every entry with a finished round.
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

/// The rounds, in the order in which they were finished.
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
