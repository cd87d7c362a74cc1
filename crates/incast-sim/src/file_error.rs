//! Files that cannot be used: those of a scenario, and results on disk.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why results were not written, or not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The folder holds something else, which would be lost.
    #[error("{} exists and is not a results folder; give another --out", folder.display())]
    NotResults {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder could not be written.
    #[error("{}: cannot write: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        reason: io::Error,
    },
    /// The folder holds results that are not to be replaced by these.
    #[error("{} {standing}", folder.display())]
    Spared {
        /// The folder.
        folder: PathBuf,
        /// The results there.
        standing: StandingResults,
    },
    /// Another process has locked a folder, and that was not waited for any longer.
    #[error("{} is locked by another process", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of results differs from what was written.
    #[error("{} differs from what was written", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file of results holds something that no run writes.
    #[error("{}: {what}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What, and where in it.
        what: String,
    },
    /// The rows of a file of results would take more memory than there is.
    #[error("{}: {what}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many rows, and how much.
        what: String,
    },
    /// A file of a scenario is another one than when the run began.
    #[error("{}: changed while the run read it; run again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read.
    #[error("{}: cannot read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system, or the file's format, says.
        reason: io::Error,
    },
}

/// Why results stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandingResults {
    /// The results there are whole and of the same run: another process was first.
    SameRun,
    /// The results there are of the same run, which was interrupted later than the new one.
    Further,
    /// The results there are of another run.
    Other {
        /// Its name, algorithm, seed and identity.
        run: String,
        /// Whether it was interrupted; none if its summary, which is damaged, does not say.
        partial: Option<bool>,
    },
}

impl fmt::Display for StandingResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameRun => f.write_str("holds a whole run"),
            Self::Further => f.write_str("holds the same run, interrupted later"),
            Self::Other { run, partial } => {
                let kind = match partial {
                    Some(true) => "an interrupted",
                    Some(false) => "a whole",
                    None => "a damaged",
                };
                let other = "run of another scenario, seed or version";
                write!(f, "holds {kind} {other} ({run})")
            }
        }
    }
}

impl FileError {
    pub(crate) fn write(path: &Path, reason: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            reason,
        }
    }

    /// The same error, of a file that was to be moved from one folder to another.
    pub(crate) fn moved(self, from: &Path, to: &Path) -> Self {
        match self {
            Self::Write { path, reason } => match path.strip_prefix(from) {
                Ok(file) => Self::Write {
                    path: to.join(file),
                    reason,
                },
                Err(_) => Self::Write { path, reason },
            },
            other => other,
        }
    }

    pub(crate) fn damaged(path: &Path) -> Self {
        let path = path.to_owned();
        Self::Damaged { path }
    }

    pub(crate) fn wrong(path: &Path, what: &impl std::fmt::Display) -> Self {
        let (path, what) = (path.to_owned(), what.to_string());
        Self::Wrong { path, what }
    }

    pub(crate) fn read(path: &Path, reason: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            reason,
        }
    }
}
