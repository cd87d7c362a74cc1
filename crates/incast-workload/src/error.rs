//! What can be wrong with traffic as a user described it: where, and what.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

mod fault;
#[cfg(test)]
mod tests;

pub use fault::Fault;

/// A mistake in a traffic entry, in a file that it names, or in flows made elsewhere.
///
/// Printed as `place: what was wrong; what would be right`.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct WorkloadError {
    /// Where.
    pub place: Box<Place>,
    /// What was wrong, and what would be right.
    pub fault: Box<Fault>,
}

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a `[[traffic]]` entry, under this key: `load`, or `flows[3].size`.
    Key(String),
    /// A file as a whole.
    File(PathBuf),
    /// In a file.
    Line {
        /// The file as the scenario names it.
        file: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The column, or the word of the format.
        field: &'static str,
    },
    /// In a stream of flows made elsewhere.
    Flow {
        /// Counted from 0.
        flow: u64,
        /// The part of the flow.
        field: &'static str,
    },
    /// In the maker of such a stream.
    Outside,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Line { file, line, field } => write!(f, "{}:{line}: {field}", file.display()),
            Self::Flow { flow, field } => write!(f, "flow {flow}: {field}"),
            Self::Outside => f.write_str("traffic from outside"),
        }
    }
}

impl WorkloadError {
    /// This fault in this place.
    pub fn new(place: Place, fault: Fault) -> Self {
        Self {
            place: Box::new(place),
            fault: Box::new(fault),
        }
    }

    /// The error of whoever makes flows for us, to be found again as [`Fault::Outside`].
    pub fn outside(error: impl Error + Send + Sync + 'static) -> Self {
        Self::new(Place::Outside, Fault::Outside(Box::new(error)))
    }

    pub(crate) fn at_key(key: impl Into<String>, fault: Fault) -> Self {
        Self::new(Place::Key(key.into()), fault)
    }

    pub(crate) fn in_file(file: impl Into<PathBuf>, fault: Fault) -> Self {
        Self::new(Place::File(file.into()), fault)
    }

    /// The same mistake in an entry's part: its keys then begin with `prefix`.
    pub(crate) fn under(mut self, prefix: impl fmt::Display) -> Self {
        if let Place::Key(key) = &mut *self.place {
            *key = format!("{prefix}.{key}");
        }
        self
    }
}

/// Says under which key of the entry a fault was found.
pub(crate) trait AtKey<T> {
    fn at_key(self, key: &str) -> Result<T, WorkloadError>;
}

impl<T> AtKey<T> for Result<T, Fault> {
    fn at_key(self, key: &str) -> Result<T, WorkloadError> {
        self.map_err(|fault| WorkloadError::at_key(key, fault))
    }
}
