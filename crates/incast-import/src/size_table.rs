//! Tables of flow sizes, as traffic generators and simulators write them.
//!
//! ```text
//! 10000 15             bytes, percent: the HPCC artifact
//! 10000 0.15           bytes, fraction: most other generators
//! 6 1 0.15             size, a column that is not read, fraction: ns-2, in packets (`.tcl`)
//! 10000,15             with commas, after a line of names
//! ```
//!
//! In ns-2 (`tools/ranvar.cc`, `EmpiricalRandomVariable`) all flows up to the first fraction have
//! the first size. Tables of two columns must begin at fraction 0.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;
use incast_workload::{Cdf, CdfUnit};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

const LINE: &str = "bytes percent";
const LINE_OF_NS2: &str = "size any fraction";

/// Units for reading a table.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct TableOptions {
    pub(crate) unit: Option<CdfUnit>,
    pub(crate) size_unit: Option<Bytes>,
}

/// A table, and the units that were used.
#[derive(Debug)]
pub(crate) struct SizeTable {
    pub(crate) cdf: Cdf,
    pub(crate) unit: CdfUnit,
    pub(crate) columns: usize,
}

/// Points in the units of the file.
#[derive(Default)]
struct WrittenTable {
    points: Vec<(f64, f64)>,
    lines: Vec<u64>,
    /// Two or three.
    columns: usize,
}

/// Reads the table of a file; an import infers the unit of the last column from the last line.
pub(crate) fn read(
    mut lines: TextLines<impl BufRead>,
    options: TableOptions,
    last_line: LastLine,
) -> Result<SizeTable, Diagnostic> {
    let mut written = WrittenTable::default();
    while let Some(line) = lines.next_line()? {
        written.add(&line)?;
    }
    if written.points.is_empty() {
        let empty = diagnostics::empty_file("`0 0`, a line of `bytes percent`");
        return Err(lines.in_file(empty));
    }
    let unit = written.unit(options, last_line);
    let unit = unit.map_err(|wrong| lines.on_line(written.last_line(), wrong))?;
    let size_unit = match (options.size_unit, written.columns) {
        (None, 3) => return Err(lines.on_line(written.lines[0], diagnostics::which_sizes())),
        (given, _) => given.unwrap_or(Bytes::new(1)),
    };
    written
        .begin_at_zero()
        .map_err(|wrong| lines.on_line(written.lines[0], wrong))?;
    let scale = match unit {
        CdfUnit::Percent => 1.0,
        CdfUnit::Fraction => 100.0,
    };
    let size_scale = size_unit.as_u64() as f64;
    let points = written.points.iter();
    let points = points.map(|(size, up_to)| (size * size_scale, up_to * scale));
    let cdf =
        Cdf::new(points).map_err(|bad| lines.on_line(written.lines[bad.index], bad.diagnostic))?;
    Ok(SizeTable {
        cdf,
        unit,
        columns: written.columns,
    })
}

/// Whether the last line tells the unit of the last column.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// The last line tells the unit: it ends in 1, or in 100.
    SaysTheUnit,
    /// The user gives the unit, and the last line must agree.
    IsChecked,
}

impl WrittenTable {
    fn add(&mut self, line: &TextLine<'_>) -> Result<(), Diagnostic> {
        let text = line.text();
        let end = ["#", "//"].iter().filter_map(|mark| text.find(mark)).min();
        let is_separator = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let words = text[..end.unwrap_or(text.len())].split(is_separator);
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        let is_text = |word: &&str| word.starts_with(|first: char| first.is_alphabetic());
        let is_head = self.points.is_empty() && words.len() > 1 && words.iter().all(is_text);
        if words.is_empty() || is_head && words.iter().all(|word| word.parse::<f64>().is_err()) {
            return Ok(());
        }
        if self.points.is_empty() {
            self.columns = words.len().clamp(2, 3);
        }
        let form = if self.columns == 3 { LINE_OF_NS2 } else { LINE };
        let field = |name, at: usize| -> Result<Field<'_>, Diagnostic> {
            let word = words.get(at);
            let missing = || line.wrong(diagnostics::field_missing(form).at(name));
            Ok(line.field(name, word.ok_or_else(missing)?))
        };
        let size = field("bytes", 0)?.number("1000")?;
        let up_to = field("percent", self.columns - 1)?.number("12.5")?;
        if let Some(more) = words.get(self.columns) {
            let wrong = diagnostics::field_too_many(&incast_diagnostic::excerpt(more), form);
            return Err(line.wrong(wrong.at("end of line")));
        }
        self.points.push((size, up_to));
        self.lines.push(line.number());
        Ok(())
    }

    fn last_line(&self) -> u64 {
        self.lines.last().copied().unwrap_or(1)
    }

    fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.1)
    }

    /// The unit of the last column.
    fn unit(&self, options: TableOptions, last_line: LastLine) -> Result<CdfUnit, Diagnostic> {
        match (options.unit, self.columns) {
            (Some(CdfUnit::Fraction), _) if self.end() == 100.0 => {
                Err(diagnostics::no_fractions().at("percent"))
            }
            (Some(unit), _) => Ok(unit),
            (None, 3) => Ok(CdfUnit::Fraction),
            (None, _) if self.end() != 1.0 => Ok(CdfUnit::Percent),
            (None, _) if last_line == LastLine::SaysTheUnit => Ok(CdfUnit::Fraction),
            (None, _) => Err(diagnostics::maybe_fractions().at("percent")),
        }
    }

    /// Adds a first point at 0, if the format implies one.
    fn begin_at_zero(&mut self) -> Result<(), Diagnostic> {
        let Some(&(size, up_to)) = self.points.first() else {
            return Ok(());
        };
        match (up_to == 0.0, self.columns) {
            (true, _) => Ok(()),
            (false, 3) => {
                self.points.insert(0, (size, 0.0));
                self.lines.insert(0, self.lines[0]);
                Ok(())
            }
            (false, _) => Err(diagnostics::begins_above_zero(size, up_to).at("percent")),
        }
    }
}

#[cfg(test)]
mod tests;
