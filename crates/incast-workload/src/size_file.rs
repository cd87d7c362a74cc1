//! Tables of flow sizes in files, and their keys in a scenario.

use std::path::PathBuf;

use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A table of sizes in a file: each line has a size, and the share of flows up to this size; both
/// increase. Tables of ns-2 have a third column between them, which is not read. Lines that begin
/// with `#` or `//` are comments.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeFile {
    /// The file's path, relative to the scenario's folder.
    pub file: PathBuf,
    /// Whether the last column goes from 0 to 100 or from 0 to 1. Default: `percent`; for three
    /// columns `fraction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<CdfUnit>,
    /// The unit of sizes, e.g. `1KB`, or `1460B` for packets. Default: `1B`; required for three
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_unit: Option<Bytes>,
}

/// The unit of the share of flows in a table.
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
