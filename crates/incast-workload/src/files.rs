//! The files that traffic names: how a scenario describes them, and how they are opened. The
//! formats themselves are not known here.

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

/// Opens the files that traffic names, as the scenario writes their names.
pub trait Files: fmt::Debug + Send + Sync {
    /// A reader of a flow file, for a network with these hosts.
    ///
    /// # Errors
    /// Options that the format does not have, and a file that cannot be read.
    fn flows(&self, file: &FileSpec, hosts: &HostNames) -> Result<Box<dyn FlowReader>, Diagnostic>;

    /// The distribution in a table of flow sizes.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    fn sizes(&self, file: &SizeFile) -> Result<Cdf, Diagnostic>;

    /// The tasks of a file, of this many ranks.
    ///
    /// # Errors
    /// Options that the format does not have, and what is wrong with the file, and where.
    fn tasks(&self, file: &TaskFile<'_>, ranks: u32) -> Result<FileTasks, Diagnostic>;
}

/// One flow after another, as a file lists them.
pub trait FlowReader: Send {
    /// The next flow, with tag 0; none at the end of a file that is whole.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic>;

    /// The diagnostic, placed in the line read last.
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
    /// The file, seen from the scenario's folder.
    pub file: PathBuf,
    /// Its format.
    pub format: FlowFormat,
    /// A time that is subtracted from every start; the HPCC artifact's flows begin at 2 s. Default:
    /// 0.
    #[serde(default)]
    pub base: Time,
    /// `htsim` only, and needed there: what `start` counts, which the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_unit: Option<StartUnit>,
    /// `hpcc-ns3` only: read starts as ns-3 does, as binary fractions cut to nanoseconds, which
    /// makes every second one or so start a nanosecond early. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns3_clock: Option<bool>,
    /// `hpcc-ns3` and `htsim`: whether the number of flows at the top must be right; with `first`,
    /// of `hpcc-ns3` only, so many flows are read, as ns-3 does. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<FlowCount>,
    /// `hpcc-ns3` and `htsim`: whether all flows must have one priority, since they are treated
    /// alike here. Default: `check`.
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
    /// Parquet tables with these columns.
    Parquet,
}

impl FlowFormat {
    /// Its name in scenarios.
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
    /// This file, all settings at their defaults.
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

/// Files of scenarios that name none: all are missing.
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

/// [`NoFiles`], as [`Workload::new`](crate::Workload::new) takes it.
pub fn no_files() -> Arc<dyn Files> {
    Arc::new(NoFiles)
}

fn missing(file: &Path) -> Diagnostic {
    let not_found = std::io::ErrorKind::NotFound.into();
    Diagnostic::unreadable(&not_found).in_file(file.display())
}
