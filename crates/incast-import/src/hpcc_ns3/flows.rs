//! Flow files of the HPCC ns-3 artifact.
//!
//! ```text
//! 32921                                  number of flows
//! 13 6 3 100 443 2.000000040             source destination priority_group destination_port
//! 91 176 3 100 310 2.000000110             size_bytes start_s
//! ```
//!
//! ConWeave's files have no destination port; the first flow shows which kind a file is:
//!
//! ```text
//! 13 6 3 443 2.000000040                 source destination priority_group size_bytes start_s
//! ```
//!
//! Starts are counted from the start of the simulation; the artifact's flows begin at 2 s. The
//! destination port is checked and dropped, because the artifact always writes 100. Hosts are node
//! numbers of the topology file.
//!
//! Deviation: the artifact has a queue for each priority group, and serves group 0 before all
//! others. Here all data share one class, so flows of several groups, or of group 0, are refused
//! unless the user allows them.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_workload::{Flow, FlowCount, FlowReader, HostNames, Strictness};

use super::clock;
use crate::decimal::TimeUnit;
use crate::diagnostics;
use crate::flow_checks::{Priorities, Promise, other_host};
use crate::text::{TextLine, TextLines, UnreadLines};

const LINE: &str = "source destination priority_group destination_port size_bytes start_s";
const LINE_WITHOUT_PORT: &str = "source destination priority_group size_bytes start_s";

/// The hint for a file with more flows than its head states.
const REMEDY: &str = "set `count = \"first\"` to read as many, as ns-3 does, or \
                      `count = \"ignore\"` to read all";

/// The fields of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Layout {
    Artifact,
    ConWeave,
}

impl Layout {
    /// The layout of a file, by its first flow. Five words of which the last is not an integer are
    /// ConWeave's layout, not an incomplete line of the artifact.
    fn of(first: &str) -> Self {
        let words: Vec<_> = first.split_whitespace().collect();
        match words[..] {
            [_, _, _, _, start] if start.contains('.') => Self::ConWeave,
            _ => Self::Artifact,
        }
    }
}

/// The group that ns-3's switches serve before all others, and never pause.
const CONTROL_GROUP: u64 = 0;
const MAX_GROUP: u64 = 7;

/// Options for reading a flow file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FlowOptions {
    /// The check of the number in the file's head.
    pub(crate) count: FlowCount,
    /// Priority groups.
    pub(crate) priorities: Strictness,
    /// The conversion of starts.
    pub(crate) clock: StartClock,
}

/// The conversion of decimal seconds to a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartClock {
    /// Starts to the picosecond.
    Exact,
    /// Starts as in ns-3: truncated to the nanosecond, sometimes one nanosecond early.
    Ns3,
}

/// A reader of a flow file.
pub(crate) struct FlowFileReader<R> {
    lines: TextLines<R>,
    promise: Promise,
    priorities: Priorities,
    clock: StartClock,
    hosts: HostNames,
    last_line: u64,
    /// The layout, once the first flow has been read.
    layout: Option<Layout>,
}

impl<R: BufRead> FlowFileReader<R> {
    /// Reads the first line.
    pub(crate) fn new(
        mut lines: TextLines<R>,
        options: FlowOptions,
        hosts: HostNames,
    ) -> Result<Self, Diagnostic> {
        let line = lines.first_line("the number of its flows")?;
        let stated = line.field("count", line.text()).integer("16")?;
        let promise = Promise {
            stated,
            line: line.number(),
            found: 0,
            count: options.count,
            remedy: REMEDY,
        };
        Ok(Self {
            last_line: line.number(),
            lines,
            promise,
            priorities: Priorities::new(options.priorities),
            clock: options.clock,
            hosts,
            layout: None,
        })
    }
}

/// Lines after the flows that the file's head states, if the file is readable up to there.
pub(crate) fn lines_beyond<R: BufRead>(mut lines: TextLines<R>) -> Option<UnreadLines> {
    let stated: u64 = lines.next_line().ok()??.text().parse().ok()?;
    for _ in 0..stated {
        lines.next_line().ok()??;
    }
    lines.rest()
}

impl<R: BufRead + Send> FlowReader for FlowFileReader<R> {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        if self.promise.is_kept() {
            return Ok(None);
        }
        let Some(line) = self.lines.next_line()? else {
            let checked = self.promise.check(&self.lines);
            checked.map_err(|wrong| with_option(wrong, "--count ignore"))?;
            return Ok(None);
        };
        self.last_line = line.number();
        self.promise.count(line)?;
        let layout = *self.layout.get_or_insert_with(|| Layout::of(line.text()));
        flow(line, layout, &mut self.priorities, self.clock, &self.hosts).map(Some)
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.lines.on_line(self.last_line, diagnostic)
    }
}

fn flow(
    line: TextLine<'_>,
    layout: Layout,
    priorities: &mut Priorities,
    clock: StartClock,
    hosts: &HostNames,
) -> Result<Flow, Diagnostic> {
    let mut words = line.words(match layout {
        Layout::Artifact => LINE,
        Layout::ConWeave => LINE_WITHOUT_PORT,
    });
    let source = words.next("source")?.host_in_file(hosts)?;
    let destination = words.next("destination")?;
    let destination = other_host(destination, destination.host_in_file(hosts)?, source)?;
    let group = words.next("priority_group")?;
    if let Some(wrong) = check_group(group.integer_up_to(MAX_GROUP, "3")?, priorities) {
        return Err(group.wrong(with_option(wrong, "--priorities ignore")));
    }
    if layout == Layout::Artifact {
        let port = words.next("destination_port")?;
        port.integer_up_to(u16::MAX.into(), "100")?;
    }
    let size = words.next("size_bytes")?.size()?;
    let start = words.next("start_s")?;
    words.end()?;
    let start = match clock {
        StartClock::Exact => start.time(TimeUnit::Second)?,
        StartClock::Ns3 => clock::time(start)?,
    };
    let tag = 0;
    Ok(Flow {
        start,
        source,
        destination,
        size,
        tag,
    })
}

/// The diagnostic, with the import's option in place of the scenario's key.
fn with_option(mut wrong: Diagnostic, option: &str) -> Diagnostic {
    let told = format!(" (`incast import` has `{option}`)");
    match wrong.hint.is_empty() {
        true => wrong.what += &told,
        false => wrong.hint += &told,
    }
    wrong
}

fn check_group(group: u64, priorities: &mut Priorities) -> Option<Diagnostic> {
    match (group, priorities.strictness) {
        (CONTROL_GROUP, Strictness::Check) => Some(diagnostics::control_priority()),
        _ => priorities.differs(group),
    }
}

#[cfg(test)]
mod tests;
