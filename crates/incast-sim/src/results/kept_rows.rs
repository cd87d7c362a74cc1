//! Which flows have rows in results that do not keep rows of all.

use serde::{Deserialize, Serialize};

use super::flows::KeptRows;
use super::table::Table;
use super::values::{KeptValues, LARGEST_ERROR};
use crate::spec::FlowRows;

/// Which flows have rows, and what that means for statistics, which are of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRowsFacts {
    /// Which flows have rows, as `measure.flows.rows` says it.
    pub of: String,
    /// Rows of completed flows,
    pub completed: u64,
    /// and of those that had not completed.
    pub unfinished: u64,
    /// Whether the scenario left it open, and rows of all would not have fitted into memory.
    pub for_memory: bool,
    /// A percentile of FCT or slowdown is at most this part above the true one.
    pub percentiles_within: f64,
}

impl KeptRowsFacts {
    /// None if there are rows of all flows.
    pub(crate) fn of(kept: KeptRows, completed: &Table, all: &Table) -> Option<Self> {
        (kept.of != FlowRows::All).then(|| Self {
            of: kept.of.to_string(),
            completed: completed.rows() as u64,
            unfinished: (all.rows() - completed.rows()) as u64,
            for_memory: kept.for_memory,
            percentiles_within: LARGEST_ERROR,
        })
    }
}

impl KeptRows {
    /// What statistics keep: they could take each number from rows of all flows.
    pub(crate) fn values(self) -> KeptValues {
        match self.of {
            FlowRows::All => KeptValues::Each,
            FlowRows::Slowest(_) | FlowRows::Sample(_) | FlowRows::None => KeptValues::InBins,
        }
    }
}
