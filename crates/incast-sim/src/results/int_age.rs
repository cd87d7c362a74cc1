//! How old INT is when a sender uses it.

use incast_net::{IntAges, PathPosition, Recording};
use serde::{Deserialize, Serialize};

/// The ages of the records of one switch of a path, in ps: from the moment that a record tells of
/// to the arrival of the ACK that brings it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntAge {
    /// Switches on the path.
    pub switches: u64,
    /// Which switch of the path, from the sender's on, counted from 1.
    pub switch: u64,
    /// How many records there are.
    pub count: u64,
    /// Their mean age.
    pub mean: f64,
    /// The youngest.
    pub min: u64,
    /// The oldest.
    pub max: u64,
}

impl IntAge {
    /// By length of path, those of one path from the sender's switch on.
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
