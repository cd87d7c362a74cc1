//! The names of algorithms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The algorithm of a collective.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveAlgorithm {
    /// Each rank sends to the next; a broadcast and a reduce go along a chain.
    Ring,
    /// Double binary trees, as in NCCL.
    Tree,
    /// Recursive halving and doubling; the number of ranks is a power of two.
    HalvingDoubling,
    /// Each rank sends to all others at once.
    Direct,
    /// All-reduce over rings inside of nodes and among nodes.
    Hierarchical,
}

impl CollectiveAlgorithm {
    /// The algorithm's name in scenarios.
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
