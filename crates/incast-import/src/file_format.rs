//! Names of the formats of topology files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of a topology file. It is never guessed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Topology files of the HPCC artifact for ns-3 and of its descendants.
    HpccNs3,
    /// `.topo` files of htsim.
    Htsim,
    /// Named nodes and links, one on each line: our own format.
    Graph,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::HpccNs3, Self::Htsim, Self::Graph];
}
