//! `entropies.parquet`: the feedback that senders got on each entropy of their flows.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use arrow_array::types::{UInt16Type, UInt32Type};
use incast_net::{EntropyCounters, EntropyRecord};
use incast_units::FlowId;

use super::table::{Table, numbers};

/// A row for each flow and each entropy that it used.
pub(crate) fn table(records: &[EntropyRecord]) -> Table {
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        (
            "flow_id",
            numbers::<UInt32Type, _>(records, |each| each.flow.0),
        ),
        (
            "entropy",
            numbers::<UInt16Type, _>(records, |each| each.entropy),
        ),
    ];
    for (name, read) in EntropyCounters::NAMES
        .into_iter()
        .zip(EntropyCounters::READERS)
    {
        let column = numbers::<UInt32Type, _>(records, |each| read(&each.counters) as u32);
        columns.push((name, column));
    }
    Table::of(columns)
}

/// For each flow, the number of entropies that sent packets.
pub(crate) fn in_use(records: &[EntropyRecord]) -> BTreeMap<FlowId, u32> {
    let mut counts = BTreeMap::new();
    for each in records.iter().filter(|each| each.counters.sent > 0) {
        *counts.entry(each.flow).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flow 3 sent with two entropies, flow 5 with one; another entropy only got a mark.
    #[test]
    fn a_row_for_each_entropy() {
        let record = |flow, entropy, sent, marked| EntropyRecord {
            flow: FlowId(flow),
            entropy,
            counters: EntropyCounters {
                sent,
                marked,
                ..EntropyCounters::default()
            },
        };
        let records = [
            record(3, 65_535, 4, 0),
            record(3, 0, 5, 2),
            record(5, 7, 1, 0),
            record(5, 8, 0, 1),
        ];
        assert_eq!(
            Vec::from_iter(in_use(&records)),
            [(FlowId(3), 2), (FlowId(5), 1)]
        );
        let table = table(&records);
        assert_eq!(table.rows(), 4);
        let sent = table.values::<UInt32Type>("sent_packets");
        assert_eq!(Vec::from_iter(sent), [4, 5, 1, 0]);
        let marked = table.values::<UInt32Type>("marked_replies");
        assert_eq!(Vec::from_iter(marked), [0, 2, 0, 1]);
        assert_eq!(table.values::<UInt16Type>("entropy").max(), Some(65_535));
    }
}
