//! Faults of links: the packets lost, the flows affected, and the time until these recovered.

use std::sync::Arc;

use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use incast_net::{FaultKind, FaultOutcome, FaultRecord};
use incast_topology::Topology;
use incast_units::Time;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::table::{Table, numbers, texts};
use crate::spec::{Faults, Occurrence};

/// One occurrence of a fault.
#[derive(Clone, Debug)]
pub(crate) struct FaultRow {
    occurrence: Occurrence,
    /// The links, by the names of their nodes.
    links: Vec<String>,
    /// Number of the fault's links that no packet crossed in the whole run.
    unused: u64,
    outcome: FaultOutcome,
}

impl FaultRow {
    /// Occurrences of faults that began before the end of the run, in the order of the scenario.
    pub(crate) fn of(
        faults: &Faults,
        record: &FaultRecord,
        topology: &Topology,
        (crossed, end): (&FxHashSet<u32>, Time),
    ) -> Vec<Self> {
        let unused = |links: &[u32]| links.iter().filter(|link| !crossed.contains(link)).count();
        let name = |link: &u32| {
            let link = &topology.links[*link as usize];
            let ends = [link.a, link.b].map(|node| topology.node_name(node));
            format!("{} – {}", ends[0], ends[1])
        };
        let rows = faults.occurrences.iter().zip(&record.faults);
        let begun = rows.filter(|(occurrence, _)| occurrence.fault.from < end);
        begun
            .map(|(occurrence, outcome)| Self {
                links: occurrence.fault.links.iter().map(name).collect(),
                unused: unused(&occurrence.fault.links) as u64,
                occurrence: occurrence.clone(),
                outcome: outcome.clone(),
            })
            .collect()
    }

    pub(super) fn outcome(&self) -> &FaultOutcome {
        &self.outcome
    }

    fn kind(&self) -> &'static str {
        match self.occurrence.fault.kind {
            FaultKind::Down { .. } => "down",
            FaultKind::Degraded { .. } => "degraded",
            FaultKind::Loss { .. } => "loss",
        }
    }

    fn until(&self) -> Option<Time> {
        Some(self.occurrence.fault.until).filter(|until| *until < Time::MAX)
    }

    /// Time from the begin of the fault until all flows that lost packets had recovered.
    fn recovery(&self) -> Option<Time> {
        let recovered = self.outcome.recovered?;
        Some(recovered.saturating_sub(self.occurrence.fault.from))
    }

    /// Whether some flows that lost packets had not recovered at the end of the run.
    fn is_open(&self) -> bool {
        self.kind() == "down" && self.outcome.flows > 0 && self.outcome.recovered.is_none()
    }
}

/// Effects of link faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultFacts {
    /// Packets lost because their link was down.
    pub lost_link_down: u64,
    /// Packets that arrived corrupted.
    pub lost_corrupted: u64,
    /// Packets dropped because no path led to their destination.
    pub lost_unreachable: u64,
    /// The `[[fault]]` entries that occurred.
    pub entries: Vec<FaultEntry>,
}

/// A `[[fault]]` entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultEntry {
    /// The number of the entry.
    pub fault: u64,
    /// `down`, `degraded` or `loss`.
    pub kind: String,
    /// The links of the fault; at most the first 8.
    pub links: Vec<String>,
    /// Number of links of the fault.
    pub link_count: u64,
    /// Begin of the first occurrence.
    pub from_ps: u64,
    /// Number of occurrences.
    pub times: u64,
    /// Data packets lost.
    pub lost_data: u64,
    /// Number of ACKs, NACKs and CNPs lost.
    pub lost_control: u64,
    /// The most flows that lost packets in one occurrence.
    pub flows: u64,
    /// The longest recovery time from links that were down, if affected flows recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_ps: Option<u64>,
    /// Number of occurrences whose flows had not recovered at the end of the run.
    pub not_recovered: u64,
    /// Number of the fault's links that no packet crossed in the whole run.
    #[serde(default)]
    pub unused_links: u64,
}

/// The most links that a summary lists.
const LISTED: usize = 8;

impl FaultFacts {
    pub(super) fn of(record: &FaultRecord, rows: &[FaultRow]) -> Self {
        let losses = record.losses();
        let mut entries: Vec<FaultEntry> = Vec::new();
        for row in rows {
            let number = row.occurrence.entry as u64;
            if entries.last().is_none_or(|last| last.fault != number) {
                entries.push(FaultEntry::begin(number, row));
            }
            if let Some(entry) = entries.last_mut() {
                entry.add(row);
            }
        }
        Self {
            lost_link_down: losses.link_down,
            lost_corrupted: losses.corrupted,
            lost_unreachable: losses.unreachable,
            entries,
        }
    }
}

impl FaultEntry {
    fn begin(number: u64, row: &FaultRow) -> Self {
        Self {
            fault: number,
            kind: row.kind().to_owned(),
            links: row.links.iter().take(LISTED).cloned().collect(),
            link_count: row.links.len() as u64,
            from_ps: row.occurrence.fault.from.as_ps(),
            times: 0,
            lost_data: 0,
            lost_control: 0,
            flows: 0,
            recovery_ps: None,
            not_recovered: 0,
            unused_links: row.unused,
        }
    }

    fn add(&mut self, row: &FaultRow) {
        let FaultOutcome {
            data,
            control,
            flows,
            ..
        } = row.outcome;
        self.times += 1;
        self.lost_data += data;
        self.lost_control += control;
        self.flows = self.flows.max(flows);
        self.recovery_ps = self.recovery_ps.max(row.recovery().map(Time::as_ps));
        self.not_recovered += u64::from(row.is_open());
    }
}

/// One row for each occurrence of a fault.
pub(super) fn table(rows: &[FaultRow]) -> Table {
    let fault = |row: &FaultRow| row.occurrence.entry as u32;
    let always = Table::of(vec![
        ("fault", numbers::<UInt32Type, _>(rows, fault)),
        (
            "round",
            numbers::<UInt64Type, _>(rows, |row| row.occurrence.round),
        ),
        ("kind", texts(rows, |row| row.kind())),
        ("links", texts(rows, |row| row.links.join(", "))),
        (
            "from_ps",
            numbers::<UInt64Type, _>(rows, |row| row.occurrence.fault.from.as_ps()),
        ),
        (
            "lost_data_packets",
            numbers::<UInt64Type, _>(rows, |row| row.outcome.data),
        ),
        (
            "lost_control_packets",
            numbers::<UInt64Type, _>(rows, |row| row.outcome.control),
        ),
        (
            "flows",
            numbers::<UInt64Type, _>(rows, |row| row.outcome.flows),
        ),
    ]);
    let with = |table: Table, name: &'static str, value: fn(&FaultRow) -> Option<Time>| {
        let values = rows.iter().map(|row| value(row).map(Time::as_ps));
        let values: ArrayRef = Arc::new(values.collect::<PrimitiveArray<UInt64Type>>());
        table.with_nulls(name, &DataType::UInt64, |_| Arc::clone(&values))
    };
    let table = with(always, "until_ps", FaultRow::until);
    with(table, "recovery_ps", FaultRow::recovery)
}

#[cfg(test)]
mod tests {
    use incast_net::LinkFault;

    use super::*;

    fn row(entry: usize, round: u64, outcome: FaultOutcome) -> FaultRow {
        FaultRow {
            occurrence: Occurrence {
                entry,
                round,
                fault: LinkFault {
                    links: vec![3],
                    kind: FaultKind::Down {
                        detection: Time::ZERO,
                    },
                    from: Time::from_us(10 + round * 100),
                    until: Time::from_us(20 + round * 100),
                },
            },
            links: vec!["host 3 – switch 16".to_owned()],
            unused: 0,
            outcome,
        }
    }

    /// Three occurrences: 2 flows recovered 30 us after the begin; no flow was affected; 5 flows
    /// have not recovered.
    #[test]
    fn the_times_of_an_entry_are_summed_up() {
        let harmed = FaultOutcome {
            data: 7,
            control: 1,
            last_loss: Time::from_us(15),
            flows: 2,
            recovered: Some(Time::from_us(40)),
        };
        let open = FaultOutcome {
            data: 3,
            flows: 5,
            recovered: None,
            ..harmed.clone()
        };
        let rows = [
            row(0, 0, harmed),
            row(0, 1, FaultOutcome::default()),
            row(0, 2, open),
        ];
        let facts = FaultFacts::of(&FaultRecord::default(), &rows);
        let [entry] = facts.entries.as_slice() else {
            panic!("{facts:?}");
        };
        assert_eq!(
            (entry.times, entry.lost_data, entry.lost_control),
            (3, 10, 2)
        );
        assert_eq!((entry.flows, entry.recovery_ps), (5, Some(30_000_000)));
        assert_eq!((entry.not_recovered, entry.from_ps), (1, 10_000_000));
        let table = table(&rows);
        assert_eq!(table.rows(), 3);
        let begun: Vec<_> = table.values::<UInt64Type>("from_ps").collect();
        assert_eq!(begun, [10_000_000, 110_000_000, 210_000_000]);
        // If no flow was affected, or flows have not recovered, the value is missing.
        let file = tempfile::NamedTempFile::new().expect("a file");
        table.write_parquet(file.path()).expect("written");
        Table::read_parquet(file.path()).expect("what a run wrote can be read");
    }
}
