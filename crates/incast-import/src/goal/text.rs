//! GOAL as text.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100 cpu 0
//! l2: send 10b to 1 tag 5 cpu 0 nic 0
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 10b from 0 tag 5   // a comment
//! }
//! ```
//!
//! Each statement has a line of its own. A label such as `l1:` may be left out; so may `tag`, `cpu`
//! and `nic`, which are 0 by default. Labels are local to a rank, and must come before the lines
//! that use them. `/* … */` is a comment, too.

use std::collections::HashMap;
use std::io::BufRead;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_workload::{FileTasks, TaskList};

use super::{ANY, Action, ActionKind, HostNics, check_ranks};
use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};
use statement::Statement;
use tokens::Tokens;

mod statement;
#[cfg(test)]
pub(super) mod tests;
mod tokens;

const NUM_RANKS: &str = "num_ranks 2";
const RANK: &str = "rank 0 {";

/// Reads a schedule of `ranks` ranks.
pub(crate) fn read(
    mut lines: TextLines<impl BufRead>,
    ranks: u32,
    nics: HostNics,
) -> Result<FileTasks, Diagnostic> {
    let mut schedule = GoalText::new(ranks, nics);
    while let Some(line) = lines.next_line()? {
        schedule.read(line)?;
    }
    schedule.check_end(&lines)?;
    Ok(FileTasks::numbered(schedule.list, "line", schedule.lines))
}

/// The part of a schedule that has been read.
struct GoalText {
    ranks: u32,
    nics: HostNics,
    list: TaskList,
    /// The line of each task.
    lines: Vec<u32>,
    /// Whether `num_ranks` has been read.
    sized: bool,
    /// Whether each rank has been read.
    begun: Vec<bool>,
    /// The rank that is being read.
    rank: Option<u32>,
    /// The tasks of this rank that have labels.
    labels: HashMap<Box<str>, u32>,
    /// The line of the `/*` of a comment that is still open.
    comment: Option<u64>,
}

impl GoalText {
    fn new(ranks: u32, nics: HostNics) -> Self {
        Self {
            ranks,
            nics,
            list: TaskList::new(ranks),
            lines: Vec::new(),
            sized: false,
            begun: vec![false; ranks as usize],
            rank: None,
            labels: HashMap::new(),
            comment: None,
        }
    }

    fn read(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let mut tokens = Tokens::of(line, self.comment);
        while let Some(token) = tokens.next() {
            match (self.rank, token) {
                (None, "num_ranks") => self.size(&mut tokens)?,
                (None, "rank") => self.begin(&mut tokens)?,
                (None, _) if !self.sized => return Err(tokens.unexpected(token, NUM_RANKS)),
                (None, _) => return Err(tokens.unexpected(token, RANK)),
                (Some(_), "}") => {
                    self.rank = None;
                    self.labels.clear();
                }
                (Some(rank), _) => {
                    let statement = Statement::read(token, &mut tokens)?;
                    self.add(rank, line, statement)?;
                    tokens.end_of_statement()?;
                }
            }
        }
        self.comment = tokens.comment();
        Ok(())
    }

    fn size(&mut self, tokens: &mut Tokens<'_>) -> Result<(), Diagnostic> {
        let number = tokens.expect("num_ranks", NUM_RANKS)?;
        if self.sized {
            return Err(number.wrong(twice()));
        }
        let stated = number.integer_32("2")?;
        check_ranks(stated, self.ranks).map_err(|wrong| number.wrong(wrong))?;
        self.sized = true;
        Ok(())
    }

    fn begin(&mut self, tokens: &mut Tokens<'_>) -> Result<(), Diagnostic> {
        let number = tokens.expect("rank", RANK)?;
        if !self.sized {
            return Err(number.wrong(diagnostics::unexpected("rank", NUM_RANKS)));
        }
        let rank = number.integer_32("0")?;
        let Some(begun) = self.begun.get_mut(rank as usize) else {
            return Err(number.wrong(no_such_rank(rank, self.ranks)));
        };
        if std::mem::replace(begun, true) {
            return Err(number.wrong(twice()));
        }
        self.rank = Some(rank);
        tokens.expect_word("{", RANK)
    }

    fn add(
        &mut self,
        rank: u32,
        line: TextLine<'_>,
        statement: Statement<'_>,
    ) -> Result<(), Diagnostic> {
        match statement {
            Statement::Act { label, action } => {
                let work = action.work(self.nics).map_err(|wrong| line.wrong(wrong))?;
                let task = self.list.add(rank, work);
                self.lines
                    .push(u32::try_from(line.number()).unwrap_or(u32::MAX));
                if let Some(label) = label
                    && self.labels.insert(label.text.into(), task).is_some()
                {
                    return Err(label.wrong(label_twice(label.text)));
                }
            }
            Statement::Wait { task, before, ends } => {
                let (task, before) = (self.labelled(task)?, self.labelled(before)?);
                match ends {
                    true => self.list.wait_for_end(task, before),
                    false => self.list.wait_for_start(task, before),
                }
            }
        }
        Ok(())
    }

    fn labelled(&self, label: Field<'_>) -> Result<u32, Diagnostic> {
        let known = self.labels.get(label.text);
        known
            .copied()
            .ok_or_else(|| label.wrong(no_label(label.text)))
    }

    fn check_end(&self, lines: &TextLines<impl BufRead>) -> Result<(), Diagnostic> {
        if let Some(line) = self.comment {
            return Err(lines.on_line(line, comment_open()));
        }
        if !self.sized {
            let empty = diagnostics::empty_file("`num_ranks` and the number of ranks");
            return Err(lines.in_file(empty));
        }
        if let Some(rank) = self.rank {
            return Err(lines.in_file(ends_within(rank)));
        }
        match self.begun.iter().position(|begun| !begun) {
            Some(rank) => Err(lines.in_file(rank_missing(rank))),
            None => Ok(()),
        }
    }
}

fn twice() -> Diagnostic {
    Diagnostic::new("it stands in the file twice", "leave one")
}

fn no_such_rank(rank: u32, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("rank {rank} does not exist"),
        format!("there are {ranks} ranks, counted from 0"),
    )
}

fn label_twice(label: &str) -> Diagnostic {
    Diagnostic::new(
        format!("two actions of the rank are called `{}`", excerpt(label)),
        "give each a label of its own",
    )
}

fn no_label(label: &str) -> Diagnostic {
    Diagnostic::new(
        format!("no action of the rank is called `{}` above", excerpt(label)),
        "write an action above the lines that name it",
    )
}

fn comment_open() -> Diagnostic {
    Diagnostic::new("the comment does not end", "close it with `*/`")
}

fn ends_within(rank: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the file ends within rank {rank}"),
        "is it cut off? A rank ends with `}`",
    )
}

fn rank_missing(rank: usize) -> Diagnostic {
    Diagnostic::new(
        format!("the file ends without rank {rank}"),
        format!("is it cut off? A rank may be empty: `rank {rank} {{ }}`"),
    )
}
