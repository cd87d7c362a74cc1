//! What is wrong with a scenario: where, what, and what would be right.

use std::fmt;

use incast_diagnostic::Diagnostic;

/// A mistake in a scenario, or in a file that it refers to.
///
/// ```text
/// run.toml:6: cc.algorithm: unknown algorithm `hpc`; did you mean `hpcc`? (available: hpcc, …)
/// --set network.link_delay: `100` has no unit; write e.g. `100us`
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The file with the mistake; `None` if the value came from the command line.
    pub file: Option<String>,
    /// Its line, counted from 1, if the mistake is on one.
    pub line: Option<u32>,
    /// The key, dotted, e.g. `traffic[0].load`; empty if no key is to blame.
    pub key: String,
    /// What was wrong.
    pub what: String,
    /// What would be right; empty if `what` says it.
    pub hint: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, _) => write!(f, "--set ")?,
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecError {}

/// A complaint that does not know yet where its cause stands: what was wrong, and what would be
/// right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) what: String,
    pub(crate) hint: String,
}

impl Complaint {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// From a message of another crate. Those read "what was wrong; what would be right".
    pub(crate) fn from_message(message: &str) -> Self {
        let (what, hint) = message.split_once("; ").unwrap_or((message, ""));
        Self::new(what, hint)
    }

    /// A file that the system would not give.
    pub(crate) fn unreadable(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::new(
                "there is no such file",
                "relative paths begin at the scenario's folder",
            ),
            _ => Self::new(format!("cannot be read: {error}"), ""),
        }
    }

    /// A name that is not in the list.
    pub(crate) fn unknown(noun: &str, name: &str, available: &[&str]) -> Self {
        Self::new(
            format!("unknown {noun} `{name}`"),
            super::suggest::hint(name, available),
        )
    }
}

/// Its place is told apart. A text of serde that is no diagnostic is split at its semicolon.
impl From<Diagnostic> for Complaint {
    fn from(diagnostic: Diagnostic) -> Self {
        match diagnostic.hint.is_empty() {
            true => Self::from_message(&diagnostic.what),
            false => Self::new(diagnostic.what, diagnostic.hint),
        }
    }
}

impl From<Diagnostic> for SpecError {
    fn from(diagnostic: Diagnostic) -> Self {
        let place = &diagnostic.place;
        Self {
            file: place.file().map(str::to_owned),
            line: place
                .line()
                .map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
            key: place.key.clone(),
            what: diagnostic.what,
            hint: diagnostic.hint,
        }
    }
}

/// A complaint about the value of a key, found after reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Dotted, e.g. `network.buffer.size`.
    pub(crate) key: String,
    pub(crate) complaint: Complaint,
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            key: diagnostic.place.key,
            complaint: Complaint::new(diagnostic.what, diagnostic.hint),
        }
    }
}

impl Complaint {
    pub(crate) fn at(self, key: impl Into<String>) -> Problem {
        Problem {
            key: key.into(),
            complaint: self,
        }
    }
}
