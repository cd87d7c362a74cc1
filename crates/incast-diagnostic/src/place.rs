//! Places of wrong inputs.

use std::fmt;

use crate::printable::printable;

/// The place of a wrong input: its file or option, and its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file or command-line option.
    pub origin: Origin,
    /// The key, dotted, e.g. `traffic[0].load`, or the column of a file; empty if there is none.
    pub key: String,
}

/// The text that an input comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The place is not known, or the input is not a text.
    #[default]
    Unknown,
    /// A command-line option, e.g. `--set`.
    Option(&'static str),
    /// A line of a file, before the name of the file is known.
    Line(u64),
    /// A file.
    File {
        /// The name of the file, as the user wrote it.
        name: String,
        /// The line, counted from 1; `None` for the file as a whole.
        line: Option<u64>,
    },
}

impl Place {
    /// The name of the file, if the input comes from a file whose name is known.
    pub fn file(&self) -> Option<&str> {
        match &self.origin {
            Origin::File { name, .. } => Some(name),
            Origin::Unknown | Origin::Option(_) | Origin::Line(_) => None,
        }
    }

    /// The line, counted from 1, if it is known.
    pub fn line(&self) -> Option<u64> {
        match self.origin {
            Origin::Line(line) => Some(line),
            Origin::File { line, .. } => line,
            Origin::Unknown | Origin::Option(_) => None,
        }
    }

    /// Puts `outer` before the key: `load` under `traffic[0]` is `traffic[0].load`, and `[3]`
    /// under `hosts` is `hosts[3]`. Keys of another text do not lead into a file.
    pub(crate) fn prefix_key(&mut self, outer: &str) {
        if self.file().is_some() {
            return;
        }
        let outer = printable(outer.to_owned());
        let inner = &self.key;
        self.key = match inner.chars().next() {
            None => outer,
            Some(_) if outer.is_empty() => return,
            Some('[') => format!("{outer}{inner}"),
            Some(_) => format!("{outer}.{inner}"),
        };
    }

    /// Sets the line, unless a more exact origin is known.
    pub(crate) fn set_line(&mut self, line: u64) {
        match &mut self.origin {
            origin @ Origin::Unknown => *origin = Origin::Line(line),
            Origin::File { line: known, .. } => *known = known.or(Some(line)),
            Origin::Option(_) | Origin::Line(_) => {}
        }
    }

    /// Sets the file, unless the input stands in another.
    pub(crate) fn set_file(&mut self, name: &str) {
        let line = match self.origin {
            Origin::Unknown => None,
            Origin::Line(line) => Some(line),
            Origin::Option(_) | Origin::File { .. } => return,
        };
        let name = printable(name.to_owned());
        self.origin = Origin::File { name, line };
    }

    /// Sets the option, unless the input stands in a file.
    pub(crate) fn set_option(&mut self, option: &'static str) {
        if self.origin == Origin::Unknown {
            self.origin = Origin::Option(option);
        }
    }
}

/// `fabric.toml:14: links[3].rate: `, with its colon and blank; empty for an unknown place.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Unknown => {}
            Origin::Option(option) => write!(f, "{option} ")?,
            Origin::Line(line) => write!(f, "line {line}: ")?,
            Origin::File { name, line: None } => write!(f, "{name}: ")?,
            Origin::File {
                name,
                line: Some(line),
            } => write!(f, "{name}:{line}: ")?,
        }
        match self.key.as_str() {
            "" => Ok(()),
            key => write!(f, "{key}: "),
        }
    }
}
