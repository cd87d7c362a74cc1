//! Execution traces of MLCommons Chakra 1.0: a file for each rank, `NAME.0.et`, `NAME.1.et`, ….
//!
//! A file is a GlobalMetadata and then Nodes (`et_def.proto`), each after its length. A node waits
//! for the ends of other nodes, by data or control dependency, as in ASTRA-sim. Collectives use our
//! own algorithms: the n-th collective of a process group is the n-th in the file of each of its
//! ranks. `comm_size` is the size of each rank's data before the collective, as in ASTRA-sim and in
//! PyTorch's traces. `groups.rs` finds the ranks of a group. `Roofline` gives the duration of
//! computing that has none in the trace.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

use incast_diagnostic::{Diagnostic, Placed as _, excerpt};
use incast_units::Bytes;
use incast_workload::{
    CollectiveMeans, CollectiveMember, CollectiveOperation, CollectiveSpec, FileTasks, Roofline,
    TaskList,
};

use attribute::Attribute;
use groups::Groups;
use node::{NodeCollective, NodeContext, NodeWork, TraceNode, nothing};
use wire::{WireMessage, damaged, next_message};

use crate::diagnostics;

mod attribute;
mod groups;
mod node;
#[cfg(test)]
mod tests;
mod wire;

/// The traces of all ranks.
pub(crate) struct Traces {
    list: TaskList,
    /// The id of each task's node.
    nodes: Vec<u64>,
    groups: Groups,
    /// For each group and rank, its collectives in the order of the file.
    collectives: BTreeMap<String, BTreeMap<u32, Vec<Part>>>,
    roofline: Option<Roofline>,
}

/// A rank's part in a collective.
struct Part {
    member: CollectiveMember,
    collective: NodeCollective,
}

impl Traces {
    /// Traces of `ranks` ranks that compute on this machine.
    pub(crate) fn new(ranks: u32, roofline: Option<Roofline>) -> Self {
        Self {
            list: TaskList::new(ranks),
            nodes: Vec::new(),
            groups: Groups::new(ranks),
            collectives: BTreeMap::new(),
            roofline,
        }
    }

    /// Reads the file of process groups, which must come before the files of ranks.
    pub(crate) fn read_groups(&mut self, file: impl Read) -> Result<(), Diagnostic> {
        self.groups.read_file(file)
    }

    /// Reads the file of a rank.
    pub(crate) fn read(&mut self, rank: u32, mut file: impl BufRead) -> Result<(), Diagnostic> {
        let mut message = Vec::new();
        if !next_message(&mut file, &mut message)? {
            return Err(diagnostics::empty_file("the version of Chakra"));
        }
        check_metadata(&message)?;
        // The first and the last task of each node, by id.
        let mut tasks: HashMap<u64, (u32, u32)> = HashMap::new();
        let mut waits = Vec::new();
        let mut last = None;
        while next_message(&mut file, &mut message).map_err(|wrong| after(last, wrong))? {
            let node = TraceNode::read(&message).map_err(|wrong| after(last, wrong))?;
            let added = self.add(rank, &node).at(format!("node {}", node.id))?;
            if tasks.insert(node.id, added).is_some() {
                return Err(node_twice(node.id));
            }
            waits.extend(node.dependencies.iter().map(|before| (node.id, *before)));
            last = Some(node.id);
        }
        for (node, before) in waits {
            let ((first, _), Some((_, end))) = (tasks[&node], tasks.get(&before)) else {
                return Err(no_such_node(before).at(format!("node {node}")));
            };
            self.list.wait_for_end(first, *end);
        }
        Ok(())
    }

    /// Adds the tasks of a node; returns the first and the last.
    fn add(&mut self, rank: u32, node: &TraceNode<'_>) -> Result<(u32, u32), Diagnostic> {
        let context = NodeContext {
            rank,
            roofline: self.roofline,
            has_group_file: self.groups.has_file(),
        };
        let works = match node.work(context)? {
            NodeWork::Task(work) => [Some(work), None],
            NodeWork::Groups(groups) => {
                self.groups.read(groups)?;
                [Some(nothing()), None]
            }
            NodeWork::Collective(collective) => {
                let begin = self.list.len() as u32;
                let end = begin + 1;
                let member = CollectiveMember { rank, begin, end };
                let of_group = self.collectives.entry(collective.group.clone());
                let of_rank = of_group.or_default().entry(rank).or_default();
                of_rank.push(Part { member, collective });
                [Some(nothing()), Some(nothing())]
            }
        };
        let first = self.list.len() as u32;
        for work in works.into_iter().flatten() {
            self.list.add(rank, work);
            self.nodes.push(node.id);
        }
        Ok((first, self.list.len() as u32 - 1))
    }

    /// The tasks of all ranks, once all files have been read.
    pub(crate) fn tasks(mut self, means: CollectiveMeans) -> Result<FileTasks, Diagnostic> {
        let mut number = 0;
        for (group, mut of_ranks) in std::mem::take(&mut self.collectives) {
            let ranks = self.groups.ranks(&group)?;
            if let Some(rank) = of_ranks.keys().find(|rank| !ranks.contains(rank)) {
                return Err(not_of_group(*rank, &group));
            }
            let counts = ranks
                .iter()
                .map(|rank| of_ranks.get(rank).map_or(0, Vec::len));
            let counts: Vec<_> = counts.collect();
            if let Some(other) = counts.iter().position(|count| *count != counts[0]) {
                let (first, other) = ((ranks[0], counts[0]), (ranks[other], counts[other]));
                let hint = self.groups.hint();
                return Err(collectives_missing(&group, first, other, hint));
            }
            let parts: Vec<_> = ranks
                .iter()
                .filter_map(|rank| of_ranks.remove(rank))
                .collect();
            for turn in 0..counts[0] {
                let parts: Vec<_> = parts.iter().map(|of_rank| &of_rank[turn]).collect();
                self.unroll(&parts, means, number)?;
                number += 1;
            }
        }
        Ok(FileTasks::numbered(self.list, "node", self.nodes))
    }

    /// Adds the messages of one collective, of which `parts` has each rank's part.
    fn unroll(
        &mut self,
        parts: &[&Part],
        means: CollectiveMeans,
        number: u32,
    ) -> Result<(), Diagnostic> {
        let first = parts[0];
        if let Some(other) = parts
            .iter()
            .find(|part| part.collective != first.collective)
        {
            return Err(self.differs(first, other));
        }
        let NodeCollective {
            operation, size, ..
        } = first.collective;
        let data = match operation {
            CollectiveOperation::AllGather => size.checked_mul(parts.len() as u64),
            _ => Some(size),
        };
        let named = || self.named(first);
        let data = data.ok_or_else(|| too_large(size).at(named()))?;
        let spec = CollectiveSpec {
            algorithm: means.algorithm,
            channels: means.channels,
            ..CollectiveSpec::new(operation, Bytes::new(data))
        };
        let members: Vec<_> = parts.iter().map(|part| part.member).collect();
        let before = self.list.len();
        let named = named();
        spec.unroll(&mut self.list, &members, number).at(named)?;
        let nodes: HashMap<_, _> = members
            .iter()
            .map(|member| (member.rank, self.nodes[member.begin as usize]))
            .collect();
        let added = &self.list.tasks()[before..];
        self.nodes.extend(added.iter().map(|(rank, _)| nodes[rank]));
        Ok(())
    }

    fn named(&self, part: &Part) -> String {
        let node = self.nodes[part.member.begin as usize];
        format!("node {node} of rank {}", part.member.rank)
    }

    fn differs(&self, first: &Part, other: &Part) -> Diagnostic {
        let told = |part: &Part| {
            let NodeCollective {
                operation, size, ..
            } = part.collective;
            let size = Bytes::new(size);
            format!("{} is {} of {size}", self.named(part), operation.name())
        };
        let group = excerpt(&first.collective.group);
        Diagnostic::new(
            format!(
                "in group `{group}`, {}, but in its place {}",
                told(first),
                told(other)
            ),
            "the collectives of a group belong to each other in the order of the files",
        )
    }
}

/// Checks that the version of the format is known, or not given.
fn check_metadata(bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut message = WireMessage::of(bytes);
    while let Some((number, wire)) = message.field()? {
        match number {
            1 => {
                let version = wire.text()?;
                let is_known = ["0.0.4", "1.0"]
                    .iter()
                    .any(|known| version.starts_with(known));
                if !version.is_empty() && !is_known {
                    return Err(other_version(version));
                }
            }
            2 => drop(Attribute::read(wire.bytes()?)?),
            _ => return Err(damaged()),
        }
    }
    Ok(())
}

/// Adds the node after which the mistake stands.
fn after(last: Option<u64>, wrong: Diagnostic) -> Diagnostic {
    match last {
        Some(node) => wrong.at(format!("after node {node}")),
        None => wrong.at("first node"),
    }
}

/// A file of a rank that does not exist.
pub(crate) fn rank_too_many(rank: u32, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!(
            "this is a file of rank {rank}, but `hosts` has ranks 0 to {}",
            ranks.saturating_sub(1)
        ),
        "give a host for each rank, e.g. hosts = \"0-15\"",
    )
}

fn other_version(version: &str) -> Diagnostic {
    Diagnostic::new(
        format!("version `{}` of Chakra is not known", excerpt(version)),
        "give a trace of version 1.0 or 0.0.4",
    )
}

fn node_twice(node: u64) -> Diagnostic {
    Diagnostic::new(format!("two nodes have the id {node}"), "give each its own")
}

fn no_such_node(node: u64) -> Diagnostic {
    Diagnostic::new(
        format!("it waits for node {node}, which is not in the file"),
        "is the file cut off?",
    )
}

fn not_of_group(rank: u32, group: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "rank {rank} takes part in a collective of group `{}`, which it is not in",
            excerpt(group)
        ),
        "correct the trace",
    )
}

fn collectives_missing(
    group: &str,
    first: (u32, usize),
    other: (u32, usize),
    hint: &str,
) -> Diagnostic {
    Diagnostic::new(
        format!(
            "rank {} takes part in {} collectives of group `{}`, and rank {} in {}",
            first.0,
            first.1,
            excerpt(group),
            other.0,
            other.1
        ),
        hint,
    )
}

fn too_large(size: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{size} bytes of each rank are more than can be counted"),
        "correct `comm_size`",
    )
}
