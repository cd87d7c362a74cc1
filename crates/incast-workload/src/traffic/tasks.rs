//! Task graphs: sends, receives and computing of ranks, with their dependencies.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_random::TrafficStreams;
use incast_units::{Bytes, HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::collective::CollectiveAlgorithm;
use crate::diagnostics;
use crate::flow::{FlowStream, check_start};
use crate::hosts::HostSet;
use crate::network::Network;
use crate::roofline::Roofline;
use crate::start_unit::StartUnit;
use crate::strictness::Strictness;
use crate::task_files::{TaskFile, TaskFormat};
use crate::tasks::{ListedTasks, PlacedTasks, TaskGraph, TaskList, TaskWork};

/// Tasks of ranks. The hosts of the list are the ranks, in its order.
///
/// ```toml
/// [[traffic]]
/// kind = "tasks"
/// hosts = "0-1"
/// tasks = [
///     { id = "forward", rank = 0, compute = "100us" },
///     { id = "activations", rank = 0, send = 1, size = "4MB", after = ["forward"] },
///     { id = "input", rank = 1, receive = 0, size = "4MB" },
///     { id = "next stage", rank = 1, compute = "100us", after = ["input"] },
/// ]
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksSpec {
    /// The tasks, in any order. Default: those of `file`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<GivenTask>,
    /// The path of a file that lists the tasks, relative to the scenario's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The format of `file`; required with `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TaskFormat>,
    /// `goal` and `goal-binary` only: whether all messages must leave by NICs that exist. Default:
    /// `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nics: Option<Strictness>,
    /// `chakra` and `simai` only: the algorithm of collectives. A collective that this algorithm
    /// cannot do has its own default. Default: `ring`, and `direct` for all-to-all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<CollectiveAlgorithm>,
    /// `htsim` only, and required there: the unit of `start`, which the file does not state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_unit: Option<StartUnit>,
    /// `htsim` and `simai` only: whether the number of connections, or layers, in the file's head
    /// must be right. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Strictness>,
    /// `htsim` only: whether all connections must have the same priority. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priorities: Option<Strictness>,
    /// `chakra` only: the file of the process groups that traces name, `comm_group.json` of
    /// ASTRA-sim. Default: none; groups are then those that the traces themselves define.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsFile>,
    /// `chakra` only: the machine of each rank, for computing with operations but no duration in
    /// the trace. Default: none; every computing must then have a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// `msccl` only, and required there: size of each rank's data before or after the collective,
    /// whichever is larger, as in nccl-tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Bytes>,
    /// The host of each rank, in order. Default: all hosts.
    #[serde(default)]
    pub hosts: HostSet,
    /// When ranks begin. Default: 0.
    #[serde(default)]
    pub start: Time,
}

/// A file of process groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupsFile {
    /// The file's path, relative to the scenario's folder.
    pub file: PathBuf,
}

/// A task, with exactly one of the keys `send`, `receive` and `compute`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenTask {
    /// The name by which other tasks wait for this one. Default: no task waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whose it is.
    pub rank: u32,
    /// Sends `size` to this rank; the task ends when all of the message is acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<u32>,
    /// Receives `size` from this rank; the task ends when all of the message has arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<u32>,
    /// Computes for this long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Time>,
    /// Payload of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Distinguishes messages between the same two ranks; sends with the same tag belong to
    /// receives in order. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tag: u64,
    /// The number of the NIC by which a send leaves, among those that reach the other rank.
    /// Default: each in turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nic: Option<u16>,
    /// The unit of the rank that computes, one task at a time. Default: 0.
    #[serde(default, skip_serializing_if = "is_unit_zero")]
    pub unit: u32,
    /// Tasks of this rank whose ends this task waits for. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Tasks of this rank whose starts this task waits for. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_start: Vec<String>,
}

fn is_zero(tag: &u64) -> bool {
    *tag == 0
}

fn is_unit_zero(unit: &u32) -> bool {
    *unit == 0
}

impl TrafficKind for TasksSpec {}

impl TasksSpec {
    /// A graph of these tasks on all hosts, from time 0 on.
    pub fn new(tasks: Vec<GivenTask>) -> Self {
        Self {
            tasks,
            file: None,
            format: None,
            nics: None,
            start_unit: None,
            count: None,
            priorities: None,
            algorithm: None,
            groups: None,
            roofline: None,
            data: None,
            hosts: HostSet::All,
            start: Time::ZERO,
        }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        let hosts = self.hosts.select(context.network).at("hosts")?;
        check_start(self.start).at("start")?;
        let (tasks, key) = match &self.file {
            Some(file) => (self.read(file, context, &hosts)?, "file"),
            None => (self.given(context.network, &hosts)?, "tasks"),
        };
        let carried = context.network.check_flow_size(tasks.largest());
        carried.at(key)?;
        Ok(Box::new(Tasks::new(hosts, self.start, tasks)))
    }

    /// The tasks that the scenario lists.
    fn given(&self, network: &Network, hosts: &[HostId]) -> Result<ListedTasks, Diagnostic> {
        for (key, is_given) in [
            ("format", self.format.is_some()),
            ("nics", self.nics.is_some()),
            ("algorithm", self.algorithm.is_some()),
            ("start_unit", self.start_unit.is_some()),
            ("count", self.count.is_some()),
            ("priorities", self.priorities.is_some()),
            ("groups", self.groups.is_some()),
            ("roofline", self.roofline.is_some()),
            ("data", self.data.is_some()),
        ] {
            if is_given {
                return Err(diagnostics::no_task_file().at(key));
            }
        }
        if self.tasks.is_empty() {
            return Err(diagnostics::no_tasks().at("tasks"));
        }
        let list = self.list(network, hosts)?;
        list.check(&|task| self.name(task)).at("tasks")
    }

    /// The tasks of the file.
    fn read(
        &self,
        file: &Path,
        context: TrafficContext<'_>,
        hosts: &[HostId],
    ) -> Result<ListedTasks, Diagnostic> {
        if !self.tasks.is_empty() {
            return Err(diagnostics::tasks_twice().at("tasks"));
        }
        let format = self.format;
        let named = TaskFile {
            file,
            format: format.ok_or_else(|| diagnostics::no_task_format().at("format"))?,
            nics: self.nics,
            host_nics: context.network.nics_among(hosts),
            algorithm: self.algorithm,
            start_unit: self.start_unit,
            count: self.count,
            priorities: self.priorities,
            groups: self.groups.as_ref().map(|groups| groups.file.as_path()),
            roofline: self.roofline,
            data: self.data,
        };
        if let Some(machine) = named.roofline {
            machine.check().at("roofline")?;
        }
        let read = context.files.tasks(&named, hosts.len() as u32);
        let read = read.map_err(|wrong| wrong.naming(file.display()))?;
        if read.list.is_empty() {
            return Err(diagnostics::no_tasks().in_file(file.display()));
        }
        read.list.check(&read.name).in_file(file.display())
    }

    /// The name of a task in diagnostics.
    fn name(&self, task: u32) -> String {
        match &self.tasks[task as usize].id {
            Some(id) => format!("`{id}`"),
            None => format!("task {task}"),
        }
    }

    fn list(&self, network: &Network, hosts: &[HostId]) -> Result<TaskList, Diagnostic> {
        let mut list = TaskList::new(hosts.len() as u32);
        let mut ids = HashMap::new();
        for (index, given) in self.tasks.iter().enumerate() {
            let place = || format!("tasks[{index}]");
            let task = list.add(given.rank, given.work(network, hosts).at(place())?);
            if let Some(id) = &given.id
                && ids.insert(id.as_str(), task).is_some()
            {
                return Err(diagnostics::task_twice(id).at("id").at(place()));
            }
        }
        for (task, given) in (0..).zip(&self.tasks) {
            for (key, names) in [("after", &given.after), ("after_start", &given.after_start)] {
                for name in names {
                    let Some(before) = ids.get(name.as_str()) else {
                        let wrong = diagnostics::no_task(name, ids.keys().copied());
                        return Err(wrong.at(key).at(format!("tasks[{task}]")));
                    };
                    match key {
                        "after" => list.wait_for_end(task, *before),
                        _ => list.wait_for_start(task, *before),
                    }
                }
            }
        }
        Ok(list)
    }
}

impl GivenTask {
    /// The work of the task, for ranks on these hosts.
    fn work(&self, network: &Network, hosts: &[HostId]) -> Result<TaskWork, Diagnostic> {
        let (tag, nic) = (self.tag, self.nic);
        let host = |rank: u32| hosts.get(rank as usize);
        // A later check reports ranks that do not exist.
        if let (Some(nic), Some(from), Some(to)) = (nic, host(self.rank), self.send.and_then(host))
        {
            let nics = network.nics_between(*from, *to);
            if nic >= nics {
                return Err(diagnostics::no_nic(nic, nics).at("nic"));
            }
        }
        let (work, is_message) = match (self.send, self.receive, self.compute) {
            (Some(to), None, None) => {
                let size = self.size.ok_or_else(diagnostics::no_message_size)?;
                let lane = 0;
                (
                    TaskWork::Send {
                        to,
                        size,
                        tag,
                        lane,
                        nic,
                    },
                    true,
                )
            }
            (None, Some(from), None) => {
                let size = self.size.ok_or_else(diagnostics::no_message_size)?;
                (TaskWork::Receive { from, size, tag }, true)
            }
            (None, None, Some(duration)) => {
                let unit = self.unit;
                (TaskWork::Compute { duration, unit }, false)
            }
            _ => return Err(diagnostics::not_one_task()),
        };
        for (key, is_given, means_something) in [
            ("size", self.size.is_some(), is_message),
            ("tag", self.tag != 0, is_message),
            ("nic", nic.is_some(), self.send.is_some()),
            ("unit", self.unit != 0, !is_message),
        ] {
            if is_given && !means_something {
                let what = match (self.compute, key) {
                    (Some(_), _) => "computing",
                    (None, "nic") => "a receive",
                    (None, _) => "a message",
                };
                return Err(diagnostics::not_of_task(what).at(key));
            }
        }
        Ok(work)
    }
}

/// Tasks that have been checked.
#[derive(Debug)]
pub(super) struct Tasks(Arc<PlacedTasks>);

impl Tasks {
    /// Tasks of ranks on these hosts, one each.
    pub(super) fn new(hosts: Vec<HostId>, start: Time, tasks: ListedTasks) -> Self {
        let tasks = Arc::new(tasks);
        Self(Arc::new(PlacedTasks {
            hosts,
            start,
            tasks,
        }))
    }
}

impl CheckedTraffic for Tasks {
    /// Empty: ranks start the flows.
    fn flows(&self, _streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        Ok(Box::new(std::iter::empty()))
    }

    fn expected_flows(&self) -> f64 {
        self.0.messages() as f64
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        Some(self.0.hosts().to_vec())
    }

    fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        Some(Arc::clone(&self.0) as Arc<dyn TaskGraph>)
    }
}

#[cfg(test)]
mod tests;
