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
//! Sizes are in bytes. `start` is in picoseconds for some htsim programs, and in microseconds for
//! others. The file does not state its unit, so the caller must.
//!
//! A flow with `trigger N` starts when another flow ends, which a list of flows cannot express.
//! This reader refuses such flows; [`super::triggers`] reads them as tasks. `send_done_trigger`,
//! `recv_done_trigger` and `trigger` lines have no effect without such flows, and are ignored.
//! `prio` orders flows at a receiver that pulls; here all flows are equal, so that all must have
//! the same `prio`. Each `id` may stand once only, although flows are renumbered here.

use std::io::BufRead;

use incast_units::{Bytes, HostId, Time};

use incast_diagnostic::{Diagnostic, excerpt};
use incast_workload::{Flow, FlowCount, FlowReader, StartUnit, Strictness};

use super::flow_ids::FlowIds;
use super::trigger_line::{Trigger, trigger};
use crate::decimal::TimeUnit;
use crate::diagnostics;
use crate::flow_checks::{Priorities, Promise, destination};
use crate::text::{Field, TextLine, TextLines, Words};

const CONNECTION: &str = "0->17 id 1 start 0 size 200000000";
const NODES: &str = "Nodes 128";
const CONNECTIONS: &str = "Connections 3";
const TRIGGERS: &str = "Triggers 1";
const FAILURES: &str = "Failures 1";

/// The priority of a flow without `prio` (csg-htsim, `connection_matrix.cpp`).
const DEFAULT_PRIORITY: u64 = 2_000_000;

/// Options for reading a matrix.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MatrixOptions {
    /// The unit of `start`.
    pub(crate) start_unit: TimeUnit,
    /// The check of the number of `Connections`.
    pub(crate) count: Strictness,
    /// `prio`.
    pub(crate) priorities: Strictness,
}

impl MatrixOptions {
    /// The options of a traffic entry.
    ///
    /// # Errors
    /// If the entry does not give the unit of `start`.
    pub(crate) fn given(
        start_unit: Option<StartUnit>,
        count: Option<Strictness>,
        priorities: Option<Strictness>,
    ) -> Result<Self, Diagnostic> {
        let missing = || diagnostics::start_unit_missing().at("start_unit");
        Ok(Self {
            start_unit: start_unit.ok_or_else(missing)?.into(),
            count: count.unwrap_or_default(),
            priorities: priorities.unwrap_or_default(),
        })
    }
}

/// Reads the connections and triggers of a matrix one by one.
pub(crate) struct MatrixReader<R> {
    lines: TextLines<R>,
    matrix: MatrixState,
    last_line: u64,
}

/// The options of a matrix, and the facts that have been read.
pub(super) struct MatrixState {
    start_unit: TimeUnit,
    /// Whether flows may wait for triggers.
    triggers: TriggerUse,
    count: Strictness,
    priorities: Priorities,
    hosts: u32,
    head: MatrixHead,
    /// The stated number of connections, once `Connections` has been read.
    promise: Option<Promise>,
    ids: FlowIds,
}

/// The lines in the head of a matrix that may occur once, without `Connections`.
#[derive(Default)]
struct MatrixHead {
    nodes: Option<HeadLine>,
    triggers: Option<HeadLine>,
    failures: Option<HeadLine>,
}

/// A line such as `Nodes 128`.
struct HeadLine {
    stated: u64,
    line: u64,
}

/// Whether flows that wait for triggers are refused or read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TriggerUse {
    Refused,
    Read,
}

/// A line about a flow or a trigger.
pub(super) enum MatrixLine {
    Connection(Connection),
    Trigger(Trigger),
}

/// A connection: a flow, the trigger that it waits for, and the triggers that it activates.
#[derive(Copy, Clone, Debug)]
pub(super) struct Connection {
    pub(super) source: HostId,
    pub(super) destination: HostId,
    pub(super) size: Bytes,
    pub(super) begin: Begin,
    /// The trigger that is activated when all of the flow is acknowledged.
    pub(super) send_done: Option<u64>,
    /// The trigger that is activated when all of the flow has arrived.
    pub(super) receive_done: Option<u64>,
}

/// When a connection begins.
#[derive(Copy, Clone, Debug)]
pub(super) enum Begin {
    At(Time),
    /// When this trigger fires.
    Triggered(u64),
}

impl<R: BufRead> MatrixReader<R> {
    pub(crate) fn new(lines: TextLines<R>, options: MatrixOptions, hosts: u32) -> Self {
        Self {
            lines,
            matrix: MatrixState::new(options, hosts, TriggerUse::Refused),
            last_line: 0,
        }
    }
}

impl<R: BufRead + Send> FlowReader for MatrixReader<R> {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        while let Some(line) = self.lines.next_line()? {
            self.last_line = line.number();
            let Some(MatrixLine::Connection(read)) = self.matrix.read(line)? else {
                continue;
            };
            if let Begin::At(start) = read.begin {
                return Ok(Some(Flow {
                    start,
                    source: read.source,
                    destination: read.destination,
                    size: read.size,
                    tag: 0,
                }));
            }
        }
        self.matrix.check_end(&self.lines, self.last_line)?;
        Ok(None)
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.lines.on_line(self.last_line, diagnostic)
    }
}

impl MatrixState {
    pub(super) fn new(options: MatrixOptions, hosts: u32, triggers: TriggerUse) -> Self {
        Self {
            start_unit: options.start_unit,
            triggers,
            count: options.count,
            priorities: Priorities::new(options.priorities),
            hosts,
            head: MatrixHead::default(),
            promise: None,
            ids: FlowIds::default(),
        }
    }

    /// Number of hosts in the matrix.
    pub(super) fn hosts(&self) -> u64 {
        self.head.nodes.as_ref().map_or(0, |nodes| nodes.stated)
    }

    /// Checks that all required lines have been read; `last_line` is the number of the last line,
    /// or 0.
    pub(super) fn check_end(
        &self,
        lines: &TextLines<impl BufRead>,
        last_line: u64,
    ) -> Result<(), Diagnostic> {
        match &self.promise {
            Some(promise) => promise.check(lines),
            None if last_line == 0 => {
                let empty = diagnostics::empty_file("`Nodes` and the number of hosts");
                Err(lines.in_file(empty))
            }
            None => {
                let missing = diagnostics::header_missing(CONNECTIONS).at("Connections");
                Err(lines.on_line(last_line, missing))
            }
        }
    }

    /// Reads a line; returns its connection or trigger, if it has one.
    pub(super) fn read(&mut self, line: TextLine<'_>) -> Result<Option<MatrixLine>, Diagnostic> {
        let mut words = line.words("");
        let first = words.next("line")?;
        match first.text {
            comment if comment.starts_with('#') => {}
            "Nodes" => self.nodes(line)?,
            "Connections" => self.connections(line)?,
            "Triggers" => HeadLine::read(&mut self.head.triggers, line, "Triggers", TRIGGERS)?,
            "Failures" => HeadLine::read(&mut self.head.failures, line, "Failures", FAILURES)?,
            "trigger" => return Ok(trigger(line)?.map(MatrixLine::Trigger)),
            "failure" => return Err(line.wrong(failure().at("failure"))),
            pair => match pair.split_once("->") {
                Some(pair) => {
                    let connection = self.connection(line, pair)?;
                    return Ok(Some(MatrixLine::Connection(connection)));
                }
                None => {
                    let wrong = diagnostics::unexpected(&excerpt(line.text()), CONNECTION);
                    return Err(line.wrong(wrong.at("line")));
                }
            },
        }
        Ok(None)
    }

    fn nodes(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        HeadLine::read(&mut self.head.nodes, line, "Nodes", NODES)?;
        let (nodes, hosts) = (self.hosts(), self.hosts);
        match nodes > hosts.into() {
            true => Err(line.wrong(diagnostics::too_many_nodes(nodes, hosts).at("Nodes"))),
            false => Ok(()),
        }
    }

    fn connections(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        if let Some(before) = &self.promise {
            return Err(line.wrong(diagnostics::line_twice(before.line).at("Connections")));
        }
        self.promise = Some(Promise {
            stated: counted(line, CONNECTIONS)?,
            line: line.number(),
            found: 0,
            count: match self.count {
                Strictness::Check => FlowCount::Check,
                Strictness::Ignore => FlowCount::Ignore,
            },
            remedy: "correct the count, or set `count = \"ignore\"`",
        });
        Ok(())
    }

    fn connection(
        &mut self,
        line: TextLine<'_>,
        (from, to): (&str, &str),
    ) -> Result<Connection, Diagnostic> {
        let missing = |field, example| line.wrong(diagnostics::header_missing(example).at(field));
        if self.head.nodes.is_none() {
            return Err(missing("Nodes", NODES));
        }
        let promise = self.promise.as_mut();
        promise
            .ok_or_else(|| missing("Connections", CONNECTIONS))?
            .count(line)?;
        let source = line.field("source", from).host(self.hosts)?;
        let destination = destination(line.field("destination", to), source, self.hosts)?;
        self.check_node(line, "source", source)?;
        self.check_node(line, "destination", destination)?;
        let words = ConnectionWords::read(line, self.start_unit, self.triggers)?;
        if let Some(id) = words.id {
            let taken = self.ids.take(id);
            taken.map_err(|wrong| line.wrong(wrong.at("id")))?;
        }
        let priority = words.priority.unwrap_or(DEFAULT_PRIORITY);
        if let Some(wrong) = self.priorities.differs(priority) {
            return Err(line.wrong(wrong.at("prio")));
        }
        let example = CONNECTION;
        let absent = |field| line.wrong(diagnostics::word_missing(example).at(field));
        let begin = match (words.start, words.trigger) {
            (Some(_), Some(_)) => return Err(line.wrong(two_starts().at("trigger"))),
            (Some(start), None) => Begin::At(start),
            (None, Some(trigger)) => Begin::Triggered(trigger),
            (None, None) => return Err(absent("start")),
        };
        Ok(Connection {
            source,
            destination,
            size: words.size.ok_or_else(|| absent("size"))?,
            begin,
            send_done: words.send_done,
            receive_done: words.receive_done,
        })
    }

    /// Refuses a host that is not below the number of `Nodes`.
    fn check_node(
        &self,
        line: TextLine<'_>,
        name: &'static str,
        host: HostId,
    ) -> Result<(), Diagnostic> {
        let (host, nodes) = (u64::from(host.0), self.hosts());
        match host < nodes {
            true => Ok(()),
            false => Err(line.wrong(diagnostics::host_beyond_nodes(host, nodes).at(name))),
        }
    }
}

impl HeadLine {
    /// Reads a head line into its slot; an error if the slot is already filled.
    fn read(
        place: &mut Option<Self>,
        line: TextLine<'_>,
        key: &str,
        example: &'static str,
    ) -> Result<(), Diagnostic> {
        if let Some(before) = place {
            return Err(line.wrong(diagnostics::line_twice(before.line).at(key)));
        }
        *place = Some(Self {
            stated: counted(line, example)?,
            line: line.number(),
        });
        Ok(())
    }
}

/// The words after `0->17`.
#[derive(Default)]
struct ConnectionWords {
    id: Option<u64>,
    start: Option<Time>,
    size: Option<Bytes>,
    priority: Option<u64>,
    trigger: Option<u64>,
    send_done: Option<u64>,
    receive_done: Option<u64>,
}

impl ConnectionWords {
    fn read(line: TextLine<'_>, unit: TimeUnit, triggers: TriggerUse) -> Result<Self, Diagnostic> {
        let mut read = Self::default();
        let mut words = line.words(CONNECTION);
        words.next("pair")?;
        while let Some(word) = words.optional("word") {
            read.word(word, &mut words, unit, triggers)?;
        }
        Ok(read)
    }

    fn word(
        &mut self,
        word: Field<'_>,
        words: &mut Words<'_>,
        unit: TimeUnit,
        triggers: TriggerUse,
    ) -> Result<(), Diagnostic> {
        let number = |field: Field<'_>| field.integer("1");
        match word.text {
            "start" => once(&mut self.start, words.next("start")?, |field| {
                field.time(unit)
            }),
            "size" => once(&mut self.size, words.next("size")?, |field| field.size()),
            "prio" => once(&mut self.priority, words.next("prio")?, number),
            "id" => once(&mut self.id, words.next("id")?, number),
            "send_done_trigger" => once(
                &mut self.send_done,
                words.next("send_done_trigger")?,
                number,
            ),
            "recv_done_trigger" => once(
                &mut self.receive_done,
                words.next("recv_done_trigger")?,
                number,
            ),
            "trigger" if triggers == TriggerUse::Read => {
                once(&mut self.trigger, words.next("trigger")?, number)
            }
            "trigger" => Err(words.next("trigger")?.wrong(triggered())),
            "addon" => Err(word.wrong(addon())),
            "msg" => Err(word.wrong(message())),
            _ => Err(word.wrong(diagnostics::unexpected(&excerpt(word.text), CONNECTION))),
        }
    }
}

/// Reads a word into its slot; an error if the slot is filled already.
fn once<T>(
    place: &mut Option<T>,
    field: Field<'_>,
    read: impl Fn(Field<'_>) -> Result<T, Diagnostic>,
) -> Result<(), Diagnostic> {
    match place.replace(read(field)?) {
        None => Ok(()),
        Some(_) => Err(field.wrong(diagnostics::word_twice("flow"))),
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

/// A flow whose start is known only during the run.
fn triggered() -> Diagnostic {
    Diagnostic::new(
        "the flow starts when another one ends, which a list of flows cannot say",
        "read the matrix as tasks, with kind = \"tasks\"; or give the flow a `start` of its own",
    )
}

/// A flow that sends more data each time that its trigger fires.
fn addon() -> Diagnostic {
    Diagnostic::new(
        "a flow that goes on with each activation of its trigger is not known here",
        "leave the word out, or write a flow for each activation",
    )
}

/// A message of a connection with several messages.
fn message() -> Diagnostic {
    Diagnostic::new(
        "messages that share a connection (`-conn_reuse`) are not modelled",
        "leave the word out: each line is a flow of its own then, with an `id` of its own",
    )
}

/// A flow with a start and a trigger.
fn two_starts() -> Diagnostic {
    Diagnostic::new("the flow has a start, too", "leave one of them")
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
