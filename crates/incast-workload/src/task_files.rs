//! Files that list tasks: their keys in a scenario, and the result of reading them. This module
//! does not know the formats.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::collective::CollectiveAlgorithm;
use crate::roofline::Roofline;
use crate::start_unit::StartUnit;
use crate::strictness::Strictness;
use crate::tasks::TaskList;

/// The formats of files that list tasks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskFormat {
    /// GOAL schedules as text, as Schedgen and ATLAHS write them.
    Goal,
    /// GOAL schedules in binary, as LogGOPSim and ATLAHS read them.
    GoalBinary,
    /// Execution traces of MLCommons Chakra: `NAME.0.et`, `NAME.1.et`, … for `file = "NAME"`.
    Chakra,
    /// Workloads of SimAI, as AICB writes them.
    Simai,
    /// Flows of SimCCL, `ncclFlowModel_detailed_flows.csv`.
    Simccl,
    /// Connection matrices of htsim, whose flows may wait for triggers.
    Htsim,
    /// Algorithms of MSCCL, as XML.
    Msccl,
}

impl TaskFormat {
    /// The format's name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::GoalBinary => "goal-binary",
            Self::Chakra => "chakra",
            Self::Simai => "simai",
            Self::Simccl => "simccl",
            Self::Htsim => "htsim",
            Self::Msccl => "msccl",
        }
    }
}

/// The path of a rank's trace: `NAME.0.et` for `NAME` and rank 0.
pub fn trace_of_rank(file: &Path, rank: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{rank}.et"));
    name.into()
}

/// A task file, with the scenario's keys for it.
#[derive(Copy, Clone, Debug)]
pub struct TaskFile<'a> {
    /// The file's path, relative to the scenario's folder.
    pub file: &'a Path,
    /// The format of the file.
    pub format: TaskFormat,
    /// Whether messages must leave by NICs that exist.
    pub nics: Option<Strictness>,
    /// Number of NICs of each host.
    pub host_nics: u16,
    /// The algorithm of collectives.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// The unit of `start` in a connection matrix.
    pub start_unit: Option<StartUnit>,
    /// Whether the stated number of connections, or layers, must be right.
    pub count: Option<Strictness>,
    /// Whether all connections must have the same priority.
    pub priorities: Option<Strictness>,
    /// The file of the process groups that traces name.
    pub groups: Option<&'a Path>,
    /// The machine of each rank, for computing without a duration.
    pub roofline: Option<Roofline>,
    /// The size of the buffers of an MSCCL collective.
    pub data: Option<Bytes>,
}

impl<'a> TaskFile<'a> {
    /// A task file, with all other keys at their defaults.
    pub fn new(file: &'a Path, format: TaskFormat) -> Self {
        Self {
            file,
            format,
            nics: None,
            host_nics: 1,
            algorithm: None,
            start_unit: None,
            count: None,
            priorities: None,
            groups: None,
            roofline: None,
            data: None,
        }
    }

    /// The algorithm and channels of the file's collectives.
    pub fn collectives(&self) -> CollectiveMeans {
        CollectiveMeans {
            algorithm: self.algorithm,
            channels: Some(self.host_nics.into()),
        }
    }
}

/// The algorithm and channels of collectives that a file names.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveMeans {
    /// The algorithm, where it can do the collective; otherwise, or if `None`, the default of each
    /// collective.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// The number of channels.
    pub channels: Option<u32>,
}

/// The tasks of a file.
pub struct FileTasks {
    /// The tasks.
    pub list: TaskList,
    /// The name of a task in diagnostics.
    pub name: Box<dyn Fn(u32) -> String>,
}

impl FileTasks {
    /// Tasks whose names in diagnostics are a noun and a number, such as `line 3`; `of` has each
    /// task's number.
    pub fn numbered<N: Display + 'static>(list: TaskList, noun: &'static str, of: Vec<N>) -> Self {
        Self {
            list,
            name: Box::new(move |task| format!("{noun} {}", of[task as usize])),
        }
    }
}

impl fmt::Debug for FileTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileTasks")
            .field("list", &self.list)
            .finish_non_exhaustive()
    }
}
