//! Which flows have rows, in results with more flows than statistics keep one by one.

use serde::{Deserialize, Serialize};

use super::flows::{FinishedFlows, KeptRows};
use super::values::LARGEST_ERROR;
use crate::spec::FlowRows;

/// Which flows have rows, and the precision of statistics, which cover all flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRowsFacts {
    /// Which flows have rows, in the form of `measure.flows.rows`.
    pub of: String,
    /// Number of rows of completed flows.
    pub completed: u64,
    /// Number of rows of unfinished flows.
    pub unfinished: u64,
    /// Whether the scenario left the choice open, and rows of all flows would not have fitted into
    /// memory.
    pub for_memory: bool,
    /// The largest relative error of percentiles of FCT and slowdown, which are never too low.
    pub percentiles_within: f64,
}

impl KeptRowsFacts {
    /// `None` if all flows have rows, and statistics used each value.
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
    /// The most completed flows for which statistics keep each value: as many as readers load rows
    /// of all flows for.
    pub(crate) fn exact(self) -> u64 {
        match self.of {
            FlowRows::All => self.most_loaded,
            FlowRows::Slowest(_) | FlowRows::Sample(_) | FlowRows::None => 0,
        }
    }
}
