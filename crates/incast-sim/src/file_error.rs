//! Files that cannot be used: those of a scenario, and results on disk.

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
    /// The folder holds whole results, which are not to be replaced by these.
    #[error("{} holds a whole run", folder.display())]
    Spared {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of results differs from what was written.
    #[error("{} differs from what was written", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
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

    pub(crate) fn read(path: &Path, reason: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            reason,
        }
    }
}
