//! The words of a line of GOAL, without comments.

use incast_diagnostic::{Diagnostic, excerpt};

use crate::diagnostics;
use crate::text::{Field, TextLine};

/// What is left of a line.
#[derive(Copy, Clone)]
pub(super) struct Tokens<'a> {
    line: TextLine<'a>,
    rest: &'a str,
    /// Where a comment began that has not ended.
    comment: Option<u64>,
}

impl<'a> Tokens<'a> {
    /// All of a line, which begins in a comment if one is open.
    pub(super) fn of(line: TextLine<'a>, comment: Option<u64>) -> Self {
        let rest = line.text();
        Self {
            line,
            rest,
            comment,
        }
    }

    /// Where a comment began that has not ended.
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

    /// The word that the rest begins with.
    fn word(&mut self) -> &'a str {
        let ends = |symbol: char| symbol.is_whitespace() || matches!(symbol, ':' | '{' | '}' | '/');
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let (word, rest) = self.rest.split_at(end.max(first));
        self.rest = rest;
        word
    }

    /// The next word, which says `name` and must be there; a line looks like `form`.
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

    /// The next word, which must be this one.
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

    /// Nothing more follows on this line, unless the rank ends here.
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

    /// A word where another one belongs.
    pub(super) fn unexpected(&self, word: &str, example: &str) -> Diagnostic {
        let wrong = diagnostics::unexpected(&excerpt(word), example);
        self.line.wrong(wrong.at("line"))
    }
}
