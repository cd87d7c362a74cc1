//! Flow lists as comma-separated values.
//!
//! ```text
//! source,destination,size_bytes,start_us
//! 0,16,1000000,0
//! 1,16,1000000,20.5
//! ```
//!
//! The first line names the columns, in any order. Starts may be in `start_ps`, `start_ns`,
//! `start_us`, `start_ms` or `start_s`, with decimals. Other columns are read over, so that a list
//! may keep what else its owner knows. Cells may be quoted; a line break ends a row all the same.

use std::io::BufRead;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_workload::{Flow, FlowReader};

use crate::decimal::TimeUnit;
use crate::diagnostics;
use crate::flow_checks::destination;
use crate::text::{Field, TextLine, TextLines};

const STARTS: [(&str, TimeUnit); 5] = [
    ("start_ps", TimeUnit::Picosecond),
    ("start_ns", TimeUnit::Nanosecond),
    ("start_us", TimeUnit::Microsecond),
    ("start_ms", TimeUnit::Millisecond),
    ("start_s", TimeUnit::Second),
];

const NAMED_FIRST: &str =
    "the first line names the columns, e.g. `source,destination,size_bytes,start_ps`";
const START_NAMED: &str =
    "name one `start_ps`, `start_ns`, `start_us`, `start_ms` or `start_s`, for what it counts";

/// A reader of such a file.
pub(crate) struct Csv<R> {
    lines: TextLines<R>,
    columns: Columns,
    hosts: u32,
    last_line: u64,
}

/// Where in a row the cells of a flow are.
struct Columns {
    /// The header line.
    header: String,
    /// How many cells a row has.
    width: usize,
    /// Of source, destination, size and start.
    names: [&'static str; 4],
    places: [usize; 4],
    start_unit: TimeUnit,
}

impl<R: BufRead> Csv<R> {
    /// Reads the header.
    pub(crate) fn new(mut lines: TextLines<R>, hosts: u32) -> Result<Self, Diagnostic> {
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
        self.columns.flow(line, self.hosts).map(Some)
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.lines.on_line(self.last_line, diagnostic)
    }
}

impl Columns {
    fn read(line: TextLine<'_>) -> Result<Self, Diagnostic> {
        let header: Vec<_> = cells(line.text()).collect();
        let (start_name, start_unit) = start(line, &header)?;
        let names = ["source", "destination", "size_bytes", start_name];
        let mut places = [0; 4];
        for (place, name) in places.iter_mut().zip(names) {
            *place = column(line, &header, name)?;
        }
        Ok(Self {
            header: excerpt(line.text()),
            width: header.len(),
            names,
            places,
            start_unit,
        })
    }

    fn flow(&self, line: TextLine<'_>, hosts: u32) -> Result<Flow, Diagnostic> {
        let [from, to, size, start] = self.fields(line)?;
        let source = from.host(hosts)?;
        Ok(Flow {
            start: start.time(self.start_unit)?,
            source,
            destination: destination(to, source, hosts)?,
            size: size.size()?,
            tag: 0,
        })
    }

    /// The cells of a flow, if the row is as wide as the header.
    fn fields<'a>(&self, line: TextLine<'a>) -> Result<[Field<'a>; 4], Diagnostic> {
        let mut fields = self.names.map(|name| line.field(name, ""));
        let mut width = 0;
        for text in cells(line.text()) {
            if width == self.width {
                let wrong = diagnostics::field_too_many(&excerpt(text), &self.header);
                return Err(line.wrong(wrong.at("end of line")));
            }
            if let Some(field) = self.places.iter().position(|place| *place == width) {
                fields[field] = line.field(self.names[field], text);
            }
            width += 1;
        }
        match width == self.width {
            true => Ok(fields),
            false => Err(self.cut_off(line, width)),
        }
    }

    /// A row that ends before the first of these columns.
    fn cut_off(&self, line: TextLine<'_>, width: usize) -> Diagnostic {
        let missing = self
            .places
            .iter()
            .zip(self.names)
            .filter(|(place, _)| **place >= width);
        let first = missing.min_by_key(|(place, _)| **place);
        let field = first.map_or("end of line", |(_, name)| name);
        line.wrong(diagnostics::field_missing(&self.header).at(field))
    }
}

/// The column that says when flows start, and in what.
fn start(line: TextLine<'_>, header: &[&str]) -> Result<(&'static str, TimeUnit), Diagnostic> {
    let mut named = STARTS.into_iter().filter(|(name, _)| header.contains(name));
    match (named.next(), named.next()) {
        (Some(start), None) => Ok(start),
        (Some((first, _)), Some((second, _))) => {
            Err(line.wrong(diagnostics::column_twice(first, second).at("start")))
        }
        (None, _) => {
            let wrong = diagnostics::column_missing(&excerpt(line.text()), START_NAMED);
            Err(line.wrong(wrong.at("start")))
        }
    }
}

fn column(line: TextLine<'_>, header: &[&str], name: &'static str) -> Result<usize, Diagnostic> {
    let mut places = (0..header.len()).filter(|place| header[*place] == name);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => {
            let (first, second) = (name, name);
            Err(line.wrong(diagnostics::column_twice(first, second).at(name)))
        }
        (None, _) => {
            let wrong = diagnostics::column_missing(&excerpt(line.text()), NAMED_FIRST);
            Err(line.wrong(wrong.at(name)))
        }
    }
}

/// What is between the commas, without blanks and quotes around it; a comma in quotes is none.
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
