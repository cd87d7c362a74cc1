//! Text files, line by line: in constant memory.
//!
//! A file that is not text (a disk image, a gigabyte of zeros) is refused at its first line,
//! because no line may be longer than [`MAX_LINE`]. Blank lines are skipped; spaces and carriage
//! returns at the ends of a line are removed. Every error has its file and line.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::str::{FromStr, SplitWhitespace};

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, HostId, Rate, Time};
use incast_workload::diagnostics::flow_too_large;
use incast_workload::{HostNames, check_host, check_size};

use crate::diagnostics;

/// The longest line in bytes: a hundred times the longest line of most formats.
const MAX_LINE: usize = 16 * 1024;

/// The smallest rate without a unit: for a smaller number the unit was probably forgotten.
const MIN_BARE_RATE: Rate = Rate::from_mbps(1);

/// The longest delay without a unit: for a larger number the unit was probably forgotten.
const MAX_BARE_DELAY: Time = Time::from_ms(100);

pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The lines of a file.
pub(crate) struct TextLines<R> {
    reader: R,
    file: PathBuf,
    /// The number of the last line that was read, counted from 1.
    number: u64,
    max_line: usize,
    buffer: Vec<u8>,
}

/// A line that is not blank.
#[derive(Copy, Clone)]
pub(crate) struct TextLine<'a> {
    text: &'a str,
    file: &'a Path,
    number: u64,
}

/// Lines after the last one that was read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadLines {
    /// The number of the first unread line.
    pub(crate) first: u64,
    count: u64,
}

/// The most lines that are counted.
const MAX_COUNTED: u64 = 1_000_000;

impl UnreadLines {
    /// The number of unread lines, in words.
    pub(crate) fn counted(self) -> String {
        match self.count {
            1 => "1 more line".to_owned(),
            count if count > MAX_COUNTED => format!("over {MAX_COUNTED} more lines"),
            count => format!("{count} more lines"),
        }
    }
}

/// The words of a line, from left to right.
pub(crate) struct Words<'a> {
    line: TextLine<'a>,
    rest: SplitWhitespace<'a>,
    /// The form of a whole line, for messages.
    form: &'static str,
}

/// A word of a line, or a cell, with the name of its field.
#[derive(Copy, Clone)]
pub(crate) struct Field<'a> {
    line: TextLine<'a>,
    name: &'static str,
    pub(crate) text: &'a str,
}

impl<R: BufRead> TextLines<R> {
    /// The lines of `reader`, which is called `file` in errors.
    pub(crate) fn new(reader: R, file: impl Into<PathBuf>) -> Self {
        Self {
            reader,
            file: file.into(),
            number: 0,
            max_line: MAX_LINE,
            buffer: Vec::new(),
        }
    }

    /// Sets the longest line, in bytes.
    pub(crate) fn with_lines_up_to(self, max_line: usize) -> Self {
        Self { max_line, ..self }
    }

    /// The next line that is not blank, without blanks at its ends.
    pub(crate) fn next_line(&mut self) -> Result<Option<TextLine<'_>>, Diagnostic> {
        while self.fill()? {
            if !self.buffer.trim_ascii().is_empty() {
                return self.text().map(Some);
            }
        }
        Ok(None)
    }

    /// The next line that is not blank, or an error; `begins` describes the begin of such files.
    pub(crate) fn first_line(&mut self, begins: &str) -> Result<TextLine<'_>, Diagnostic> {
        let empty = diagnostics::empty_file(begins).in_file(self.file.display());
        self.next_line()?.ok_or(empty)
    }

    /// The line that was read last, from a copy of its text.
    pub(crate) fn line_again<'a>(&'a self, text: &'a str) -> TextLine<'a> {
        TextLine {
            text,
            file: &self.file,
            number: self.number,
        }
    }

    /// The remaining lines, which need not be text and are not parsed.
    pub(crate) fn rest(&mut self) -> Option<UnreadLines> {
        let mut rest: Option<UnreadLines> = None;
        loop {
            let is_there = self.fill();
            if matches!(is_there, Ok(false)) {
                return rest;
            }
            let is_blank = is_there.is_ok() && self.buffer.trim_ascii().is_empty();
            if !is_blank {
                let first = self.number;
                rest.get_or_insert(UnreadLines { first, count: 0 }).count += 1;
            }
            // Counting stops early, because the file may be a disk image.
            if is_there.is_err() || rest.is_some_and(|rest| rest.count > MAX_COUNTED) {
                return rest;
            }
        }
    }

    /// The file's name.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Adds the file to a diagnostic.
    pub(crate) fn in_file(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.in_file(self.file.display())
    }

    /// Adds the file and this line to a diagnostic.
    pub(crate) fn on_line(&self, number: u64, diagnostic: Diagnostic) -> Diagnostic {
        self.in_file(diagnostic.on_line(number))
    }

    /// Reads up to the next line feed; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, Diagnostic> {
        self.buffer.clear();
        let limit = self.max_line;
        let mut limited = (&mut self.reader).take(limit as u64 + 1);
        let read = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|error| self.in_file(Diagnostic::unreadable(&error)))?;
        self.number += 1;
        match read > limit {
            true => Err(self.on_line(self.number, diagnostics::line_too_long(limit))),
            false => Ok(read > 0),
        }
    }

    fn text(&self) -> Result<TextLine<'_>, Diagnostic> {
        let wrong = |byte| self.on_line(self.number, diagnostics::not_text(byte + 1));
        let text = str::from_utf8(&self.buffer).map_err(|error| wrong(error.valid_up_to()))?;
        if let Some(at) = text.find('\0') {
            return Err(wrong(at));
        }
        let text = match self.number {
            1 => text.trim_start_matches(BYTE_ORDER_MARK),
            _ => text,
        };
        Ok(TextLine {
            text: text.trim(),
            file: &self.file,
            number: self.number,
        })
    }
}

impl<'a> TextLine<'a> {
    /// The whole line.
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// Counted from 1.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// The words of the line; `form` is the form of a whole line.
    pub(crate) fn words(self, form: &'static str) -> Words<'a> {
        Words {
            line: self,
            rest: self.text.split_whitespace(),
            form,
        }
    }

    /// A part of the line, as the field `name`.
    pub(crate) fn field(self, name: &'static str, text: &'a str) -> Field<'a> {
        Field {
            line: self,
            name,
            text,
        }
    }

    /// Adds the file and this line to a diagnostic.
    pub(crate) fn wrong(self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.on_line(self.number).in_file(self.file.display())
    }
}

impl<'a> Words<'a> {
    /// The next word, as the field `name`; an error at the end of the line.
    pub(crate) fn next(&mut self, name: &'static str) -> Result<Field<'a>, Diagnostic> {
        match self.rest.next() {
            Some(text) => Ok(self.line.field(name, text)),
            None => Err(self
                .line
                .wrong(diagnostics::field_missing(self.form).at(name))),
        }
    }

    /// The next word, as the field `name`, if there is one.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<Field<'a>> {
        let text = self.rest.next()?;
        Some(self.line.field(name, text))
    }

    /// Checks that there are no more words.
    pub(crate) fn end(mut self) -> Result<(), Diagnostic> {
        match self.rest.next() {
            None => Ok(()),
            Some(text) => {
                let wrong = diagnostics::field_too_many(&excerpt(text), self.form);
                Err(self.line.wrong(wrong.at("end of line")))
            }
        }
    }
}

impl Field<'_> {
    /// Adds file, line and field to a diagnostic.
    pub(crate) fn wrong(self, diagnostic: Diagnostic) -> Diagnostic {
        self.line.wrong(diagnostic.at(self.name))
    }

    /// Adds file and line to a diagnostic, without the field.
    pub(crate) fn unnamed(self, diagnostic: Diagnostic) -> Diagnostic {
        self.line.wrong(diagnostic)
    }

    /// The field as an integer; `example` shows one in messages.
    pub(crate) fn integer(self, example: &'static str) -> Result<u64, Diagnostic> {
        self.integer_up_to(u64::MAX, example)
    }

    /// The field as an integer of at most `max`.
    pub(crate) fn integer_up_to(self, max: u64, example: &'static str) -> Result<u64, Diagnostic> {
        let text = excerpt(self.text);
        let wrong = match digits(self.text) {
            Digits::None => diagnostics::not_integer(&text, example),
            Digits::Negative => diagnostics::negative(&text),
            Digits::Only => match self.text.parse::<u64>() {
                Ok(number) if number <= max => return Ok(number),
                _ => diagnostics::number_too_large(&text, max),
            },
        };
        Err(self.wrong(wrong))
    }

    /// The field as an integer of 32 bits.
    pub(crate) fn integer_32(self, example: &'static str) -> Result<u32, Diagnostic> {
        let number = self.integer_up_to(u32::MAX.into(), example)?;
        Ok(number as u32)
    }

    /// The field as a double of zero or more.
    pub(crate) fn number(self, example: &'static str) -> Result<f64, Diagnostic> {
        let text = excerpt(self.text);
        let wrong = match self.text.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => return Ok(number.abs()),
            Ok(number) if number < 0.0 => diagnostics::negative(&text),
            _ => diagnostics::not_decimal(&text, example),
        };
        Err(self.wrong(wrong))
    }

    /// A probability, 0 to 1.
    pub(crate) fn probability(self) -> Result<f64, Diagnostic> {
        match self.text.parse() {
            Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
            _ => Err(self.wrong(diagnostics::not_a_probability(&excerpt(self.text)))),
        }
    }

    /// A rate or a delay with its unit.
    pub(crate) fn quantity<Q: FromStr<Err = Diagnostic>>(self) -> Result<Q, Diagnostic> {
        let quantity = excerpt(self.text).parse();
        quantity.map_err(|wrong| self.wrong(wrong))
    }

    /// The text before a comma, and the text after it, if there is a comma.
    pub(crate) fn split_at_comma(self) -> (Self, Option<Self>) {
        let part = |text| Self { text, ..self };
        match self.text.split_once(',') {
            None => (self, None),
            Some((before, after)) => (part(before), Some(part(after))),
        }
    }

    /// A rate as ns-3 reads it: without a unit in bit/s; fractions are truncated.
    pub(crate) fn rate(self) -> Result<Rate, Diagnostic> {
        let (digits, fraction) = self.text.split_once('.').unwrap_or((self.text, "0"));
        let is_bare = [digits, fraction]
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_bare {
            return self.quantity();
        }
        let bare = format!("{digits}bps").parse();
        let rate: Rate = bare.map_err(|wrong| self.wrong(wrong))?;
        match rate < MIN_BARE_RATE {
            true => Err(self.wrong(diagnostics::slow_bare_rate(&excerpt(self.text)))),
            false => Ok(rate),
        }
    }

    /// A delay as ns-3 reads it: without a unit in seconds.
    pub(crate) fn delay(self) -> Result<Time, Diagnostic> {
        if self.text.parse::<f64>().is_err() {
            return self.quantity();
        }
        match format!("{}s", excerpt(self.text)).parse() {
            Ok(delay) if delay <= MAX_BARE_DELAY => Ok(delay),
            Ok(_) => Err(self.wrong(diagnostics::long_bare_delay(&excerpt(self.text)))),
            Err(wrong) => Err(self.wrong(wrong)),
        }
    }

    /// A host number of a network with `hosts` hosts.
    pub(crate) fn host(self, hosts: u32) -> Result<HostId, Diagnostic> {
        let host = HostId(self.integer_32("0")?);
        check_host(host, hosts).map_err(|wrong| self.wrong(wrong))?;
        Ok(host)
    }

    /// A host, by its number in the topology file.
    pub(crate) fn host_in_file(self, hosts: &HostNames) -> Result<HostId, Diagnostic> {
        let number = self.integer_32("0")?;
        hosts
            .number_in_file(number)
            .map_err(|wrong| self.wrong(wrong))
    }

    /// A host, by its number, or by its name if hosts have names.
    pub(crate) fn host_among(self, hosts: &HostNames) -> Result<HostId, Diagnostic> {
        let is_number = matches!(digits(self.text), Digits::Only);
        match hosts.have_names() && !self.text.is_empty() && !is_number {
            true => hosts.find(self.text).map_err(|wrong| self.wrong(wrong)),
            false => self.host(hosts.hosts()),
        }
    }

    /// A flow's size in bytes.
    pub(crate) fn size(self) -> Result<Bytes, Diagnostic> {
        if matches!(digits(self.text), Digits::Only) && self.text.parse::<u64>().is_err() {
            return Err(self.wrong(flow_too_large(&excerpt(self.text))));
        }
        let size = Bytes::new(self.integer("1000000")?);
        check_size(size).map_err(|wrong| self.wrong(wrong))?;
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

#[cfg(test)]
mod tests;
