//! Figures of a run: effective bandwidth and latencies (§6.1.4).
//!
//! ```text
//! effective bandwidth = Σ (flits of an operation's data packet × members) / (endpoints × cycles)
//! ```
//!
//! The data packet is the packet with the payload: the request of a write, the response of a read.
//! For a read and a write, each direction of a link carries one data packet of 9 flits and one
//! packet of 1 flit. So an all-reduce reaches 2·9/10 = 1.8. The paper says 2, which ignores the
//! 1-flit packets.

use incast_units::percentile_index;

use crate::group::Group;
use crate::packet::{Cycle, OperationKind};
use crate::work::OperationRecord;

/// Latencies of operations, in cycles from injection to completion.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct LatencyFigures {
    /// Operations.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The median, at the index of [`percentile_index`].
    pub median: Cycle,
    /// The 99th percentile, at the index of [`percentile_index`].
    pub p99: Cycle,
    /// The longest latency, the paper's "100 % tail".
    pub max: Cycle,
}

impl LatencyFigures {
    /// Of these latencies.
    pub fn of(latencies: impl IntoIterator<Item = Cycle>) -> Self {
        let mut sorted: Vec<Cycle> = latencies.into_iter().collect();
        sorted.sort_unstable();
        let count = sorted.len() as u64;
        let Some(&max) = sorted.last() else {
            return Self::default();
        };
        let percentile = |permille| {
            let index = percentile_index(count, permille);
            index.map_or(0, |index| sorted[index as usize])
        };
        let sum: u128 = sorted.iter().map(|&latency| u128::from(latency)).sum();
        Self {
            count,
            mean: sum as f64 / count as f64,
            median: percentile(500),
            p99: percentile(990),
            max,
        }
    }
}

/// Sums over a run's operations.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OperationTotals {
    /// Flits of data packets, each counted once for each member.
    pub effective_flits: u64,
    /// Cycle in which the first operation was injected.
    pub first: Cycle,
    /// Cycle in which the last operation completed.
    pub last: Cycle,
    /// Latencies of all operations.
    pub latency: LatencyFigures,
}

/// Flits of an operation's data packet, counted once for each endpoint that sends or receives it.
pub(crate) fn effective_flits(record: &OperationRecord, groups: &[Group]) -> u64 {
    let packet = match record.kind {
        OperationKind::Probe => return 0,
        kind if kind.is_write() => kind.request_flits(record.data),
        kind => kind.response_flits(record.data),
    };
    let members = match groups.get(usize::from(record.target)) {
        Some(group) if record.kind.is_collective() => group.members().len() as u64,
        _ => 1,
    };
    u64::from(packet) * members
}

impl OperationTotals {
    /// Of complete operations.
    pub fn of(records: &[OperationRecord], groups: &[Group]) -> Self {
        let flits = records.iter().map(|record| effective_flits(record, groups));
        let first = records.iter().map(|record| record.injected).min();
        let last = records.iter().map(|record| record.completed).max();
        Self {
            effective_flits: flits.sum(),
            first: first.unwrap_or(0),
            last: last.unwrap_or(0),
            latency: LatencyFigures::of(records.iter().map(OperationRecord::latency)),
        }
    }

    /// Effective bandwidth in flits per cycle and endpoint, from cycle 0 to the last completion.
    pub fn effective_bandwidth(&self, endpoints: u16) -> f64 {
        self.effective_flits as f64 / (f64::from(endpoints) * self.last.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies 1 to 100: the mean is 50.5; index 50 holds 51, index 99 holds 100.
    #[test]
    fn latencies_are_summed_up() {
        let figures = LatencyFigures::of((1..=100).rev());
        assert_eq!((figures.count, figures.mean), (100, 50.5));
        assert_eq!((figures.median, figures.p99, figures.max), (51, 100, 100));
        assert_eq!(LatencyFigures::of([]), LatencyFigures::default());
        assert_eq!(LatencyFigures::of([7]).median, 7);
    }
}
