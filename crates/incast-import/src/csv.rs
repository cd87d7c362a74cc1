//! Flow lists as comma-separated values.
//!
//! ```text
//! source,destination,size_bytes,start_us
//! 0,16,1000000,0
//! 1,16,1000000,20.5
//! ```
//!
//! The first line names the columns, in any order. Hosts are numbers, or names of the topology
//! file. Starts may be in `start_ps`, `start_ns`, `start_us`, `start_ms` or `start_s`, with
//! decimals. Other columns are ignored. Cells may be quoted, but a line break always ends a row.

use std::io::BufRead;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_workload::{Flow, FlowReader, HostNames, check_destination};

use crate::diagnostics;
use crate::flow_columns::FlowColumns;
use crate::text::{Field, TextLine, TextLines};

const NAMED_FIRST: &str =
    "the first line names the columns, e.g. `source,destination,size_bytes,start_ps`";

/// A reader of a CSV file.
pub(crate) struct Csv<R> {
    lines: TextLines<R>,
    columns: Columns,
    hosts: HostNames,
    last_line: u64,
}

/// The columns that the header names.
struct Columns {
    /// The header line.
    header: String,
    /// Number of cells in a row.
    width: usize,
    of_flow: FlowColumns,
}

impl<R: BufRead> Csv<R> {
    /// Reads the header.
    pub(crate) fn new(mut lines: TextLines<R>, hosts: HostNames) -> Result<Self, Diagnostic> {
        let line = lines.first_line("`source,destination,size_bytes,start_ps`")?;
        let columns = Columns::read(line)?;
        let last_line = line.number();
        Ok(Self {
            lines,
            columns,
            hosts,
            last_line,
        })
    }
}

impl<R: BufRead + Send> FlowReader for Csv<R> {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(None);
        };
        self.last_line = line.number();
        self.columns.flow(line, &self.hosts).map(Some)
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.lines.on_line(self.last_line, diagnostic)
    }
}

impl Columns {
    fn read(line: TextLine<'_>) -> Result<Self, Diagnostic> {
        let header: Vec<_> = cells(line.text()).collect();
        let shown = excerpt(line.text());
        let of_flow = FlowColumns::find(&header, &shown, NAMED_FIRST);
        Ok(Self {
            of_flow: of_flow.map_err(|wrong| line.wrong(wrong))?,
            width: header.len(),
            header: shown,
        })
    }

    fn flow(&self, line: TextLine<'_>, hosts: &HostNames) -> Result<Flow, Diagnostic> {
        let [from, to, size, start] = self.fields(line)?;
        let source = from.host_among(hosts)?;
        let destination = to.host_among(hosts)?;
        check_destination(source, destination).map_err(|wrong| to.wrong(wrong))?;
        Ok(Flow {
            start: start.time(self.of_flow.start_unit)?,
            source,
            destination,
            size: size.size()?,
            tag: 0,
        })
    }

    /// The four cells of a flow; an error if the row is not as wide as the header.
    fn fields<'a>(&self, line: TextLine<'a>) -> Result<[Field<'a>; 4], Diagnostic> {
        let FlowColumns { names, places, .. } = &self.of_flow;
        let mut fields = names.map(|name| line.field(name, ""));
        let mut width = 0;
        for text in cells(line.text()) {
            if width == self.width {
                let wrong = diagnostics::field_too_many(&excerpt(text), &self.header);
                return Err(line.wrong(wrong.at("end of line")));
            }
            if let Some(field) = places.iter().position(|place| *place == width) {
                fields[field] = line.field(names[field], text);
            }
            width += 1;
        }
        match width == self.width {
            true => Ok(fields),
            false => Err(self.cut_off(line, width)),
        }
    }

    /// The diagnostic of a row that is too short: it names the first missing column of a flow.
    fn cut_off(&self, line: TextLine<'_>, width: usize) -> Diagnostic {
        let FlowColumns { names, places, .. } = &self.of_flow;
        let missing = places.iter().zip(names);
        let missing = missing.filter(|(place, _)| **place >= width);
        let first = missing.min_by_key(|(place, _)| **place);
        let field = first.map_or("end of line", |(_, name)| name);
        line.wrong(diagnostics::field_missing(&self.header).at(field))
    }
}

/// The texts between commas, without blanks and quotes around them; commas within quotes do not
/// count.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let mut in_quotes = false;
    let split = line.split(move |c| {
        in_quotes ^= c == '"';
        c == ',' && !in_quotes
    });
    split.map(|cell| {
        let cell = cell.trim();
        let inner = cell
            .strip_prefix('"')
            .and_then(|cell| cell.strip_suffix('"'));
        inner.map_or(cell, str::trim)
    })
}

#[cfg(test)]
mod tests;
