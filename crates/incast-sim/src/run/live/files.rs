//! The files of a live network, which goes on reading flows of them while it is under way.

use std::path::PathBuf;
use std::sync::Arc;

use crate::file_error::FileError;
use crate::identity::FileContents;

/// Whether its files hold what they held when the network was made.
#[derive(Clone)]
pub(super) enum LiveFiles {
    /// The files must still hold it: there is more to read.
    Open(Arc<FileContents>),
    /// The files held it until their ends were read, and may change now.
    Read,
    /// This file did not hold what it held at the begin.
    Changed(PathBuf),
}

impl LiveFiles {
    pub(super) fn new(contents: FileContents) -> Self {
        Self::Open(Arc::new(contents))
    }

    /// Whether what was read is what they held at the begin.
    pub(super) fn check(&self) -> Result<(), FileError> {
        match self {
            Self::Open(contents) => contents.check(),
            Self::Read => Ok(()),
            Self::Changed(path) => Err(FileError::Changed { path: path.clone() }),
        }
    }

    /// Checks the files for good: a file that is as before again has still been another.
    pub(super) fn check_for_good(&mut self) -> Result<(), FileError> {
        let checked = self.check();
        if let Err(FileError::Changed { path }) = &checked {
            *self = Self::Changed(path.clone());
        }
        checked
    }

    /// Checks the files when all flows have been read.
    pub(super) fn close(&mut self) -> Result<(), FileError> {
        self.check_for_good()?;
        *self = Self::Read;
        Ok(())
    }
}
