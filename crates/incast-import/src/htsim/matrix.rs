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

use incast_diagnostic::{Diagnostic, excerpt};
use incast_workload::{Flow, FlowReader, Strictness};

use crate::decimal::TimeUnit;
use crate::diagnostics;
use crate::flow_checks::{Priorities, Promise, destination};
use crate::text::{Field, TextLine, TextLines, Words};

const CONNECTION: &str = "0->17 id 1 start 0 size 200000000";
const NODES: &str = "Nodes 128";
const CONNECTIONS: &str = "Connections 3";
const TRIGGER: &str = "trigger id 1 oneshot";

/// The priority of a flow without `prio` (csg-htsim, `connection_matrix.cpp`).
const DEFAULT_PRIORITY: u64 = 2_000_000;

/// What may be done with such a file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MatrixOptions {
    /// What `start` counts.
    pub(crate) start_unit: TimeUnit,
    /// The number of `Connections`.
    pub(crate) count: Strictness,
    /// `prio`.
    pub(crate) priorities: Strictness,
}

/// A reader of such a file.
pub(crate) struct MatrixReader<R> {
    lines: TextLines<R>,
    matrix: MatrixState,
    last_line: u64,
}

/// What has been read so far, and how to read on.
struct MatrixState {
    start_unit: TimeUnit,
    count: Strictness,
    priorities: Priorities,
    hosts: u32,
    /// Whether `Nodes` has been read.
    sized: bool,
    /// What `Connections` says, once it has been read.
    promise: Option<Promise>,
}

impl<R: BufRead> MatrixReader<R> {
    pub(crate) fn new(lines: TextLines<R>, options: MatrixOptions, hosts: u32) -> Self {
        let matrix = MatrixState {
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

    fn check_end(&self) -> Result<(), Diagnostic> {
        match &self.matrix.promise {
            Some(promise) => promise.check(&self.lines),
            None if self.last_line == 0 => {
                let empty = diagnostics::empty_file("`Nodes` and the number of hosts");
                Err(self.lines.in_file(empty))
            }
            None => {
                let missing = diagnostics::header_missing(CONNECTIONS).at("Connections");
                Err(self.lines.on_line(self.last_line, missing))
            }
        }
    }
}

impl<R: BufRead + Send> FlowReader for MatrixReader<R> {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        while let Some(line) = self.lines.next_line()? {
            self.last_line = line.number();
            if let Some(flow) = self.matrix.read(line)? {
                return Ok(Some(flow));
            }
        }
        self.check_end()?;
        Ok(None)
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.lines.on_line(self.last_line, diagnostic)
    }
}

impl MatrixState {
    /// The line's flow, if it has one.
    fn read(&mut self, line: TextLine<'_>) -> Result<Option<Flow>, Diagnostic> {
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
            "failure" => return Err(line.wrong(failure().at("failure"))),
            pair => match pair.split_once("->") {
                Some(pair) => return self.flow(line, pair).map(Some),
                None => {
                    let wrong = diagnostics::unexpected(&excerpt(line.text()), CONNECTION);
                    return Err(line.wrong(wrong.at("line")));
                }
            },
        }
        Ok(None)
    }

    fn nodes(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let (nodes, hosts) = (counted(line, NODES)?, self.hosts);
        if nodes > hosts.into() {
            return Err(line.wrong(diagnostics::too_many_nodes(nodes, hosts).at("Nodes")));
        }
        self.sized = true;
        Ok(())
    }

    fn connections(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        if self.promise.is_some() {
            return Err(line.wrong(diagnostics::word_twice().at("Connections")));
        }
        self.promise = Some(Promise {
            stated: counted(line, CONNECTIONS)?,
            line: line.number(),
            found: 0,
            strictness: self.count,
        });
        Ok(())
    }

    fn flow(&mut self, line: TextLine<'_>, (from, to): (&str, &str)) -> Result<Flow, Diagnostic> {
        let missing = |field, example| line.wrong(diagnostics::header_missing(example).at(field));
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
        if let Some(wrong) = self.priorities.differs(priority) {
            return Err(line.wrong(wrong.at("prio")));
        }
        let example = CONNECTION;
        let absent = |field| line.wrong(diagnostics::word_missing(example).at(field));
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
    fn read(line: TextLine<'_>, unit: TimeUnit) -> Result<Self, Diagnostic> {
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
    ) -> Result<(), Diagnostic> {
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
            "trigger" => Err(words.next("trigger")?.wrong(triggered())),
            "addon" => Err(word.wrong(triggered())),
            _ => Err(word.wrong(diagnostics::unexpected(&excerpt(word.text), CONNECTION))),
        }
    }
}

/// Reads what a word says into its place, which must still be empty.
fn once<T>(
    place: &mut Option<T>,
    field: Field<'_>,
    read: impl Fn(Field<'_>) -> Result<T, Diagnostic>,
) -> Result<(), Diagnostic> {
    match place.replace(read(field)?) {
        None => Ok(()),
        Some(_) => Err(field.wrong(diagnostics::word_twice())),
    }
}

/// The number of a header line such as `Nodes 128`.
fn counted(line: TextLine<'_>, example: &'static str) -> Result<u64, Diagnostic> {
    let mut words = line.words(example);
    words.next("line")?;
    let number = words.next("count")?;
    words.end()?;
    number.integer("128")
}

/// `trigger id N oneshot|multishot|barrier [count M]`: sets off flows that we refuse anyway, so
/// only its words are checked.
fn trigger(line: TextLine<'_>) -> Result<(), Diagnostic> {
    let mut words = line.words(TRIGGER);
    words.next("line")?;
    while let Some(word) = words.optional("word") {
        match word.text {
            "id" => drop(words.next("id")?.integer("1")?),
            "count" => drop(words.next("count")?.integer("1")?),
            "oneshot" | "multishot" | "barrier" => {}
            _ => {
                let wrong = diagnostics::unexpected(&excerpt(word.text), TRIGGER);
                return Err(word.wrong(wrong));
            }
        }
    }
    Ok(())
}

/// A flow whose start only the simulation knows.
fn triggered() -> Diagnostic {
    Diagnostic::new(
        "the flow starts when another one ends, and only a simulation knows when that is",
        "give it a `start` of its own, or leave it out",
    )
}

/// A line about a link that fails.
fn failure() -> Diagnostic {
    Diagnostic::new(
        "a failing link is no traffic",
        "leave the line out and describe the failure with the network",
    )
}

#[cfg(test)]
mod tests;
