//! Errors of files: of a scenario, and of results on disk.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why results were not written, or not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The folder has other content than results, which would be lost.
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
        /// The operating system's error.
        reason: io::Error,
    },
    /// The folder has results that must not be replaced by the new ones.
    #[error("{} {standing}", folder.display())]
    Spared {
        /// The folder.
        folder: PathBuf,
        /// The results there.
        standing: StandingResults,
    },
    /// Another process has locked a folder, and the wait was given up.
    #[error("{} is locked by another process", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of results differs from the data that was written.
    #[error("{} differs from what was written", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file of results has content that no run writes.
    #[error("{}: {what}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The wrong content, and its place.
        what: String,
    },
    /// The rows of a file of results would take more memory than there is.
    #[error("{}: {what}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The number of rows, and their size.
        what: String,
    },
    /// A file of a scenario has changed since the run began.
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
        /// The error of the operating system, or of the file's format.
        reason: io::Error,
    },
}

/// Why existing results are not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandingResults {
    /// The existing results are complete, and of the same run: another process was faster.
    SameRun,
    /// The existing results are of the same run, which was interrupted later than the new one.
    Further,
    /// The existing results are of another run.
    Other {
        /// The other run's name, algorithm, seed and identity.
        run: String,
        /// Whether the other run was interrupted; `None` if its summary is damaged.
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

    /// The error with paths in `to` in place of `from`, for a file that was being moved.
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
