//! The files of a live network, which reads flows from them while it is under way.

use std::path::PathBuf;
use std::sync::Arc;

use crate::file_error::FileError;
use crate::identity::FileContents;

/// Whether the files still have the contents that they had when the network was made.
#[derive(Clone)]
pub(super) enum LiveFiles {
    /// The files must stay unchanged, because flows have still to be read.
    Open(Arc<FileContents>),
    /// The files were unchanged until all flows were read, and may change now.
    Read,
    /// This file changed before all flows were read.
    Changed(PathBuf),
}

impl LiveFiles {
    pub(super) fn new(contents: FileContents) -> Self {
        Self::Open(Arc::new(contents))
    }

    /// Checks that the files did not change before they were read.
    pub(super) fn check(&self) -> Result<(), FileError> {
        match self {
            Self::Open(contents) => contents.check(),
            Self::Read => Ok(()),
            Self::Changed(path) => Err(FileError::Changed { path: path.clone() }),
        }
    }

    /// Checks the files, and remembers a change even if it is undone later.
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
