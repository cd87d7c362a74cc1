//! The names of algorithms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a collective is done.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveAlgorithm {
    /// Each rank sends to the next one; a broadcast and a reduce go along a chain.
    Ring,
    /// Double binary trees, as NCCL lays them.
    Tree,
    /// Recursive halving and doubling, among a power of two of ranks.
    HalvingDoubling,
    /// Each rank sends to all others at once.
    Direct,
    /// Rings inside of nodes and among nodes: an all-reduce.
    Hierarchical,
}

impl CollectiveAlgorithm {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Tree => "tree",
            Self::HalvingDoubling => "halving-doubling",
            Self::Direct => "direct",
            Self::Hierarchical => "hierarchical",
        }
    }
}
