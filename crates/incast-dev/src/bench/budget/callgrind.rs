//! Reads the costs in callgrind's profiles (<https://valgrind.org/docs/manual/cl-format.html>); the
//! call graph is not read.

use std::collections::HashMap;
use std::ops::AddAssign;

use incast_sim::Diagnostic;
use serde::Serialize;

/// Counts of events.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(in crate::bench) struct Cost {
    pub(in crate::bench) instructions: u64,
    /// Reads and writes that missed the L1 data cache.
    pub(in crate::bench) l1_data_misses: u64,
    /// Misses of the last-level cache, for data and instructions.
    pub(in crate::bench) last_level_misses: u64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.l1_data_misses += other.l1_data_misses;
        self.last_level_misses += other.last_level_misses;
    }
}

/// All costs of a process.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallgrindProfile<'a> {
    pub(super) total: Cost,
    pub(super) entries: Vec<InstructionCost<'a>>,
}

/// The cost of an instruction, or of some of its executions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InstructionCost<'a> {
    /// The program or library that contains the instruction.
    pub(super) object: &'a str,
    /// The source file in which the instruction's function begins.
    pub(super) file: &'a str,
    /// The instruction's address in the object.
    pub(super) address: u64,
    pub(super) cost: Cost,
}

/// # Errors
/// If a line is not understood, or the costs do not add up to the total.
pub(super) fn read(text: &str) -> Result<CallgrindProfile<'_>, Diagnostic> {
    let mut reader = ProfileReader::default();
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let malformed = || {
            let diagnostic = Diagnostic::new(format!("`{line}` is not understood"), "");
            diagnostic.on_line(number as u64 + 1)
        };
        entries.extend(reader.take(line).ok_or_else(malformed)?);
    }
    let without_total = || Diagnostic::new("there is no line `totals:`", "");
    let total = reader.total.ok_or_else(without_total)?;
    let mut sum = Cost::default();
    entries.iter().for_each(|entry| sum += entry.cost);
    match sum == total {
        true => Ok(CallgrindProfile { total, entries }),
        false => {
            let (sum, total) = (sum.instructions, total.instructions);
            let what = format!("costs add up to {sum} instructions, not {total}");
            Err(Diagnostic::new(what, ""))
        }
    }
}

/// The reader's state after the lines read so far.
#[derive(Default)]
struct ProfileReader<'a> {
    events: Vec<&'a str>,
    total: Option<Cost>,
    objects: CompressedNames<'a>,
    files: CompressedNames<'a>,
    object: &'a str,
    /// The file of the current function.
    file: &'a str,
    /// The last address, to which the next may be relative.
    address: u64,
    /// Whether the next cost is the inclusive cost of a call, which is counted at the callee's
    /// lines.
    is_call: bool,
}

impl<'a> ProfileReader<'a> {
    /// Reads a line. Returns its cost, if it has one; `None` if the line is not understood.
    fn take(&mut self, line: &'a str) -> Option<Option<InstructionCost<'a>>> {
        if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            return self.take_cost(line);
        }
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "ob" => self.object = self.objects.take(value)?,
                "fl" => self.file = self.files.take(value)?,
                "cob" => _ = self.objects.take(value)?,
                "fi" | "fe" | "cfi" | "cfl" => _ = self.files.take(value)?,
                "calls" => self.is_call = true,
                _ => {}
            }
        } else if let Some((key, value)) = line.split_once(": ") {
            match key {
                "events" => self.events = value.split_whitespace().collect(),
                "totals" => self.total = Some(self.cost(value.split_whitespace())?),
                _ => {}
            }
        }
        Some(None)
    }

    /// Address, line, costs.
    fn take_cost(&mut self, line: &str) -> Option<Option<InstructionCost<'a>>> {
        let mut words = line.split_whitespace();
        self.address = absolute(words.next()?, self.address)?;
        let _line = words.next()?;
        let cost = self.cost(words)?;
        Some(
            (!std::mem::take(&mut self.is_call)).then_some(InstructionCost {
                object: self.object,
                file: self.file,
                address: self.address,
                cost,
            }),
        )
    }

    /// The cost in a line. Counts are in the order of the events; zeros at the end are omitted.
    fn cost<'w>(&self, words: impl Iterator<Item = &'w str>) -> Option<Cost> {
        let mut cost = Cost::default();
        let mut events = self.events.iter();
        for word in words {
            let count: u64 = word.parse().ok()?;
            match *events.next()? {
                "Ir" => cost.instructions += count,
                "D1mr" | "D1mw" => cost.l1_data_misses += count,
                "ILmr" | "DLmr" | "DLmw" => cost.last_level_misses += count,
                _ => {}
            }
        }
        Some(cost)
    }
}

/// An address: absolute in hexadecimal digits, relative to the last one (`+` or `-`), or the same
/// (`*`).
fn absolute(word: &str, last: u64) -> Option<u64> {
    let number = |digits: &str| match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    };
    match word.split_at_checked(1)? {
        ("*", "") => Some(last),
        ("+", more) => last.checked_add(number(more)?),
        ("-", less) => last.checked_sub(number(less)?),
        _ => number(word),
    }
}

/// Names that are written out once, `(7) name`, and then abbreviated, `(7)`.
#[derive(Default)]
struct CompressedNames<'a>(HashMap<&'a str, &'a str>);

impl<'a> CompressedNames<'a> {
    fn take(&mut self, text: &'a str) -> Option<&'a str> {
        if !text.starts_with('(') {
            return Some(text);
        }
        match text.split_once(") ") {
            Some((number, name)) => {
                self.0.insert(number, name);
                Some(name)
            }
            None => self.0.get(text.strip_suffix(')')?).copied(),
        }
    }
}
