//! The diagnostic; each caller adds a step to its place.

use std::fmt;
use std::io;

use crate::excerpt::excerpt;
use crate::place::{Origin, Place};
use crate::printable::{is_printable, printable};
use crate::serde_message;
use crate::suggestion::suggestion;

/// A wrong input: its place, the mistake, and a correction.
///
/// Prints as `place: what; hint`. The alternate form (`{:#}`) is for serde's `custom` only; see
/// [`Diagnostic::from_message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place of the input, as far as known.
    pub place: Place,
    /// The mistake.
    pub what: String,
    /// The correction; empty if `what` already implies it.
    pub hint: String,
}

impl Diagnostic {
    /// A mistake whose place is not known yet. `hint` may be empty.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            place: Place::default(),
            what: printable(what.into()),
            hint: printable(hint.into()),
        }
    }

    /// A name that does not exist, with the nearest name that does, and all names.
    pub fn unknown<'a>(
        noun: &str,
        name: &str,
        available: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::new(
            format!("unknown {noun} `{name}`"),
            suggestion(name, available),
        )
    }

    /// A file that cannot be read; `error` is the operating system's.
    pub fn unreadable(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::new(
                "there is no such file",
                "relative paths begin at the scenario's folder",
            ),
            _ => Self::new(format!("cannot be read: {error}"), ""),
        }
    }

    /// A diagnostic from an error message that serde passes to `custom`.
    ///
    /// Serde passes errors on as text. Our deserializers call this function with each message: a
    /// `Diagnostic` is restored with its parts; any other message becomes `what`.
    pub fn from_message(message: impl fmt::Display) -> Self {
        let message = format!("{message:#}");
        match serde_message::decode(&message) {
            Some([key, what, hint]) => Self::new(what, hint).at(key),
            None => Self::new(message, ""),
        }
    }

    /// Puts a step before the key: `load` at `traffic[0]` is `traffic[0].load`, and `[3]` at
    /// `hosts` is `hosts[3]`. Nothing changes if the input's file is already known: keys of another
    /// text do not lead into that file.
    #[must_use]
    pub fn at(mut self, key: impl AsRef<str>) -> Self {
        self.place.prefix_key(key.as_ref());
        self
    }

    /// Sets the line, counted from 1, unless a line is known.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> Self {
        self.place.set_line(line);
        self
    }

    /// Sets the file, unless a file is known.
    #[must_use]
    pub fn in_file(mut self, name: impl fmt::Display) -> Self {
        self.place.set_file(&name.to_string());
        self
    }

    /// Names a file that could not be used, under the key `file`. Nothing changes if the mistake
    /// stands in the file itself, or at another key.
    #[must_use]
    pub fn naming(mut self, name: impl fmt::Display) -> Self {
        if self.has_origin() || !self.place.key.is_empty() {
            return self;
        }
        let name = name.to_string();
        if !name.is_empty() {
            self.what = printable(format!("`{name}`: {}", self.what));
        }
        self.at("file")
    }

    /// Sets the command-line option, unless a file is known.
    #[must_use]
    pub fn in_option(mut self, option: &'static str) -> Self {
        self.place.set_option(option);
        self
    }

    /// Whether the file or option of the input is known.
    pub fn has_origin(&self) -> bool {
        !matches!(self.place.origin, Origin::Unknown | Origin::Line(_))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&serde_message::encode([
                &self.place.key,
                &self.what,
                &self.hint,
            ]));
        }
        write!(f, "{}{}", self.place, self.what)?;
        match self.hint.as_str() {
            "" => Ok(()),
            hint => write!(f, "; {hint}"),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// The diagnostic of a name that cannot be shown on a terminal; `None` if it can.
pub fn unprintable(name: &str) -> Option<Diagnostic> {
    let wrong = name.chars().any(|character| !is_printable(character));
    wrong.then(|| {
        let what = format!("`{}` has characters that do not print", excerpt(name));
        Diagnostic::new(what, "write letters, digits and signs")
    })
}

/// The methods of [`Diagnostic`] that extend its place, for results.
pub trait Placed: Sized {
    /// Puts a step before the key.
    #[must_use]
    fn at(self, key: impl AsRef<str>) -> Self;

    /// Sets the line, counted from 1, unless a line is known.
    #[must_use]
    fn on_line(self, line: u64) -> Self;

    /// Sets the file, unless a file is known.
    #[must_use]
    fn in_file(self, name: impl fmt::Display) -> Self;
}

impl<T> Placed for Result<T, Diagnostic> {
    fn at(self, key: impl AsRef<str>) -> Self {
        self.map_err(|diagnostic| diagnostic.at(key))
    }

    fn on_line(self, line: u64) -> Self {
        self.map_err(|diagnostic| diagnostic.on_line(line))
    }

    fn in_file(self, name: impl fmt::Display) -> Self {
        self.map_err(|diagnostic| diagnostic.in_file(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_unit() -> Diagnostic {
        Diagnostic::new("`100` has no unit", "write e.g. `100Gbps`")
    }

    #[test]
    fn a_place_grows_from_the_inside() {
        let at_key = no_unit().at("rate").at("links[3]");
        let line = at_key.clone().on_line(14);
        for (diagnostic, place) in [
            (no_unit(), ""),
            (at_key.clone(), "links[3].rate: "),
            (line.clone(), "line 14: links[3].rate: "),
            (line.in_file("a.toml"), "a.toml:14: links[3].rate: "),
            (at_key.clone().in_file("a.toml"), "a.toml: links[3].rate: "),
            (at_key.in_option("--set"), "--set links[3].rate: "),
            (no_unit().at("[2]").at("hosts"), "hosts[2]: "),
            (no_unit().at("hosts").at(""), "hosts: "),
            (no_unit().in_file("a.toml").on_line(3), "a.toml:3: "),
        ] {
            let expected = format!("{place}`100` has no unit; write e.g. `100Gbps`");
            assert_eq!(diagnostic.to_string(), expected);
        }
    }

    /// The innermost file, line and option are where the mistake stands.
    #[test]
    fn a_known_origin_stays() {
        let inner = no_unit().on_line(2).in_file("flows.csv");
        let outer = inner.clone().on_line(9).in_file("run.toml");
        assert_eq!(outer.in_option("--set").at("traffic[0]"), inner);
        assert_eq!(inner.place.file(), Some("flows.csv"));
        assert_eq!(inner.place.line(), Some(2));
        assert!(inner.has_origin() && !no_unit().on_line(2).has_origin());
        let option = no_unit().in_option("--set");
        assert_eq!(option.clone().on_line(1).in_file("run.toml"), option);
        assert_eq!((option.place.file(), option.place.line()), (None, None));
    }

    #[test]
    fn an_empty_hint_is_not_printed() {
        assert_eq!(Diagnostic::new("too long", "").to_string(), "too long");
    }

    #[test]
    fn names_that_a_terminal_would_obey() {
        assert_eq!(unprintable("tor 0, Zürich"), None);
        let wrong = unprintable("\u{1b}[2J").expect("an escape sequence");
        assert_eq!(
            wrong.to_string(),
            "`\\u{1b}[2J` has characters that do not print; write letters, digits and signs"
        );
    }

    #[test]
    fn files_that_cannot_be_read() {
        let missing = Diagnostic::unreadable(&io::ErrorKind::NotFound.into());
        assert_eq!(
            missing.to_string(),
            "there is no such file; relative paths begin at the scenario's folder"
        );
        let denied = Diagnostic::unreadable(&io::ErrorKind::PermissionDenied.into());
        assert_eq!(denied.to_string(), "cannot be read: permission denied");
    }

    #[test]
    fn results_are_placed_as_diagnostics_are() {
        let result: Result<(), _> = Err(no_unit());
        let placed = result.at("rate").on_line(3).in_file("a.toml");
        let expected = no_unit().at("rate").on_line(3).in_file("a.toml");
        assert_eq!(placed, Err(expected));
    }
}
