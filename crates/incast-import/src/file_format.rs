//! Names of the formats of topology files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a topology file is written. It is never guessed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Topology files of the HPCC artifact for ns-3 and of its descendants.
    HpccNs3,
    /// `.topo` files of htsim.
    Htsim,
    /// Named nodes and links, a line each: our own.
    Graph,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::HpccNs3, Self::Htsim, Self::Graph];
}
