//! The files that traffic names: their keys in a scenario, and an interface that opens them. This
//! module does not know the formats.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cdf::Cdf;
use crate::flow::Flow;
use crate::host_names::HostNames;
use crate::size_file::SizeFile;
use crate::start_unit::StartUnit;
use crate::strictness::{FlowCount, Strictness};
use crate::task_files::{FileTasks, TaskFile};

/// Opens the files that traffic names, by their names in the scenario.
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens a flow file, for a network with these hosts.
    ///
    /// # Errors
    /// Options that the format does not have, or a file that cannot be read.
    fn flows(&self, file: &FileSpec, hosts: &HostNames) -> Result<Box<dyn FlowReader>, Diagnostic>;

    /// Reads the distribution in a table of flow sizes.
    ///
    /// # Errors
    /// The first mistake in the file, with its line.
    fn sizes(&self, file: &SizeFile) -> Result<Cdf, Diagnostic>;

    /// Reads the tasks of a file, for this number of ranks.
    ///
    /// # Errors
    /// Options that the format does not have, or the first mistake in the file, with its place.
    fn tasks(&self, file: &TaskFile<'_>, ranks: u32) -> Result<FileTasks, Diagnostic>;
}

/// Reads the flows of a file one by one, in the file's order.
pub trait FlowReader: Send {
    /// The next flow, with tag 0; `None` at the end of a complete file.
    ///
    /// # Errors
    /// A mistake in the file, with its line.
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic>;

    /// Adds the line that was read last to a diagnostic.
    fn here(&self, diagnostic: Diagnostic) -> Diagnostic;
}

/// The flows of a file, in any order.
///
/// ```toml
/// [[traffic]]
/// kind = "file"
/// file = "flow.txt"
/// format = "hpcc-ns3"
/// base = "2s"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// The file's path, relative to the scenario's folder.
    pub file: PathBuf,
    /// The format of the file.
    pub format: FlowFormat,
    /// A time that is subtracted from every start; the HPCC artifact's flows begin at 2 s. Default:
    /// 0.
    #[serde(default)]
    pub base: Time,
    /// `htsim` only, and required there: the unit of `start`, which the file does not state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_unit: Option<StartUnit>,
    /// `hpcc-ns3` only: read starts as ns-3 does, as binary fractions that are truncated to
    /// nanoseconds. About every second start is then a nanosecond early. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns3_clock: Option<bool>,
    /// `hpcc-ns3` and `htsim`: whether the number of flows in the file's head must be right. With
    /// `first`, of `hpcc-ns3` only, this number of flows is read, as in ns-3. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<FlowCount>,
    /// `hpcc-ns3` and `htsim`: whether all flows must have the same priority, because they are
    /// treated alike here. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priorities: Option<Strictness>,
}

/// The formats of flow files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowFormat {
    /// Flow files of the HPCC ns-3 artifact.
    HpccNs3,
    /// Connection matrices of htsim.
    Htsim,
    /// Comma-separated values with the columns `source`, `destination`, `size_bytes` and one of
    /// `start_ps`, `start_ns`, `start_us`, `start_ms` and `start_s`.
    Csv,
    /// Parquet tables with the columns of `csv`.
    Parquet,
}

impl FlowFormat {
    /// The format's name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::HpccNs3 => "hpcc-ns3",
            Self::Htsim => "htsim",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

impl FileSpec {
    /// A flow file, with all other keys at their defaults.
    pub fn new(path: impl Into<PathBuf>, format: FlowFormat) -> Self {
        Self {
            file: path.into(),
            format,
            base: Time::ZERO,
            start_unit: None,
            ns3_clock: None,
            count: None,
            priorities: None,
        }
    }
}

/// Files for scenarios that name none: opening a file is an error.
#[derive(Copy, Clone, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn flows(&self, file: &FileSpec, _: &HostNames) -> Result<Box<dyn FlowReader>, Diagnostic> {
        Err(missing(&file.file))
    }

    fn sizes(&self, file: &SizeFile) -> Result<Cdf, Diagnostic> {
        Err(missing(&file.file))
    }

    fn tasks(&self, file: &TaskFile<'_>, _ranks: u32) -> Result<FileTasks, Diagnostic> {
        Err(missing(file.file))
    }
}

/// [`NoFiles`], in the type that [`Workload::new`](crate::Workload::new) takes.
pub fn no_files() -> Arc<dyn Files> {
    Arc::new(NoFiles)
}

fn missing(file: &Path) -> Diagnostic {
    let not_found = std::io::ErrorKind::NotFound.into();
    Diagnostic::unreadable(&not_found).in_file(file.display())
}
