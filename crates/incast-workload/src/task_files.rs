//! Files that list tasks: how a scenario names them, and what is read from them. The formats
//! themselves are not known here.

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
    /// Its name in scenarios.
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

/// The trace of a rank: `NAME.0.et` of `NAME`, for rank 0.
pub fn trace_of_rank(file: &Path, rank: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{rank}.et"));
    name.into()
}

/// A file that lists tasks, as a scenario names it.
#[derive(Copy, Clone, Debug)]
pub struct TaskFile<'a> {
    /// The file, seen from the scenario's folder.
    pub file: &'a Path,
    /// Its format.
    pub format: TaskFormat,
    /// Whether messages must leave by NICs that hosts have.
    pub nics: Option<Strictness>,
    /// How many these are.
    pub host_nics: u16,
    /// How collectives are done.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// What `start` of a connection matrix counts.
    pub start_unit: Option<StartUnit>,
    /// Whether its number of connections, or layers, must be right.
    pub count: Option<Strictness>,
    /// Whether its connections must have one priority.
    pub priorities: Option<Strictness>,
    /// The file of the process groups that traces name.
    pub groups: Option<&'a Path>,
    /// The machine that does work without a duration.
    pub roofline: Option<Roofline>,
    /// The size of the buffers that a collective of MSCCL works on.
    pub data: Option<Bytes>,
}

impl<'a> TaskFile<'a> {
    /// This file, all settings at their defaults.
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

    /// How collectives are done.
    pub fn collectives(&self) -> CollectiveMeans {
        CollectiveMeans {
            algorithm: self.algorithm,
            channels: Some(self.host_nics.into()),
        }
    }
}

/// How collectives are done that a file names.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveMeans {
    /// By which algorithm, if it does them; the default of each if it does not say.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// Over how many channels.
    pub channels: Option<u32>,
}

/// The tasks of a file.
pub struct FileTasks {
    /// The tasks.
    pub list: TaskList,
    /// What diagnostics call a task.
    pub name: Box<dyn Fn(u32) -> String>,
}

impl FileTasks {
    /// Tasks that a noun and a number name, each its own, such as `line 3`.
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
