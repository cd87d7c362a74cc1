//! Tables of flow sizes in files: how a scenario describes them.

use std::path::PathBuf;

use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A table of sizes in a file: on each line a size and how many flows are up to it, both growing.
/// ns-2 has a third column between them, which is not read. Lines that begin with `#` or `//` are
/// comments.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeFile {
    /// The file, seen from the scenario's folder.
    pub file: PathBuf,
    /// Whether the last column goes from 0 to 100 or from 0 to 1. Default: `percent`; of three
    /// columns `fraction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<CdfUnit>,
    /// What a size of 1 is, e.g. `1KB`, or `1460B` for packets. Default: `1B`; of three columns it
    /// must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_unit: Option<Bytes>,
}

/// What a table counts flows in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CdfUnit {
    /// The column goes from 0 to 100.
    Percent,
    /// The column goes from 0 to 1.
    Fraction,
}

impl<P: Into<PathBuf>> From<P> for SizeFile {
    fn from(file: P) -> Self {
        Self {
            file: file.into(),
            unit: None,
            size_unit: None,
        }
    }
}
