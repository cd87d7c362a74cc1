//! Which flows have rows, in results whose statistics do not take each number from rows of all.

use serde::{Deserialize, Serialize};

use super::flows::{FinishedFlows, KeptRows};
use super::values::LARGEST_ERROR;
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
    /// None if there are rows of all flows, and statistics took each number of these.
    pub(crate) fn of(kept: KeptRows, flows: &FinishedFlows) -> Option<Self> {
        (flows.completed > kept.exact() || kept.of != FlowRows::All).then(|| Self {
            of: kept.of.to_string(),
            completed: flows.completed,
            unfinished: flows.unfinished,
            for_memory: kept.for_memory,
            percentiles_within: LARGEST_ERROR,
        })
    }
}

impl KeptRows {
    /// Up to how many completed flows statistics keep each number: they could take it from rows of
    /// all flows, which readers load up to there.
    pub(crate) fn exact(self) -> u64 {
        match self.of {
            FlowRows::All => self.most_loaded,
            FlowRows::Slowest(_) | FlowRows::Sample(_) | FlowRows::None => 0,
        }
    }
}
