//! The words of a line of GOAL, without comments.

use incast_diagnostic::{Diagnostic, excerpt};

use crate::diagnostics;
use crate::text::{Field, TextLine};

/// The rest of a line that is being read.
#[derive(Copy, Clone)]
pub(super) struct Tokens<'a> {
    line: TextLine<'a>,
    rest: &'a str,
    /// The line of the `/*` of a comment that is still open.
    comment: Option<u64>,
}

impl<'a> Tokens<'a> {
    /// The words of a line, which begins within a comment if `comment` is one that is open.
    pub(super) fn of(line: TextLine<'a>, comment: Option<u64>) -> Self {
        let rest = line.text();
        Self {
            line,
            rest,
            comment,
        }
    }

    /// The line of the `/*` of a comment that is still open.
    pub(super) fn comment(&self) -> Option<u64> {
        self.comment
    }

    /// The next word, or one of `:`, `{` and `}`.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        loop {
            if self.comment.is_some() {
                let end = self.rest.find("*/")?;
                self.rest = &self.rest[end + 2..];
                self.comment = None;
            }
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with("//") {
                self.rest = "";
                return None;
            }
            let Some(comment) = self.rest.strip_prefix("/*") else {
                return Some(self.word());
            };
            self.rest = comment;
            self.comment = Some(self.line.number());
        }
    }

    /// The word at the begin of the rest.
    fn word(&mut self) -> &'a str {
        let ends = |symbol: char| symbol.is_whitespace() || matches!(symbol, ':' | '{' | '}' | '/');
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let (word, rest) = self.rest.split_at(end.max(first));
        self.rest = rest;
        word
    }

    /// The next word, which is the field `name`, or an error; `form` shows a whole line.
    pub(super) fn expect(
        &mut self,
        name: &'static str,
        form: &'static str,
    ) -> Result<Field<'a>, Diagnostic> {
        match self.next() {
            Some(word) => Ok(self.line.field(name, word)),
            None => Err(self.line.wrong(diagnostics::field_missing(form).at(name))),
        }
    }

    /// Reads the next word, which must be `word`.
    pub(super) fn expect_word(
        &mut self,
        word: &'static str,
        form: &'static str,
    ) -> Result<(), Diagnostic> {
        let found = self.expect(word, form)?;
        match found.text == word {
            true => Ok(()),
            false => Err(self.unexpected(found.text, form)),
        }
    }

    /// A field of this line.
    pub(super) fn field(&self, name: &'static str, text: &'a str) -> Field<'a> {
        self.line.field(name, text)
    }

    /// Checks that no word follows on this line, except the `}` of the rank.
    pub(super) fn end_of_statement(&self) -> Result<(), Diagnostic> {
        let mut ahead = *self;
        match ahead.next() {
            None | Some("}") => Ok(()),
            Some(word) => {
                let wrong = Diagnostic::new(
                    format!("`{}` is too much", excerpt(word)),
                    "write each statement on a line of its own",
                );
                Err(self.line.wrong(wrong.at("end of line")))
            }
        }
    }

    /// The diagnostic of a word in place of another.
    pub(super) fn unexpected(&self, word: &str, example: &str) -> Diagnostic {
        let wrong = diagnostics::unexpected(&excerpt(word), example);
        self.line.wrong(wrong.at("line"))
    }
}
