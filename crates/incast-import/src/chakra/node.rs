//! Nodes of Chakra's traces.

use std::collections::HashSet;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, Time};
use incast_workload::{CollectiveOperation, Roofline, TaskWork, check_start};

use super::attribute::Attribute;
use super::wire::{WireMessage, damaged};
use crate::decimal::{TimeUnit, whole_moment};

/// Units of a rank: the GPU, the CPU and the memory work at the same time.
const GPU: u32 = 0;
const CPU: u32 = 1;
const MEMORY: u32 = 2;
/// The unit of tasks without duration, which never delay another task.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// A node.
#[derive(Debug)]
pub(super) struct TraceNode<'a> {
    pub(super) id: u64,
    name: &'a str,
    kind: u64,
    /// Ids of nodes that must end before this node starts: data and control dependencies.
    pub(super) dependencies: Vec<u64>,
    duration_us: u64,
    inputs: &'a str,
    attributes: Vec<Attribute<'a>>,
}

/// The facts beside a node that its work depends on.
#[derive(Copy, Clone, Debug)]
pub(super) struct NodeContext {
    pub(super) rank: u32,
    /// The machine of the rank, if the scenario describes one.
    pub(super) roofline: Option<Roofline>,
    /// Whether there is a separate file of process groups.
    pub(super) has_group_file: bool,
}

/// The work of a node.
#[derive(Debug)]
pub(super) enum NodeWork<'a> {
    Task(TaskWork),
    Collective(NodeCollective),
    /// A definition of PyTorch's process groups, as JSON.
    Groups(&'a str),
}

/// A rank's part in a collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeCollective {
    pub(super) operation: CollectiveOperation,
    /// Size of each rank's data before the collective, in bytes.
    pub(super) size: u64,
    pub(super) group: String,
}

impl<'a> TraceNode<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Diagnostic> {
        let mut node = Self {
            id: 0,
            name: "",
            kind: 0,
            dependencies: Vec::new(),
            duration_us: 0,
            inputs: "",
            attributes: Vec::new(),
        };
        let mut message = WireMessage::of(bytes);
        while let Some((number, wire)) = message.field()? {
            match number {
                1 => node.id = wire.varint()?,
                2 => node.name = wire.text()?,
                3 => node.kind = wire.varint()?,
                4 | 5 => wire.varints(&mut node.dependencies)?,
                6 => drop(wire.varint()?),
                7 => node.duration_us = wire.varint()?,
                8 => node.inputs = values(wire.bytes()?)?,
                9 => drop(values(wire.bytes()?)?),
                10 => node.attributes.push(Attribute::read(wire.bytes()?)?),
                _ => return Err(no_such_field(number)),
            }
        }
        let mut names = HashSet::new();
        let mut attributes = node.attributes.iter();
        if let Some(twice) = attributes.find(|attribute| !names.insert(attribute.name)) {
            return Err(attribute_twice(twice.name));
        }
        node.dependencies.sort_unstable();
        node.dependencies.dedup();
        Ok(node)
    }

    /// The work of the node at this rank.
    pub(super) fn work(&self, context: NodeContext) -> Result<NodeWork<'a>, Diagnostic> {
        let rank = context.rank;
        let of_cpu = self
            .attribute("is_cpu_op")
            .map_or(Ok(false), Attribute::flag)?;
        match self.kind {
            1 if self.name.contains("process_group:init") => Ok(NodeWork::Groups(self.inputs)),
            1 => Ok(NodeWork::Task(nothing())),
            2 | 3 => self.accesses_memory(),
            4 if of_cpu => self.computes(CPU, None),
            4 => self.computes(GPU, context.roofline),
            5..=7 if of_cpu => Err(on_cpu()),
            5 => {
                self.own("comm_src", rank)?;
                let to = self.needed("comm_dst")?.integer_32()?;
                let (size, tag) = self.message()?;
                let (lane, nic) = (0, None);
                Ok(NodeWork::Task(TaskWork::Send {
                    to,
                    size,
                    tag,
                    lane,
                    nic,
                }))
            }
            6 => {
                self.own("comm_dst", rank)?;
                let from = self.needed("comm_src")?.integer_32()?;
                let (size, tag) = self.message()?;
                Ok(NodeWork::Task(TaskWork::Receive { from, size, tag }))
            }
            7 => self.collective(context).map(NodeWork::Collective),
            other => Err(no_such_kind(other)),
        }
    }

    fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|found| found.name == name)
    }

    fn needed(&self, name: &'static str) -> Result<&Attribute<'a>, Diagnostic> {
        self.attribute(name).ok_or_else(|| attribute_missing(name))
    }

    /// Computing, for the duration in the trace, or else for the time that the machine needs.
    fn computes(&self, unit: u32, roofline: Option<Roofline>) -> Result<NodeWork<'a>, Diagnostic> {
        let operations = self.size_of("num_ops")?;
        let duration = match roofline {
            Some(machine) if self.duration_us == 0 => {
                let time = machine.time(operations, Bytes::new(self.size_of("tensor_size")?));
                let startable = time.filter(|time| check_start(*time).is_ok());
                startable.ok_or_else(|| works_too_long(operations))?
            }
            None if self.duration_us == 0 && operations > 0 => return Err(no_duration()),
            _ => self.duration()?,
        };
        Ok(NodeWork::Task(TaskWork::Compute { duration, unit }))
    }

    /// An access to memory, for the duration in the trace.
    fn accesses_memory(&self) -> Result<NodeWork<'a>, Diagnostic> {
        if self.duration_us == 0 && self.size_of("tensor_size")? > 0 {
            return Err(no_duration_of_memory());
        }
        let (duration, unit) = (self.duration()?, MEMORY);
        Ok(NodeWork::Task(TaskWork::Compute { duration, unit }))
    }

    /// The value of a numeric attribute; 0 if the node does not have it.
    fn size_of(&self, name: &str) -> Result<u64, Diagnostic> {
        self.attribute(name).map_or(Ok(0), Attribute::integer)
    }

    fn duration(&self) -> Result<Time, Diagnostic> {
        let duration = whole_moment(self.duration_us, TimeUnit::Microsecond);
        duration.map_err(|_| takes_too_long(self.duration_us))
    }

    /// Checks that the attribute `name`, one end of a message, is the rank of this trace.
    fn own(&self, name: &'static str, rank: u32) -> Result<(), Diagnostic> {
        let told = self
            .attribute(name)
            .map_or(Ok(rank), Attribute::integer_32)?;
        match told == rank {
            true => Ok(()),
            false => Err(not_own(name, told)),
        }
    }

    fn message(&self) -> Result<(Bytes, u64), Diagnostic> {
        self.check_priority()?;
        let size = self.needed("comm_size")?.integer()?;
        let tag = self
            .attribute("comm_tag")
            .map_or(Ok(0), Attribute::integer_32)?;
        Ok((Bytes::new(size), tag.into()))
    }

    fn collective(&self, context: NodeContext) -> Result<NodeCollective, Diagnostic> {
        self.check_priority()?;
        if let Some(dimensions) = self.attribute("involved_dim")
            && dimensions.flags()?.contains(&false)
        {
            return Err(some_dimensions());
        }
        let group = self.group(context)?;
        let operation = match self.needed("comm_type")?.integer()? {
            0 => CollectiveOperation::AllReduce,
            1 => CollectiveOperation::Reduce,
            2 => CollectiveOperation::AllGather,
            5 => CollectiveOperation::Broadcast,
            6 => CollectiveOperation::AllToAll,
            7 => CollectiveOperation::ReduceScatter,
            other => return Err(no_such_collective(other)),
        };
        let size = self.needed("comm_size")?.integer()?;
        if size == 0 {
            return Err(empty_collective(operation));
        }
        Ok(NodeCollective {
            operation,
            size,
            group,
        })
    }

    /// The name of the node's group, in `pg_name`. Older traces have it in `comm_group`, together
    /// with a file of groups.
    fn group(&self, context: NodeContext) -> Result<String, Diagnostic> {
        let named = |name| self.attribute(name).map(Attribute::text).transpose();
        let group = named("pg_name")?.filter(|name| !name.is_empty());
        let of_file = named("comm_group")?;
        if of_file.is_some() && !context.has_group_file {
            return Err(group_elsewhere());
        }
        match (group, of_file) {
            (Some(group), Some(of_file)) if group != of_file => Err(two_names(&group, &of_file)),
            (group, of_file) => Ok(group.or(of_file).unwrap_or_else(|| "0".to_owned())),
        }
    }

    fn check_priority(&self) -> Result<(), Diagnostic> {
        let priority = self
            .attribute("comm_priority")
            .map_or(Ok(0), Attribute::integer)?;
        match priority {
            0 => Ok(()),
            other => Err(other_priority(other)),
        }
    }
}

/// A task that ends as soon as it begins.
pub(super) fn nothing() -> TaskWork {
    TaskWork::Compute {
        duration: Time::ZERO,
        unit: NO_UNIT,
    }
}

/// The values of an IOInfo.
fn values(bytes: &[u8]) -> Result<&str, Diagnostic> {
    let mut values = "";
    let mut message = WireMessage::of(bytes);
    while let Some((number, wire)) = message.field()? {
        match number {
            1 => values = wire.text()?,
            2 | 3 => drop(wire.text()?),
            _ => return Err(damaged()),
        }
    }
    Ok(values)
}

fn no_such_field(number: u64) -> Diagnostic {
    Diagnostic::new(
        format!("field {number} is not one of a node"),
        "give a trace of Chakra 1.0",
    )
}

fn no_such_kind(kind: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{kind} is no type of node that can be run"),
        "there are METADATA, MEM_LOAD, MEM_STORE, COMP, COMM_SEND, COMM_RECV and COMM_COLL: 1 to 7",
    )
}

fn no_such_collective(kind: u64) -> Diagnostic {
    let name = match kind {
        3 => "GATHER",
        4 => "SCATTER",
        8 => "REDUCE_SCATTER_BLOCK",
        9 => "BARRIER",
        _ => "which has no name",
    };
    Diagnostic::new(
        format!("a collective of type {kind}, {name}, is not done here"),
        "there are ALL_REDUCE, REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL and REDUCE_SCATTER",
    )
}

fn attribute_missing(name: &str) -> Diagnostic {
    Diagnostic::new(format!("the node has no `{name}`"), "add it to the trace")
}

fn attribute_twice(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the node has `{}` twice", excerpt(name)),
        "leave one of them in the trace",
    )
}

fn empty_collective(operation: CollectiveOperation) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the {} is of 0 bytes, so it sends nothing",
            operation.name()
        ),
        "leave the node out, or give its `comm_size`",
    )
}

fn no_duration() -> Diagnostic {
    Diagnostic::new(
        "the computing has `num_ops`, but no duration: how long it takes depends on a machine",
        "tell the machine, e.g. `roofline = { peak_tflops = 900.0 }`, or give the node \
         `duration_micros`",
    )
}

fn no_duration_of_memory() -> Diagnostic {
    Diagnostic::new(
        "the memory access has `tensor_size`, but no duration: how long it takes depends on a \
         machine",
        "give it `duration_micros`",
    )
}

fn works_too_long(operations: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{operations} operations are too long to simulate on this machine"),
        "give a faster one as `roofline`",
    )
}

fn takes_too_long(duration_us: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{duration_us} us are too long to simulate"),
        "give at most 4611686 s (53 days)",
    )
}

fn not_own(name: &str, rank: u32) -> Diagnostic {
    Diagnostic::new(
        format!("`{name}` is {rank}, which is not the rank of this file"),
        "a rank sends from itself, and receives at itself",
    )
}

fn on_cpu() -> Diagnostic {
    Diagnostic::new(
        "communication is said to be of a CPU, which is not known here",
        "leave `is_cpu_op` out",
    )
}

fn some_dimensions() -> Diagnostic {
    Diagnostic::new(
        "`involved_dim` leaves out dimensions of a network of dimensions, which there are not here",
        "name the ranks by a process group (`pg_name`)",
    )
}

fn group_elsewhere() -> Diagnostic {
    Diagnostic::new(
        "`comm_group` names a group of a file of groups, which is not given",
        "give the file: `groups = { file = \"comm_group.json\" }`",
    )
}

fn two_names(group: &str, of_file: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "`pg_name` is `{}`, but `comm_group` is `{}`",
            excerpt(group),
            excerpt(of_file)
        ),
        "leave one of them in the trace",
    )
}

fn other_priority(priority: u64) -> Diagnostic {
    Diagnostic::new(
        format!("`comm_priority` is {priority}, but all messages are equals here"),
        "leave it out",
    )
}
