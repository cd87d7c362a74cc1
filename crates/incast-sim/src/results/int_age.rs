//! The age of INT when a sender uses it.

use incast_net::{IntAges, PathPosition, Recording};
use serde::{Deserialize, Serialize};

/// Ages of INT records of one switch of a path, in ps: from the time that the record describes to
/// the arrival of the ACK with the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntAge {
    /// Number of switches on the path.
    pub switches: u64,
    /// The switch's position on the path, counted from 1 at the sender.
    pub switch: u64,
    /// Number of records.
    pub count: u64,
    /// Mean age of the records.
    pub mean: f64,
    /// The youngest.
    pub min: u64,
    /// The oldest.
    pub max: u64,
}

impl IntAge {
    /// Ages by length of path, then by position of the switch.
    pub(crate) fn of(recording: &Recording) -> Vec<Self> {
        let ages = recording.int_ages.iter();
        ages.map(|(position, ages)| Self::at(*position, ages))
            .collect()
    }

    fn at(position: PathPosition, ages: &IntAges) -> Self {
        Self {
            switches: position.switches,
            switch: position.switch,
            count: ages.count,
            mean: ages.sum_ps as f64 / ages.count as f64,
            min: ages.min.as_ps(),
            max: ages.max.as_ps(),
        }
    }
}
