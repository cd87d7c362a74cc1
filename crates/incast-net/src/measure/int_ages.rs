//! Ages of INT records: from the time in a record to the arrival of its ACK at the sender.

use std::collections::BTreeMap;

use incast_signals::int::Telemetry;
use incast_units::Time;

/// The position of a switch on a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathPosition {
    /// Number of switches on the path.
    pub switches: u64,
    /// Number of the switch on the path, counted from the sender's switch, which is 1.
    pub switch: u64,
}

/// Ages of the records of one position. Sums are integers, so they do not depend on the order of
/// hosts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IntAges {
    /// Number of records.
    pub count: u64,
    /// The sum of all ages, in picoseconds.
    pub sum_ps: u128,
    /// The smallest age; 0 without records.
    pub min: Time,
    /// The oldest.
    pub max: Time,
}

/// The ages of all records that senders have read.
pub(crate) type IntAgesByPosition = BTreeMap<PathPosition, IntAges>;

/// The order of the records in an ACK.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordOrder {
    /// Data packets collect records: the first record is of the sender's switch.
    FromSender,
    /// ACKs collect records: the first record is of the receiver's switch.
    FromReceiver,
}

impl IntAges {
    fn add(&mut self, age: Time) {
        let one = Self {
            count: 1,
            sum_ps: age.as_ps().into(),
            min: age,
            max: age,
        };
        self.merge(&one);
    }

    fn merge(&mut self, other: &Self) {
        self.min = match (self.count, other.count) {
            (0, _) => other.min,
            (_, 0) => self.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum_ps += other.sum_ps;
    }
}

/// Adds the ages of the records of one ACK.
pub(super) fn add(
    ages: &mut IntAgesByPosition,
    telemetry: Telemetry<'_>,
    order: RecordOrder,
    now: Time,
) {
    let records = telemetry.records();
    let switches = records.len() as u64;
    for (index, record) in (0..).zip(&records) {
        let switch = match order {
            RecordOrder::FromReceiver => switches - index,
            RecordOrder::FromSender => index + 1,
        };
        let position = PathPosition { switches, switch };
        let age = telemetry.age(record, now);
        ages.entry(position).or_default().add(age);
    }
}

/// Adds the ages of another thread.
pub(super) fn merge(ages: &mut IntAgesByPosition, others: &IntAgesByPosition) {
    for (position, other) in others {
        ages.entry(*position).or_default().merge(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_of_two_threads_are_one_sum() {
        let position = PathPosition {
            switches: 3,
            switch: 2,
        };
        let counted = |ages: &[u64]| {
            let mut sum = IntAges::default();
            ages.iter().for_each(|ns| sum.add(Time::from_ns(*ns)));
            IntAgesByPosition::from([(position, sum)])
        };
        let mut ages = counted(&[5, 2]);
        merge(&mut ages, &counted(&[7]));
        merge(&mut ages, &counted(&[]));
        let expected = IntAges {
            count: 3,
            sum_ps: 14_000,
            min: Time::from_ns(2),
            max: Time::from_ns(7),
        };
        assert_eq!(ages[&position], expected);
    }
}
