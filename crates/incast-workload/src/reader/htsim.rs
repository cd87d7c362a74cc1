//! Connection matrices of htsim (`.cm`).
//!
//! ```text
//! # comment
//! Nodes 128
//! Connections 2
//! 0->17 id 1 start 0 size 200000000
//! 5->9 id 2 start 1500000 size 43210
//! ```
//!
//! Sizes are in bytes. `start` counts picoseconds for some htsim programs and microseconds for
//! others; the file does not say, so the reader must be told.
//!
//! A flow with `trigger N` starts when another flow ends. Only the simulator knows when that is,
//! so such a flow is refused. `send_done_trigger`, `recv_done_trigger` and `trigger` lines only say
//! what would set off such flows; alone they change nothing and are read over. `prio` orders
//! flows at a receiver that pulls; all flows are equals here, so it must not differ.

use std::io::BufRead;

use incast_units::{Bytes, Time};

use super::{FlowReader, Priorities, Promise, Strictness, TimeUnit, destination};
use crate::error::{Fault, WorkloadError};
use crate::flow::Flow;
use crate::lines::{Field, Line, Lines, Words, quoted};

const CONNECTION: &str = "0->17 id 1 start 0 size 200000000";
const NODES: &str = "Nodes 128";
const CONNECTIONS: &str = "Connections 3";
const TRIGGER: &str = "trigger id 1 oneshot";

/// The priority of a flow without `prio` (csg-htsim, `connection_matrix.cpp`).
const DEFAULT_PRIORITY: u64 = 2_000_000;

/// What may be done with such a file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct HtsimOptions {
    /// What `start` counts.
    pub(crate) start_unit: TimeUnit,
    /// The number of `Connections`.
    pub(crate) count: Strictness,
    /// `prio`.
    pub(crate) priorities: Strictness,
}

/// A reader of such a file.
pub(crate) struct Htsim<R> {
    lines: Lines<R>,
    matrix: Matrix,
    last_line: u64,
}

/// What has been read so far, and how to read on.
struct Matrix {
    start_unit: TimeUnit,
    count: Strictness,
    priorities: Priorities,
    hosts: u32,
    /// Whether `Nodes` has been read.
    sized: bool,
    /// What `Connections` says, once it has been read.
    promise: Option<Promise>,
}

impl<R: BufRead> Htsim<R> {
    pub(crate) fn new(lines: Lines<R>, options: HtsimOptions, hosts: u32) -> Self {
        let matrix = Matrix {
            start_unit: options.start_unit,
            count: options.count,
            priorities: Priorities::new(options.priorities),
            hosts,
            sized: false,
            promise: None,
        };
        let last_line = 0;
        Self {
            lines,
            matrix,
            last_line,
        }
    }

    fn check_end(&self) -> Result<(), WorkloadError> {
        match &self.matrix.promise {
            Some(promise) => promise.check(&self.lines),
            None if self.last_line == 0 => {
                let begins = "`Nodes` and the number of hosts";
                Err(WorkloadError::in_file(
                    self.lines.file(),
                    Fault::EmptyFile { begins },
                ))
            }
            None => {
                let example = CONNECTIONS;
                Err(self.error_here("Connections", Fault::HeaderMissing { example }))
            }
        }
    }

    fn error_here(&self, field: &'static str, fault: Fault) -> WorkloadError {
        self.lines.error_at(self.last_line, field, fault)
    }
}

impl<R: BufRead + Send> FlowReader for Htsim<R> {
    fn next_flow(&mut self) -> Result<Option<Flow>, WorkloadError> {
        while let Some(line) = self.lines.next_line()? {
            self.last_line = line.number();
            if let Some(flow) = self.matrix.read(line)? {
                return Ok(Some(flow));
            }
        }
        self.check_end()?;
        Ok(None)
    }

    fn error_here(&self, field: &'static str, fault: Fault) -> WorkloadError {
        self.error_here(field, fault)
    }
}

impl Matrix {
    /// The line's flow, if it has one.
    fn read(&mut self, line: Line<'_>) -> Result<Option<Flow>, WorkloadError> {
        let mut words = line.words("");
        let first = words.next("line")?;
        match first.text {
            comment if comment.starts_with('#') => {}
            "Nodes" => self.nodes(line)?,
            "Connections" => self.connections(line)?,
            "Triggers" | "Failures" => {
                counted(line, "Triggers 1")?;
            }
            "trigger" => trigger(line)?,
            "failure" => return Err(line.error("failure", FAILURE)),
            pair => match pair.split_once("->") {
                Some(pair) => return self.flow(line, pair).map(Some),
                None => {
                    let (text, example) = (quoted(line.text()), CONNECTION);
                    return Err(line.error("line", Fault::Unexpected { text, example }));
                }
            },
        }
        Ok(None)
    }

    fn nodes(&mut self, line: Line<'_>) -> Result<(), WorkloadError> {
        let (nodes, hosts) = (counted(line, NODES)?, self.hosts);
        if nodes > hosts.into() {
            return Err(line.error("Nodes", Fault::TooManyNodes { nodes, hosts }));
        }
        self.sized = true;
        Ok(())
    }

    fn connections(&mut self, line: Line<'_>) -> Result<(), WorkloadError> {
        if self.promise.is_some() {
            return Err(line.error("Connections", Fault::WordTwice));
        }
        self.promise = Some(Promise {
            stated: counted(line, CONNECTIONS)?,
            line: line.number(),
            found: 0,
            strictness: self.count,
        });
        Ok(())
    }

    fn flow(&mut self, line: Line<'_>, (from, to): (&str, &str)) -> Result<Flow, WorkloadError> {
        let missing = |field, example| line.error(field, Fault::HeaderMissing { example });
        if !self.sized {
            return Err(missing("Nodes", NODES));
        }
        let promise = self.promise.as_mut();
        promise
            .ok_or_else(|| missing("Connections", CONNECTIONS))?
            .count(line)?;
        let source = line.field("source", from).host(self.hosts)?;
        let destination = destination(line.field("destination", to), source, self.hosts)?;
        let connection = Connection::read(line, self.start_unit)?;
        let priority = connection.priority.unwrap_or(DEFAULT_PRIORITY);
        if let Some(fault) = self.priorities.fault(priority) {
            return Err(line.error("prio", fault));
        }
        let example = CONNECTION;
        let absent = |field| line.error(field, Fault::WordMissing { example });
        Ok(Flow {
            start: connection.start.ok_or_else(|| absent("start"))?,
            source,
            destination,
            size: connection.size.ok_or_else(|| absent("size"))?,
            tag: 0,
        })
    }
}

/// What the words after `0->17` say.
#[derive(Default)]
struct Connection {
    start: Option<Time>,
    size: Option<Bytes>,
    priority: Option<u64>,
}

impl Connection {
    fn read(line: Line<'_>, unit: TimeUnit) -> Result<Self, WorkloadError> {
        let mut connection = Self::default();
        let mut words = line.words(CONNECTION);
        words.next("pair")?;
        while let Some(word) = words.optional("word") {
            connection.word(word, &mut words, unit)?;
        }
        Ok(connection)
    }

    fn word(
        &mut self,
        word: Field<'_>,
        words: &mut Words<'_>,
        unit: TimeUnit,
    ) -> Result<(), WorkloadError> {
        match word.text {
            "start" => once(&mut self.start, words.next("start")?, |field| {
                field.time(unit)
            }),
            "size" => once(&mut self.size, words.next("size")?, |field| field.size()),
            "prio" => once(&mut self.priority, words.next("prio")?, |field| {
                field.integer("1")
            }),
            "id" => words.next("id")?.integer("1").map(drop),
            "send_done_trigger" => words.next("send_done_trigger")?.integer("1").map(drop),
            "recv_done_trigger" => words.next("recv_done_trigger")?.integer("1").map(drop),
            "trigger" => Err(words.next("trigger")?.error(TRIGGERED)),
            "addon" => Err(word.error(TRIGGERED)),
            _ => {
                let (text, example) = (quoted(word.text), CONNECTION);
                Err(word.error(Fault::Unexpected { text, example }))
            }
        }
    }
}

/// Reads what a word says into its place, which must still be empty.
fn once<T>(
    place: &mut Option<T>,
    field: Field<'_>,
    read: impl Fn(Field<'_>) -> Result<T, WorkloadError>,
) -> Result<(), WorkloadError> {
    match place.replace(read(field)?) {
        None => Ok(()),
        Some(_) => Err(field.error(Fault::WordTwice)),
    }
}

/// The number of a header line such as `Nodes 128`.
fn counted(line: Line<'_>, example: &'static str) -> Result<u64, WorkloadError> {
    let mut words = line.words(example);
    words.next("line")?;
    let number = words.next("count")?;
    words.end()?;
    number.integer("128")
}

/// `trigger id N oneshot|multishot|barrier [count M]`: sets off flows that we refuse anyway, so
/// only its words are checked.
fn trigger(line: Line<'_>) -> Result<(), WorkloadError> {
    let mut words = line.words(TRIGGER);
    words.next("line")?;
    while let Some(word) = words.optional("word") {
        match word.text {
            "id" => drop(words.next("id")?.integer("1")?),
            "count" => drop(words.next("count")?.integer("1")?),
            "oneshot" | "multishot" | "barrier" => {}
            _ => {
                let (text, example) = (quoted(word.text), TRIGGER);
                return Err(word.error(Fault::Unexpected { text, example }));
            }
        }
    }
    Ok(())
}

const TRIGGERED: Fault = Fault::Unsupported {
    why: "the flow starts when another one ends, and only a simulation knows when that is",
    instead: "give it a `start` of its own, or leave it out",
};

const FAILURE: Fault = Fault::Unsupported {
    why: "a failing link is no traffic",
    instead: "leave the line out and describe the failure with the network",
};

#[cfg(test)]
mod tests;
