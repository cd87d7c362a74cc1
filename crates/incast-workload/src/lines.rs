//! Text files, line by line: in constant memory, whatever the file holds.
//!
//! A file that is no text (a disk image, a gigabyte of zeros) is refused at its first line,
//! because no line may be longer than [`LONGEST_LINE`]. Blank lines are skipped, spaces around a
//! line and the carriage returns of other systems too. Every error knows its file and line.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::str::SplitWhitespace;

use incast_units::{Bytes, HostId};

use crate::error::{Fault, Place, WorkloadError};
use crate::flow::check_size;

/// In bytes: a hundred times what the longest line of any format needs.
const LONGEST_LINE: usize = 16 * 1024;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The lines of a file.
pub(crate) struct Lines<R> {
    reader: R,
    file: PathBuf,
    /// Of the line read last, counted from 1.
    number: u64,
    buffer: Vec<u8>,
}

/// A line that is not blank.
#[derive(Copy, Clone)]
pub(crate) struct Line<'a> {
    text: &'a str,
    file: &'a Path,
    number: u64,
}

/// The words of a line, from left to right.
pub(crate) struct Words<'a> {
    line: Line<'a>,
    rest: SplitWhitespace<'a>,
    /// What a whole line looks like.
    form: &'static str,
}

/// A word of a line, or a cell, with the name of what it says.
#[derive(Copy, Clone)]
pub(crate) struct Field<'a> {
    line: Line<'a>,
    name: &'static str,
    pub(crate) text: &'a str,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`, which errors call `file`.
    pub(crate) fn new(reader: R, file: impl Into<PathBuf>) -> Self {
        Self {
            reader,
            file: file.into(),
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// The next line that is not blank, without blanks at its ends.
    pub(crate) fn next_line(&mut self) -> Result<Option<Line<'_>>, WorkloadError> {
        while self.fill()? {
            if !self.buffer.trim_ascii().is_empty() {
                return self.text().map(Some);
            }
        }
        Ok(None)
    }

    /// The file's name.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// This fault in that line.
    pub(crate) fn error_at(&self, number: u64, field: &'static str, fault: Fault) -> WorkloadError {
        let file = self.file.clone();
        let line = number;
        WorkloadError::new(Place::Line { file, line, field }, fault)
    }

    /// Reads up to the next line feed; false at the end of the file.
    fn fill(&mut self) -> Result<bool, WorkloadError> {
        self.buffer.clear();
        let mut limited = (&mut self.reader).take(LONGEST_LINE as u64 + 1);
        let read = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|error| WorkloadError::in_file(&self.file, Fault::Unreadable(error)))?;
        self.number += 1;
        match read > LONGEST_LINE {
            true => {
                let limit = LONGEST_LINE;
                Err(self.error_at(self.number, "line", Fault::LineTooLong { limit }))
            }
            false => Ok(read > 0),
        }
    }

    fn text(&self) -> Result<Line<'_>, WorkloadError> {
        let text = str::from_utf8(&self.buffer).map_err(|error| {
            let byte = error.valid_up_to() + 1;
            self.error_at(self.number, "line", Fault::NotText { byte })
        })?;
        let text = match self.number {
            1 => text.trim_start_matches(BYTE_ORDER_MARK),
            _ => text,
        };
        Ok(Line {
            text: text.trim(),
            file: &self.file,
            number: self.number,
        })
    }
}

impl<'a> Line<'a> {
    /// The whole line.
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// Counted from 1.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// Its words, of which a whole line has the `form`.
    pub(crate) fn words(self, form: &'static str) -> Words<'a> {
        Words {
            line: self,
            rest: self.text.split_whitespace(),
            form,
        }
    }

    /// This part of the line, called `name`.
    pub(crate) fn field(self, name: &'static str, text: &'a str) -> Field<'a> {
        Field {
            line: self,
            name,
            text,
        }
    }

    /// This fault in this line.
    pub(crate) fn error(self, field: &'static str, fault: Fault) -> WorkloadError {
        let (file, line) = (self.file.to_owned(), self.number);
        WorkloadError::new(Place::Line { file, line, field }, fault)
    }
}

impl<'a> Words<'a> {
    /// The next word, which says `name`.
    pub(crate) fn next(&mut self, name: &'static str) -> Result<Field<'a>, WorkloadError> {
        let line = self.form.into();
        match self.rest.next() {
            Some(text) => Ok(self.line.field(name, text)),
            None => Err(self.line.error(name, Fault::FieldMissing { line })),
        }
    }

    /// The next word, if there is one.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<Field<'a>> {
        let text = self.rest.next()?;
        Some(self.line.field(name, text))
    }

    /// There must not be another.
    pub(crate) fn end(mut self) -> Result<(), WorkloadError> {
        let line = self.form.into();
        match self.rest.next() {
            None => Ok(()),
            Some(text) => {
                let text = quoted(text);
                Err(self
                    .line
                    .error("end of line", Fault::FieldTooMany { text, line }))
            }
        }
    }
}

impl Field<'_> {
    /// This fault here.
    pub(crate) fn error(self, fault: Fault) -> WorkloadError {
        self.line.error(self.name, fault)
    }

    /// A whole number, of which `example` is one.
    pub(crate) fn integer(self, example: &'static str) -> Result<u64, WorkloadError> {
        self.integer_up_to(u64::MAX, example)
    }

    /// A whole number not above `most`.
    pub(crate) fn integer_up_to(
        self,
        most: u64,
        example: &'static str,
    ) -> Result<u64, WorkloadError> {
        let text = quoted(self.text);
        let fault = match digits(self.text) {
            Digits::None => Fault::NotInteger { text, example },
            Digits::Negative => Fault::Negative { text },
            Digits::Only => match self.text.parse::<u64>() {
                Ok(number) if number <= most => return Ok(number),
                _ => Fault::NumberTooLarge { text, most },
            },
        };
        Err(self.error(fault))
    }

    /// A number of zero or more, to the precision of a double.
    pub(crate) fn number(self, example: &'static str) -> Result<f64, WorkloadError> {
        let text = quoted(self.text);
        let fault = match self.text.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => return Ok(number.abs()),
            Ok(number) if number < 0.0 => Fault::Negative { text },
            _ => Fault::NotDecimal { text, example },
        };
        Err(self.error(fault))
    }

    /// A host of a network of so many.
    pub(crate) fn host(self, hosts: u32) -> Result<HostId, WorkloadError> {
        let host = HostId(self.integer_up_to(u32::MAX.into(), "0")? as u32);
        match host.0 < hosts {
            true => Ok(host),
            false => Err(self.error(Fault::UnknownHost { host, hosts })),
        }
    }

    /// A flow's size in bytes.
    pub(crate) fn size(self) -> Result<Bytes, WorkloadError> {
        if matches!(digits(self.text), Digits::Only) && self.text.parse::<u64>().is_err() {
            let size = quoted(self.text);
            return Err(self.error(Fault::FlowTooLarge { size }));
        }
        let size = Bytes::new(self.integer("1000000")?);
        check_size(size).map_err(|fault| self.error(fault))?;
        Ok(size)
    }
}

enum Digits {
    Only,
    Negative,
    None,
}

fn digits(text: &str) -> Digits {
    let (digits, without) = match text.strip_prefix('-') {
        Some(rest) => (Digits::Negative, rest),
        None => (Digits::Only, text),
    };
    match !without.is_empty() && without.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits,
        false => Digits::None,
    }
}

/// Text from a file as a message can show it: short and printable.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String = text
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
