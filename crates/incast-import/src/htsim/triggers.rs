//! Connection matrices of htsim whose flows wait for others, as tasks.
//!
//! ```text
//! Nodes 4
//! Connections 2
//! Triggers 1
//! 0->1 id 1 start 0 size 1000000 recv_done_trigger 1
//! 1->2 id 2 trigger 1 size 1000000
//! trigger id 1 oneshot
//! ```
//!
//! A connection is a send and its receive. It activates `send_done_trigger` when all of it is
//! acknowledged, and `recv_done_trigger` when all of it has arrived. A connection with `trigger`
//! begins when that trigger fires: a `oneshot` at its first activation, a `barrier` at the last of
//! `count`.
//!
//! In htsim a trigger acts on all hosts at once. Here a host knows only the flows that have ended
//! at itself: a flow must be triggered by flows that end at its source. A `multishot` starts one
//! flow at each activation. Their order is not known before the run, so it is refused.

use std::collections::BTreeMap;
use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_units::Time;
use incast_workload::{FileTasks, TaskList, TaskWork};

use super::matrix::{Begin, Connection, MatrixLine, MatrixOptions, MatrixState, TriggerUse};
use super::trigger_line::{Trigger, TriggerKind};
use crate::text::TextLines;

/// Reads the tasks of a matrix, for this number of hosts.
pub(crate) fn read(
    mut lines: TextLines<impl BufRead>,
    options: MatrixOptions,
    ranks: u32,
) -> Result<FileTasks, Diagnostic> {
    let mut matrix = MatrixState::new(options, ranks, TriggerUse::Read);
    let mut tasks = TriggeredTasks {
        list: TaskList::new(ranks),
        lines: Vec::new(),
        waiting: Vec::new(),
        triggers: BTreeMap::new(),
    };
    let mut last = 0;
    while let Some(line) = lines.next_line()? {
        last = line.number();
        match matrix.read(line)? {
            Some(MatrixLine::Connection(connection)) => tasks.add(&connection, last),
            Some(MatrixLine::Trigger(trigger)) => {
                let defined = tasks.define(trigger);
                defined.map_err(|wrong| line.wrong(wrong.at("trigger")))?;
            }
            None => {}
        }
    }
    matrix.check_end(&lines, last)?;
    if matrix.hosts() != u64::from(ranks) {
        let wrong = other_nodes(matrix.hosts(), ranks);
        return Err(lines.in_file(wrong.at("Nodes")));
    }
    let joined = tasks.join();
    joined.map_err(|(line, wrong)| lines.on_line(line, wrong.at("trigger")))?;
    let name = |task: u32| format!("line {}", tasks.lines[task as usize]);
    if let Some((task, wrong)) = tasks.list.wrong(&name) {
        let line = tasks.lines[task as usize];
        return Err(lines.on_line(line, wrong.at("trigger")));
    }
    Ok(FileTasks::numbered(tasks.list, "line", tasks.lines))
}

/// The tasks and triggers that have been read.
struct TriggeredTasks {
    list: TaskList,
    /// The line of each task's connection.
    lines: Vec<u64>,
    /// Sends that wait for a trigger, each with the trigger's id.
    waiting: Vec<(u32, u64)>,
    triggers: BTreeMap<u64, TriggerState>,
}

/// A trigger.
#[derive(Default)]
struct TriggerState {
    /// The kind of the trigger; `None` before its own line.
    kind: Option<TriggerKind>,
    /// The sends and receives that activate the trigger.
    activated_by: Vec<u32>,
}

impl TriggeredTasks {
    fn add(&mut self, connection: &Connection, line: u64) {
        let (from, to) = (connection.source.0, connection.destination.0);
        let (size, tag) = (connection.size, line);
        if let Begin::At(duration) = connection.begin
            && duration > Time::ZERO
        {
            // Each delay has a unit of its own, so that none waits for another.
            let unit = self.list.len() as u32;
            self.list.add(from, TaskWork::Compute { duration, unit });
            self.lines.push(line);
        }
        let (lane, nic) = (0, None);
        let send = TaskWork::Send {
            to,
            size,
            tag,
            lane,
            nic,
        };
        let send = self.list.add(from, send);
        let receive = self.list.add(to, TaskWork::Receive { from, size, tag });
        self.lines.extend([line, line]);
        match connection.begin {
            Begin::At(Time::ZERO) => {}
            Begin::At(_) => self.list.wait_for_end(send, send - 1),
            Begin::Triggered(trigger) => self.waiting.push((send, trigger)),
        }
        for (trigger, task) in [
            (connection.send_done, send),
            (connection.receive_done, receive),
        ] {
            if let Some(trigger) = trigger {
                let state = self.triggers.entry(trigger).or_default();
                state.activated_by.push(task);
            }
        }
    }

    fn define(&mut self, trigger: Trigger) -> Result<(), Diagnostic> {
        let state = self.triggers.entry(trigger.id).or_default();
        match state.kind.replace(trigger.kind) {
            None => Ok(()),
            Some(_) => Err(trigger_twice(trigger.id)),
        }
    }

    /// Makes sends wait for the tasks that fire their triggers.
    ///
    /// # Errors
    /// The diagnostic, with the line of the flow.
    fn join(&mut self) -> Result<(), (u64, Diagnostic)> {
        for (send, id) in std::mem::take(&mut self.waiting) {
            let line = self.lines[send as usize];
            let trigger = self.triggers.get(&id);
            let activated_by = fires_after(id, trigger).map_err(|wrong| (line, wrong))?;
            for before in activated_by {
                let rank = |task: u32| self.list.tasks()[task as usize].0;
                if rank(*before) != rank(send) {
                    let what = self.lines[*before as usize];
                    let wrong = elsewhere(id, what, rank(*before), rank(send));
                    return Err((line, wrong));
                }
                self.list.wait_for_end(send, *before);
            }
        }
        Ok(())
    }
}

/// The tasks whose ends fire a trigger.
fn fires_after(id: u64, trigger: Option<&TriggerState>) -> Result<&[u32], Diagnostic> {
    let Some((state, kind)) = trigger.and_then(|state| Some((state, state.kind?))) else {
        return Err(no_such_trigger(id));
    };
    let activations = state.activated_by.len() as u64;
    let needed = match kind {
        TriggerKind::OneShot => 1,
        TriggerKind::Barrier(count) => count,
        TriggerKind::MultiShot => return Err(one_by_one(id)),
    };
    match activations == needed && needed > 0 {
        true => Ok(&state.activated_by),
        false => Err(other_activations(id, activations, needed)),
    }
}

fn other_nodes(nodes: u64, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the matrix is for {nodes} hosts, but `hosts` has {ranks}"),
        "give a host for each, e.g. hosts = \"0-15\"",
    )
}

fn trigger_twice(id: u64) -> Diagnostic {
    let what = format!("trigger {id} has two lines");
    Diagnostic::new(what, "leave one of them")
}

fn no_such_trigger(id: u64) -> Diagnostic {
    Diagnostic::new(
        format!("no line says what trigger {id} is"),
        format!("add e.g. `trigger id {id} oneshot`"),
    )
}

fn one_by_one(id: u64) -> Diagnostic {
    Diagnostic::new(
        format!("trigger {id} is a multishot: which flow it starts depends on what ends first"),
        "give each flow a trigger of its own, oneshot or barrier",
    )
}

fn other_activations(id: u64, found: u64, needed: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{found} flows activate trigger {id}, and it fires at activation {needed}"),
        "a oneshot needs one flow with `send_done_trigger` or `recv_done_trigger`, a barrier as \
         many as its `count`",
    )
}

fn elsewhere(id: u64, line: u64, there: u32, here: u32) -> Diagnostic {
    Diagnostic::new(
        format!(
            "trigger {id} is activated by line {line} at host {there}, which host {here} does not \
             know of"
        ),
        "wait for what ends at the source: a flow that it has sent (`send_done_trigger`), or has \
         received (`recv_done_trigger`)",
    )
}

#[cfg(test)]
mod tests;
